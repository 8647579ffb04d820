# SPDX-License-Identifier: GPL-3.0-or-later
"""What any action of an armature is like: its feet, its pops, and the verdict on what Inertia has baked."""
