# SPDX-License-Identifier: GPL-3.0-or-later
"""Pops: jumps of a bone beyond what it does elsewhere, found and mended."""
