# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes several armatures, each along a path of its own, all with one model in one go."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Generator, Sequence
from typing import Any

import bpy
import numpy as np

from ...errors import Sentence
from ...motion.learned.model import Model
from ...motion.matching import apart
from ...motion.matching.engine import FPS
from ...motion.matching.targets import Timed
from ...motion.steps import part
from ...records import record
from ...settings.learned import CrowdSettings
from ...settings.matching import PathSettings
from ..data import actions, names, unkeyed
from ..matching import followed
from ..matching.bake import PathReport
from . import bake, clips, follow
from .follow import Beside, Learned

FOLLOWED = 0.3
"""About what part of a bake it is to follow the paths."""
ROUNDS, MORE = 3, 0.05
"""So often a crowd follows its paths until all keep apart, each time by so many metres more than lacked."""


@record(frozen=True, eq=False)
class Walker:
    """One of a crowd: an armature, how it follows its path, and that as a target."""

    armature: Any
    settings: PathSettings
    target: Timed


def walker(armature: Any, settings: PathSettings, model: Model) -> Walker:
    """One that follows its path with a model. Raises InertiaError where it can't."""
    clips.check_fits(model, armature)
    return Walker(armature, settings, follow.wanted(model, settings, followed.course(settings)))


def walkers(settings: CrowdSettings, model: Model) -> list[Walker]:
    """All that are named. Raises InertiaError for the first that can't follow what it shall."""
    found = []
    for member in settings.members:
        thing = bpy.data.objects.get(member.followed)
        kind = "target" if thing is not None and thing.type != "CURVE" else "curve"
        joins, result = settings.path.transition, settings.path.transition.result
        # all of them can't have one name
        joins = dataclasses.replace(joins, result=f"{result}, {member.armature}" if result else "")
        nothing = {"curve": "", "target": "", "points": ""}
        own: dict[str, Any] = {**nothing, "transition": joins, kind: member.followed}
        armature = names.find_armature(member.armature)
        found.append(walker(armature, dataclasses.replace(settings.path, **own), model))
    return found


def following(model: Model, those: Sequence[Walker], file: str = "") -> Generator[float, None, list[Learned]]:
    """Have all of a crowd follow their paths, each past those before it; yields the part that is done.

    Who strays from its target may come nearer to others than these do to each other: then all keep that much
    further apart, and follow once more.
    """
    spare = 0.0
    for k in range(ROUNDS):
        asked: list[tuple[PathSettings, Timed]] = []
        beside: list[Beside | None] = []
        for one in those:
            before = Beside(tuple(aim.ground for _, aim in asked), one.settings.apart + spare)
            beside.append(before if asked and one.settings.apart else None)
            asked.append((one.settings, one.target if beside[-1] is None else before.past(one.target)))
        steps = follow.together(model, asked, file)
        found = yield from part(steps, k / ROUNDS, (k + 1) / ROUNDS)
        lacking = _lacking(those, found)
        if lacking <= 0.0:
            break
        spare += lacking + MORE
    return [dataclasses.replace(each, beside=past) for each, past in zip(found, beside, strict=True)]


def _lacking(those: Sequence[Walker], found: Sequence[Learned]) -> float:
    """How much nearer than they should two come at most, metres, of those that begin further apart."""
    most = 0.0
    for (one, here), (other, there) in itertools.combinations(zip(those, found, strict=True), 2):
        wanted = min(one.settings.apart, other.settings.apart)
        if np.linalg.norm(one.target.ground[0] - other.target.ground[0]) >= wanted:
            gaps = apart.gaps_of(here.own.ground, there.own.ground)
            most = max(most, wanted - float(gaps.min()))
    return most


@record(frozen=True)
class Near:
    """How near any two of a crowd come: their hips, in metres, which two by number, and after how long."""

    metres: float
    first: int
    second: int
    seconds: float


def nearest(found: Sequence[Learned]) -> Near:
    """How near any two come."""
    metres, first, second, frame = apart.nearest([one.own.ground for one in found])
    return Near(metres, first, second, frame / FPS)


def told(found: Sequence[Learned]) -> dict[str, float | None]:
    """How near any two come, as JSON values; nothing of one alone."""
    return {"nearest_m": nearest(found).metres if len(found) > 1 else None}


def warning(those: Sequence[Walker], found: Sequence[Learned]) -> str:
    """What to say where two come nearer than they should, "" where none do."""
    near = nearest(found)
    pair = those[near.first], those[near.second]
    if near.metres >= min(one.settings.apart for one in pair):
        return ""
    return Sentence(
        '"{one}" and "{other}" come within {metres:.2f} m of each other after {seconds:.1f} s; let their '
        "paths begin further apart.",
        one=pair[0].armature.name,
        other=pair[1].armature.name,
        metres=near.metres,
        seconds=near.seconds,
    )


def baking(
    model: Model, those: Sequence[Walker], file: str = ""
) -> Generator[float, None, list[tuple[Learned, PathReport]]]:
    """Have all of a crowd follow their paths, and bake each one's action; yields the part that is done.

    They play what was baked when all of it is there. file: where the model is kept. Raises InertiaError, with
    the file as it was then and whenever the work is given up.
    """
    found = yield from part(following(model, those, file), 0.0, FOLLOWED)
    standing = [unkeyed.of(one.armature) for one in those]
    made: list[Any] = []
    reports: list[PathReport] = []
    try:
        for i, (one, learned) in enumerate(zip(those, found, strict=True)):
            begin, end = (FOLLOWED + (1.0 - FOLLOWED) * (i + k) / len(those) for k in (0, 1))
            if learned.beside is not None:
                # so that it can be made anew, past where they go by then
                before = dataclasses.replace(learned.beside, results=tuple(made))
                learned = found[i] = dataclasses.replace(learned, beside=before)
            steps = bake.baking(one.armature, learned, plays=False)
            reports.append((yield from part(steps, begin, end)))
            made.append(actions.find(reports[-1].result))
    except BaseException:
        # all of them or none, whatever stopped it
        actions.remove_all(made)
        raise
    for i, (one, action, values) in enumerate(zip(those, made, standing, strict=True)):
        plays = one.settings.transition.assign and bake.assign(one.armature, action, values)
        reports[i] = dataclasses.replace(reports[i], assigned=plays)
    if said := warning(those, found):
        reports[0] = dataclasses.replace(reports[0], warnings=(*reports[0].warnings, said))
    return list(zip(found, reports, strict=True))


def figures(one: Walker, found: Learned) -> dict[str, Any]:
    """How one of a crowd follows its path, as JSON values."""
    own = {"armature": one.armature.name, "followed": one.settings.curve or one.settings.target}
    return {**own, **follow.figures(found)}


def whole(reports: Sequence[PathReport]) -> PathReport:
    """What was baked of a crowd as one report: the first one's action, and the frames and the warnings of
    all."""
    firsts, lasts = zip(*(report.frame_range for report in reports), strict=True)
    return dataclasses.replace(
        reports[0],
        frame_range=(min(firsts), max(lasts)),
        keys=sum(report.keys for report in reports),
        assigned=all(report.assigned for report in reports),
        warnings=tuple(dict.fromkeys(text for report in reports for text in report.warnings)),
    )
