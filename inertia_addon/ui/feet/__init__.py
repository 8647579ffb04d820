# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet in the interface: legs, and contacts that are drawn and dragged."""
