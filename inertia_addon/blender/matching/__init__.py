# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths: a set of actions analysed, what is followed, and the way along it baked and measured."""
