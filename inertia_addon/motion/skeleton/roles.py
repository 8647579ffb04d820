# SPDX-License-Identifier: GPL-3.0-or-later
"""The roles that bones have in a body."""

FOOT, HAND, HIPS, HEAD, OTHER = "FOOT", "HAND", "HIPS", "HEAD", "OTHER"
