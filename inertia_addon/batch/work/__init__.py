# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs and who does them: processes with a Blender of their own, here or on a cluster, and their journal."""
