# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys, of an action of Blender."""
