# SPDX-License-Identifier: GPL-3.0-or-later
"""What may be asked for: all of a setting is said once, on its record's field.

Blender's properties, the command line, spec files and what is stored in files are all held against that.
Nothing here knows of Blender or of numpy.
"""
