# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts a take into an action: it is left at a frame for the take, and goes on from there behind it.

Both joins are sought as Best Entry and Best Cut seek theirs: the frame at which the take is entered, near its
beginning, and the one at which it is left, near its end. What is made is a hop through the take, with the
recipe of one, so that it is made anew as hops are.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from ...errors import InertiaError
from ...motion.steps import Steps, finish, part
from ...records import record
from ...settings import fields
from ...settings.cost import Search
from ...settings.finish import FinishSettings
from ...settings.hops import HopSettings
from ...settings.transition import TransitionSettings, usual_blend_frames
from ..cost import candidates, costing
from ..cost.candidates import Candidate, Fixed, WantedPairs
from ..cost.costing import Pair
from ..data.actions import Clip
from ..evaluation import joints
from ..evaluation.character import Character, read_character
from ..evaluation.joint_motion import JointMotion
from ..hops import bake as hop_bake
from ..hops.bake import HopReport
from ..hops.search import FoundHop

LOSES, LOSES_SECONDS = 0.25, 1.0
"""At either end a take loses no more than this part of it, nor than so many seconds."""
SHORTEST = 6
"""A take has so many frames at least: a blend into it, and one out of it."""


@record(frozen=True, eq=False)
class _Join:
    """One of the two joins while it is sought: how it blends, its clips, and their joints' motion once they
    are played."""

    settings: TransitionSettings
    pair: Pair
    motions: tuple[JointMotion, JointMotion] | None


def insert_take_steps(armature: Any, settings: FinishSettings, take_name: str) -> Steps[HopReport]:
    """Put a take into the action that settings name (`into`), bake that as a hop from the action through the
    take and back, and return the hop's report; yield the part that is done, 0 to 1.

    The file changes after the last yield.

    take_name: of the action that is put in, such as a finished one. Without a frame (`at`) the one is taken
    at which the two fit best, away from the action's ends. A blend lasts as long as is usual, but a third of
    the take at most, and the end of the take may be left out where the action is met better. The action goes
    on from where it was left. Raise InertiaError, with the file as it was, for an action that can't be read,
    one put into itself, a frame outside of it or at its ends, and a take that is too short.
    """
    character = read_character(armature)
    into = _read_join(armature, settings, take_name)
    action, take = into.pair.clips
    check_place(settings, into.pair)
    blend = min(usual_blend_frames(character.fps), float(int(_length(take) / 3.0)))
    into = dataclasses.replace(into, settings=dataclasses.replace(into.settings, blend_frames=blend))
    yield 0.1
    into = dataclasses.replace(into, motions=finish(costing.motions(armature, into.pair)))
    lost = _most_lost(take, character.fps)
    at, margin = settings.at, min(blend, 0.25 * _length(action))
    search = Search(
        first=action.start + margin if at is None else float(at),
        last=action.end - margin if at is None else float(at),
        keep_frames=_length(take) - lost,
    )
    (entered,) = yield from part(_seek(character, into, search, (at, None)), 0.3, 0.6)
    search = Search(first=take.end - lost, last=take.end, keep_frames=0.0)
    back = _turn_round(into)
    (left,) = yield from part(_seek(character, back, search, (None, entered.cut)), 0.6, 0.9)
    return hop_bake.bake_hop(armature, *_describe_hop(settings, into.settings, (entered, left)))


def _read_join(armature: Any, settings: FinishSettings, take_name: str) -> _Join:
    """Read an action and a take, and return the join from the one into the other without their motions."""
    # as the panel and commands ask for it, but that the entry is sought by the search for the best
    usual = {**fields.list_requests(TransitionSettings), "enter_at": "FIRST", "go_on": "ONCE"}
    asked = TransitionSettings(
        settings.into, take_name, cut=0.0, **usual, source_cycle="OFF", destination_cycle="OFF"
    )
    return _Join(asked, costing.read_pair(armature, asked), None)


def check_place(settings: FinishSettings, pair: Pair) -> None:
    """Raise InertiaError where a take can't be put into an action at the frame that settings name (`at`, None
    for any): for one action as both, a frame that is not between the action's ends, and a take shorter than
    SHORTEST frames.

    pair: of the action and the take, in this order.
    """
    action, take = pair.clips
    if action.action == take.action:
        raise InertiaError(
            '"{action}" can\'t be put into itself; choose another action.', action=settings.into
        )
    at = settings.at
    if at is not None and not action.start < at < action.end:
        raise InertiaError(
            'Frame {frame:g} does not lie within "{action}", frames {first:g} to {last:g}; choose a frame '
            "between them.",
            frame=at,
            action=settings.into,
            first=action.start,
            last=action.end,
        )
    if _length(take) < SHORTEST:
        raise InertiaError(
            '"{action}" is too short to be put into another action; it has to be {frames} frames long.',
            action=take.action.name,
            frames=SHORTEST,
        )


def _length(clip: Clip) -> float:
    return clip.end - clip.start


def _most_lost(clip: Clip, fps: float) -> float:
    return min(LOSES * _length(clip), LOSES_SECONDS * fps)


def _turn_round(join: _Join) -> _Join:
    """Return the join the other way round: from the take back into the action."""
    assert join.motions is not None
    settings, pair, (action, take) = join.settings, join.pair, join.motions
    return _Join(
        dataclasses.replace(settings, source=settings.destination, destination=settings.source),
        dataclasses.replace(pair, source=pair.destination, destination=pair.source),
        (take, action),
    )


def _seek(character: Character, join: _Join, search: Search, fixed: Fixed) -> Steps[list[Candidate]]:
    """Return the steps that find the best meeting of two clips within a search, alone in a list, with the
    joints' weights that the armature stores.

    join: the clips with their motions (AssertionError without), and the settings of the join. fixed: (the
    cut, the destination frame), None for what is looked for. Raise InertiaError, here, where no joint counts;
    the steps raise it if no frame is within the search.
    """
    assert join.motions is not None
    weights = joints.named_weights(character.armature, "stored")
    compared = costing.compare(join.settings, join.pair.alignment, weights, join.motions, character.fps)
    wanted = WantedPairs(fixed=fixed)
    return candidates.best(character, join.settings, join.pair.clips, compared, search, wanted)


def _describe_hop(
    settings: FinishSettings, asked: TransitionSettings, meetings: tuple[Candidate, Candidate]
) -> tuple[HopSettings, FoundHop]:
    """Return the hop through a take, as it is baked: its settings and what was found.

    asked: how the first join blends, from the action (source) to the take (destination). meetings: where the
    take is entered from the action, and where it is left for it. The hop goes from the action through the
    take to the action again, which goes on there as it is met; both blends last as long, the cut is a whole
    frame, and costs are those of the meetings. The result is called and assigned as the settings say, by
    default "ACTION with TAKE".
    """
    entered, left = meetings
    take, blend = asked.destination, round(asked.blend_frames or 0.0)
    plays = round(left.cut - entered.destination_frame)
    # a hop's destination has a clock that never stands still; the action goes on where it was left
    transition = dataclasses.replace(
        asked,
        destination=asked.source,
        cut=float(round(entered.cut)),
        destination_frame=left.destination_frame - plays,
        result=settings.result or f"{asked.source} with {take}",
        assign=settings.assign,
    )
    hop = FoundHop(
        trigger=transition.cut,
        clips=(take,),
        entries=(entered.destination_frame,),
        exits=(left.cut,),
        stays=(0, plays - blend),
        blends=(blend, blend),
        parts=(entered.cost, left.cost),
        waiting=0.0,
        cost=entered.cost + left.cost,
    )
    return HopSettings(transition, clips=(take,), find_cycles=False, distance="DISPLACEMENT"), hop
