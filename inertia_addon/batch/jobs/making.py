# SPDX-License-Identifier: GPL-3.0-or-later
"""What jobs of several kinds do with Blender."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...blender import files
from ...blender.evaluation import joints
from ...blender.files import importing
from ...blender.transition.report import BakeReport
from .job import Job
from .opened import Opened

ROOM = 1.5
"""A .blend that would take more than this times what the inputs take is compressed."""


def weights_of(job: Job, armature: Any) -> dict[str, float]:
    """The joints that count."""
    return dict(job.weights) or joints.named_weights(armature, job.joints)


def save(opened: Opened, job: Job, armature: Any, report: BakeReport, output: Path) -> None:
    """Write the outputs of what was baked."""
    sources = opened.open(job.inputs)
    if sources.is_imported:
        # the range of a .blend file is the user's own
        importing.cover(*report.frame_range)
    room = None if job.whole_file else ROOM * sources.size
    # a .blend last, as what is open may lose what that does not need
    for name in sorted(job.outputs, key=lambda name: name.endswith(".blend")):
        # what a power cut takes, --resume misses: the journal knows its content
        files.save(output / name, armature, report.result, report.slot, settled=False, room=room)
