# SPDX-License-Identifier: GPL-3.0-or-later
"""What one sees of transitions of an armature: evidence of a plan or a result, and the verdict in words."""
