# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists of a spec, each with what its entries may hold, and how jobs are made of them."""

from __future__ import annotations

import dataclasses
import re
import string
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path as FilePath
from typing import Any

from ...errors import InertiaError
from ...records import record
from ...settings import fields, methods
from ...settings.cost import Joints
from ...settings.transition import TransitionSettings
from ...storage import places
from ...tasks.task import Task
from ..spec import schema, validation
from ..spec.schema import Schema
from ..spec.validation import Path, SpecProblem
from . import outlines
from .job import Inputs, Job
from .outlines import UNREADABLE, Outline

Table = dict[str, Any]
Entry = tuple[Path, Table]
"""A place in the spec, and the fields that count there."""


@record(frozen=True, eq=False)
class Request:
    """An entry of one of a spec's lists, for one set of inputs.

    section: the list. values: its own fields, with those at the top and the defaults beneath; files that they
    name are where they are found.
    """

    section: Section
    path: Path
    inputs: Inputs
    values: Table

    @property
    def files(self) -> list[FilePath]:
        """All files that it is read from."""
        beside = [self.values[field] for field in self.section.files if field in self.values]
        return [FilePath(name) for name in (*self.inputs.files, *beside)]

    def find_fitting(
        self,
        field: str,
        outline: Outline,
        problems: list[SpecProblem],
        least: int = 2,
        *,
        are_results: bool = False,
    ) -> list[str]:
        """Return the names of all clips that fit the request's armature and can be read, in the outline's
        order: without what Inertia has baked, or with are_results its results of all kinds alone.

        field: the one that asks for all; it only places the problem. problems: gets a problem at the field if
        there are fewer than `least`, and they are returned all the same; or one at ``armature`` if there is
        no such armature, and [] is returned. Inputs that can't be read give [] and no problem.
        """
        name = self.values.get("armature")
        armature = outlines.armature_of(name, outline)
        if armature is None:
            # said of the armature itself, or of the file
            problems += [] if UNREADABLE in outline else outlines.armature_faults(self.path, name, outline)
            return []
        actions = armature["actions"]
        asked = [each for each in actions if (each.get("kind") if are_results else not each["is_result"])]
        clips = [each["name"] for each in asked if not each["problem"]]
        if len(clips) < least:
            noun = "results" if are_results else "clips"
            fitting = f"{len(clips)} {noun} that fit in {self.inputs.name}"
            problems.append(SpecProblem((*self.path, field), fitting, f"{least} or more"))
        return clips

    def job(
        self,
        path: Path,
        values: Table,
        task: Task,
        usual_name: str,
        /,
        usual_format: str = schema.FORMATS[0],
        **parts: object,
    ) -> Job:
        """Return the job of a task.

        path: where the entry stands in the spec. values: its fields, merged with those above it. usual_name:
        the template of the outputs' name if `values` has none ("{file}_" comes before it with ``each_file``);
        usual_format: their kind, without a dot, if it has no ``formats``. parts: what may stand in braces in
        a name beside {file}.

        ``outputs`` has a name for each format, in their order. Characters that some file system does not take
        become "_"; spaces and dots at the ends are cut off; an empty name becomes "_", and one that Windows
        keeps for a device gets "_" in front. ``weights`` has the pairs by bone, () without. ``armature`` is
        None without. ``whole_file`` is True only where it is asked for and one of the formats is "blend".
        Raise ValueError for a name with other fields in braces.
        """
        name = values.get("name", ("{file}_" if values.get("each_file") else "") + usual_name)
        filled = fill(name, {"file": self.inputs.name, **parts})
        # what some file system does not take; a hidden file's name would look like one that is being written
        plain = re.sub(r'[/\\:*?"<>|\x00-\x1f]', "_", filled).strip(" .") or "_"
        stem = f"_{plain}" if places.is_reserved(plain) else plain
        formats, weights = values.get("formats", (usual_format,)), values.get("weights", {})
        return Job(
            task=task,
            inputs=self.inputs,
            armature=values.get("armature"),
            joints=values.get("joints", Joints.joints),
            weights=tuple(sorted((bone, float(weight)) for bone, weight in weights.items())),
            outputs=tuple(f"{stem}.{kind}" for kind in formats),
            where=validation.spoken_path(path),
            # of other formats it says nothing, and changes nothing
            whole_file="blend" in formats and bool(values.get("whole_file", False)),
        )


def itself(request: Request, outline: Outline, problems: list[SpecProblem]) -> Iterator[Entry]:
    """Yield the one entry of a request."""
    yield request.path, request.values


@record(frozen=True, eq=False)
class Section:
    """One of the lists. name: its field in the spec. spoken: one of its entries, for a reader.

    description: of the list. entry: the schema of one of its tables. job: of an entry with merged fields;
    raises InertiaError for settings that don't go together. faults: names and frames of a job that its
    armature, of the outline of its inputs, does not have.

    entries: what a request stands for; what is wrong goes to the list of problems. placeholders: what may
    stand in braces in the name of outputs. clashes: fields of one of its tables that do not go together.
    inherits: the fields at the top and in the defaults that its entries stand on; None for all that these
    have but the name. defaults: the fields of its own that the spec's defaults may have. files: the fields of
    an entry that name a file beside the inputs, from the spec's folder.
    tries_frames: whether a search tries blend_frames: whole numbers, also beside a spring's half-life.
    """

    name: str
    spoken: str
    description: str
    entry: Schema
    job: Callable[[Request, Path, Table], Job]
    faults: Callable[[Job, Path, Outline, Outline], Iterator[SpecProblem]]
    entries: Callable[[Request, Outline, list[SpecProblem]], Iterator[Entry]] = itself
    placeholders: Sequence[str] = ("file",)
    clashes: Callable[[Path, Table], Iterable[SpecProblem]] = lambda path, table: ()
    inherits: Collection[str] | None = None
    defaults: Schema = dataclasses.field(default_factory=dict)
    files: Collection[str] = ()
    tries_frames: bool = False

    @property
    def inherited(self) -> Collection[str]:
        """The fields at the top and in the defaults that its entries stand on."""
        usual = (schema.INHERITED - {"name"}) & self.entry["properties"].keys()
        return usual if self.inherits is None else self.inherits

    def all_clashes(self, path: Path, table: Table) -> Iterator[SpecProblem]:
        """Yield problems for fields of a table that don't go together, as on the command line, each at its
        field. path: to the table.

        They are, in this order: blend lengths that the method does not have (``half_life``,
        ``extrapolation_half_life``, ``blend_frames``), a ``range`` whose first frame is behind its last,
        ``weights`` that are all zero, the section's own clashes, and a ``name`` with other braces than its
        placeholders or that makes no file name. Fields that are missing are no problem.
        """
        yield from _lengths(path, table, tries_frames=self.tries_frames)
        if "range" in table and table["range"][0] > table["range"][1]:
            yield SpecProblem(
                (*path, "range"), validation.quoted(table["range"]), "the first frame before the last"
            )
        if "weights" in table and not any(table["weights"].values()):
            yield SpecProblem((*path, "weights"), "only zeros", "at least one weight above zero")
        yield from self.clashes(path, table)
        if "name" in table:
            # all pairs have no two ends
            of_no_pair = schema.OF_A_PAIR if "all_pairs" in table else ()
            parts = [part for part in self.placeholders if part not in of_no_pair]
            yield from _name((*path, "name"), table["name"], parts)


def _lengths(path: Path, table: Table, *, tries_frames: bool) -> Iterator[SpecProblem]:
    word = methods.completed(table).get("method", TransitionSettings.method)
    method = fields.settings(TransitionSettings)["method"].choice(word)
    foreign = methods.foreign(table, method)
    beside = f"it with {fields.spoken(method)}"
    if "half_life" in foreign:
        yield SpecProblem((*path, "half_life"), beside, "half_life with spring; give blend_frames")
    if "extrapolation_half_life" in foreign:
        yield SpecProblem((*path, "extrapolation_half_life"), beside, "it with dead-blending")
    # of a hop they say for how long a spring counts as a blend
    if "blend_frames" in foreign and not tries_frames:
        yield SpecProblem((*path, "blend_frames"), beside, "half_life; blend_frames is for the others")


def _name(path: Path, name: str, names: Sequence[str]) -> Iterator[SpecProblem]:
    try:
        filled = fill(name, dict.fromkeys(names, "x"))
    except ValueError:
        allowed = ", ".join("{" + part + "}" for part in names)
        yield SpecProblem(path, validation.quoted(name), f"a name with no braces but {allowed}")
        return
    if set(filled) & set('/\\:*?"<>|\0') or filled.strip(". ") == "" or filled.startswith("."):
        allowed = "a file name without folders, that does not begin with a dot"
        yield SpecProblem(path, validation.quoted(name), allowed)
    elif places.is_reserved(name):
        allowed = "another name, as this one is a device's on Windows"
        yield SpecProblem(path, validation.quoted(name), allowed)


def ends_of(settings: TransitionSettings) -> dict[str, str]:
    """Return the two ends of a transition, which may stand in the names of its outputs."""
    return {"source": settings.source, "destination": settings.destination}


def merged(beneath: Table, above: Table) -> Table:
    """Put fields on top of others. A half-life means the method that has one, unless one stands beside it."""
    return {**beneath, **methods.completed(above)}


def blend_of(values: Table, names: Iterable[str], **usual: Any) -> TransitionSettings:
    """Return the settings of a blend from merged fields of some names. usual: those that are not given.

    Raise InertiaError for settings that don't go together.
    """
    blend = {name: values[name] for name in names if name in values}
    return TransitionSettings.from_dict(_as_floats({**usual, **blend}))


def _as_floats(value: Any) -> Any:
    """Turn integers of a spec into floats, as the panel has them: a recipe does not tell 12 from 12.0."""
    if isinstance(value, dict):
        return {name: _as_floats(part) for name, part in value.items()}
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def check_strips(*, strips: bool, values: Table) -> None:
    """Raise InertiaError for strips in files that can hold none. values: merged fields."""
    if strips and set(values.get("formats", ("blend",))) != {"blend"}:
        raise InertiaError('Only a .blend file holds strips of the NLA; give "blend" alone as its formats.')


def fill(template: str, values: Mapping[str, object]) -> str:
    """Return a name with its fields in braces filled in; doubled braces stand for single ones.

    Raise ValueError where it has any but plain, known fields, or a lone brace. Python's formats know more: an
    index or an attribute would look into values, a width write gigabytes.
    """
    parts = []
    for text, field, form, conversion in string.Formatter().parse(template):
        parts.append(text)
        if field is None:
            continue
        if form or conversion or field not in values:
            raise ValueError(f'"{field}" is no plain field')
        parts.append(str(values[field]))
    return "".join(parts)
