# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work in steps: generators that yield the part that is done, 0 to 1, and return the result."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

Result = TypeVar("Result")


def finish(steps: Generator[float, None, Result]) -> Result:
    """Run steps to their end; returns their result."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            result: Result = done.value
            return result


def part(steps: Generator[float, None, Result], first: float, last: float) -> Generator[float, None, Result]:
    """Steps as a part of others: from where so much is done to where so much is; returns their result."""
    while True:
        try:
            yield first + (last - first) * min(next(steps), 1.0)
        except StopIteration as done:
            result: Result = done.value
            return result
