# SPDX-License-Identifier: GPL-3.0-or-later
"""Animation curves: their keys, and their values as Blender evaluates them."""
