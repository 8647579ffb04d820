# SPDX-License-Identifier: GPL-3.0-or-later
"""What a spec asks for, before any of its inputs is opened."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from pathlib import Path as FilePath

from ...storage import file_kinds
from ..spec import schema, validation
from ..spec.reading import Spec, SpecError
from ..spec.validation import Path, Problem
from . import kinds
from .job import Inputs
from .section import Request, Section, Table, merged

SCALED, TIMED = set(file_kinds.SCALED), set(file_kinds.GLTF)


def requests(spec: Spec) -> list[Request]:
    """What a spec asks for. Raises SpecError with all faults that can be seen without opening the inputs."""
    problems = list(validation.check(spec.values, kinds.whole_schema()))
    if problems:
        raise SpecError(spec, problems)
    asked: list[Request] = []
    places = [
        (section, i, table)
        for name, section in kinds.SECTIONS.items()
        for i, table in enumerate(spec.values.get(name, ()))
    ]
    if not places:
        *others, last = (section.spoken for section in kinds.SECTIONS.values())
        problems.append(Problem(("transitions",), "nothing", f"at least one {', '.join(others)} or {last}"))
    for section, path, table in _tables(spec.values):
        problems += section.all_clashes(path, table)
    for section, i, table in places:
        try:
            asked += _requests(spec, section, (section.name, i), table)
        except _Fault as fault:
            problems.append(fault.problem)
    if problems:
        # what stands at the top is the same fault for all
        raise SpecError(spec, list(dict.fromkeys(problems)))
    return asked


def _tables(values: Table) -> Iterator[tuple[Section, Path, Table]]:
    """All tables that hold settings, and the top with its name, which is of transitions."""
    transitions = kinds.SECTIONS["transitions"]
    yield transitions, (), values
    yield transitions, ("defaults",), values.get("defaults", {})
    for name, section in kinds.SECTIONS.items():
        for i, table in enumerate(values.get(name, ())):
            yield section, (name, i), table
            edges = table.get("edges", ())
            for j, edge in enumerate(edges if isinstance(edges, list) else ()):
                if isinstance(edge, dict):
                    yield section, (name, i, "edges", j), edge


class _Fault(Exception):
    def __init__(self, problem: Problem) -> None:
        self.problem = problem


def _values(spec: Spec, section: Section, table: Table) -> Table:
    """The fields of an entry on top of the defaults, and these on top of what is shared by all."""
    top = {name: spec.values[name] for name in (*schema.SHARED, "name") if name in spec.values}
    shared, defaults = (
        {name: value for name, value in held.items() if name in section.inherits}
        for held in (top, spec.values.get("defaults", {}))
    )
    beneath = merged(shared, defaults)
    if section.tries_frames and "half_life" in table:
        # both may be said, of which the spring's half-life is the one that stands for the other here
        beneath.pop("blend_frames", None)
    return merged(beneath, table)


def _requests(spec: Spec, section: Section, path: Path, table: Table) -> Iterator[Request]:
    values = _values(spec, section, table)
    at = path if "files" in table else ()
    if "files" not in values:
        raise _Fault(Problem((*path, "files"), "nothing", "files, here or at the top of the spec"))
    frames = values.get("blend_frames", 1)
    if section.tries_frames and isinstance(frames, float) and not frames.is_integer():
        raise _Fault(Problem((*path, "blend_frames"), f"{frames:g}", "whole numbers of frames for hops"))
    files = list(_files(spec, (*at, "files"), values["files"]))
    each = values.get("each_file", False)
    endings = {file.suffix.lower() for file in files}
    if not each and len(files) > 1 and not file_kinds.are_joined(files):
        said = f"several files of one skeleton (all {file_kinds.SPOKEN_JOINED})"
        allowed = f"one file, {said}, or each_file = true"
        raise _Fault(Problem((*at, "files"), f"{len(files)} files", allowed))
    for field, takers in (("scale", SCALED), ("fps", TIMED)):
        if field in values and not endings <= takers:
            owner = (*path, field) if field in table else (field,)
            allowed = f"it for {' and '.join(sorted(takers))} files only"
            raise _Fault(Problem(owner, validation.quoted(values[field]), allowed))
    for group in [[file] for file in files] if each else [files]:
        inputs = Inputs(tuple(map(str, group)), values.get("scale"), values.get("fps"))
        yield Request(section, path, inputs, values, each)


def _files(spec: Spec, path: Path, patterns: list[str]) -> Iterator[FilePath]:
    """The files of patterns, in the order of the spec, those of one pattern by name."""
    folder = spec.path.resolve().parent
    seen = set()
    for i, pattern in enumerate(patterns):
        here = folder / pattern
        # a file may itself have such a name; patterns may be absolute, which Path.glob takes none of
        is_pattern = glob.has_magic(pattern) and not here.exists()
        names = sorted(glob.glob(str(here))) if is_pattern else [str(here)]  # noqa: PTH207
        files = [FilePath(name).resolve() for name in names if FilePath(name).is_file()]
        if not files:
            allowed = "files that exist, from the spec's folder"
            close = validation.close_names(here.name, _beside(here))
            raise _Fault(Problem((*path, i), validation.quoted(pattern), allowed, close))
        for file in files:
            if file.suffix.lower() not in file_kinds.READABLE:
                raise _Fault(
                    Problem((*path, i), f'"{file.name}"', f"files of {', '.join(file_kinds.READABLE)}")
                )
            if file not in seen:
                seen.add(file)
                yield file


def _beside(path: FilePath) -> list[str]:
    folder = path.parent
    return [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
