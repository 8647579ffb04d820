# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work in steps: generators that yield the part that is done, 0 to 1, and return the result."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

from ..lazy_modules import np

Result = TypeVar("Result")
Steps = Generator[float, None, Result]
"""Long work: yields the part that is done, 0 to 1, and returns its result."""


def finish(steps: Steps[Result]) -> Result:
    """Run steps to their end without a pause, and return their result.

    The progress they yield is dropped. What they raise gets through.
    """
    while True:
        try:
            next(steps)
        except StopIteration as done:
            result: Result = done.value
            return result


def quietly(steps: Steps[Result]) -> Steps[Result]:
    """Run steps with numpy's floating-point warnings off; yield the same progress and return the same result.

    The warnings are off only while the steps work, not for who runs them. Nothing is checked: whoever takes
    the result looks whether it is finite. What the steps raise gets through.
    """
    while True:
        try:
            with np.errstate(all="ignore"):
                done = next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result
        yield done


def part(steps: Steps[Result], first: float, last: float) -> Steps[Result]:
    """Run steps as a part of longer work, and return their result.

    Parameters
    ----------
    steps
        The steps; what they raise gets through.
    first, last
        What their progress of 0 and 1 is mapped to. Progress above 1 counts as 1.

    Returns
    -------
    Result
        What the steps return; the mapped progress is yielded.
    """
    while True:
        try:
            yield first + (last - first) * min(next(steps), 1.0)
        except StopIteration as done:
            result: Result = done.value
            return result
