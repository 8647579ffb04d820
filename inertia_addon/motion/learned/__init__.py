# SPDX-License-Identifier: GPL-3.0-or-later
"""Learned motion matching: networks that play a set of clips without the clips, and how they are trained."""
