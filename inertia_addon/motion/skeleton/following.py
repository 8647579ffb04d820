# SPDX-License-Identifier: GPL-3.0-or-later
"""Who comes along when a bone of a character is moved rigidly."""

from __future__ import annotations

import dataclasses
import functools


@dataclasses.dataclass(frozen=True)
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

    def with_(self, carrier: str) -> frozenset[str]:
        """The bones that come along with one, itself among them."""
        bit = self._place[carrier]
        return frozenset(
            name for name, mask in zip(self.names, self.carriers, strict=True) if mask >> bit & 1
        )

    def count(self, carrier: str) -> int:
        """How many bones come along with one."""
        return self._counts[self._place[carrier]]

    @functools.cached_property
    def _counts(self) -> list[int]:
        found = [0] * len(self.names)
        for mask in self.carriers:
            while mask:
                low = mask & -mask
                found[low.bit_length() - 1] += 1
                mask ^= low
        return found

    @functools.cached_property
    def _place(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}
