# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertialization itself: what differs at a cut, and how that decays."""
