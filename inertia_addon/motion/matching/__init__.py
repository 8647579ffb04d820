# SPDX-License-Identifier: GPL-3.0-or-later
"""Hops: the best ways through a third clip, for every trigger frame."""
