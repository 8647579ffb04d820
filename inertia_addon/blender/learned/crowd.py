# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes several armatures, each along a path of its own, all with one model in one go."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ...errors import Sentence
from ...motion.learned.model import Model
from ...motion.matching import apart
from ...motion.matching.engine import FPS
from ...motion.matching.targets import Timed
from ...motion.steps import Steps, part
from ...records import record
from ...settings.learned import CrowdSettings
from ...settings.matching import PathSettings
from ..data import actions, names, unkeyed
from ..evaluation.character import Character, read_character
from ..matching import followed
from ..matching.bake import PathReport
from . import bake, clips, follow
from .follow import CrowdBefore, LearnedPath

FOLLOWED = 0.3
"""About what part of a bake it is to follow the paths."""
ROUNDS, MORE = 3, 0.05
"""So often a crowd follows its paths until all keep apart, each time by so many metres more than lacked."""


@record(frozen=True, eq=False)
class Walker:
    """One of a crowd: a character, how it follows its path, and that as a target."""

    character: Character
    settings: PathSettings
    target: Timed

    @property
    def armature(self) -> Any:
        """The armature object itself."""
        return self.character.armature


def walker(character: Character, settings: PathSettings, model: Model) -> Walker:
    """Return one that follows its path with a model. Raise InertiaError where it can't."""
    clips.check_fits(model, character)
    return Walker(character, settings, follow.wanted(model, settings, followed.course(settings)))


def walkers(settings: CrowdSettings, model: Model) -> list[Walker]:
    """Return all members of a crowd that settings name, in order, each with its armature, the settings of its
    path and that as a target 60 times a second.

    What a member follows is taken for a curve if it is one or does not exist, else for an animated object;
    its name is in ``curve`` or ``target`` of the settings, and the other and ``points`` are "". A result that
    is named gets the armature's name behind it, "RESULT, ARMATURE". Raise InertiaError for the first that
    can't follow what it is to follow, or whose armature does not exist or is not the model's. Nothing is
    baked.
    """
    crowd, joins = [], settings.path.transition
    for member in settings.members:
        thing = bpy.data.objects.get(member.followed)
        is_curve = thing is None or thing.type == "CURVE"
        # all of them can't have one name
        result = f"{joins.result}, {member.armature}" if joins.result else ""
        path = dataclasses.replace(
            settings.path,
            transition=dataclasses.replace(joins, result=result),
            curve=member.followed if is_curve else "",
            target="" if is_curve else member.followed,
            points="",
        )
        crowd.append(walker(read_character(names.find_armature(member.armature)), path, model))
    return crowd


def follow_all_steps(model: Model, crowd: Sequence[Walker], file: str = "") -> Steps[list[LearnedPath]]:
    """Have all of a crowd follow their paths, each past those before it; return the paths in order; yield the
    part that is done, 0 to 1.

    A member is led past the targets of those before it, as these are led themselves, not past what they come
    to play. Who strays from its target may come nearer to others than it should: then all keep that much and
    MORE further apart, and follow once more, at most three times in all; what is lacking then stays.
    ``beside`` of each path tells past whom it leads; it is None for the first member, and for one whose
    ``apart`` is 0, which is led past nobody. crowd: at least one. file: where the model is kept, for errors;
    "" if unknown. Raise InertiaError for a network that is not trained, for dead blending, and for obstacles
    that are gone.
    """
    spare = 0.0
    for k in range(ROUNDS):
        asked: list[tuple[PathSettings, Timed]] = []
        beside: list[CrowdBefore | None] = []
        for member in crowd:
            before = CrowdBefore(tuple(aim.ground for _, aim in asked), member.settings.apart + spare)
            is_past = bool(asked) and member.settings.apart > 0.0
            beside.append(before if is_past else None)
            asked.append((member.settings, before.past(member.target) if is_past else member.target))
        steps = follow.together(model, asked, file)
        learned = yield from part(steps, k / ROUNDS, (k + 1) / ROUNDS)
        lacking = _measure_lack(crowd, learned)
        if lacking <= 0.0:
            break
        spare += lacking + MORE
    return [dataclasses.replace(each, beside=past) for each, past in zip(learned, beside, strict=True)]


def _measure_lack(crowd: Sequence[Walker], learned: Sequence[LearnedPath]) -> float:
    """Return the most by which any two members come nearer to each other than they should, in metres; 0.0 if
    none do, or for fewer than two.

    They should be apart as far as the less demanding of both asks (``settings.apart``). Pairs whose targets
    begin nearer than that don't count. learned: the paths, in the order of the crowd.
    """
    most = 0.0
    for (first, mine), (second, theirs) in itertools.combinations(zip(crowd, learned, strict=True), 2):
        wanted = min(first.settings.apart, second.settings.apart)
        if np.linalg.norm(first.target.ground[0] - second.target.ground[0]) >= wanted:
            gaps = apart.gaps_of(mine.played.ground, theirs.played.ground)
            most = max(most, wanted - float(gaps.min()))
    return most


def describe_nearest(learned: Sequence[LearnedPath]) -> dict[str, float | None]:
    """Return how near the hips of any two members come, in metres, as JSON values; None if there is only
    one.
    """
    return {"nearest_m": _nearest(learned)[0] if len(learned) > 1 else None}


def _nearest(learned: Sequence[LearnedPath]) -> tuple[float, int, int, int]:
    """Find where any two members come nearest: the distance in metres, the indices of the two, and the
    frame.
    """
    return apart.nearest([each.played.ground for each in learned])


def warning(crowd: Sequence[Walker], learned: Sequence[LearnedPath]) -> str:
    """Return a sentence that says which two members come nearest to each other, how near and when, if that is
    nearer than either of them may; else "".

    Only the nearest pair of all is looked at: they may come as near as the smaller ``settings.apart`` of the
    two. At least two members are needed.
    """
    metres, first, second, frame = _nearest(learned)
    pair = crowd[first], crowd[second]
    if metres >= min(member.settings.apart for member in pair):
        return ""
    return Sentence(
        '"{one}" and "{other}" come within {metres:.2f} m of each other after {seconds:.1f} s; begin their '
        "paths further apart.",
        one=pair[0].armature.name,
        other=pair[1].armature.name,
        metres=metres,
        seconds=frame / FPS,
    )


def bake_crowd_steps(
    model: Model, crowd: Sequence[Walker], file: str = ""
) -> Steps[list[tuple[LearnedPath, PathReport]]]:
    """Have all of a crowd follow their paths, and bake each one's action; return (path, report) of each, in
    order; yields the part that is done, 0 to 1.

    ``beside.results`` of a path, where it is led past others, has the actions of all members before it. They
    play what was baked when all of it is there, if settings say so and they can be assigned to; ``assigned``
    of each report says whether. The first report gets, behind its own warnings, the one that two come too
    near. file: where the model is kept, for errors. Raise InertiaError where one can't be followed or baked;
    then, and whenever the work is given up, no new action is left.
    """
    everyone = yield from part(follow_all_steps(model, crowd, file), 0.0, FOLLOWED)
    standing = [unkeyed.of_bones(member.armature) for member in crowd]
    results: list[Any] = []
    reports: list[PathReport] = []
    try:
        for i, (member, learned) in enumerate(zip(crowd, everyone, strict=True)):
            begin, end = (FOLLOWED + (1.0 - FOLLOWED) * (i + k) / len(crowd) for k in (0, 1))
            if learned.beside is not None:
                # so that it can be made anew, past where they go by then
                before = dataclasses.replace(learned.beside, results=tuple(results))
                learned = everyone[i] = dataclasses.replace(learned, beside=before)
            steps = bake.bake_path_steps(member.armature, learned, plays=False)
            reports.append((yield from part(steps, begin, end)))
            results.append(actions.find(reports[-1].result))
    except BaseException:
        # all of them or none, whatever stopped it
        actions.remove_all(results)
        raise
    for i, (member, action, values) in enumerate(zip(crowd, results, standing, strict=True)):
        asked = member.settings.transition.assign
        reason = bake.assign(member.armature, action, values) if asked else ""
        reports[i] = dataclasses.replace(
            reports[i], assigned=asked and not reason, not_assigned_because=reason
        )
    if text := warning(crowd, everyone):
        reports[0] = dataclasses.replace(reports[0], warnings=(*reports[0].warnings, text))
    return list(zip(everyone, reports, strict=True))


def figures(member: Walker, learned: LearnedPath) -> dict[str, Any]:
    """Return how one member of a crowd follows its path, as JSON values: armature, followed (the name of the
    curve or target), and those of :func:`follow.figures`.
    """
    followed = member.settings.curve or member.settings.target
    return {"armature": member.armature.name, "followed": followed, **follow.figures(learned)}


def whole(reports: Sequence[PathReport]) -> PathReport:
    """Merge the reports of a crowd into one: the first member's action, the frames and the warnings of
    all.
    """
    firsts, lasts = zip(*(report.frame_range for report in reports), strict=True)
    return dataclasses.replace(
        reports[0],
        frame_range=(min(firsts), max(lasts)),
        keys=sum(report.keys for report in reports),
        assigned=all(report.assigned for report in reports),
        warnings=tuple(dict.fromkeys(text for report in reports for text in report.warnings)),
    )
