# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``batch``: a library of transitions from a spec file."""

from __future__ import annotations

import argparse
import contextlib
import functools
import signal
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..batch.jobs import requests
from ..batch.work.run import BatchRun, Settled, begun
from ..console import interrupts, output
from ..console.progress import Progress
from ..errors import UsageError
from ..settings import fields
from . import gates, opened, options

HELP = "bake a library of transitions from a spec file"
DESCRIPTION = """Bake all that a spec file asks for, and write them into a folder.

The spec is a .toml or .json file: files (those that a spec doesn't name are the one that is open, after
"blender FILE --command"), transitions with the settings of the panel by the same names,
state machines, whose edges are baked at their best cuts, hops through a third clip and tables of them.
--schema prints what it may hold, as a JSON Schema. All of it is checked, against the files' contents too,
before anything is baked.

A .blend holds what its result needs: the scene with its frame rate, range and markers, the character, the
result, and the actions that it was made of; compressed if it is much larger than the inputs otherwise.
--whole-file, or whole_file in the spec, keeps all that the inputs hold.

A job that fails does not stop the others. Each output takes its place when it is complete and is
recorded then, so that a run may be ended at any moment: --resume does what is missing, and repeats what
has changed, by the recipe and the files' contents. What is made does not depend on --jobs.

Exit codes: 0 all is there, 1 a job failed or a gate was exceeded, 2 wrong usage or a faulty spec,
130 stopped by an interrupt, 143 by a request to terminate."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options to its parser, and set ``speaks`` to True, as the command writes its events
    itself.

    In the namespace are ``spec`` (SPEC) and ``output`` (-o), each a Path, or None where it is left out: run
    says where they are needed. ``resume``, ``whole_file``, ``check``, ``schema``, ``gather``, ``json`` and
    ``verbose`` are False unless given. ``jobs`` is 1 by default, ``scheduler`` a text or None, ``part`` a
    pair of numbers (I, N) or None. Gates are those of all measures: ``max_cost`` and so on, see
    :data:`gates.GATES`, numbers or None.
    """
    options.add_read(parser, "spec", metavar="SPEC", nargs="?", help="the .toml or .json file")
    options.add_path(parser, "-o", "OUTDIR", "the folder to write into; made if needed")
    options.add_switch(parser, "--resume", "leave out what is already done")
    options.add_switch(parser, "--whole-file", "let each .blend hold everything in the inputs")
    options.add_switch(
        parser, "--check", "check the spec and that its files can be read, and list the jobs; bake nothing"
    )
    options.add_switch(parser, "--schema", "print the JSON Schema of specs, and do nothing else")
    group = parser.add_argument_group("who does it")
    count = "how many processes work at once, each with a Blender of its own (default: 1)"
    options.add_number(group, "--jobs", fields.JOBS, "N", count, default=1)
    group.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="give the jobs to a Dask cluster instead, such as tcp://host:8786; its workers need Inertia, "
        "the inputs by the same paths, and OUTDIR or --gather. On a trusted network or over TLS only: who "
        "reaches the scheduler can run programs on its workers, and here",
    )
    options.add_switch(
        group, "--gather", "with --scheduler: have outputs sent here, as the workers do not share OUTDIR"
    )
    group.add_argument(
        "--part",
        type=options.read_part,
        metavar="I/N",
        help="do the I-th of N parts alone, as one task of a render farm does: each part has a folder of "
        "its own, and together they make what one run makes",
    )
    gates.add(parser, *gates.GATES)
    options.add_saying(parser, "write events to standard output, one per line, as JSON")
    parser.set_defaults(speaks=True)


def run(arguments: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Run the command. With --schema, return the JSON Schema of specs and its lines, one text a line; else
    leave by SystemExit with the exit code.

    The code is 0; 1 if a job failed, an input can't be read, a gate was exceeded, or results could not be
    written to a standard output that is still there; 130 or 143 if a signal stopped it. Events, results and
    messages are written meanwhile. Raise UsageError without a SPEC, without -o unless --check is given, for
    --gather without --scheduler, and for a spec with faults, each of which is said as an event first;
    InertiaError for a spec or folder that can't be used; interrupts.Stopped if a signal ends it at once.
    """
    if arguments.schema:
        schema = requests.whole_schema()
        return schema, output.as_json(schema).splitlines()
    if arguments.spec is None:
        raise UsageError('Give a SPEC to read; see "inertia batch --help".')
    if arguments.output is None and not arguments.check:
        raise UsageError("Give a folder to write into with -o OUTDIR.")
    if arguments.gather and not arguments.scheduler:
        raise UsageError("--gather is for --scheduler.")
    with contextlib.closing(Progress(as_json=arguments.json)) as progress:
        try:
            code = _run(arguments, progress)
        except requests.SpecError as error:
            for sentence, detail in zip(error.sentences, error.details, strict=True):
                progress.event("spec_error", detail, sentence)
            count = len(error.sentences)
            faults = f"{count} fault{'s' * (count != 1)}{' or more' * error.may_have_more}"
            raise UsageError(f"{arguments.spec.name} has {faults}; nothing was baked.") from error
        raise SystemExit(code or int(progress.results.is_missed))


def _run(arguments: argparse.Namespace, progress: Progress) -> int:
    """Do what the spec asks for, and return the exit code: 0 all is there, 1 something failed, is unreadable
    or is over a gate, 130 or 143 stopped by a signal.

    Without "files" in the spec these are the one that is open in Blender, if any. With
    ``arguments.whole_file`` each request has whole_file True.

    With ``arguments.check`` nothing is made: inputs that can't be read are told, an event "checked" has
    ``jobs``, each as a dict, and without --json a line is told for each job; 1 then means that an input can't
    be read. Else the jobs are done, and :func:`_summary` tells how it went and writes its file.

    Raise SpecError for a spec with faults, InertiaError for one that can't be read, a folder that another run
    holds or that can't be written, and a scheduler that does not answer; Stopped if a signal ends it before
    the work begins, a request to terminate during it, or a second Ctrl-C.
    """
    spec = requests.read_spec(arguments.spec)
    already = opened.file()
    if already is not None and "files" not in spec.values:
        spec = replace(spec, values={"files": [str(already)], **spec.values})
    requested = requests.requests_of(spec)
    if arguments.whole_file:
        whole = {"whole_file": True}
        requested = [replace(request, values=request.values | whole) for request in requested]
    with begun(spec, requested, arguments, progress) as run:
        with _interruptible(run, gently=False):
            jobs = run.jobs()
        if arguments.check:
            values = [job.as_dict() for job in jobs]
            unreadable = run.say_unreadable()
            lacking = ", but not all of its files can be read" * (unreadable > 0)
            line = f"{arguments.spec.name} is sound{lacking}."
            progress.event("checked", {"jobs": values}, line)
            if not arguments.json:
                progress.tell(f"{job.inputs.name}: {job.label} -> {', '.join(job.outputs)}" for job in jobs)
            return int(unreadable > 0)
        with _interruptible(run, gently=True):
            settled = run.settle()
    return _summary(arguments, progress, run, settled)


@contextlib.contextmanager
def _interruptible(run: BatchRun, *, gently: bool) -> Iterator[None]:
    """Let signals end the run within the block; what took them before takes them again behind it.

    gently: whether the first Ctrl-C lets what is begun be finished, and only the next one ends the run; a
    request to terminate never waits. To end the run its workers are killed, and interrupts.Stopped is raised.
    run.stopped_by becomes the signal's number in any case.
    """

    def interrupt(number: int, frame: object) -> None:
        is_first, run.stopped_by = not run.stopped_by, number
        if gently and number == signal.SIGINT and is_first:
            run.workers.stop()
            output.say("stopping; what is begun is brought to its end. Interrupt again to end it at once.")
            return
        # nobody waits for what is begun, wherever this finds us
        run.workers.kill()
        raise interrupts.Stopped(number)

    with interrupts.taken_by(interrupt):
        yield


def _summary(arguments: argparse.Namespace, progress: Progress, run: BatchRun, settled: list[Settled]) -> int:
    """Say how the run went, write its summary file batch.json unless it was stopped, and return the exit
    code.

    The code is 130 or 143 after a signal, 1 if a job or request failed or a gate was exceeded, else 0.
    settled: what became of the jobs that were tried or done before; all others count as left.

    Gates are judged first: each breach is an event "gate"; a note names those that can't judge rigs without
    feet. Then an event "summary" has the numbers of ``jobs`` in all, those ``done`` now and ``done_before``,
    ``failed`` (requests that stood for no job count, too), ``left``, and ``over_gates``, jobs over any gate.
    After a signal an event "stopped" follows, and no file is written. Raise InertiaError if the file can't be
    written; all is said by then.
    """
    failed = sum(entry.record is None for entry in settled) + len(run.lost)
    done = [entry for entry in settled if entry.record is not None]
    judgeable = ((f"{entry.job.inputs.name}: {entry.job.label}", entry.quality) for entry in done)
    over = gates.judge(arguments, judgeable, functools.partial(progress.event, "gate"))
    blind = sorted({flag for entry in done for flag in gates.unmeasured(arguments, entry.quality)})
    if blind:
        progress.say(f"note: {', '.join(blind)} can't judge rigs on which no feet were found.")
    before, left = run.before, len(run.all) - len(settled)
    values = {
        "jobs": len(run.all),
        "done": len(done) - before,
        "done_before": before,
        "failed": failed,
        "left": left,
        "over_gates": len({breach["label"] for breach in over}),
    }
    line = f"{len(done) - before} jobs done"
    line += f", {before} were there already" if arguments.resume else ""
    line += "".join(f", {count} {what}" for count, what in ((failed, "failed"), (left, "left")) if count)
    line += f", {values['over_gates']} over a gate" if over else ""
    # the workers have ended, and count
    progress.summary(values, line, arguments.output, arguments.output)
    if run.stopped_by:
        progress.event("stopped", {}, "stopped; --resume does what is left.")
        return interrupts.exit_code(interrupts.Stopped(run.stopped_by))
    run.write_summary(settled, over)
    return 1 if failed or over else 0
