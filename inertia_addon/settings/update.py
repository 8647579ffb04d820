# SPDX-License-Identifier: GPL-3.0-or-later
"""Which results are made anew: one frozen record for the command line and spec files."""

from __future__ import annotations

from ..records import record
from .fields import Record, setting


@record(frozen=True)
class UpdateSettings(Record):
    """Which results are made anew. action: the result, "" for all of the armature."""

    action: str = setting(
        "", help="the result to bake again (default: all of the armature's)", metavar="ACTION"
    )
