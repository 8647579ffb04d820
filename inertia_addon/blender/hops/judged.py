# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdicts on the blends of a hop: each within the whole that they make."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Sequence

from ...motion.steps import part
from ..data.actions import Clip
from ..judging import verdict
from ..judging.verdict import Verdict
from ..transition.bake import Plan


def of_blends(plans: Sequence[Plan], shown: Clip) -> Generator[float, None, tuple[Verdict, ...]]:
    """The verdict on each blend of a hop, up to the next one; yields the part that is done.

    shown: all of them together, baked or planned. Raises InertiaError for a rig that Blender would not play.
    """
    found: list[Verdict] = []
    nexts = [*(plan.settings.cut for plan in plans[1:]), float("inf")]
    for i, (plan, last) in enumerate(zip(plans, nexts, strict=True)):
        played = plan.played
        end, until = min(played.end, last), min(played.until, last)
        played = dataclasses.replace(played, shown=shown, end=end, until=until, told=None, is_planned=False)
        steps = verdict.of_played(played)
        found.append((yield from part(steps, i / len(plans), (i + 1) / len(plans))))
    return tuple(found)
