# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages that play what was judged: one file each, which opens from disk and asks for nothing else."""
