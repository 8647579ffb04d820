# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeletons: their tree, their ends, where their joints are, and how they stand as a whole."""
