# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths in the window: what is followed with which clips, the way that is found, and baking it."""
