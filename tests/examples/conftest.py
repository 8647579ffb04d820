# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line's fixtures."""

from __future__ import annotations

from tests.command_line import inertia, plain_letters, workers

__all__ = ["inertia", "plain_letters", "workers"]
