# SPDX-License-Identifier: GPL-3.0-or-later
"""Charts as pixels and PNG files, from numpy alone: Blender without a window has nothing else."""
