# SPDX-License-Identifier: GPL-3.0-or-later
"""Cycles: clips that begin anew where they end, and how far each repetition takes the character."""
