# SPDX-License-Identifier: GPL-3.0-or-later
"""What the rooms of all features draw, keep and say in common."""
