# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole run: inputs inspected, jobs made of the spec, what is missing done, and all of it said."""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from ...console import outputs
from ...console.outputs import Output
from ...console.progress import Progress
from ...storage import places
from ..jobs import expansion
from ..jobs.job import SUMMARY, Inputs, Job, contents_of
from ..jobs.outlines import UNREADABLE, Outline
from ..jobs.section import Request
from ..spec import validation
from ..spec.reading import Spec, SpecError
from . import worker
from .journal import Journal, write_json
from .pool import Answer, Pool, Task


class Workers(Protocol):
    """Who does tasks: processes here, or a cluster."""

    def run(self, tasks: Sequence[Task]) -> Iterator[Answer]:
        """Do tasks; yields the answers as they come."""

    def stop(self) -> None:
        """Begin no more of them."""

    def kill(self) -> None:
        """End all at once."""

    def end(self) -> None:
        """Let go of them."""


@dataclasses.dataclass(frozen=True)
class Way:
    """How a run is done.

    output: the folder to write into, None for one that is thrown away. resume: leave out what is done. jobs:
    how many processes work. scheduler: the address of a cluster that works in their place; gather: outputs
    are sent here from it. verbose: what Blender prints is shown.
    """

    output: Path | None = None
    resume: bool = False
    jobs: int = 1
    scheduler: str | None = None
    gather: bool = False
    verbose: bool = False


@dataclasses.dataclass(frozen=True)
class Settled:
    """A job that is done or failed. record: the journal's. failed: the sentence."""

    job: Job
    record: dict[str, Any] | None
    failed: str = ""

    @property
    def quality(self) -> dict[str, Any]:
        """What was measured of it."""
        return self.record["quality"] if self.record is not None else {}


class Run:
    """One call of ``batch``. It is to be used in a ``with`` block, which ends its processes."""

    def __init__(self, spec: Spec, requests: list[Request], way: Way, progress: Progress) -> None:
        self._spec, self._requests, self._progress = spec, requests, progress
        self._way = way
        self._closing = contextlib.ExitStack()
        self._began = time.monotonic()
        self._outlines: dict[Inputs, Outline] = {}
        self.all: list[Job] = []
        self.lost: list[Request] = []
        self.before = 0
        self.stopped_by = 0

    @property
    def seconds(self) -> float:
        """How long it has run."""
        return time.monotonic() - self._began

    def __enter__(self) -> Run:
        way, output = self._way, self._way.output
        if output is None:
            output = Path(self._closing.enter_context(tempfile.TemporaryDirectory(prefix="inertia-")))
        try:
            self.journal = Journal(Path(output).absolute())
            held = self._closing.enter_context(self.journal.locked())
            self._closing.callback(self._clean)
            self._workers: Workers
            if way.scheduler:
                from .cluster import Cluster

                self._workers = Cluster(way.scheduler, way.gather, self.journal)
            else:
                self._workers = Pool(way.jobs, way.verbose, held)
            self._closing.callback(self._workers.end)
        except BaseException:
            # an interrupt, too, lets go of the folder and ends the workers
            self._closing.close()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        self._closing.close()

    def stop(self, number: int) -> None:
        """Begin nothing more. number: the signal that asks for it."""
        self.stopped_by = number
        self._workers.stop()

    def abort(self, number: int) -> None:
        """End at once. number: the signal that asks for it."""
        self.stopped_by = number
        self._workers.kill()

    def _clean(self) -> None:
        """Remove what workers have left half written that ended in the midst of it, now that all are gone."""
        self.journal.clean(name for job in self.all for name in job.outputs)

    def jobs(self) -> list[Job]:
        """The spec's jobs. Raises SpecError with all that its inputs do not have."""
        folder = self.journal.output
        named = [Path(path) for request in self._requests for path in request.inputs.files]
        outputs.check([Output("-o", folder / SUMMARY, (".json",))], [self._spec.path, *named])
        self._inspect()
        known = [Path(path) for outline in self._outlines.values() for path in outline["contents"]]
        read = places.ReadFiles(dict.fromkeys([self._spec.path, *named, *known]))
        expanded = expansion.expand(self._requests, self._outlines, lambda name: read.taken_by(folder / name))
        if expanded.problems:
            raise SpecError(self._spec, expanded.problems)
        self.all, self.lost = expanded.jobs, expanded.lost
        return self.all

    def _inspect(self) -> None:
        """Learn what the inputs hold: what the journal says of the same contents, or by opening them."""
        wanted = list(dict.fromkeys(request.inputs for request in self._requests))
        missing = []
        for inputs in wanted:
            known = self.journal.outline(inputs)
            if known is None:
                missing.append(inputs)
            else:
                self._outlines[inputs] = known
        tasks = [
            Task(i, inputs, {"do": worker.INSPECT, "inputs": inputs.as_dict()})
            for i, inputs in enumerate(missing)
        ]
        self._progress.start(len(tasks), "inputs")
        for answer in self._workers.run(tasks):
            inputs = missing[answer.index]
            if answer.done is not None:
                self.journal.write_outline(inputs, answer.done)
            self._outlines[inputs] = answer.done or {UNREADABLE: answer.failed, "contents": {}}
            self._progress.step(answer.done is None)
        self._progress.finish()
        for inputs, warning in self._warnings():
            self._progress.event("note", {"note": warning, "files": list(inputs.files)}, f"note: {warning}")

    def _warnings(self) -> list[tuple[Inputs, str]]:
        """What a reader has to know of the inputs."""
        inputs = dict.fromkeys(request.inputs for request in self._requests)
        return [(one, warning) for one in inputs for warning in self._outlines[one].get("warnings", ())]

    def settle(self) -> list[Settled]:
        """Do what is not done; returns what became of each job, in the spec's order, but of those left."""
        self.journal.clean(name for job in self.all for name in job.outputs)
        # it says that a run has come to its end
        (self.journal.output / SUMMARY).unlink(missing_ok=True)
        settled: dict[int, Settled] = {}
        tasks = []
        for i, job in enumerate(self.all):
            outline = self._outlines[job.inputs]
            if UNREADABLE in outline:
                settled[i] = Settled(job, None, outline[UNREADABLE])
                continue
            contents = contents_of(outline["contents"])
            record = self.journal.record(job.identity(contents)) if self._way.resume else None
            if record is not None:
                settled[i] = Settled(job, record)
            else:
                values = {"do": worker.MAKE, "job": job.as_dict(), "contents": contents}
                tasks.append(Task(i, job.inputs, {**values, "output": str(self.journal.output)}))
        self.before = sum(entry.record is not None for entry in settled.values())
        self._progress.event("start", {"jobs": len(self.all), "done_before": self.before})
        self._progress.start(len(tasks), "jobs")
        for request in self.lost:
            self._say_failed(self._lost(request), request.inputs, "all its clips")
        for entry in settled.values():
            if entry.failed:
                self._say(entry)
        # whatever comes to its end after an interrupt counts too
        with contextlib.suppress(KeyboardInterrupt):
            for answer in self._workers.run(tasks):
                entry = Settled(self.all[answer.index], answer.done, answer.failed)
                settled[answer.index] = entry
                self._progress.step(bool(entry.failed))
                self._say(entry, answer)
        self._progress.finish()
        return [settled[i] for i in sorted(settled)]

    def _say(self, entry: Settled, answer: Answer | None = None) -> None:
        job, trace = entry.job, answer.trace if answer is not None else ""
        if entry.record is None:
            self._say_failed({**_named(job), "error": entry.failed, "trace": trace}, job.inputs, job.label)
            return
        values: dict[str, Any] = {**_named(job), "files": list(job.inputs.files)}
        values.update(
            outputs=list(entry.record["outputs"]),
            **job.told(entry.record["report"]),
            **entry.quality,
            seconds=answer.seconds if answer is not None else {},
        )
        self._progress.event("done", values)

    def _say_failed(self, values: dict[str, Any], inputs: Inputs, label: str) -> None:
        files = Path(inputs.files[0]).name
        self._progress.event(
            "failed",
            {**values, "files": list(inputs.files)},
            f"failed: {files}: {label} ({values['where']}): {values['error']}",
        )
        if values.get("trace") and self._way.verbose:
            for line in values["trace"].splitlines():
                self._progress.say(line)

    def _lost(self, request: Request) -> dict[str, Any]:
        """What became of a request that nothing is known of."""
        return {
            "where": validation.spoken_path(request.path),
            "error": self._outlines[request.inputs][UNREADABLE],
        }

    def write_summary(self, settled: list[Settled], breaches: list[dict[str, Any]]) -> None:
        """Write what became of all jobs, which is the same whoever did them and in whatever order."""
        jobs = []
        for entry in settled:
            job = entry.job
            values = _named(job)
            if entry.record is None:
                values["error"] = entry.failed
            else:
                values.update(outputs=entry.record["outputs"], **entry.quality)
                values.update(job.summary(entry.record["report"]))
            jobs.append(values)
        jobs += map(self._lost, self.lost)
        warnings = [warning for _, warning in self._warnings()]
        values = {"jobs": jobs, "over_gates": breaches, "warnings": warnings}
        write_json(self.journal.output / SUMMARY, values)


def _named(job: Job) -> dict[str, Any]:
    """What a job is, for who reads events and summaries."""
    return {"where": job.where, "kind": job.KIND, "job": job.label}
