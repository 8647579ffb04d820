# SPDX-License-Identifier: GPL-3.0-or-later
"""Files and folders: where something may be written, and who may. Nothing here needs Blender or numpy."""
