# SPDX-License-Identifier: GPL-3.0-or-later
"""Transitions from strips of the NLA, and as strips."""
