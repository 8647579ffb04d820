# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender data in and out: actions, slots, rigs, rotation modes, root."""
