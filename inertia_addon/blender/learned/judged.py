# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdicts on the joins of what a model plays: each against what is played before and behind it.

A model has no clips; what it plays beside a join stands for them.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Generator, Sequence
from typing import Any

from ...errors import InertiaError
from ...motion.judging.evidence import MARGIN_SECONDS
from ...motion.steps import part
from ...settings.matching import PathSettings
from ..data import actions, clip_store, recipe, scene
from ..data.actions import Clip
from ..judging import verdict
from ..judging.sides import Side
from ..judging.verdict import Verdict
from ..matching.bake import PathReport
from ..matching.quality import end_of_join, judging_join


def of_joins(
    armature: Any, settings: PathSettings, joins: Sequence[float], played: Clip
) -> Generator[float, None, tuple[Verdict, ...]]:
    """The verdict on each join of an action that a model has played; yields the part that is done.

    joins: its frames at which the character is projected.
    """
    found: list[Verdict] = []
    around = MARGIN_SECONDS * scene.fps()
    for i, cut in enumerate(joins):
        nexts = joins[i + 1] if i + 1 < len(joins) else played.end
        end = end_of_join(settings.transition, cut, nexts)
        both = Side(played, 0.0, cut - around, cut), Side(played, 0.0, end, end + around)
        steps = judging_join(armature, settings.transition, both, played, (cut, end))
        found.append((yield from part(steps, i / len(joins), (i + 1) / len(joins))))
    return tuple(found)


def of_report(
    armature: Any, settings: PathSettings, report: PathReport
) -> Generator[float, None, tuple[Verdict, ...]]:
    """The verdict on each join of what a model has just played."""
    played = clip_store.read(armature, actions.find(report.result), report.slot)
    return of_joins(armature, settings, report.cut_frames, played)


def told(report: PathReport, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """The joins of what was baked, each with the verdict on it, and the worst, as JSON values."""
    each = zip(report.cut_frames, verdicts, strict=True)
    joins = [{"frame": frame, "verdict": seen.as_dict()} for frame, seen in each]
    return {"joins": joins, "verdict": verdict.told(verdicts)["verdict"]}


def of_result(armature: Any, action: Any, slot: str = "") -> Generator[float, None, tuple[Verdict, ...]]:
    """The verdicts on the joins of what a model has played as its action shows it now, by its recipe.

    Yields the part that is done. Raises InertiaError where the recipe can't be read or does not tell the
    joins, as those of earlier versions.
    """
    with recipe.reading(action):
        values = json.loads(action[recipe.LEARNED])
        settings, joins = PathSettings.from_dict(values["settings"]), values.get("joins")
        joins = None if joins is None else [float(frame) for frame in joins]
    if joins is None:
        raise InertiaError(
            '"{action}" was baked by an earlier version, which did not store its joins; bake it again.',
            action=action.name,
        )
    played = dataclasses.replace(clip_store.read(armature, action, slot), cycle=None)
    return (yield from of_joins(armature, settings, joins, played))
