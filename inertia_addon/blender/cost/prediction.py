# SPDX-License-Identifier: GPL-3.0-or-later
"""What it adds to costs that planted feet skate, where that counts."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion.arrays import Array, Floats
from ...motion.cost import prediction
from ...motion.decay.decay import Method
from ...records import record
from ...settings import methods
from ...settings.transition import TransitionSettings
from ..data.actions import Clip
from ..evaluation.joint_motion import Motion
from ..feet import contacts
from ..feet.contacts import Contacts
from . import sides
from .sides import Side

CELLS = 40_000
"""So many meetings, about, are looked at in a step: their arrays stay small."""


@record(frozen=True, eq=False)
class Plants:
    """When the feet of a clip stand. feet: their bones; joints: those that say where each is."""

    feet: tuple[str, ...]
    joints: tuple[str, ...]
    contacts: Contacts


def plants(armature: Any, clip: Clip, weight: float) -> Generator[float, None, Plants | None]:
    """When an armature's feet stand in a clip, None where their skate counts nothing.

    weight: of the skate. Yields the part that is done. Raises InertiaError for an armature without legs, and
    as :func:`contacts.steps` does.
    """
    if weight <= 0.0:
        return None
    found = yield from contacts.reading(armature, clip)
    names = armature.data.bones.keys()
    joints = tuple(names[leg.foot if leg.ball is None else leg.ball] for leg in found.legs)
    return Plants(tuple(leg.name for leg in found.legs), joints, found)


@record(frozen=True, eq=False)
class Prediction:
    """The feet of two clips in character space, and what it costs that they skate.

    source, destination: of the feet, at the frames of those that are compared. plants: of the destination.
    weight: metre seconds a metre. method, seconds, fps: see :class:`costing.Compared`.
    """

    source: Side
    destination: Side
    plants: Plants
    weight: float
    method: Method
    seconds: float
    fps: float

    def adding(
        self, costs: Floats, cuts: Array, entries: Array, feet: slice = slice(None)
    ) -> Generator[float, None, None]:
        """Add what feet skate to the costs (n, m) of cuts (n,) with frames of the destination (m,), rising.

        feet: some of them. Yields the part that is done.
        """
        here, there = self.source.at_all(cuts, self.fps), self.destination.at_all(entries, self.fps)
        stands = [(k, *span) for k in range(len(self.plants.feet))[feet] for span in self._spans(k, entries)]
        total, done = sum(len(cuts) * len(times[0]) for _, _, times in stands), 0
        for k, columns, times in stands:
            entered = there.positions[columns, k], there.velocities[columns, k]
            height = max(1, CELLS // len(times[0]))
            for first in range(0, len(cuts), height):
                rows = slice(first, first + height)
                left = here.positions[rows, k], here.velocities[rows, k]
                metres = prediction.carried(left, entered, times, self.method, self.seconds)
                costs[rows, columns] += self.weight * metres
                done += metres.size
                yield done / total

    def _spans(self, foot: int, entries: Array) -> list[tuple[slice, tuple[Array, Array]]]:
        """Each time that a foot stands: in the blends of which entries, and from and to when, in seconds."""
        lasts = methods.lasting(self.method, self.seconds)
        found = []
        spans = self.plants.contacts.at(foot, float(entries[0]), float(entries[-1]) + lasts * self.fps)
        for span in spans:
            lands, lifts = (np.clip((at - entries) / self.fps, 0.0, lasts) for at in (span.start, span.end))
            within = np.flatnonzero(lands < lifts)
            if len(within):
                columns = slice(int(within[0]), int(within[-1]) + 1)
                found.append((columns, (lands[columns], lifts[columns])))
        return found


def of(
    settings: TransitionSettings,
    alignment: str,
    motions: tuple[Motion, Motion],
    plants: Plants,
    weight: float,
    fps: float,
) -> Prediction:
    """What it costs that feet skate which stand in the destination.

    alignment: of the bake, never AUTO. motions: both clips, evaluated, with the feet's joints. plants: of the
    destination. weight: metre seconds a metre. Raises InertiaError for dead blending.
    """
    if settings.decay is None:
        raise InertiaError(
            "The skate of dead blending can't be predicted for all frames; set the skate weight to 0, or "
            "choose another method."
        )
    joints = [motions[0].names.index(joint) for joint in plants.joints]
    here, there = sides.seen(alignment, motions, joints)
    if settings.velocity == "SOURCE":
        there = dataclasses.replace(there, velocities=np.zeros_like(there.velocities))
    return Prediction(here, there, plants, weight, settings.decay, settings.seconds(fps), fps)
