# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes loops: a stretch of an action in, a new action out whose end goes on into its beginning.

All is read, checked and computed before anything is written, so that a failure leaves the file as it was.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion.arrays import Array
from ...motion.curves import evaluation
from ...motion.curves import keys as keylib
from ...motion.curves.keys import Keys
from ...motion.cycles.cycle import BENT
from ...motion.loops.closing import ClosingBlend, seam_ratio
from ...motion.steps import Steps, part
from ...records import record
from ...settings.loops import SHARES, LoopSettings
from ...settings.transition import OBJECT_ROOT
from ..data import actions, clip_store, compat, markers, recipe, result_kinds, rewriting, roots
from ..data.actions import Address, with_curves
from ..data.channels import Channels, ClipChannels, match
from ..data.report import Report
from ..data.rewriting import RewritingKind, Rewritten
from ..data.rig import carrier_of
from ..evaluation import cycles, joint_motion
from ..evaluation.character import Character, read_character
from ..evaluation.joint_motion import JointMotion
from ..feet import legs
from ..feet.contacts import Contacts
from ..judging.verdict import Verdict
from ..transition import alignment as alignments
from ..transition import elsewhere, preflight, repeating, stepping
from ..transition.alignment import Alignment, Carrier, RootedRig
from . import channels, judged
from .channels import Closing
from .judged import LoopReport, SeamQuality
from .stretch import AlreadyLoops, LoopStretch, looked_at, loop_ends, stretch_of

KIND = result_kinds.LOOP
"""What a loop's recipe is called."""
CLOSED = 2e-4
"""Ends at which no joint is further apart than this part of the character's size are the same pose."""


@record(frozen=True, eq=False)
class LoopPlan:
    """A loop, computed and not yet written.

    whole: the stretch, evaluated as :func:`stretch.looked_at` says. slots: the curves of the armature's own
    slot, then those of the action's others. carriers: who carries the motion that each cycle adds.
    planted: when feet are, in the clip. verdict: on the seam, once it is judged.
    """

    character: Character
    settings: LoopSettings
    stretch: LoopStretch
    whole: JointMotion
    slots: tuple[Rewritten, ...]
    carriers: Mapping[str | None, Carrier]
    planted: Contacts | None
    warnings: tuple[str, ...]
    verdict: Verdict | None = None


def make_loop_steps(armature: Any, settings: LoopSettings, into: Any | None = None) -> Steps[LoopReport]:
    """Make a loop of an action of an armature; the file changes behind the last yield only.

    into: an earlier loop to make anew in place, None for a new action. Raise InertiaError.
    """
    planned = yield from part(plan_loop_steps(read_character(armature), settings), 0.0, 0.8)
    planned = yield from part(judge_plan_steps(planned), 0.8, 1.0)
    return write(planned, into)


def plan_loop_steps(character: Character, settings: LoopSettings) -> Steps[LoopPlan]:
    """Compute a loop without changing anything: the curves of all slots, closed, feet locked and cycles
    repeated as settings ask; yield the part that is done, 0 to 1.

    Raise AlreadyLoops for a stretch that is closed already, and other InertiaErrors, see
    :func:`make_loop_steps`.
    """
    armature = character.armature
    stretch, whole = yield from part(read_stretch_steps(character, settings), 0.0, 0.8)
    clip = stretch.clip
    _check_open(character, stretch, whole)
    if settings.repeat == "MODIFIERS" and stretch.cycle.heading != 0.0:
        raise InertiaError(
            "Each cycle turns by {angle:.1f} degrees, which Cycles modifiers can't add up; set Turn to 0, or "
            "have the loop marked, or its cycles keyed.",
            angle=math.degrees(stretch.cycle.heading),
        )
    planted = yield from part(channels.find_planted_steps(character, stretch), 0.8, 1.0)
    poser = character.find_poser((clip,))
    carriers = _find_carriers(character, stretch, by_blender=poser.is_playing)
    slots = [_closed(armature, stretch, settings, carriers)]
    for other in actions.other_slots(clip):
        owner = recipe.slot_owner(armature, other.slot, [clip.action])
        slots.append(_closed(owner, dataclasses.replace(stretch, clip=other), settings, {}))
    if settings.lock_feet:
        slots[0] = _locked(character, stretch, settings, carriers, slots[0], planted)
    slots = _hold_poses(stretch, slots)
    if settings.repeat == "KEYED":
        slots = [
            _repeat_cycles(character, stretch, settings, slot, by_blender=poser.is_playing) for slot in slots
        ]
    warnings = (
        *preflight.unplayed(character, poser.why_not),
        *elsewhere.carried_elsewhere(armature, (clip,)),
    )
    return LoopPlan(character, settings, stretch, whole, tuple(slots), carriers, planted, warnings)


def read_stretch_steps(
    character: Character, settings: LoopSettings
) -> Steps[tuple[LoopStretch, JointMotion]]:
    """Return (the stretch that settings ask for, the joints' motion on all frames that are looked at); yield
    the part that is done, 0 to 1.
    """
    named = (settings.action, settings.library, settings.slot)
    (clip,) = yield from part(clip_store.read_named_steps(character.armature, [named]), 0.0, 0.4)
    root = roots.find_root(character.rig, (clip,), settings.root)
    looked = looked_at(clip, *loop_ends(settings, clip))
    whole = yield from part(joint_motion.steps(character, clip, looked.frames, root), 0.4, 1.0)
    return stretch_of(character, settings, clip, root, whole), whole


def judge_plan_steps(plan: LoopPlan) -> Steps[LoopPlan]:
    """Return a plan with the verdict on its seam; the plan itself where its rig would not be played."""
    slot = plan.slots[0]
    loop = with_curves(dataclasses.replace(slot.clip, curves={}), slot.curves)
    try:
        seen = yield from judged.of_loop(plan.character, plan.settings, plan.stretch, loop)
    except InertiaError:
        # Blender would not play it, which a warning says
        return plan
    return dataclasses.replace(plan, verdict=seen)


def _find_carriers(
    character: Character, stretch: LoopStretch, *, by_blender: bool
) -> Mapping[str | None, Carrier]:
    """Return who carries the motion that each cycle adds, by the name of the bone, None for the object; {}
    where it stays in place.

    by_blender: by Blender, of a rig that is not plain.
    """
    if not stretch.cycle.moves:
        return {}
    leading = Alignment("POSITION_HEADING", stretch.cycle.heading, np.array(stretch.cycle.translation))
    rooted = RootedRig(character, character.rig, stretch.root, by_blender)
    return alignments.along(rooted, leading, (stretch.clip,), stretch.cycle.start).carriers


def _check_open(character: Character, stretch: LoopStretch, whole: JointMotion) -> None:
    """Raise AlreadyLoops where a stretch is closed already: its Cycles modifiers say so, or its gap is at
    most CLOSED of the character's size and its change of velocity at most BENT times the clip's highest.
    """
    name, cycle = stretch.clip.action.name, stretch.cycle
    stated = cycles.declared(character.rig, stretch.root, stretch.clip)
    repeats = (
        stated is not None and stated.known_by == "MODIFIERS" and (stated.start, stated.end) == stretch.ends
    )
    gap, ratio = measured(character, stretch, whole, whole.positions[: stretch.looked.count])
    if repeats or (gap <= CLOSED * character.size and ratio <= BENT):
        raise AlreadyLoops(
            'Frames {start:g} to {end:g} of "{action}" already loop: their end flows into their '
            "beginning, so nothing was made.",
            start=cycle.start,
            end=cycle.end,
            action=name,
        )


def measured(
    character: Character, stretch: LoopStretch, whole: JointMotion, positions: Array
) -> tuple[float, float]:
    """Return how far apart, in metres, the ends of a loop are at most, and its seam over the clip's own
    changes.

    whole: of the clip, see :func:`stretch.looked_at`. positions: of the loop there, (count, joints, 3).
    """
    motion, looked = stretch.cycle.motion(), stretch.looked
    clip_places, positions = whole.positions[:, stretch.joints], positions[:, stretch.joints]

    def later(places: Array) -> Array:
        return np.asarray(places @ motion[:3, :3].T + motion[:3, 3] * character.metres)

    gap = float(np.linalg.norm(positions[-1] - later(positions[0]), axis=-1).max())
    meeting = 0.5 * (positions[-1] + later(positions[0]))
    across = np.concatenate([positions[-3:-1], meeting[None], later(positions[1:3])])
    return gap, seam_ratio(across, looked.pieces(clip_places))


def _groups(
    owner: Any | None, stretch: LoopStretch, settings: LoopSettings, carriers: Mapping[str | None, Carrier]
) -> Iterator[tuple[Channels, Closing]]:
    """Yield the channels of a slot, of one thing each, with how they close. owner: the data-block that the
    slot animates. carriers: what carries the travel, by bone.
    """
    fps, cycle, clip = stretch.fps, stretch.cycle, stretch.clip
    period = cycle.period / fps
    blend = ClosingBlend(settings.decay, settings.seconds(fps, period), period, SHARES[settings.closes])
    for ch in match(owner, clip, clip, cycle.start, cycle.end, carriers).channels:
        carrier = carriers.get(ch.carrier) if ch.kind in ("location", "rotation") else None
        yield ch, Closing(ch.source, stretch, blend, fps, carrier)


def _closed(
    owner: Any | None, stretch: LoopStretch, settings: LoopSettings, carriers: Mapping[str | None, Carrier]
) -> Rewritten:
    """Return the curves of a slot from the result's first frame to its last, closed."""
    clip = stretch.clip
    curves: dict[Address, Keys] = {}
    for ch, closing in _groups(owner, stretch, settings, carriers):
        # switches, and what is not the same at both ends, can only jump
        jumps = ch.discrete or ch.source.addresses != ch.destination.addresses
        keys = channels.taken(ch.source, stretch) if jumps else closing.keys()
        curves.update(zip(ch.source.addresses, keys, strict=True))
    for address in clip.curves.keys() - curves.keys():
        # what the rig does not read
        (curves[address],) = channels.taken(ClipChannels(clip, (address,), (0.0,)), stretch)
    kept = {at: keys for at, keys in curves.items() if at in clip.curves or not keylib.is_flat(keys)}
    # modifiers go into the keys
    return Rewritten(clip, kept, shaped=frozenset(at for at, curve in clip.curves.items() if curve.obstacle))


def _hold_poses(stretch: LoopStretch, slots: Sequence[Rewritten]) -> list[Rewritten]:
    """Return slots that hold their poses as long as the clip does, if it is one on twos; else as they are."""
    holds = stepping.find_holds(stretch.clip)
    if holds.step == 1 and not holds.is_held:
        return [*slots]
    cycle = stretch.result_cycle
    frames = holds.later(stretch.first - stretch.cycle.start).between(cycle.start, cycle.end)
    return [
        dataclasses.replace(
            slot,
            curves={
                at: keys if len(keys) < 2 or keylib.is_flat(keys) else stepping.stepped(keys, frames)
                for at, keys in slot.curves.items()
            },
        )
        for slot in slots
    ]


def _locked(
    character: Character,
    stretch: LoopStretch,
    settings: LoopSettings,
    carriers: Mapping[str | None, Carrier],
    slot: Rewritten,
    planted: Contacts | None,
) -> Rewritten:
    """Return a slot with the feet locked, its curves as smooth over the seam as before. planted: when feet
    stand; with None the slot is returned as it is, if there are legs, else InertiaError is raised.
    """
    if planted is None:
        legs.required(character.armature)
        return slot
    locked = channels.locked(character, stretch, slot, planted)
    later = stretch.first - stretch.cycle.start
    for ch, closing in _groups(character.armature, stretch, settings, carriers):
        present = {at: locked[at] for at in ch.source.addresses if at in locked}
        if present:
            every = np.concatenate([keys.co[:, 0] for keys in present.values()]).astype(float)
            frames = np.unique(every.round(3))
            raw = np.tile(np.array(ch.source.defaults, float), (len(frames), 1))
            for column, at in enumerate(ch.source.addresses):
                if at in present:
                    raw[:, column] = evaluation.evaluate(present[at], frames)
            locked.update(zip(ch.source.addresses, closing.round(frames - later, raw), strict=True))
    return dataclasses.replace(slot, curves={**slot.curves, **locked})


def _repeat_cycles(
    character: Character, stretch: LoopStretch, settings: LoopSettings, slot: Rewritten, *, by_blender: bool
) -> Rewritten:
    """Return a slot with the settings' number of cycles, one after the other, as keys; only the armature's
    own slot travels from one to the next. by_blender: whether Blender has to play its bones for that.
    """
    cycle = stretch.result_cycle
    is_own = slot.clip is stretch.clip
    if not is_own:
        cycle = dataclasses.replace(cycle, heading=0.0, translation=(0.0, 0.0, 0.0))
    clip = channels.as_cycle(slot, cycle)
    last = cycle.end + (settings.cycles - 1) * cycle.period
    rig, play = (character.rig, by_blender) if is_own else (None, False)
    reached = repeating.repeat_to_reach(character, rig, stretch.root, clip, (cycle.start, last), play=play)
    return dataclasses.replace(slot, curves={at: curve.keys for at, curve in reached.curves.items()})


def write(plan: LoopPlan, into: Any | None = None) -> LoopReport:
    """Write a planned loop as an action, assign it if its settings ask for that, and measure it. into: the
    action that is made anew; None for a new one.
    """
    mark = functools.partial(_mark, plan)
    kind = RewritingKind(KIND, "loop", mark)
    written = rewriting.write(plan.character.armature, kind, plan.settings, plan.slots, into)
    return _report(plan, written)


def _mark(plan: LoopPlan, action: Any) -> None:
    """Say in an action, in place, that it is a cycle: by its frame range, the clip's markers in each cycle,
    and, for MODIFIERS, a Cycles modifier on each curve, with offset for what travels.
    """
    cycle, settings = plan.stretch.result_cycle, plan.settings
    count = settings.cycles if settings.repeat == "KEYED" else 1
    action.use_frame_range = action.use_cyclic = True
    action.frame_start, action.frame_end = cycle.start, cycle.start + count * cycle.period
    once = markers.shift(
        markers.find_shown(plan.stretch.clip, *plan.stretch.ends), cycle.start - plan.stretch.ends[0]
    )
    markers.replace(
        action, [markers.again(each, turn, turn * cycle.period) for turn in range(count) for each in once]
    )
    if settings.repeat != "MODIFIERS":
        return
    holders = plan.slots[0].clip.holders.items()
    prefixes = {held.identifier: prefix for prefix, held in holders if held is not None}
    for slot in [each for whole in plan.slots for each in rewriting.apart(whole)]:
        identifier = slot.clip.slot.identifier
        for fcurve in compat.curves(action, identifier):
            address = (fcurve.data_path, fcurve.array_index)
            if address in slot.curves and len(slot.curves[address]) > 1:
                is_own = identifier == plan.slots[0].clip.slot.identifier or identifier in prefixes
                path = prefixes.get(identifier, "") + address[0]
                is_place = path.endswith(("location", "delta_location"))
                travels = is_own and is_place and carrier_of(path) in plan.carriers
                modifier = fcurve.modifiers.new("CYCLES")
                modifier.mode_before = modifier.mode_after = "REPEAT_OFFSET" if travels else "REPEAT"


def _quality(plan: LoopPlan, action: Any) -> SeamQuality | None:
    """Measure a loop that was written: gap and seam before and now, and which bone was moved most from the
    clip, metres, and where; None where Blender would not play it.
    """
    armature, stretch = plan.character.armature, plan.stretch
    # what is looked at lies within the loop's first cycle
    clip = clip_store.read(armature, action, stretch.clip.slot.identifier)
    clip = dataclasses.replace(clip, cycle=None)
    count = stretch.looked.count
    frames = plan.whole.frames[:count] - stretch.cycle.start + stretch.first
    try:
        motion = joint_motion.evaluate(plan.character, clip, frames, stretch.root)
    except InertiaError:
        return None
    clip_places = plan.whole.positions[:count]
    away = np.linalg.norm(motion.positions - clip_places, axis=-1)
    row, bone = np.unravel_index(int(np.argmax(away)), away.shape)
    gap_before, seam_before = measured(plan.character, stretch, plan.whole, clip_places)
    gap, ratio = measured(plan.character, stretch, plan.whole, motion.positions)
    return SeamQuality(
        gap_before, gap, seam_before, ratio, float(away[row, bone]), motion.names[bone], float(frames[row])
    )


def _report(plan: LoopPlan, written: Report) -> LoopReport:
    action = actions.find(written.result)
    stretch = plan.stretch
    x, y, z = (value * plan.character.metres for value in stretch.cycle.translation)
    curves = [keys for slot in plan.slots for keys in slot.curves.values()]
    frames = float(action.frame_start), float(action.frame_end)
    return LoopReport(
        **{**vars(written), "frame_range": frames, "keys": sum(map(len, curves))},
        start=stretch.cycle.start,
        end=stretch.cycle.end,
        root="" if stretch.root.name == OBJECT_ROOT else stretch.root.name,
        heading_degrees=math.degrees(stretch.cycle.heading),
        translation=(x, y, z),
        channels=len(curves),
        quality=_quality(plan, action),
        verdict=plan.verdict,
        warnings=plan.warnings,
    )
