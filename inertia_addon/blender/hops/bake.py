# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes a hop: its blends one after the other, each on top of what the former has made, and judges these.

What a result remembers of its making: its settings, its way, and the actions that it was made of.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import bpy

from ...motion.steps import finish, part
from ...records import record
from ...settings.hops import HopSettings
from ...settings.transition import TransitionSettings
from ..data import actions, clip_store, compat, recipe, rig, unkeyed
from ..data.actions import Clip
from ..data.recipe_reader import Recipe
from ..data.report import Report
from ..evaluation.character import Character, read_character
from ..judging import verdict
from ..judging.verdict import Verdict, Verdicts
from ..transition import bake
from ..transition.bake import Plan
from ..transition.chain import Chain
from ..transition.meeting import PlanOptions
from ..transition.report import BakeReport
from . import search as hops
from .search import FoundHop, HopStock

PART = "Hop on the Way"
"""What blends are called but the last one."""


@record(frozen=True)
class HopStep:
    """One blend of a way: into which action, at which scene frame of the result, at which of its own frames,
    over how many frames."""

    action: str
    cut: float
    entry: float
    blend: float


@record(frozen=True, kw_only=True)
class HopReport(Report):
    """What baking a hop has made. cuts: the scene frames at which a clip takes over, those included at which
    a cycle begins anew. steps: how each was baked, verdicts: what is seen of each."""

    way: FoundHop
    cuts: tuple[float, ...]
    steps: tuple[BakeReport, ...]
    verdicts: tuple[Verdict, ...]

    @property
    def verdict(self) -> Verdict:
        """Of the worst of its blends."""
        return verdict.worst(self.verdicts)

    @property
    def last(self) -> BakeReport:
        """How the blend into the destination was baked."""
        return self.steps[-1]

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON values."""
        return {**super().as_dict(), **verdict.as_values(self.verdicts)}


def bake_hop(armature: Any, settings: HopSettings, hop: FoundHop, into: Any | None = None) -> HopReport:
    """Bake a way from the source to the destination as one new action, and return a report with the verdict
    on each blend.

    hop: as :func:`hops.ranked` gives it. into: an earlier baked hop to make anew in place, None for a new
    action. The actions that it is made of are kept. Raise InertiaError with the file as it was.
    """
    character = read_character(armature)
    rig.check_armature(armature)
    stock = stock_of(character, settings, hop)
    drafts: list[Any] = []
    try:
        plans, reports = planned(character, settings, hop, stock, drafts)
        verdicts = finish(judge_blends_steps(plans, plans[-1].evidence.shown))
        reports.append(bake.write_plan(plans[-1], into))
    finally:
        # between two blends a result is nothing that anybody asked for
        actions.remove_all(drafts)
    result = actions.find(reports[-1].result)
    transition = settings.transition
    used = [stock.clip(name).action for name in (transition.source, *hop.clips, transition.destination)]
    for action in used:
        recipe.keep(action)
    settings, last = _with_cycles(settings, stock), reports[-1]
    values = {"settings": settings.as_dict(), "way": dataclasses.asdict(hop), "armature": armature.name}
    recipe.store(result, recipe.HOP, {**values, "digest": recipe.digest_of(used, armature)}, used)
    return HopReport.of_result(
        result,
        armature,
        last.slot,
        assigned=last.assigned,
        not_assigned_because=last.not_assigned_because,
        baked_curves=tuple(curve for report in reports for curve in report.baked_curves),
        settings=settings.as_dict(),
        way=hop,
        cuts=tuple(plan.settings.cut for plan in plans),
        steps=tuple(reports),
        verdicts=verdicts,
    )


def planned(
    character: Character, settings: HopSettings, hop: FoundHop, stock: HopStock, drafts: list[Any]
) -> tuple[list[Plan], list[BakeReport]]:
    """Plan the blends of a way, each from what the former ones have made.

    Return the plans, and the reports of all but the last. stock: see :func:`stock_of`. drafts: gets the
    action that stands for what they have made, to be removed once the plans have served. Raise InertiaError
    where a blend can't be planned.
    """
    steps, plans = steps_of(settings, hop, stock), list[Plan]()
    drafts.append(bpy.data.actions.new(PART))
    chain = Chain(drafts[-1])
    for i, step in enumerate(steps):
        transition = settings_of(settings, stock, step, last=i + 1 == len(steps))
        source, destination = finish(clip_store.read_named_steps(character.armature, transition.ends()))
        if i:
            # nothing is set aside, as the last plan has all of it
            (source,) = unkeyed.all_completed(character.armature, (chain.clip(-math.inf),))
            end = {"source": chain.action.name, "source_slot": source.slot.identifier, "source_library": ""}
            transition = dataclasses.replace(transition, **end, source_cycle="OFF")
        crossing = settings.fade == "CROSS_FADE"
        plans.append(
            bake.plan_clips(character, transition, source, destination, PlanOptions(cross_fade=crossing))
        )
        chain.take(plans[-1])
    return plans, [bake.report_of(plan, chain.action) for plan in plans[:-1]]


def _with_cycles(settings: HopSettings, stock: HopStock) -> HopSettings:
    """Return settings that name the cycles by which a way was found, so that none is found anew."""
    cyclic = tuple(name for name in stock.names if stock.is_cycle(name))
    transition = dataclasses.replace(
        settings.transition,
        source_cycle="ON" if settings.transition.source in cyclic else "OFF",
        destination_cycle="ON" if settings.transition.destination in cyclic else "OFF",
    )
    return dataclasses.replace(settings, transition=transition, cycles=cyclic, find_cycles=False)


def stock_of(character: Character, settings: HopSettings, hop: FoundHop) -> HopStock:
    """Read the clips of a way alone; see :func:`hops.read`."""
    used = {settings.transition.source, settings.transition.destination, *hop.clips}
    cycles = tuple(name for name in settings.cycles if name in used)
    return hops.read(character, dataclasses.replace(settings, clips=hop.clips, cycles=cycles))


def steps_of(settings: HopSettings, hop: FoundHop, stock: HopStock) -> list[HopStep]:
    """Return the blends of a way, in order: into which clip, at which frame of the scene, at which of its
    own, and how long. A cycle that plays over its end is blended into itself, at its first frame.
    """
    steps: list[HopStep] = []
    name, frame, time = settings.transition.source, hop.trigger, hop.trigger
    for i, stay in enumerate(hop.stays):
        # a clip plays from where it was entered while it is blended into, and then for the stay
        until = time + stay + (hop.blends[i - 1] if i else 0)
        while stock.is_cycle(name) and frame + (until - time) > stock.clip(name).end + 1e-6:
            clip = stock.clip(name)
            time, frame = time + (clip.end - frame), clip.start
            steps.append(HopStep(name, time, frame, float(hop.blends[i])))
        time = until
        last = i == len(hop.clips)
        name = settings.transition.destination if last else hop.clips[i]
        frame = destination_frame(settings, hop, stock, time) if last else hop.entries[i]
        steps.append(HopStep(name, time, frame, float(hop.blends[i])))
    return steps


def destination_frame(settings: HopSettings, hop: FoundHop, stock: HopStock, time: float) -> float:
    """Return the destination's own frame that is shown at a scene's frame: its entry at the trigger, or at
    the source's start if it runs alongside; of a cycle within its first repetition.
    """
    transition = settings.transition
    clip = stock.clip(transition.destination)
    start = clip.start if transition.destination_frame is None else transition.destination_frame
    since = hop.trigger if not settings.alongside else stock.clip(transition.source).start
    frame = start + (time - since)
    if stock.is_cycle(transition.destination):
        return clip.start + (frame - clip.start) % (clip.end - clip.start)
    return frame


def settings_of(settings: HopSettings, stock: HopStock, step: HopStep, *, last: bool) -> TransitionSettings:
    """Return the transition's settings by which one blend is baked, from the hop's source, into the step's
    clip. last: whether it leads into the destination: then it is named, assigned and goes on as the whole is.
    """
    whole = settings.transition
    # what lies between is played over its end by a blend of its own, see steps_of
    goes_on = last and stock.is_cycle(step.action)
    ends = {end[0]: end for end in whole.ends()}
    _, library, slot = ends.get(step.action, ("", "", ""))
    return dataclasses.replace(
        whole,
        destination=step.action,
        destination_library=library,
        destination_slot=slot,
        destination_cycle="ON" if goes_on else "OFF",
        go_on=whole.go_on if last else "ONCE",
        cut=step.cut,
        destination_frame=step.entry,
        blend_frames=step.blend,
        suggest_blend_time=False,
        alignment=stock.alignment,
        root=stock.root.name,
        result=(whole.result or f"{whole.source} to {whole.destination}") if last else PART,
        assign=whole.assign and last,
        strips=False,
        shift=0.0,
        match_lengths=False,
    )


def replaceable(armature: Any, source: Any, destination: Any, result: str) -> Any | None:
    """Return the earlier hop between two actions whose place a new one can take, None without one.

    That is the assigned one, or the one with the name. result: the name that was asked for, if any; a hop
    with another name then stays.
    """
    named = bpy.data.actions.get(result or f"{source.name} to {destination.name}")
    for action in (named,) if result else (compat.assigned(armature)[0], named):
        if recipe.is_baked(action, recipe.HOP) and action is not None and action.is_editable:
            ends = recipe.ingredients(action)
            if ends and (ends[0], ends[-1]) == (source, destination):
                return action
    return None


def read_way(stored: Recipe) -> FoundHop:
    """Return the way of a baked hop, with the present names of its clips. Raise InertiaError if it can't be
    read.
    """
    try:
        return FoundHop.from_dict({**stored.noted["way"], "clips": [*stored.used[1:-1]]})
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise recipe.unreadable(stored.settings.transition.result) from error


def judge_blends_steps(plans: Sequence[Plan], result: Clip) -> Verdicts:
    """Judge each blend of a hop, up to the next one; yield how much is done.

    result: all of them together, baked or planned. Raise InertiaError for a rig that Blender would not play.
    """
    verdicts: list[Verdict] = []
    nexts = [*(plan.settings.cut for plan in plans[1:]), math.inf]
    for i, (plan, last) in enumerate(zip(plans, nexts, strict=True)):
        played = plan.evidence
        end, until = min(played.end, last), min(played.until, last)
        played = dataclasses.replace(
            played, shown=result, end=end, until=until, verdict=None, is_planned=False
        )
        steps = verdict.of_played(played)
        verdicts.append((yield from part(steps, i / len(plans), (i + 1) / len(plans))))
    return tuple(verdicts)
