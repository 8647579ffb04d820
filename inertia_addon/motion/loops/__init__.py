# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops: stretches of a clip that can go round, and what closes them."""
