# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaps between two actions, filled: searched, and baked as one action."""
