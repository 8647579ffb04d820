# SPDX-License-Identifier: GPL-3.0-or-later
"""Pops in the interface: their list, their marks, and what smooths them."""
