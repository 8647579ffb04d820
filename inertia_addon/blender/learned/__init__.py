# SPDX-License-Identifier: GPL-3.0-or-later
"""Learned models of an armature's actions: trained, kept as files, checked, and baked along a path."""
