# SPDX-License-Identifier: GPL-3.0-or-later
"""Files and folders: what they hold, and where and how they may be written. Nothing here needs Blender."""
