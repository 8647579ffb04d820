# SPDX-License-Identifier: GPL-3.0-or-later
"""Transitions: two clips in, their inertialized transition out as a third action."""
