# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: thin, on top of blender, motion and batch."""
