# SPDX-License-Identifier: GPL-3.0-or-later
"""Costs of transitions, from poses and velocities, and what was measured of baked ones."""
