# SPDX-License-Identifier: GPL-3.0-or-later
"""What spec files may hold, and how their values are checked against that, without Blender."""
