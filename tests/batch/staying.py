# SPDX-License-Identifier: GPL-3.0-or-later
"""Workers of ``batch`` that stay from one run to the next."""

from __future__ import annotations

import dataclasses

from inertia_addon.batch.jobs.job import Inputs
from inertia_addon.batch.work import worker
from inertia_addon.batch.work.pool import Child, Pool


class StayingChild(Child):
    """At the end of a run its process only lets go of what it has open, as the files may be others then."""

    def close(self) -> None:
        if self._process is not None:
            self.ask({"do": worker.INSPECT, "inputs": dataclasses.asdict(Inputs(("nothing",)))})

    @property
    def pid(self) -> int:
        """The number of its process, which has been started."""
        assert self._process is not None
        return self._process.pid

    def end(self) -> None:
        """Let the process come to its end."""
        super().close()


class StayingPool(Pool):
    """A pool of the first of some workers, to which more are added where there are not enough."""

    def __init__(
        self, workers: list[StayingChild], count: int, *, verbose: bool = False, lock: int | None = None
    ) -> None:
        super().__init__(count)
        workers += [StayingChild() for _ in range(len(workers), count)]
        self._children = list[Child](workers[:count])
        self._idle = [(child, None) for child in self._children]
