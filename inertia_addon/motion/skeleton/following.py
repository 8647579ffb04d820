# SPDX-License-Identifier: GPL-3.0-or-later
"""Who comes along when a bone of a character is moved rigidly."""

from __future__ import annotations

import functools
import itertools

import numpy as np

from ...records import record
from ..arrays import Flags


@record(frozen=True)
class Following:
    """Who comes along with whom on one armature, as its constraints are now.

    names: the bones. carriers: for each bone, by bits of positions in ``names``, those with which it comes
    along when they are moved rigidly, itself among them.
    """

    names: tuple[str, ...] = ()
    carriers: tuple[int, ...] = ()

    def follows(self, bone: str, carrier: str) -> bool:
        """Whether a bone comes along when another, or itself, is moved."""
        return bool(self.carriers[self._place[bone]] >> self._place[carrier] & 1)

    def carriers_of(self, bone: str) -> tuple[str, ...]:
        """Those with which a bone comes along, itself among them."""
        return tuple(itertools.compress(self.names, self._matrix[self._place[bone]]))

    def with_(self, carrier: str) -> frozenset[str]:
        """The bones that come along with one, itself among them."""
        return frozenset(itertools.compress(self.names, self._matrix[:, self._place[carrier]]))

    def count(self, carrier: str) -> int:
        """How many bones come along with one."""
        return self._counts[self._place[carrier]]

    @functools.cached_property
    def _counts(self) -> list[int]:
        return self._matrix.sum(axis=0).tolist()

    @functools.cached_property
    def _matrix(self) -> Flags:
        """Whether each bone comes along with each (bones, carriers)."""
        count = len(self.names)
        packed = b"".join(mask.to_bytes(-(-count // 8), "little") for mask in self.carriers)
        rows = np.frombuffer(packed, np.uint8).reshape(count, -1)
        return np.unpackbits(rows, axis=1, count=count, bitorder="little").astype(bool)

    @functools.cached_property
    def _place(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}
