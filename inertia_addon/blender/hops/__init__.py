# SPDX-License-Identifier: GPL-3.0-or-later
"""Hops: ways through a third clip, found, baked, measured and written as tables."""
