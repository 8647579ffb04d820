# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the joints of a rig are in a clip, by numpy where that can be known, else by Blender."""
