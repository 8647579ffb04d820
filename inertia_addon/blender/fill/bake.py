# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes what fills a gap: an action that is the source up to the cut and the destination from the arrival on.

The clips between are moved to where they are played, so that they lead there, and joined as ever. The result
plays later than its source is keyed, as an action or as NLA strips: then it is the same action that plays,
cut where clips take over, as a path is.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import bpy
import numpy as np

from ...errors import InertiaError
from ...motion.curves import keys as keylib
from ...motion.curves import representation as curvelib
from ...motion.judging.faults import RATED
from ...motion.skeleton import character_space
from ...motion.steps import Steps, part
from ...records import record
from ...settings.fill import FillSettings
from ...settings.transition import TransitionSettings
from ..data import actions, clip_store, compat, markers, recipe, rewriting, rig, roots, unkeyed
from ..data.actions import ActionCurve, Address, Clip, Marker, Repeated, with_curves
from ..data.recipe_reader import read_noted
from ..data.report import Report
from ..data.rig import not_assignable
from ..evaluation import joint_motion
from ..evaluation.character import Character, read_character
from ..evaluation.joint_motion import JointMotion
from ..judging import verdict
from ..judging.verdict import Verdict, Verdicts
from ..matching import action_set as stocks
from ..matching import surroundings
from ..nla import tracks
from ..nla.tracks import Strip, TrackPlan
from ..transition import bake, writing
from ..transition.bake import Plan
from ..transition.chain import Chain, by_value
from ..transition.meeting import PlanOptions
from ..transition.slot_plan import SlotPlan, separate_holders
from . import arriving, between_poses, pieces, planted, search, touches, wishes
from .pieces import Piece
from .planted import JudgedFill
from .search import Candidates, GapFill

PART = "Fill on the Way"
"""What is made on the way is called so."""
WITHOUT_CLIPS = "without_clips"
"""What a recipe says of a result that the judge liked better without clips than with those of its set."""
STAYS = 1e-6
"""A destination whose motion differs from none by less stays where it is."""


@record(frozen=True, kw_only=True)
class FillReport(Report):
    """What filling a gap has made. cuts: the frames at which clips take over. arrival: at which the
    destination does. verdicts: on each join, the arrival last. has_clips: whether clips fill it. rating: the
    word on all of it."""

    cuts: tuple[float, ...]
    arrival: float
    warnings: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    has_clips: bool
    rating: str

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON values."""
        return {**super().as_dict(), **verdict.as_values(self.verdicts)}


@record(frozen=True, eq=False)
class _Filled:
    """A gap, filled and not yet written.

    fill: by what. source, destination: both ends, where they are. played: the clips between. plans: its
    joins, the arrival last. slots: all curves, the character's own first. judged: how its feet are, and what
    it looks like; None for a result that was judged in its place, with verdicts. markers: of its joins.
    """

    fill: GapFill | None
    source: Clip
    destination: Clip
    played: list[Piece]
    plans: list[Plan]
    slots: list[SlotPlan]
    verdicts: list[Verdict]
    markers: tuple[Marker, ...] = ()
    judged: JudgedFill | None = None

    @property
    def merit(self) -> tuple[int, float]:
        """What filled gaps are ranked by, the best first."""
        assert self.judged is not None
        return self.judged.merit


class _Drafts:
    """Actions that stand for what lies between while a gap is filled, and are nothing that anybody asked for.

    made: those. Who fills the gap says with ``is_written`` that a result was written; else whether the two
    actions have a fake user is as it was before.
    """

    def __init__(self) -> None:
        self.made: list[Any] = []
        self.is_written = False
        self._kept: list[tuple[Any, bool]] = []

    def note(self, ends: Sequence[Clip]) -> None:
        """Note whether the actions of both ends have a fake user, unless that is known."""
        if not self._kept:
            self._kept = [(clip.action, clip.action.use_fake_user) for clip in ends]

    def add(self) -> Any:
        """Return a new action."""
        self.made.append(bpy.data.actions.new(PART))
        return self.made[-1]

    def __enter__(self) -> _Drafts:
        return self

    def __exit__(self, *_: object) -> None:
        actions.remove_all(self.made)
        for action, was_kept in () if self.is_written else self._kept:
            with contextlib.suppress(ReferenceError):  # somebody else may have removed it
                action.use_fake_user = was_kept


def fill_gap_steps(
    armature: Any,
    settings: FillSettings,
    fill: GapFill | Candidates | None,
    into: Any | None = None,
    weights: Mapping[str, float] | None = None,
) -> Steps[FillReport]:
    """Bake what fills a gap as a new action, and return a report; yield the part that is done, 0 to 1.

    fill: the clips, None to go without clips, or several fills, each of which is filled and judged, and the
    one of the rank that they ask for is taken. into: an earlier result to make anew in place, None for a new
    action. weights: what each joint counts, which the recipe keeps. Verdicts, cuts and the arrival are of the
    result's frames; markers are written, and strips if the settings ask for them. Raise InertiaError with the
    file as it was.
    """
    if settings.strips:
        tracks.check(armature)
    transition, standing = settings.transition, unkeyed.of_bones(armature)
    candidates = fill if isinstance(fill, Candidates) else Candidates((fill,))
    character, count = read_character(armature), len(candidates.fills)
    with _Drafts() as drafts:
        tried: list[_Filled] = []
        refused: list[touches.OutOfReach] = []
        for i, each in enumerate(candidates.fills):
            steps = _fill_steps(character, settings, each, drafts)
            try:
                tried.append((yield from part(steps, i / count, (i + 1) / count)))
            except touches.OutOfReach as error:
                # another fill may come nearer
                refused.append(error)
        if not tried:
            raise refused[0]
        # of equals the first
        filled = sorted(tried, key=lambda each: each.merit)[min(candidates.rank, len(tried) - 1)]
        result = _write_result(filled, settings, transition.result or _name(transition))
        drafts.is_written = True
    # both ends, and the set
    clips = [] if filled.fill is None else [clip.action.name for clip in filled.fill.stock.clips]
    posed = [pose.action for pose in settings.key_poses if pose.action]
    used = dict.fromkeys((transition.source, transition.destination, *clips, *posed))
    remembered: dict[str, Any] = {"weights": dict(weights or {})}
    if settings.use_library and not plays_clips(filled.fill):
        remembered |= {WITHOUT_CLIPS: True}
    _write_recipe(result, armature, settings, [*map(actions.find, used)], remembered)
    below: dict[Any, Any | None] = {}
    if into is not None:
        below = tracks.take_away(into)
        rewriting.take_place(result, into)
    _move_later(result, transition.shift)
    reason = _assign(armature, settings, filled, result, standing, below)
    warnings = (text for plan in filled.plans for text in plan.warnings if PART not in text)
    assert filled.judged is not None
    return FillReport.of_result(
        result,
        armature,
        filled.slots[0].slot.identifier,
        assigned=transition.assign and not reason,
        not_assigned_because=reason,
        settings=settings.as_dict(),
        cuts=tuple(piece.cut for piece in filled.played),
        arrival=settings.arrival,
        warnings=(*dict.fromkeys(warnings), *filled.judged.notes),
        verdicts=_later(filled.verdicts, transition.shift),
        has_clips=plays_clips(filled.fill),
        rating=RATED[filled.merit[0]],
    )


def plays_clips(fill: GapFill | None) -> bool:
    """Tell whether a gap is filled by clips."""
    return fill is not None and fill.chain is not None


def _name(transition: TransitionSettings) -> str:
    return f"{transition.source} to {transition.destination}"


def _write_result(filled: _Filled, settings: FillSettings, name: str) -> Any:
    """Write a filled gap as an action of a name, with its markers moved by the settings' shift, and return
    it. Its curves are not moved yet.
    """
    transition = settings.transition
    assert filled.judged is not None
    assert transition.destination_frame is not None
    result = rewriting.write_action([filled.judged.curves], name)
    source = dataclasses.replace(filled.source, markers=filled.markers)
    joined = markers.joined(source, settings.arrival, filled.destination, transition.destination_frame)
    markers.replace(result, markers.shift(joined, transition.shift))
    return result


def judge_gap_steps(
    character: Character, settings: FillSettings, fill: GapFill | None, result: Clip | None = None
) -> Verdicts:
    """Judge the joins of a gap as it would be filled, the arrival last, with the file as it was.

    result: what was made of it, which is judged in its place; None to judge what would be made. Yield how
    much is done. Raise InertiaError as :func:`fill_gap_steps` does.
    """
    shift = settings.transition.shift
    if result is not None:
        result = _unshifted(result, shift)
    with _Drafts() as drafts:
        filled = yield from _fill_steps(character, settings, fill, drafts, result)
    return _later(filled.verdicts, shift)


@record(frozen=True, eq=False)
class FillChoice:
    """A fill of a gap as it would be baked.

    verdicts: on its joins, the arrival last. merit: what fills are ranked by, the best first. motion: how
    the character goes from the cut to the arrival, on whole frames and at both ends.
    """

    fill: GapFill
    verdicts: tuple[Verdict, ...]
    merit: tuple[int, float]
    motion: JointMotion

    @property
    def rating(self) -> str:
        """The word on all of it."""
        return RATED[self.merit[0]]


def judge_choice_steps(character: Character, settings: FillSettings, fill: GapFill) -> Steps[FillChoice]:
    """Fill a gap as it would be baked, and judge it, with the file as it was; yield the part that is done.

    Raise InertiaError as :func:`fill_gap_steps` does.
    """
    with _Drafts() as drafts:
        filled = yield from part(_fill_steps(character, settings, fill, drafts), 0.0, 0.9)
        assert filled.judged is not None
        shown = with_curves(filled.judged.curves.clip, filled.judged.curves.curves)
        frames = curvelib.whole_frames(settings.transition.cut, settings.arrival)
        motion = yield from part(joint_motion.steps(character, shown, frames, fill.stock.root), 0.9, 1.0)
    return FillChoice(fill, _later(filled.verdicts, settings.transition.shift), filled.merit, motion)


def _fill_steps(
    character: Character,
    settings: FillSettings,
    fill: GapFill | None,
    drafts: _Drafts,
    judged_clip: Clip | None = None,
) -> Steps[_Filled]:
    """Fill a gap, and judge it; yield the part that is done, 0 to 1. Nothing is written but drafts.

    fill: the clips between, None to go without. drafts: gets the actions that stand for clips on the way.
    judged_clip: a clip of the result that is judged in place of what is made, with its feet as they are; None
    to choose whether feet are locked. Raise InertiaError for a cut or an entry outside of its clip, and for
    what can't be read or moved.
    """
    rig.check_armature(character.armature)
    search.check(settings, character.fps)
    transition = settings.transition
    both = yield from part(clip_store.read_named_steps(character.armature, transition.ends()), 0.0, 0.05)
    drafts.note(both)
    led = both if fill is None else (yield from part(_with_travel(character, fill, both), 0.05, 0.1))
    completed = unkeyed.all_completed(character.armature, led)
    source, destination = (arriving.alone(character.armature, by_value(clip)) for clip in completed)
    if source.start == source.end < transition.cut:
        source = dataclasses.replace(source, end=transition.cut)  # a pose is held
    entered = transition.destination_frame
    assert entered is not None
    for clip, frame in ((source, transition.cut), (destination, entered)):
        if not clip.start - 1e-3 <= frame <= clip.end + 1e-3:
            raise search.no_frame(clip.action.name, frame)
    standing_for = [drafts.add() for _ in range(3)]
    placed = _place_destination(character, settings, (source, destination), fill)
    if fill is not None and fill.chain is not None:
        played = pieces.between(character, fill, drafts.made)
    else:
        played = pieces.across(character, settings, source, placed)
    plans, chain, whole = list[Plan](), Chain(standing_for[0]), source
    for i, piece in enumerate(played):
        moved = _place_clip(character, piece)
        asked = _make_join_settings(settings, whole, moved, (piece.cut, piece.entered), character.fps)
        if not plays_clips(fill):
            asked = dataclasses.replace(asked, blend_frames=settings.gap_frames)
        steps = bake.plan_clips_steps(character, asked, whole, moved, PlanOptions(motion=np.eye(4)))
        plans.append((yield from part(steps, *(0.1 + 0.5 * k / len(played) for k in (i, i + 1)))))
        chain.take(plans[-1])
        (whole,) = unkeyed.all_completed(character.armature, (chain.clip(-math.inf),))
    before = arriving.backwards(placed, standing_for[1], arriving.later(settings))
    after = arriving.backwards(whole, standing_for[2])
    arrival = -settings.arrival
    asked = _make_join_settings(settings, before, after, (arrival, arrival), character.fps)
    if not plays_clips(fill):
        asked = dataclasses.replace(asked, blend_frames=settings.gap_frames)
    steps = bake.plan_clips_steps(character, asked, before, after, PlanOptions(motion=np.eye(4)))
    plans.append((yield from part(steps, 0.6, 0.8)))
    slots, ends = arriving.arrived(plans[-1], settings, whole, placed), (source, placed)
    composed = slots[0].composed
    if fill is not None and fill.chain is not None:
        composed |= pieces.with_posture(character, fill, ends, played, composed, whole)
    elif not between_poses.goes_over_switches(plans):
        composed |= between_poses.connect_poses(character, settings, ends, composed, whole)
    composed |= wishes.lead_through_wishes(character, settings, source, with_curves(whole, composed))
    writing.write_slots(drafts.add(), slots)
    if judged_clip is not None:
        steps_of_joins = planted.judge_joins_steps(plans, judged_clip, standing_for[2])
        verdicts = yield from part(steps_of_joins, 0.8, 1.0)
        return _Filled(fill, source, placed, played, plans, slots, verdicts)
    (free,) = unkeyed.all_completed(
        character.armature, (clip_store.read(character.armature, drafts.made[-1]),)
    )
    unlocked = planted.FreeFill(settings, ends, played, plans, free, standing_for[2], plays_clips(fill))
    judged = yield from part(planted.choose_feet_steps(character, fill, unlocked), 0.8, 1.0)
    return _Filled(fill, source, placed, played, plans, slots, judged.verdicts, chain.markers, judged)


def _with_travel(character: Character, fill: GapFill, ends: tuple[Clip, ...]) -> Steps[tuple[Clip, ...]]:
    """Return both ends, those that walk in place with the travel that the search gave them."""
    read, settings, led = fill.stock.rig, fill.settings.of_set(()), []
    for clip in ends:
        if clip.action.name in fill.stock.travels:
            clip, _ = yield from stocks.with_travel(character, read, settings, fill.stock.root, clip)
        led.append(clip)
    return tuple(led)


def _place_destination(
    character: Character, settings: FillSettings, ends: tuple[Clip, Clip], fill: GapFill | None
) -> Clip:
    """Return the destination where it is arrived at, at its own frames: as it is for the goal OWN, else moved
    over the ground by the fill's goal, or, without clips, to where the motion leads.

    ends: source and destination. Raise InertiaError for a place that is named without clips.
    """
    destination = ends[1]
    if settings.chosen_goal == "OWN":
        return destination
    if fill is not None:
        root, angle, place = fill.stock.root, fill.gap.angle, fill.gap.place
    elif settings.place is None:
        root = roots.find_root(character.rig, ends, settings.transition.root)
        angle, place = pieces.find_lead(character, settings, ends, root)
    else:
        raise InertiaError(
            "Without clips the destination can't be put at a place; use clips, or name no place."
        )
    x, y = (value / character.metres for value in place)
    motion = character_space.motion_of(angle, (x, y, 0.0))
    if np.abs(motion - np.eye(4)).max() < STAYS:
        return destination
    frames = curvelib.whole_frames(destination.start, destination.end)
    motions = np.broadcast_to(motion, (len(frames), 4, 4))
    return stocks.move_root(character, character.rig, root, destination, frames, motions)


def _place_clip(character: Character, piece: Piece) -> Clip:
    """Return a piece's clip, by value, with its root moved as the piece is played; its frames stay."""
    read = character.rig
    root = roots.find_root(read, (piece.clip,), "")
    (clip,) = unkeyed.all_completed(character.armature, (piece.clip,))
    moved = stocks.move_root(character, read, root, clip, piece.frames, piece.motions)
    return arriving.alone(character.armature, by_value(moved))


def _make_join_settings(
    settings: FillSettings, source: Clip, destination: Clip, ends: tuple[float, float], fps: float
) -> TransitionSettings:
    """Return the settings by which one join is planned: those of the fill's transition from `source` into
    `destination`, at the frames `ends` of each, aligned by position and heading, with a blend no longer than
    the gap, and neither with feet locked nor assigned, as strips or repeated as cycles.
    """
    transition = settings.transition
    length = min(transition.frames(fps), settings.gap_frames)
    return dataclasses.replace(
        transition,
        source=source.action.name,
        source_slot=source.slot.identifier,
        source_library="",
        source_cycle="OFF",
        destination=destination.action.name,
        destination_slot=destination.slot.identifier,
        destination_library="",
        destination_cycle="OFF",
        cut=ends[0],
        destination_frame=ends[1],
        alignment="POSITION_HEADING",
        blend_frames=length,
        suggest_blend_time=False,
        # they are locked at the end, between both
        feet="OFF",
        result=PART,
        assign=False,
        strips=False,
    )


# --- the result, and what it remembers


def _write_recipe(
    result: Any, armature: Any, settings: FillSettings, used: list[Any], remembered: Mapping[str, Any]
) -> None:
    """Write the recipe into a result: its settings, what else is to be remembered, and pointers that survive
    renaming to its actions.
    """
    values = {"settings": settings.as_dict(), "armature": armature.name, **remembered}
    values |= {"digest": recipe.digest_of(used, armature)}
    walls = surroundings.note_obstacles(result, settings.obstacles)
    recipe.store(result, recipe.FILL, values, used, walls)
    for action in used:
        recipe.keep(action)


def is_without_clips(action: Any) -> bool:
    """Tell whether the judge liked a result better without clips than with those of its set; False where no
    recipe can be read.
    """
    with contextlib.suppress(InertiaError), recipe.refuse_unreadable(action):
        return bool(read_noted(action, recipe.FILL).get(WITHOUT_CLIPS))
    return False


# --- how an armature plays it


def _move_later(result: Any, frames: float) -> None:
    """Move all un-muted curves of an action, in all slots, so many frames later, in place; its markers
    stay.
    """
    for slot in compat.slots(result) if frames else ():
        curves = actions.read(result, slot).curves
        for fcurve in compat.curves(result, slot.identifier):
            keys = curves[fcurve.data_path, fcurve.array_index].keys
            actions.fill(fcurve, keylib.move(keys, frames))


def _unshifted(clip: Clip, frames: float) -> Clip:
    """Return a clip, which plays so many frames later, as it would play without that, by value; itself
    for 0.
    """
    if not frames:
        return clip
    curves: dict[Address, ActionCurve] = {
        at: Repeated(None, keylib.move(curve.keys, -frames), "", curve.group)
        for at, curve in clip.curves.items()
    }
    start, end = clip.start - frames, clip.end - frames
    return dataclasses.replace(clip, curves=curves, start=start, end=end, cycle=None, teleports=None)


def _later(verdicts: Sequence[Verdict], frames: float) -> tuple[Verdict, ...]:
    """Return verdicts with the frames of their faults, and the frame until which they see, so many later."""
    moved = []
    for seen in verdicts:
        faults = tuple(dataclasses.replace(fault, frame=fault.frame + frames) for fault in seen.faults)
        moved.append(dataclasses.replace(seen, faults=faults, until=seen.until + frames))
    return tuple(moved)


def _assign(
    armature: Any,
    settings: FillSettings,
    filled: _Filled,
    result: Any,
    standing: Mapping[Address, float],
    below: Mapping[Any, Any | None],
) -> str:
    """Let the armature, and what belongs to it, play a result, if settings say so and they may; return a
    sentence on why the armature may not, "" else.

    standing: what bones show without keys. below: by owner, above which tracks the strips belong. With strips
    a track is put on each owner in any case, muted if the armature does not play it.
    """
    slots, asked = filled.slots, settings.transition.assign
    reason = not_assignable(armature) if asked and not settings.strips else ""
    plays = asked and not reason
    if plays:
        unkeyed.keep(armature)
        unkeyed.settle(armature, standing, set(slots[0].curves))
    for i, slot in enumerate(separate_holders(slots)):
        owner, identifier = (armature if i == 0 else slot.owner), slot.slot.identifier
        if settings.strips:
            track = _track(result, identifier, settings, filled.fill)
            tracks.put(owner, result, [track], below.get(owner), mute=not plays)
        elif plays and not not_assignable(owner):
            recipe.keep(compat.assigned(owner)[0])
            compat.assign(owner, result, identifier)
    return reason


def _track(result: Any, slot: str, settings: FillSettings, fill: GapFill | None) -> TrackPlan:
    """Return a track of the result with a strip for each clip, the source first: each plays its part of the
    result, can be moved, and is called after its action.

    slot: the identifier of the slot that they play. Parts of no length are left out.
    """
    transition = settings.transition
    between = [(_name(transition), transition.cut)]
    if fill is not None and fill.chain is not None:
        between = []
        for join in fill.way.joins[1:]:
            source, _ = fill.stock.database.place(join.entered)
            name = f"{source.name} (mirrored)" if source.mirrored else source.name
            between.append((name, transition.cut + join.frame * fill.stock.step))
    names, cuts = zip(*between, (transition.destination, settings.arrival), strict=True)
    first, last = result.frame_range
    begins = [first, *(max(cut + transition.shift, first) for cut in cuts)]
    ends = zip((transition.source, *names), begins, [*begins[1:], last], strict=True)
    strips = [
        Strip(result, slot, begin, end, begin, "HOLD_FORWARD" if i else "HOLD", name=name)
        for i, (name, begin, end) in enumerate(ends)
        if end > begin
    ]
    return TrackPlan(result.name, tuple(strips), locked=False)
