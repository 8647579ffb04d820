# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender data in and out: what every feature needs of it, and a room for each feature."""
