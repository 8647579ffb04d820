# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet of armatures: their legs, and when each is planted in an action."""
