# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks over a Dask cluster. What a lost machine was at is done again on another one, by Dask itself."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Iterator, Sequence
from typing import Any

from ...errors import InertiaError
from . import gathered, remote
from .journal import Journal
from .pool import Answer, Task

PER_THREAD = 2
"""So many tasks for each of the cluster's threads are on their way at once: what is held is bounded."""


PATIENCE_SECONDS = 10
"""So long a scheduler has time to answer."""


async def _connect(address: str) -> None:
    """See whether anybody answers at an address. Raises OSError or ValueError when nobody does."""
    from distributed.comm import connect
    from distributed.security import Security

    known = Security().get_connection_args("client")
    answered = await connect(address, timeout=PATIENCE_SECONDS, **known)
    await answered.close()


class Cluster:
    """The workers of a Dask scheduler.

    gather: whether outputs are sent here, and written by us; else workers write into the folder themselves.
    """

    def __init__(self, address: str, gather: bool, journal: Journal) -> None:
        """Connect to a scheduler. Raises InertiaError when there is none, or Dask is not installed."""
        try:
            from distributed import Client
        except ImportError as error:
            raise InertiaError(
                'The package "distributed" is not installed here; install it, or leave out --scheduler.'
            ) from error
        try:
            # a client that finds nobody would wait for its own end, too, twice as long
            asyncio.run(_connect(address))
            self._client: Any = Client(address, timeout=PATIENCE_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            raise InertiaError(
                'No Dask scheduler answers at "{address}"; check the address.', address=address
            ) from error
        self._gather, self._journal = gather, journal
        self._is_over = False

    def run(self, tasks: Sequence[Task]) -> Iterator[Answer]:
        """Do tasks; yields the answers as they come."""
        from distributed import as_completed

        # those of the same inputs one after another, as who has these open goes on with them
        waiting = sorted(tasks, key=lambda task: task.inputs.files, reverse=True)
        going: dict[Any, Task] = {}
        ended = as_completed(loop=self._client.loop)
        while True:
            room = PER_THREAD * max(1, sum(self._client.nthreads().values()))
            while waiting and len(going) < room and not self._is_over:
                task = waiting.pop()
                going_as = self._submit(task)
                going[going_as] = task
                ended.add(going_as)
            if not going:
                return
            future = next(ended)
            yield self._answer(going.pop(future), future)

    def _submit(self, task: Task) -> Any:
        key = f"inertia-{secrets.token_hex(8)}-{task.index}"
        return self._client.submit(remote.do, task.values, self._gather, key=key, pure=False)

    def _answer(self, task: Task, future: Any) -> Answer:
        if future.status != "finished":
            reason = future.exception() if future.status == "error" else future.status
            said = " ".join(f"{type(reason).__name__ if future.status == 'error' else ''} {reason}".split())
            return Answer(task.index, None, f"The cluster did not do it: {said}.")
        said = future.result()
        future.release()
        if said.get("done") is not None and "files" in said:
            try:
                said["done"] = gathered.write(self._journal, task.values, said["done"], said["files"])
            except InertiaError as error:
                return Answer(task.index, None, str(error))
        return Answer.of(task.index, said)

    def stop(self) -> None:
        """Begin no more of them; what was begun there comes to its end there."""
        self._is_over = True

    kill = stop

    def end(self) -> None:
        """Let go of the cluster, which drops what is not done."""
        self._is_over = True
        # its scheduler may be gone
        with contextlib.suppress(OSError, TimeoutError):
            self._client.close(timeout=5)
