# SPDX-License-Identifier: GPL-3.0-or-later
"""Many transitions between the same two clips judged at once, as far as their feet can be eased together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, TypeVar

from ...motion.feet.easing import EasedTogether
from ...motion.steps import Steps, part
from .played import Footage

T = TypeVar("T")
Begun: TypeAlias = Steps[T] | T
"""What is found, or the steps in which it still is."""


def ease_together_steps(footage: Footage, judging: Sequence[Steps[T]]) -> Steps[list[Begun[T]]]:
    """Ease the feet of several transitions in one go: advance the judging of each until its feet wait for
    that, then solve all; yield the part that is done, 0 to 1.

    footage: of the two clips, with which all of them are planned. judging: the steps that judge each, not
    begun. Return a list in their order: what judging found where it ended without feet to ease, else the same
    steps, which the caller has to go on with.
    """
    together = EasedTogether()
    begun: list[Begun[T]] = []
    for i, steps in enumerate(judging):
        begun.append(steps)
        count = together.count
        try:
            while together.count == count:
                _advance(footage, together, steps)
                yield (i + 0.5) / (len(judging) + 1)
        except StopIteration as end:
            begun[i] = end.value
    yield from part(together.solve_steps(), len(judging) / (len(judging) + 1), 1.0)
    return begun


def _advance(footage: Footage, together: EasedTogether, steps: Steps[T]) -> None:
    """Take one of the steps with feet eased together. What else is done between two of them with the same
    footage, as in slices of a window, must not wait with these. StopIteration of the steps gets through.
    """
    before, footage.together = footage.together, together
    try:
        next(steps)
    finally:
        footage.together = before
