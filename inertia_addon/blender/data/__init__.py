# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's data in and out: actions, slots, channels, rigs, the scene, and every branch on a version."""
