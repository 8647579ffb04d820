# SPDX-License-Identifier: GPL-3.0-or-later
"""Spec files: their text, what it asks for, and the jobs it stands for once it is known what inputs hold."""

from __future__ import annotations

import dataclasses
import glob
import itertools
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path as FilePath
from typing import Any

from ...errors import InertiaError, UsageError
from ...records import record
from ...storage import file_kinds, places
from ...tasks import every
from ..spec import schema, validation
from ..spec.validation import Path, SpecProblem
from . import clips, hops, libraries, outlines, paths, transitions
from .job import SUMMARY, Inputs, Job
from .outlines import UNREADABLE, Outline
from .section import Request, Section, Table, merged

MOST_BYTES = 64_000_000
"""A spec that is larger is none."""
MOST_FAULTS = 100
"""When so many faults have been found, no more are looked for: nobody reads them."""
MOST_PARTS = 100
"""A name in a TOML text has at most so many parts, joined by dots; a spec's have a few."""
# what is not closed goes on to the end, so that any text is gone through once
_TOML_TEXT = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5})?'
    r"|'''(?:[^']|'(?!''))*+(?:'{3,5})?"
    r'|"(?:[^"\\\n]|\\.)*+"?'
    r"|'[^'\n]*+'?|#[^\n]*",
    re.DOTALL,
)
_TOML_BETWEEN = re.compile(r"[\n,=\[\]{}]")
SECTIONS: dict[str, Section] = {
    section.name: section
    for section in (
        *(transitions.TRANSITIONS, transitions.STATE_MACHINES, hops.HOPS, hops.TABLES),
        *clips.SECTIONS.values(),
        *(paths.PATHS, paths.TAKES, libraries.MODELS, paths.CROWDS, transitions.FILLS),
        *(libraries.MATRICES, libraries.DATABASES),
    )
}
"""The lists of a spec, by their fields."""
every.open_door(lambda _task: SECTIONS.update(clips.SECTIONS))


class NoSpec(UsageError):
    """A file is no spec at all, whatever it may say: one sentence."""


class SpecError(InertiaError):
    """A spec has faults: a sentence for each, and each as JSON values.

    may_have_more: whether there were so many that no more were looked for.
    """

    def __init__(self, spec: Spec, problems: list[SpecProblem]) -> None:
        self.may_have_more = len(problems) >= MOST_FAULTS
        # what stands at the top is the same fault for all
        problems = sorted(dict.fromkeys(problems[:MOST_FAULTS]), key=lambda problem: spec.place(problem.path))
        self.sentences = [f"{spec.path.name}: {problem.sentence()}" for problem in problems]
        self.details = [
            {**vars(problem), "path": validation.spoken_path(problem.path)} for problem in problems
        ]
        super().__init__(" ".join(self.sentences))


@record(frozen=True, eq=False)
class Spec:
    """A spec file that was read. values: as JSON, in the text's order."""

    path: FilePath
    values: dict[str, Any]

    def place(self, path: Path) -> list[int]:
        """Return what sorts fields as they stand in the spec: a list with, for each part of a path, its index
        among the fields beside it, or its own number in a list.

        path: to a field. () gives []. The list ends with -1 at the first field that is not there, or that
        lies in neither a table nor a list, so that a missing field sorts before all beside it. Raise
        IndexError for a number beyond the end of a list.
        """
        place: list[int] = []
        held: Any = self.values
        for part in path:
            if isinstance(held, dict) and part in held:
                place.append(list(held).index(part))
            elif isinstance(held, list) and isinstance(part, int):
                place.append(part)
            else:
                return [*place, -1]
            held = held[part]
        return place


def read_spec(path: FilePath) -> Spec:
    """Return a spec file, .json or .toml, in any case, as it was read: a :class:`Spec` with ``path``, as
    given, and ``values``, a dict in the text's order. Its values are not checked yet.

    A byte order mark is skipped. Raise NoSpec for another ending, and for a text that is not UTF-8, JSON or
    TOML, is nested too deep, holds no table at the top, or has a field twice. Raise InertiaError when there
    is no such file, or it is a folder or larger than 64 MB; OSError where it can't be read.
    """
    if path.suffix.lower() not in (".json", ".toml"):
        raise NoSpec(f'"{path.name}" is no kind of spec; give a .json or a .toml file.')
    places.check_read(path, MOST_BYTES)
    if not path.is_file():
        raise InertiaError(f'There is no file "{path}".')
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix.lower() == ".json":
            values = json.loads(text, object_pairs_hook=_once)
        elif _toml_depth(text) > MOST_PARTS:
            # the parser takes time and memory by the square of that
            raise RecursionError
        else:
            values = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise NoSpec(f'"{path.name}" is not written in UTF-8.') from error
    except RecursionError as error:
        raise NoSpec(f"{path.name}: its lists and tables lie too deep in each other.") from error
    except ValueError as error:
        where, reason = path.name, str(error).rstrip(".")
        if isinstance(error, json.JSONDecodeError):
            where, reason = f"{path.name}, line {error.lineno}", error.msg
        raise NoSpec(f"{where}: this is no {path.suffix[1:].upper()}: {reason}.") from error
    if not isinstance(values, dict):
        raise NoSpec(f"{path.name}: found {validation.quoted(values)}; a spec is a table of fields.")
    return Spec(path, values)


def _toml_depth(text: str) -> int:
    """Return how many parts, joined by dots, the longest name of a TOML text has, even if it is malformed."""
    plain = _TOML_TEXT.sub(" ", text)
    return 1 + max(between.count(".") for between in _TOML_BETWEEN.split(plain))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of a JSON table, in order.

    Raise ValueError where a name stands twice: JSON allows it, and all but the last would go unseen.
    """
    names = [name for name, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f'The spec has the field "{twice}" twice in one table; leave one of them out')
    return dict(pairs)


def whole_schema() -> schema.Schema:
    """Return the schema of specs, as JSON values (JSON Schema, draft 2020-12)."""
    defaults = {name: setting for section in SECTIONS.values() for name, setting in section.defaults.items()}
    properties = {
        "$schema": schema.described("where this schema is, for editors", {"type": "string"}),
        **schema.SHARED,
        "name": schema.described(f"of transitions and edges: {schema.NAME['description']}", schema.TEXT),
        "defaults": schema.table(
            {**defaults, **schema.COMMON, **schema.SEARCH},
            "settings of all entries that do not say otherwise, as far as they have them",
        ),
        **{
            section.name: schema.described(section.description, {"type": "array", "items": section.entry})
            for section in SECTIONS.values()
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A batch of inertialized transitions",
        **schema.table(properties, "what is baked, from what and into what"),
    }


def requests_of(spec: Spec) -> list[Request]:
    """Return what a spec asks for: a :class:`Request` for each entry of its lists, in the order of SECTIONS
    and then the spec's, or one for each file where ``each_file`` is set.

    Each has its list's section, the path of the entry, its inputs, and ``values``: the entry's fields,
    written as the schema has them, on top of the defaults and of what stands at the top of the spec, with the
    paths of other files that it names made absolute. Raise SpecError with the faults that can be seen without
    opening the inputs; a spec without entries is one. Faults against the schema are told alone, MOST_FAULTS
    at most; only without any are fields that don't go together, and files that are missing, looked for.
    """
    whole = whole_schema()
    spec = dataclasses.replace(spec, values=validation.settled(spec.values, whole))
    problems = [*itertools.islice(validation.check(spec.values, whole), MOST_FAULTS)]
    if problems:
        raise SpecError(spec, problems)
    asked: list[Request] = []
    tables = list(_tables(spec.values))
    entries = [(section, path, table) for section, path, table in tables if len(path) == 2]
    if not entries:
        *others, last = (section.spoken for section in SECTIONS.values())
        problems.append(
            SpecProblem(("transitions",), "nothing", f"at least one {', '.join(others)} or {last}")
        )
    for section, path, table in tables:
        problems += section.all_clashes(path, table)
    for section, path, table in entries:
        if len(problems) >= MOST_FAULTS:
            break
        try:
            asked += _requests(spec, section, path, table)
        except _Fault as fault:
            problems.append(fault.problem)
    if problems:
        raise SpecError(spec, problems)
    return asked


def _tables(values: Table) -> Iterator[tuple[Section, Path, Table]]:
    """Yield (section, path, table) of all tables of a spec that hold settings.

    They are the top, with path () and all that the spec holds, and the defaults, with path ("defaults",), {}
    where there are none; both come as of transitions. Then come each list's entries, with path (list,
    number), in the order of SECTIONS, each followed by those of its edges that are tables, with path (list,
    number, "edges", number).
    """
    transitions = SECTIONS["transitions"]
    yield transitions, (), values
    yield transitions, ("defaults",), values.get("defaults", {})
    for name, section in SECTIONS.items():
        for i, table in enumerate(values.get(name, ())):
            yield section, (name, i), table
            edges = table.get("edges", ())
            for j, edge in enumerate(edges if isinstance(edges, list) else ()):
                if isinstance(edge, dict):
                    yield section, (name, i, "edges", j), edge


class _Fault(Exception):
    def __init__(self, path: Path, value: str, allowed: str, close: tuple[str, ...] = ()) -> None:
        self.problem = SpecProblem(path, value, allowed, close)


def _requests(spec: Spec, section: Section, path: Path, table: Table) -> Iterator[Request]:
    # the fields of an entry stand on the defaults, and these on what is shared by all
    top = {name: spec.values[name] for name in (*schema.SHARED, "name") if name in spec.values}
    defaults = schema.only(spec.values.get("defaults", {}), section.inherited)
    beneath = merged(schema.only(top, section.inherited), defaults)
    if section.tries_frames and "half_life" in table:
        # both may be said, of which the spring's half-life is the one that stands for the other here
        beneath.pop("blend_frames", None)
    values = merged(beneath, table)
    at = path if "files" in table else ()
    if "files" not in values:
        raise _Fault((*path, "files"), "nothing", "files, here or at the top of the spec")
    frames = values.get("blend_frames", 1)
    if section.tries_frames and isinstance(frames, float) and not frames.is_integer():
        raise _Fault((*path, "blend_frames"), f"{frames:g}", "whole numbers of frames for hops")
    folder = spec.path.resolve().parent
    files = list(_files(folder, (*at, "files"), values["files"]))
    each = values.get("each_file", False)
    endings = {file.suffix.lower() for file in files}
    if not each and len(files) > 1 and not file_kinds.are_joined(files):
        several = f"several files of one skeleton (all {file_kinds.SPOKEN_JOINED})"
        raise _Fault((*at, "files"), f"{len(files)} files", f"one file, {several}, or each_file = true")
    for field, takers in file_kinds.TAKERS.items():
        if field in values and not endings <= set(takers):
            owner = (*path, field) if field in table else (field,)
            allowed = f"it for {file_kinds.spoken(takers)} files only"
            raise _Fault(owner, validation.quoted(values[field]), allowed)
    for field in section.files:
        if field in values:
            file = folder / values[field]
            if not file.is_file():
                raise _describe_missing((*path, field), values[field], file, "a file that exists")
            values[field] = str(file.resolve())
    for group in [[file] for file in files] if each else [files]:
        inputs = Inputs(tuple(map(str, group)), values.get("scale"), values.get("fps"), values.get("up"))
        yield Request(section, path, inputs, values)


def _describe_missing(path: Path, name: str, file: FilePath, allowed: str) -> _Fault:
    beside = file.parent.iterdir() if file.parent.is_dir() else ()
    close = validation.close_names(file.name, [entry.name for entry in beside])
    return _Fault(path, validation.quoted(name), f"{allowed}, from the spec's folder", close)


def _files(folder: FilePath, path: Path, patterns: list[str]) -> Iterator[FilePath]:
    """Yield the files of patterns, absolute, each once, in the order of the spec, those of one pattern by
    name.

    folder: from which patterns start that are not absolute. path: of their field. A pattern that is itself
    the name of a file means that file. Raise _Fault, at the pattern's index in the field, for a pattern that
    matches no file, and for files of kinds that can't be read, after those before them are yielded.
    """
    seen = set()
    for i, pattern in enumerate(patterns):
        place = folder / pattern
        # a file may itself have such a name; patterns may be absolute, which Path.glob takes none of
        is_pattern = glob.has_magic(pattern) and not place.exists()
        names = sorted(glob.glob(str(place))) if is_pattern else [str(place)]  # noqa: PTH207
        files = [FilePath(name).resolve() for name in names if FilePath(name).is_file()]
        if not files:
            raise _describe_missing((*path, i), pattern, place, "files that exist")
        for file in files:
            if file.suffix.lower() not in file_kinds.READABLE:
                raise _Fault((*path, i), f'"{file.name}"', f"files of {', '.join(file_kinds.READABLE)}")
            if file not in seen:
                seen.add(file)
                yield file


Taken = Callable[[str], FilePath | None]
"""Which input an output would take the place of, by the output's name; None for none."""


@record(frozen=True)
class Expansion:
    """Jobs in the spec's order, and the faults found on the way; with MOST_FAULTS it ends.

    lost: requests for whatever their inputs hold, which can't be read.
    """

    jobs: list[Job]
    problems: list[SpecProblem]
    lost: list[Request]


def expand(
    requests: Iterable[Request], outlined: Mapping[Inputs, Outline], occupied: Taken = lambda output: None
) -> Expansion:
    """Make the jobs of requests, and return them in the spec's order with all faults in them.

    outlined: what all inputs hold. occupied: takes an output's name, and returns the input whose place it
    would take, or None. Jobs of inputs that can't be read are made all the same, as far as they can: they are
    no faults of the spec, and will fail; requests of such inputs that stand for no job are ``lost``. A job of
    an entry with another fault is made, too, unless its settings don't go together. It ends early after
    MOST_FAULTS.
    """
    jobs: list[Job] = []
    problems: list[SpecProblem] = []
    lost: list[Request] = []
    written: dict[str, Job] = {}
    for request in requests:
        outline, section = outlined[request.inputs], request.section
        before = len(jobs)
        for path, values in section.entries(request, outline, problems):
            if len(problems) >= MOST_FAULTS:
                return Expansion(jobs, problems, lost)
            try:
                job = section.job(request, path, values)
            except InertiaError as error:
                problems.append(SpecProblem(path, str(error).rstrip("."), "settings that go together"))
                continue
            if UNREADABLE not in outline:
                armature = outlines.armature_of(job.armature, outline)
                problems += (
                    outlines.armature_faults(path, job.armature, outline)
                    if armature is None
                    else section.faults(job, path, armature, outline)
                )
            problems += _output_faults(job, path, written, occupied)
            jobs.append(job)
        if UNREADABLE in outline and len(jobs) == before:
            lost.append(request)
    return Expansion(jobs, problems, lost)


def _output_faults(job: Job, path: Path, written: dict[str, Job], occupied: Taken) -> Iterator[SpecProblem]:
    """Yield problems for a job's outputs, at the field ``name``: the first output that another job writes,
    too; then each whose name is too long, that would replace an input, or that is the summary. Nothing comes
    behind a name that is too long.

    path: to the entry. written: jobs by the names that they write, whatever the case; the names that are not
    taken are added for this job. occupied: takes an output's name, and returns the input that it would
    replace, None for none.
    """
    # file systems that don't tell A from a
    writers = {output: written.setdefault(output.casefold(), job) for output in job.outputs}
    for output, writer in [pair for pair in writers.items() if pair[1] is not job][:1]:
        other = f"{writer.where} ({writer.inputs.name}: {writer.label})"
        yield SpecProblem((*path, "name"), f'"{output}", which {other} writes too', "another name")
    for output in job.outputs:
        length = len(os.fsencode(output))
        if length > places.LONGEST_NAME:
            value = f"{validation.quoted(output)} of {length} bytes"
            yield SpecProblem((*path, "name"), value, f"{places.LONGEST_NAME} bytes at most, with the ending")
            return
        replaced = occupied(output)
        if replaced is not None:
            value = f'"{output}", which would take the place of the input "{replaced}"'
            yield SpecProblem((*path, "name"), value, "another name, or another folder with -o")
        elif output.casefold() == SUMMARY:
            yield SpecProblem((*path, "name"), f'"{output}", which the run writes itself', "another name")
