# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet: legs, when each foot is planted, and how well it stays put."""
