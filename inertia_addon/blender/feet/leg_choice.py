# SPDX-License-Identifier: GPL-3.0-or-later
"""Which legs of an armature can be locked in clips."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from ...errors import InertiaError
from ...motion.feet import chains
from ...motion.feet.crossing import LockLimits
from ...motion.feet.easing import EasedTogether
from ...motion.feet.legs import Leg, check, check_found
from ...motion.skeleton.posing import Rig
from ...records import record
from ...settings.feet import Locking
from ..data.actions import Clip
from ..evaluation.character import Character, CharacterPoser
from . import legs as armature_legs
from . import targets
from .body import Body, KnownFeet, check_kept
from .targets import Controlled, Leading


@record(frozen=True, eq=False)
class LegKnowledge:
    """What is known of an armature's legs, so that it need not be found again.

    every: the legs of the armature, None to find them. leading: what is known to lead legs of the clips, and
    feet: what is known of plain legs in them, to both of which more is added; None to keep neither.
    together: with which others feet are eased, as of :class:`Body`. poser: what poses the armature in the
    clips, None to find out.
    """

    every: tuple[Leg, ...] | None = None
    leading: dict[Hashable, Leading] | None = None
    feet: KnownFeet | None = None
    together: EasedTogether | None = None
    poser: CharacterPoser | None = None

    def find_poser(self, character: Character, clips: Sequence[Clip]) -> CharacterPoser:
        """Find what poses a character in clips."""
        return self.poser or character.find_poser(clips)


def find_body(
    character: Character,
    rig: Rig,
    asked: Locking,
    taking_part: set[str] | None,
    clips: Sequence[Clip],
    knowledge: LegKnowledge | None = None,
) -> Body:
    """Find the legs that can be locked in clips: a Controlled, led by its controls, of a rig that Blender
    plays, else a Body.

    asked: the feet to lock, all if none are named; with a hips_drop above 0 the hips may go down.
    taking_part: the bones that may have other keys, None for all. knowledge: what was found before; its
    `feet` and `leading` are filled in place. Raise InertiaError if no leg can be locked, for one of those
    asked for that can't, and for a foot that belongs to none.
    """
    knowledge = knowledge or LegKnowledge()
    leading, known = knowledge.leading, knowledge.feet or KnownFeet()
    every = armature_legs.required(character.armature) if knowledge.every is None else knowledge.every
    check_found(every, character.armature.name)
    chosen = _find_asked(character.armature, every, asked)
    if knowledge.find_poser(character, clips).has_to_play:
        leads = {} if leading is None else leading
        key = (chosen, asked.hips_drop > 0.0, None if taking_part is None else frozenset(taking_part))
        if key not in leads:
            leads[key] = targets.find_leading(
                character, rig, clips, chosen, may_drop=asked.hips_drop > 0.0, taking_part=taking_part
            )
        return Controlled(character.armature, rig, leads[key], every)
    by = (rig, chosen, asked.hips_drop > 0.0, None if taking_part is None else frozenset(taking_part))
    if by not in known.legs:
        kept = _select_legs(rig, chosen, taking_part)
        check_kept(kept)
        hips = _find_hips(rig, kept) if asked.hips_drop > 0.0 else ""
        known.legs[by] = chains.part(rig, kept, hips if taking_part is None or hips in taking_part else "")
    return Body(known.legs[by], known_feet=known, together=knowledge.together)


def find_lockable(
    character: Character,
    rig: Rig,
    asked: Locking,
    taking_part: set[str] | None,
    clips: Sequence[Clip],
    knowledge: LegKnowledge,
) -> frozenset[str]:
    """Return the names of the feet that can be locked in clips, of all legs that are known, as far as that
    can be told without playing them.

    Empty if one is asked for that there is not, or that can't be locked. Of a rig that Blender plays it is
    all that are asked for, none where `taking_part` limits the bones; of a plain one those whose bones all
    take part. taking_part: the bones that may have other keys, None for all.
    """
    try:
        chosen = _find_asked(character.armature, knowledge.every or (), asked)
    except InertiaError:
        return frozenset()
    if knowledge.find_poser(character, clips).has_to_play:
        # which controls lead them is told by playing alone
        return frozenset(leg.name for leg in chosen if taking_part is None)
    return frozenset(leg.name for leg in _select_legs(rig, chosen, taking_part))


def read_limits(asked: Locking, step_height: float = 1.0) -> LockLimits:
    """Return how feet are locked by settings. step_height: factor on the usual height of steps."""
    return LockLimits(
        asked.foot_release,
        asked.foot_radius,
        asked.hips_drop,
        step_height,
        asked.least_toes,
        asked.raises_heels,
    )


def _find_asked(armature: Any, legs: tuple[Leg, ...], asked: Locking) -> tuple[Leg, ...]:
    """Return those of some legs whose feet are asked for, in their order, all if none are named. Raise
    InertiaError for a name that is no foot of them, and for a leg that can't be locked, see :func:`check`.
    """
    for name in asked.locked_feet:
        if name not in [leg.name for leg in legs]:
            raise InertiaError(
                'No leg of "{armature}" ends in a foot "{foot}"; its feet are {known}.',
                armature=armature.name,
                foot=name,
                known=", ".join(leg.name for leg in legs),
            )
    legs = tuple(leg for leg in legs if not asked.locked_feet or leg.name in asked.locked_feet)
    for leg in legs:
        check(leg)
    return legs


def _select_legs(rig: Rig, legs: Iterable[Leg], bones: set[str] | None) -> list[Leg]:
    """Return the legs all of whose joints are among some bones; None stands for all bones.

    A leg whose ball is not among them, or that has none, loses its `tip`, so that its toes are not raised.
    """
    names = rig.bones.names
    if bones is None:
        return list(legs)
    kept = [leg for leg in legs if {names[i] for i in leg.joints} <= bones]
    # what takes no part is not raised, either
    return [
        dataclasses.replace(leg, tip=leg.tip if leg.ball is not None and names[leg.ball] in bones else None)
        for leg in kept
    ]


def _find_hips(rig: Rig, legs: Sequence[Leg]) -> str:
    """Return the lowest bone that carries all legs and can be moved; "" for none."""
    chains_above = [rig.bones.above(rig.bones.names[leg.joints[0]]) for leg in legs]
    shared = [name for name in chains_above[0] if all(name in chain for chain in chains_above)]
    return next((name for name in shared if name not in rig.bones.connected), "")
