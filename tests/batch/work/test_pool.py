# SPDX-License-Identifier: GPL-3.0-or-later
"""How tasks are shared out: each exactly once, and those of one file to who has it open."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.batch.jobs.job import Inputs
from inertia_addon.batch.work.pool import WorkItem, WorkItems

FILES = [Inputs((f"/{name}.blend",)) for name in "abcd"]


def tasks_of(files: list[int]) -> list[WorkItem]:
    return [WorkItem(i, FILES[file], {}) for i, file in enumerate(files)]


@given(
    files=st.lists(st.integers(0, 2), max_size=20),
    workers=st.integers(1, 4),
    order=st.lists(st.integers(0, 3), max_size=80),
    opened=st.lists(st.sampled_from([None, *FILES]), min_size=4, max_size=4),
)
def test_tasks_are_taken_once_each_and_files_stay_open(
    files: list[int], workers: int, order: list[int], opened: list[Inputs | None]
) -> None:
    left = WorkItems(tasks_of(files))
    waiting = {inputs: sum(FILES[file] == inputs for file in files) for inputs in FILES}
    taken = []
    for worker in [*(i % workers for i in order), *([0] * len(files))]:
        task = left.take(opened[worker])
        if task is None:
            continue
        before = opened[worker]
        if before is not None and waiting[before]:
            assert task.inputs == before
        waiting[task.inputs] -= 1
        opened[worker] = task.inputs
        taken.append(task.index)
    assert sorted(taken) == list(range(len(files)))


@given(files=st.lists(st.integers(0, 2), min_size=1, max_size=9))
def test_tasks_are_no_longer_given_out_when_all_is_over(files: list[int]) -> None:
    left = WorkItems(tasks_of(files))
    assert left.take(None) is not None
    left.stop()
    assert [left.take(opened) for opened in (None, *FILES)] == [None] * 5


def test_two_workers_begin_with_different_files() -> None:
    left = WorkItems(tasks_of([0, 0, 0, 1, 1]))
    one, two = left.take(None), left.take(None)
    assert one is not None
    assert two is not None
    assert one.inputs != two.inputs
