# SPDX-License-Identifier: GPL-3.0-or-later
"""Things that are kept for a while, as far as memory allows."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Thing = TypeVar("Thing")

AT_LEAST = 2
"""So many are kept whatever they take: the source and the destination."""


class Recent(Generic[Thing]):
    """The things that were used last. limit: their bytes, together. size: the bytes of one."""

    def __init__(self, limit: int, size: Callable[[Thing], int]) -> None:
        self._limit, self._size = limit, size
        self._kept: OrderedDict[Hashable, Thing] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Thing]) -> Thing:
        """What is kept under a key, else what is made."""
        if key not in self._kept:
            self._kept[key] = make()
        self._kept.move_to_end(key)
        thing = self._kept[key]
        while len(self._kept) > AT_LEAST and sum(map(self._size, self._kept.values())) > self._limit:
            self._kept.popitem(last=False)
        return thing

    def clear(self) -> None:
        """Let go of all."""
        self._kept.clear()
