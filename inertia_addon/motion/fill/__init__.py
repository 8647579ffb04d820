# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaps between two clips: the chain of clips that leads from one to the other in a given time."""
