# SPDX-License-Identifier: GPL-3.0-or-later
"""How the channels of an action move points of a character: forward kinematics, and its derivatives.

A link is the armature's object, which comes first, or one of its bones. Points that hang from a link are
where its channels and those of all links above take them, in the world.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

import numpy as np

from ...records import record
from .. import quaternion
from ..arrays import Array, Integers
from ..skeleton import kinematics
from ..skeleton.posing import Address, Rig

STEP = 1e-5
"""By so much a channel is changed to see where that moves points."""
FLAT = 1e-6
"""A link whose scale is such a part of its other numbers, or less, counts as scaled to zero."""

Values = Mapping[int, Array]
"""Raw values (n, channels) of links, by their index."""


@record(frozen=True, eq=False)
class LinkChain:
    """A plain rig over n frames, some of whose channels may change.

    rig: the armature. tracks: the values (n,) of all channels that have any. channels: by link, 0 for the
    object and i + 1 for bone i, the addresses of those that may change. hung: (points,), the link that
    carries each point. offsets: (points, 3), where the points are in its axes.
    """

    rig: Rig
    tracks: Mapping[Address, Array]
    channels: Mapping[int, tuple[Address, ...]]
    hung: Integers
    offsets: Array

    @functools.cached_property
    def count(self) -> int:
        """How many frames there are."""
        return len(next(iter(self.tracks.values())))

    @functools.cached_property
    def parents(self) -> tuple[int, ...]:
        """The link that carries each link, -1 for the object."""
        return (-1, *(parent + 1 for parent in self.rig.bones.parents))

    def above(self, link: int) -> list[int]:
        """Return the links that carry a link, from the object down, itself the last."""
        path = []
        while link >= 0:
            path.append(link)
            link = self.parents[link]
        return path[::-1]

    @functools.cached_property
    def levels(self) -> tuple[tuple[int, ...], ...]:
        """The links that may change, grouped by how many links carry them: a tuple of links, rising, for each
        number of which there are any, the fewest first.
        """
        depth = [0]
        for parent in self.parents[1:]:
            depth.append(depth[parent] + 1)
        rows: dict[int, list[int]] = {}
        for link in sorted(self.channels):
            rows.setdefault(depth[link], []).append(link)
        return tuple(tuple(rows[level]) for level in sorted(rows))

    @functools.cached_property
    def raw(self) -> Values:
        """The values (n, channels) that the take has of the channels that may change."""
        return {
            link: np.stack([np.asarray(self.tracks[at], float) for at in addresses], axis=1)
            for link, addresses in self.channels.items()
        }

    def local(self, link: int, raw: Array | None = None) -> Array:
        """Return the matrices (n, 4, 4) that the channels of a link describe: of a bone, beyond its rest, in
        its own axes at rest; of the object, its place in the world.

        raw: (n, channels) of those that may change, in the order of the link's `channels`; None for the
        take's. All other channels are the take's, and those that it does not have stand at Blender's default,
        those of the object where the rig has them. A connected bone has no location.
        """
        values: dict[Address, Array] = dict(self.tracks)
        if raw is not None:
            values.update(zip(self.channels[link], raw.T, strict=True))
        if link == 0:
            return self._object(values)
        bones, bone = self.rig.bones, link - 1
        prefix, mode = self.rig.paths[bone], self.rig.modes[bone]
        prop, numbers = quaternion.rotation_property(mode)
        turn = quaternion.to_quaternion(self._property(values, prefix, prop, numbers), mode)
        location = self._property(values, prefix, "location", 3)
        if bones.names[bone] in bones.connected:
            location = np.zeros_like(location)
        elif bones.names[bone] in bones.unturned:
            location = location @ self._past[bone][:3, :3]
        return kinematics.basis(location, turn, self._property(values, prefix, "scale", 3))

    def _property(self, values: Mapping[Address, Array], prefix: str, prop: str, numbers: int) -> Array:
        rows = [
            values.get((prefix + prop, i), np.full(self.count, quaternion.default_of(prop, i)))
            for i in range(numbers)
        ]
        return np.stack(rows, axis=1).astype(float)

    def _object(self, values: Mapping[Address, Array]) -> Array:
        standing = self.rig.all_standing

        def raw(path: str, numbers: int) -> Array:
            rows = [
                values[path, i] if (path, i) in values else np.full(self.count, standing[path, i])
                for i in range(numbers)
            ]
            return np.stack(rows, axis=1).astype(float)

        placed = self.rig.placed(raw, self.rig.of_object & values.keys())
        return np.asarray(np.broadcast_to(placed, (self.count, 4, 4)))

    @functools.cached_property
    def _past(self) -> Array:
        """The bones' matrices at rest (bones, 4, 4) relative to their parents at rest; of bones without a
        parent, in the armature's space.
        """
        rest = self.rig.bones.rest
        inverse = np.linalg.inv(rest)
        pairs = zip(self.rig.bones.parents, rest, strict=True)
        return np.stack([each if parent < 0 else inverse[parent] @ each for parent, each in pairs])

    @functools.cached_property
    def _locals(self) -> list[Array]:
        return [self.local(link) for link in range(len(self.parents))]

    def matrices(self, values: Values) -> list[Array]:
        """Return the world matrices (n, 4, 4) of all links in a list, the object first, then the bones in the
        rig's order.

        values: (n, channels) by link, of the channels that may change; links that are missing are as in the
        take.
        """
        matrices: list[Array] = []
        for link, parent in enumerate(self.parents):
            local = self.local(link, values[link]) if link in values else self._locals[link]
            matrices.append(local if parent < 0 else matrices[parent] @ self._past[link - 1] @ local)
        return matrices

    def points(self, matrices: Sequence[Array]) -> Array:
        """Return where all points are in the world, (points, n, 3), world units. matrices: (n, 4, 4) of each
        link in the world, as :meth:`matrices` returns them.
        """
        placed = np.empty((len(self.hung), self.count, 3))
        for i, (link, offset) in enumerate(zip(self.hung.tolist(), self.offsets, strict=True)):
            placed[i] = matrices[link][:, :3, :3] @ offset + matrices[link][:, :3, 3]
        return placed

    @functools.cached_property
    def take(self) -> Array:
        """Where the take has the points, (points, n, 3)."""
        return self.points(self.matrices({}))

    @functools.cached_property
    def derivatives(self) -> Mapping[int, Array]:
        """How a change of each channel moves what hangs from its link in the take: by each link that may
        change, (n, channels, 3, 4).

        A matrix (3, 4) takes a place (x, y, z, 1) in the world to its velocity, in world units per unit of
        the channel, all other channels held. They are central differences. Where a link is scaled to 0 in the
        take, what that flattens is left out.
        """
        matrices = self.matrices({})
        result = {}
        for link, raw in self.raw.items():
            now, world = self._locals[link], matrices[link]
            # a link with a scale of 0 has no inverse: what hangs from it is at one point, or in one plane
            place = np.eye(4) if link == 0 else world @ np.linalg.pinv(now, FLAT)
            back = np.linalg.pinv(world, FLAT)
            moves = np.empty((self.count, raw.shape[1], 3, 4))
            for k in range(raw.shape[1]):
                ahead, behind = raw.copy(), raw.copy()
                ahead[:, k] += STEP
                behind[:, k] -= STEP
                change = (self.local(link, ahead) - self.local(link, behind)) / (2.0 * STEP)
                moves[:, k] = (place @ change @ back)[:, :3]
            result[link] = moves
        return result

    def moments(self, weights: Array) -> list[Array]:
        """Return for each link the sum of w p p' (n, 4, 4) over all points that hang from it or from links
        below, p = (x, y, z, 1). weights: (points, n)."""
        p = np.concatenate([self.take, np.ones((*self.take.shape[:2], 1))], axis=2)
        return self._gathered(np.einsum("jn,jna,jnb->jnab", weights, p, p))

    def pulls(self, weights: Array, errors: Array) -> list[Array]:
        """Return for each link the sum of w e p' (n, 3, 4) over all points that hang from it or from links
        below. errors: (points, n, 3)."""
        p = np.concatenate([self.take, np.ones((*self.take.shape[:2], 1))], axis=2)
        return self._gathered(np.einsum("jn,jna,jnb->jnab", weights, errors, p))

    def _gathered(self, of_points: Array) -> list[Array]:
        sums = [np.zeros(of_points.shape[1:]) for _ in self.parents]
        for link, each in zip(self.hung.tolist(), of_points, strict=True):
            sums[link] += each
        for link in reversed(range(1, len(sums))):
            sums[self.parents[link]] += sums[link]
        return sums
