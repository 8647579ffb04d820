# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops: stretches of an action that can go round, found and made."""
