# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys in the window of a result, so few that its curves stay within a tolerance."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping

import numpy as np

from ...motion import quaternion, transforms
from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.curves import thinning
from ...motion.curves.keys import Keys
from ...motion.curves.thinning import Strand
from ...records import record
from ..data.actions import Address
from ..data.channels import Channels

ROTATION, LOCATION, OTHER = math.radians(1.0), 0.01, 0.01
"""What a tolerance of 1 means: a degree, a centimetre in metres, a hundredth of scales and other values."""


@record(frozen=True)
class Window:
    """Channels of a result that have a key on every frame between two.

    metres: per unit of a location, 1 of anything else.
    """

    channels: Channels
    metres: float
    first: float
    last: float

    @property
    def owner(self) -> Hashable:
        """Whose keys lie on common frames: a bone's, the object's; other values are by themselves."""
        ch = self.channels
        return ch.bone or (ch.destination.addresses if ch.kind == "value" else None)

    def strand(self, made: Mapping[Address, Keys], tolerance: float) -> Strand:
        """What may be thinned of the curves made, which lack those that say no more than the default."""
        there = self.channels.destination
        some = next(made[at] for at in there.addresses if at in made)
        own = [made.get(at) or _standing(some, value) for at, value in self._defaults()]
        unit = {"rotation": ROTATION, "location": LOCATION / self.metres}.get(self.channels.kind, OTHER)

        def away(here: Array, wanted: Array) -> Array:
            if not there.mode:
                return np.asarray(np.linalg.norm(here - wanted, axis=1) / (unit * tolerance))
            turned, meant = (transforms.to_quaternion(raw, there.mode) for raw in (here, wanted))
            turns = quaternion.log(quaternion.multiply(turned, quaternion.conjugate(meant)))
            return np.asarray(np.linalg.norm(turns, axis=1) / (unit * tolerance))

        return thinning.strand(own, self.first, self.last, away)

    def _defaults(self) -> Iterable[tuple[Address, float]]:
        there = self.channels.destination
        return zip(there.addresses, there.defaults, strict=True)


def thin(made: dict[Address, Keys], windows: Iterable[Window], tolerance: float) -> None:
    """Thin the curves made, in place, in their windows; see :data:`ROTATION` for the tolerance."""
    owners: dict[Hashable, list[Window]] = {}
    for one in windows:
        if any(at in made for at in one.channels.destination.addresses):
            owners.setdefault(one.owner, []).append(one)
    for own in owners.values():
        frames = thinning.enough([one.strand(made, tolerance) for one in own])
        for one in own:
            for at in one.channels.destination.addresses:
                if at in made:
                    made[at] = thinning.thinned(made[at], one.first, one.last, frames)


def _standing(like: Keys, value: float) -> Keys:
    """A curve that stands still, with the keys of another one."""
    return keylib.sampled(like.co[:, 0], np.full(len(like), value))
