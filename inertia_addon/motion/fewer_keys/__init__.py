# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys: the fewest that show an action within a tolerance of where it takes each joint."""
