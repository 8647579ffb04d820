# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks over a Dask cluster. What a lost machine was at is done again on another one, by Dask itself."""

from __future__ import annotations

import contextlib
import secrets
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...errors import InertiaError
from ...storage import safe_write
from ..jobs.job import FOLDER, Job
from .journal import Journal
from .pool import Answer, Child, WorkItem

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


def _check_allowed() -> None:
    """Raise InertiaError where Blender's preferences keep extensions from the network; a module has none."""
    app = getattr(sys.modules.get("bpy"), "app", None)
    if app is not None and app.binary_path and not app.online_access:
        raise InertiaError(
            "Blender allows no online access, which --scheduler needs; allow it in Preferences > System > "
            "Network, or start Blender with --online-mode."
        )


class Cluster:
    """The workers of a Dask scheduler.

    gather: whether outputs are sent here, and written by us; else workers write into the folder themselves.
    """

    def __init__(self, address: str, *, gather: bool, journal: Journal) -> None:
        """Connect to a Dask scheduler.

        address: of it. gather: whether outputs are sent here, and written by us. Raise InertiaError when
        nobody answers within ten seconds, Dask is not installed, or Blender allows no online access.
        """
        import asyncio

        _check_allowed()
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
            raise InertiaError(f'No Dask scheduler answers at "{address}"; check the address.') from error
        self._gather, self._journal = gather, journal
        self._is_over = False

    def run(self, tasks: Sequence[WorkItem]) -> Iterator[Answer]:
        """Do tasks on the cluster; yield an answer (the task's index, values) for each as they come, in any
        order.

        The values are {"done": what the worker says} or {"failed": a sentence}, as a worker gives them.
        Gathered outputs are written before the answer comes: "done" is the record then, and the values still
        have ``files``, bytes by name. What fails on the cluster, and an InertiaError on writing here, is an
        answer with ``failed``, not an error. So many tasks are begun at a time as the threads take, those of
        the same inputs in a row. After :meth:`stop` no more is begun, and what was not is left out.
        """
        from distributed import as_completed

        # those of the same inputs one after another, as who has these open goes on with them
        waiting = sorted(tasks, key=lambda task: task.inputs.files, reverse=True)
        going: dict[Any, WorkItem] = {}
        ended = as_completed(loop=self._client.loop)
        while True:
            room = PER_THREAD * max(1, sum(self._client.nthreads().values()))
            while waiting and len(going) < room and not self._is_over:
                task = waiting.pop()
                key = f"inertia-{secrets.token_hex(8)}-{task.index}"
                future = self._client.submit(do, task.values, gather=self._gather, key=key, pure=False)
                going[future] = task
                ended.add(future)
            if not going:
                return
            future = next(ended)
            task = going.pop(future)
            yield task.index, self._answer(task, future)

    def _answer(self, item: WorkItem, future: Any) -> dict[str, Any]:
        if future.status != "finished":
            reason = future.exception() if future.status == "error" else future.status
            why = " ".join(f"{type(reason).__name__ if future.status == 'error' else ''} {reason}".split())
            return {"failed": f"The cluster did not do it: {why}."}
        answer: dict[str, Any] = future.result()
        future.release()
        if answer.get("done") is not None and "files" in answer:
            try:
                answer["done"] = write(self._journal, item.values, answer["done"], answer["files"])
            except InertiaError as error:
                return {"failed": str(error)}
        return answer

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


_own = threading.local()


def do(task: dict[str, Any], *, gather: bool) -> dict[str, Any]:
    """Do a task on one of the cluster's machines, and return the answer as a worker gives it.

    Each thread of a Dask worker has a process with its own Blender, which stays. gather: write into a
    temporary folder, and add what was written, but for the journal's records, to the answer: ``files``, bytes
    by name, with "/" between folder and file; nothing is added for a task without ``output``. Raise
    InertiaError when Blender can't be started, and OSError where the temporary folder can't be made or read.
    """
    if not hasattr(_own, "child"):
        _own.child = Child()
    child: Child = _own.child
    if not gather or "output" not in task:
        return child.ask(task)
    with safe_write.temporary_folder() as folder:
        Journal(folder)
        answer = child.ask({**task, "output": str(folder)})
        written = [path for path in folder.rglob("*") if path.is_file()]
        names = {path: path.relative_to(folder).as_posix() for path in written}
        records = f"{FOLDER}/"
        files = {name: path.read_bytes() for path, name in names.items() if not name.startswith(records)}
        return {**answer, "files": files}


def write(
    journal: Journal, task: dict[str, Any], result: dict[str, Any], files: dict[str, bytes]
) -> dict[str, Any]:
    """Write what was sent of a task into the journal's folder, the job's own outputs last, and record it;
    return the record.

    The record has ``identity``, ``job``, ``report``, ``quality`` and ``outputs``, digests by name. task: what
    the worker was told, of which ``job`` and ``contents`` count. result: what the worker says, of which
    ``report`` and ``quality`` are recorded. files: bytes by name, "/" between folder and file; only outputs
    of the job and files beside a .gltf are taken, and replace what is there.

    Whether all outputs were sent is not checked: one that is not in the folder is recorded with the digest
    "", and the job does not count as done then. Raise InertiaError for any other name, before anything is
    written, and where files can't be written; OSError where the folder of a file can't be made; KeyError
    where the result lacks a part, after the files are written but before the record.
    """
    job, contents = Job.from_dict(task["job"]), task["contents"]
    strange = sorted(name for name in files if name not in job.outputs and not _is_beside(job, name))
    if strange:
        raise InertiaError(
            f'A worker of the cluster sent "{strange[0]}", which is no output of its job; nothing of the job '
            "was written."
        )
    for name in sorted(files, key=lambda name: name in job.outputs):
        path = journal.output / name
        path.parent.mkdir(exist_ok=True)
        with safe_write.replace_safely(path) as temporary:
            temporary.write_bytes(files[name])
    identity = job.identity(contents)
    values = {"identity": identity, "job": job.as_dict()}
    values |= {name: result[name] for name in ("report", "quality")}
    return journal.write_record(identity, job.outputs, values)


def _is_beside(job: Job, name: str) -> bool:
    """Return whether a name is one that is written along with a .gltf file among a job's outputs: {stem}.bin,
    or a file in the folder {stem}_textures, after the .gltf's own name.

    name: relative, with "/" between folder and file. Hidden files and deeper folders are none.
    """
    stems = [Path(output).stem for output in job.outputs if output.endswith(".gltf")]
    folder, slash, file = name.rpartition("/")
    if not slash:
        return name in [f"{stem}.bin" for stem in stems]
    # a hidden file, or the folder above, is none
    is_theirs = folder in [f"{stem}_textures" for stem in stems]
    return is_theirs and "\\" not in file and not file.startswith(".")
