# SPDX-License-Identifier: GPL-3.0-or-later
"""Strips of the NLA: those of a result, and those that a transition is made of."""
