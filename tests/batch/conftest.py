# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line's fixtures."""

from __future__ import annotations

from tests.command_line import batch, four_clips, inertia, plain_letters, rig_file, small_rigs, workers

__all__ = ["batch", "four_clips", "inertia", "plain_letters", "rig_file", "small_rigs", "workers"]
