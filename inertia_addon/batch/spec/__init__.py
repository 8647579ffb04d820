# SPDX-License-Identifier: GPL-3.0-or-later
"""Spec files: what a batch is made from, checked before any work and read into jobs, without Blender."""
