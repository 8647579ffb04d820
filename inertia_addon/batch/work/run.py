# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole run: inputs inspected, jobs made of the spec, what is missing done, and all of it said."""

from __future__ import annotations

import contextlib
import dataclasses
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...console import output_files
from ...console.output_files import Output
from ...console.progress import Progress
from ...records import record
from ...storage import places, safe_write
from ..jobs.job import SUMMARY, Inputs, Job, contents_of
from ..jobs.outlines import UNREADABLE, Outline
from ..jobs.requests import Spec, SpecError, expand
from ..jobs.section import Request
from ..spec import validation
from . import journal as journals
from . import worker
from .cluster import Cluster
from .journal import Journal, write_json
from .pool import Pool, WorkItem


@record(frozen=True)
class Settled:
    """A job that is done or failed. answer: what became of it, as a worker says it."""

    job: Job
    answer: dict[str, Any]

    @property
    def record(self) -> dict[str, Any] | None:
        """The journal's, None where it failed."""
        return self.answer.get("done")

    @property
    def quality(self) -> dict[str, Any]:
        """What was measured of it."""
        return self.record["quality"] if self.record is not None else {}


@contextlib.contextmanager
def begun(spec: Spec, requests: list[Request], options: Namespace, progress: Progress) -> Iterator[BatchRun]:
    """Begin one call of ``batch`` within a ``with``, and yield its :class:`BatchRun`: its folder is kept from
    others, and its processes end with the block.

    options: the command's. output: the folder to write into, which is made, None for one that is thrown away.
    resume: leave out what is done. jobs: how many processes work. scheduler: the address of a cluster that
    works in their place; gather: outputs are sent here from it. verbose: what Blender prints is shown.
    Half-written outputs are removed at the end. Raise InertiaError where another run is at work in the
    folder, it can't be written, or no scheduler answers.
    """
    with contextlib.ExitStack() as closing:
        output = options.output
        if output is None:
            output = closing.enter_context(safe_write.temporary_folder())
        journal = Journal(output.absolute())
        lock = closing.enter_context(journals.lock(journal.output, journals.PATIENCE_SECONDS))
        workers: Pool | Cluster
        if options.scheduler:
            workers = Cluster(options.scheduler, gather=options.gather, journal=journal)
        else:
            workers = Pool(options.jobs, verbose=options.verbose, lock=lock)
        run = BatchRun(spec, requests, options, progress, journal, workers)
        # what workers leave half written that end in the midst of it, once all are gone
        closing.callback(run.clean)
        closing.callback(workers.end)
        yield run


@record(eq=False)
class BatchRun:
    """One call of ``batch``, see :func:`begun`.

    all: its jobs. lost: requests of whose inputs nothing is known. before: how many jobs were done.
    stopped_by: the signal that has asked for its end, if any.
    """

    spec: Spec
    requests: list[Request]
    options: Namespace
    progress: Progress
    journal: Journal
    workers: Pool | Cluster
    outlines: dict[Inputs, Outline] = dataclasses.field(default_factory=dict)
    all: list[Job] = dataclasses.field(default_factory=list)
    lost: list[Request] = dataclasses.field(default_factory=list)
    before: int = 0
    stopped_by: int = 0

    def clean(self) -> None:
        """Remove what is half written at the jobs' outputs, by workers that have ended."""
        self.journal.clean(name for job in self.all for name in job.outputs)

    def jobs(self) -> list[Job]:
        """Return the spec's jobs, in its order; inputs of which nothing is known are opened to find out what
        they hold.

        With the option ``part``, (k, count) with k from 1, they are the k-th of so many runs of consecutive
        jobs: of n jobs those from (k - 1) * n // count up to, not including, k * n // count. ``all`` becomes
        what is returned, and ``lost`` the requests that stand for no job as their inputs can't be read; of
        these a part has every count-th, from the k-th on.

        Raise SpecError with all that the inputs do not have, and InertiaError where the summary can't be
        written or would replace what is read, or no process can be started.
        """
        folder = self.journal.output
        named = [path for request in self.requests for path in request.files]
        output_files.check([Output("-o", folder / SUMMARY, (".json",))], [self.spec.path, *named])
        self._inspect()
        beside = [Path(path) for outline in self.outlines.values() for path in outline["contents"]]
        read_files = places.ReadFiles(dict.fromkeys([self.spec.path, *named, *beside]))
        expanded = expand(self.requests, self.outlines, lambda name: read_files.taken_by(folder / name))
        if expanded.problems:
            raise SpecError(self.spec, expanded.problems)
        self.all, self.lost = expanded.jobs, expanded.lost
        if self.options.part is not None:
            # those of the same inputs follow each other, as who has these open goes on with them
            number, count = self.options.part
            first, end = (each * len(self.all) // count for each in (number - 1, number))
            self.all, self.lost = self.all[first:end], self.lost[number - 1 :: count]
        return self.all

    def _inspect(self) -> None:
        """Fill ``outlines``, by inputs, with what all inputs hold: what the journal says of the same
        contents, else what is found by opening them, which is written into the journal.

        Inputs that can't be read have {"error": the reason, "contents": {}} instead, which is not written.
        Progress is reported, and warnings on inputs as notes. Raise InertiaError when no process can be
        started.
        """
        tasks: list[WorkItem] = []
        for inputs in dict.fromkeys(request.inputs for request in self.requests):
            outline = self.journal.outline(inputs)
            if outline is not None:
                self.outlines[inputs] = outline
            else:
                values = {"do": worker.INSPECT, "inputs": dataclasses.asdict(inputs)}
                tasks.append(WorkItem(len(tasks), inputs, values))
        self.progress.start(len(tasks), "inputs")
        for i, answer in self.workers.run(tasks):
            inputs, outline = tasks[i].inputs, answer.get("done")
            if outline is not None:
                self.journal.write_outline(inputs, outline)
            self.outlines[inputs] = outline or {UNREADABLE: answer["failed"], "contents": {}}
            self.progress.step(failed=outline is None)
        self.progress.finish()
        for inputs, warning in self._warnings():
            self.progress.event("note", {"note": warning, "files": list(inputs.files)}, f"note: {warning}")

    def say_unreadable(self) -> int:
        """Report each input that can't be read as failed, with the reason, in the spec's order; return how
        many there are.
        """
        unreadable = {
            request.inputs: request
            for request in reversed(self.requests)
            if UNREADABLE in self.outlines[request.inputs]
        }
        for inputs, request in reversed(unreadable.items()):
            self._say_failed(self._lost(request), inputs, "all that is made of it")
        return len(unreadable)

    def _warnings(self) -> list[tuple[Inputs, str]]:
        """Return pairs of inputs and a sentence that a reader has to know of them: all of the first request's
        inputs, then those of the next; inputs of several requests count once.
        """
        every = dict.fromkeys(request.inputs for request in self.requests)
        return [(inputs, note) for inputs in every for note in self.outlines[inputs].get("warnings", ())]

    def settle(self) -> list[Settled]:
        """Do the jobs, with the option ``resume`` only those that the journal does not say to be done, and
        return what became of each in the spec's order, as Settled: the job and its answer.

        The answer is {"done": the record, "seconds": what they were spent on}, without "seconds" for a job
        that was done before; or {"failed": a sentence}, with a "trace" if Inertia itself failed. Jobs of
        inputs that can't be read are failed with the reason. Failures are results, not errors; jobs that did
        not begin before an interrupt are left out.

        Half-written outputs and the old summary are removed first, ``before`` is set to how many jobs were
        done already, and progress is reported: an event "start", each lost request as failed, and each job as
        it is done or fails. :meth:`jobs` must have been called. Raise InertiaError when no process can be
        started, and OSError where the old summary can't be removed or an output of a job that was done can't
        be read.
        """
        self.clean()
        # it says that a run has come to its end
        (self.journal.output / SUMMARY).unlink(missing_ok=True)
        settled: dict[int, Settled] = {}
        tasks: list[WorkItem] = []
        for i, job in enumerate(self.all):
            outline = self.outlines[job.inputs]
            if UNREADABLE in outline:
                settled[i] = Settled(job, {"failed": outline[UNREADABLE]})
                continue
            contents = contents_of(outline["contents"])
            record = self.journal.record(job.identity(contents)) if self.options.resume else None
            if record is not None:
                settled[i] = Settled(job, {"done": record})
            else:
                values = {"do": worker.MAKE, "job": job.as_dict(), "contents": contents}
                tasks.append(WorkItem(i, job.inputs, {**values, "output": str(self.journal.output)}))
        self.before = sum(entry.record is not None for entry in settled.values())
        self.progress.event("start", {"jobs": len(self.all), "done_before": self.before})
        self.progress.start(len(tasks), "jobs")
        for request in self.lost:
            self._say_failed(self._lost(request), request.inputs, "all its clips")
        for entry in settled.values():
            if entry.record is None:
                self._say(entry)
        # whatever comes to its end after an interrupt counts too
        with contextlib.suppress(KeyboardInterrupt):
            for i, answer in self.workers.run(tasks):
                settled[i] = Settled(self.all[i], answer)
                self.progress.step(failed=settled[i].record is None)
                self._say(settled[i])
        self.progress.finish()
        return [settled[i] for i in sorted(settled)]

    def _say(self, entry: Settled) -> None:
        job, answer = entry.job, entry.answer
        if entry.record is None:
            values = {**_named(job), "error": answer["failed"], "trace": answer.get("trace", "")}
            self._say_failed(values, job.inputs, job.label)
            return
        values = {
            **_named(job),
            "files": list(job.inputs.files),
            "outputs": list(entry.record["outputs"]),
            **job.task.event(entry.record["report"]),
            **entry.quality,
            "seconds": answer.get("seconds", {}),
        }
        self.progress.event("done", values)

    def _say_failed(self, values: dict[str, Any], inputs: Inputs, label: str) -> None:
        file = Path(inputs.files[0]).name
        line = f"failed: {file}: {label} ({values['where']}): {values['error']}"
        self.progress.event("failed", {**values, "files": list(inputs.files)}, line)
        for line in values.get("trace", "").splitlines() if self.options.verbose else ():
            self.progress.say(line)

    def _lost(self, request: Request) -> dict[str, Any]:
        """Return what became of a request whose inputs could not be read."""
        error = self.outlines[request.inputs][UNREADABLE]
        return {"where": validation.spoken_path(request.path), "error": error}

    def write_summary(self, settled: list[Settled], breaches: list[dict[str, Any]]) -> None:
        """Write what became of all jobs into batch.json, in place of an old one; it is the same whoever did
        them and in whatever order.

        It has ``jobs``, a list, ``over_gates``, the breaches, and ``warnings``, texts on inputs. Each entry
        of ``jobs`` has ``where`` in the spec, ``kind`` and ``job``, a name for readers; a done one also
        ``outputs``, digests by name, what was measured, and what the task tells of its report; a failed one
        ``error``. Behind them come requests that stood for no job, with ``where`` and ``error`` alone.

        settled: what became of each job, in the spec's order. breaches: of gates, as JSON values. Raise
        InertiaError where it can't be written.
        """
        jobs = []
        for entry in settled:
            values = {"error": entry.answer.get("failed")}
            if entry.record is not None:
                summary = entry.job.task.summary(entry.record["report"])
                values = {"outputs": entry.record["outputs"], **entry.quality, **summary}
            jobs.append({**_named(entry.job), **values})
        jobs += map(self._lost, self.lost)
        warnings = [warning for _, warning in self._warnings()]
        values = {"jobs": jobs, "over_gates": breaches, "warnings": warnings}
        write_json(self.journal.output / SUMMARY, values)


def _named(job: Job) -> dict[str, Any]:
    """Return what a job is, for events and summaries."""
    return {"where": job.where, "kind": job.task.KIND, "job": job.label}
