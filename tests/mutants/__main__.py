# SPDX-License-Identifier: GPL-3.0-or-later
"""``make mutants``: puts a hundred small faults into motion/ and blender/, and says which no test notices.

    python -m tests.mutants --seed 1 --count 100

Each fault is tried against the tests of its room in its own layer: one in motion/feet/ against
tests/motion/feet. survivors.md explains those that stay.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator

from tests.mutants import making, trying
from tests.mutants.making import Mutant


def tried(drawn: Iterable[Mutant], jobs: int) -> Iterator[tuple[Mutant, str]]:
    """Each mutant with the test that notices it, "" where none does."""
    for room, group in itertools.groupby(drawn, key=lambda mutant: mutant.room):
        mutants = list(group)
        recorded = trying.record(room, {mutant.path for mutant in mutants})
        waiting: collections.deque[tuple[Mutant, Callable[[], str]]] = collections.deque()
        for mutant in mutants:
            waiting.append((mutant, trying.attempt(mutant, recorded)))
            if len(waiting) == jobs:
                yield _ended(waiting)
        while waiting:
            yield _ended(waiting)


def _ended(waiting: collections.deque[tuple[Mutant, Callable[[], str]]]) -> tuple[Mutant, str]:
    mutant, wait = waiting.popleft()
    return mutant, wait()


def main() -> int:
    """Run as the arguments say; 1 where fewer are noticed than should be."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="another one draws other mutants")
    parser.add_argument("--count", type=int, default=100, help="how many mutants")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    parser.add_argument("--within", default="", help="only what is below, such as inertia_addon/ui/cost/")
    parser.add_argument(
        "--only", default="", help="only what is printed with this in it, such as keys.py:595"
    )
    parser.add_argument(
        "--least", type=float, default=90.0, help="fail where a smaller part is noticed, in %%"
    )
    parser.add_argument("--list", action="store_true", help="say which there are, and try none")
    given = parser.parse_args()
    drawn = [m for m in making.draw(given.seed, given.count, given.within) if given.only in str(m)]
    if given.list:
        print(*drawn, sep="\n")
        return 0
    if not hasattr(sys, "monitoring"):
        parser.error("which tests pass a line is seen by Python 3.12 and later: use BLENDER=5.2")
    began = time.monotonic()
    rooms: dict[str, list[bool]] = {}
    survivors = []
    with tempfile.TemporaryDirectory(prefix="inertia-mutants-") as shared:
        os.environ[trying.SHARED] = shared
        trying.warm_up()
        for mutant, noticed in tried(drawn, given.jobs):
            rooms.setdefault(mutant.room, []).append(bool(noticed))
            if not noticed:
                survivors.append(mutant)
            print(f"{mutant}: {noticed or 'SURVIVES'}", flush=True)
    print()
    for room, caught in rooms.items():
        print(f"{room:32} {sum(caught):3} of {len(caught)}")
    print("\nSurvivors:" if survivors else "", *survivors, sep="\n")
    caught = len(drawn) - len(survivors)
    print(f"\nSeed {given.seed}: {caught} of {len(drawn)} caught; {time.monotonic() - began:.0f} s")
    return 1 if 100.0 * caught < given.least * len(drawn) else 0


if __name__ == "__main__":
    sys.exit(main())
