# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work in steps: generators that yield the part that is done, 0 to 1, and return the result."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

import numpy as np

Result = TypeVar("Result")
Steps = Generator[float, None, Result]
"""Long work: yields the part that is done, 0 to 1, and returns its result."""


def finish(steps: Steps[Result]) -> Result:
    """Run steps to their end; returns their result."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            result: Result = done.value
            return result


def quietly(steps: Steps[Result]) -> Steps[Result]:
    """Run steps without numpy's warnings of overflow; whoever takes the result looks whether it is finite."""
    while True:
        try:
            with np.errstate(all="ignore"):
                done = next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result
        yield done


def part(steps: Steps[Result], first: float, last: float) -> Steps[Result]:
    """Run steps as a part of others, from progress `first` to `last`, and return their result."""
    while True:
        try:
            yield first + (last - first) * min(next(steps), 1.0)
        except StopIteration as done:
            result: Result = done.value
            return result
