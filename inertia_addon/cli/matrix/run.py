# SPDX-License-Identifier: GPL-3.0-or-later
"""A run of ``matrix``: files read, pairs compared, and all that is asked for written."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import io
import os
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ... import escapes
from ...batch.work.journal import write_json
from ...blender.cost.library import Edge, Library, LibraryClip, Open
from ...blender.data import names
from ...blender.files import picture_files
from ...console import outputs
from ...console.output import as_json
from ...console.outputs import Output
from ...console.progress import Progress
from ...errors import InertiaError, UsageError
from ...motion.steps import finish
from ...plots.chart import sheet
from ...records import record
from ...settings import fields
from ...settings.cost import Search
from ...settings.transition import TransitionSettings
from ...storage import file_kinds, safe_write
from .. import gates, options, session
from . import gathering, report

FILES = ("matrix.json", "matrix.csv", "matrix.png", "matrix.html")
"""What goes into the folder."""

Pair = tuple[int, int]

PICTURES = 6
"""So many of the best and of the worst pairs get a map of their own in the report."""


@record(eq=False)
class Run:
    """One call of the command. origins: the files that each clip is read from, none for parts."""

    arguments: Namespace
    progress: Progress
    library: Library
    search: Search
    exact: bool
    failed: list[str] = dataclasses.field(default_factory=list)
    warnings: list[str] = dataclasses.field(default_factory=list)
    origins: dict[LibraryClip, tuple[Path, ...]] = dataclasses.field(default_factory=dict)
    _opened: tuple[Path, ...] = ()

    @property
    def wanted(self) -> list[Output]:
        """What is to be written."""
        given = self.arguments
        wanted = [Output("-o", given.output / name, (Path(name).suffix,)) for name in FILES]
        return [*wanted, Output("--spec", given.spec, (".json",))]

    def run(self, each: int) -> int:
        """Do all, and return the exit code.

        each: so many of the best edges, and of the worst, go into a spec unless it is said.
        """
        arguments, progress = self.arguments, self.progress
        outputs.check(self.wanted, options.files_read(arguments), made=arguments.output)
        edges = self._gathered() if gathering.are_parts(arguments.files) else self._compared()
        count = len(self.library.clips)
        for sentence in self.library.skipped:
            progress.event("skipped", {"error": sentence}, f"note: {sentence}")
        called = self.library.names()
        measured = [(f"{called[edge.source]} to {called[edge.destination]}", edge.measured) for edge in edges]
        over = gates.judge(arguments, progress, measured)
        if blind := sorted({flag for _, each in measured for flag in gates.unmeasured(arguments, each)}):
            progress.say(f"note: {', '.join(blind)} can't judge all pairs; matrix.json says which it can.")
        ranked = sorted(edges, key=_order(edges))
        self._write(ranked, over)
        if arguments.spec is not None:
            self._write_spec(ranked, each)
        values = {"clips": count, "pairs": len(edges), "failed": len(self.failed), "over_gates": len(over)}
        said = f"{count} clips, {len(edges)} pairs"
        said += f", {len(self.failed)} failed" if self.failed else ""
        said += f", {len(over)} over a gate" if over else ""
        progress.summary(values, said, arguments.output, arguments.output / "matrix.html")
        return 1 if self.failed or over else 0

    def _gathered(self) -> list[Edge]:
        """Put parts of a matrix together."""
        parts = gathering.gathered(self.arguments.files)
        self.library, self.search, self.exact = parts.library, parts.search, parts.exact
        self._check_count()
        outputs.make_folders(self.arguments.output)
        for sentence in parts.failed:
            self._fail(sentence, {})
        return parts.edges

    def _compared(self) -> list[Edge]:
        """Read the clips, and compare them."""
        outputs.make_folders(self.arguments.output)
        self._read()
        self._choose()
        self._check_count()
        return self._edges()

    def _check_count(self) -> None:
        count = len(self.library.clips)
        if count < 2:
            raise InertiaError(f"{count} clip{'s' * (count != 1)} can be read; a matrix needs two or more.")

    def _read(self) -> None:
        """Read the files one after the other, at once those that can be."""
        files, given = self.arguments.files, vars(self.arguments)
        if len(files) == 1 or file_kinds.are_joined(files):
            groups = [options.input_files(self.arguments)]
        else:
            # what is said of --scale and --fps is said for each file
            groups = [options.input_files(Namespace(**{**given, "files": [path]})) for path in files]
        self.progress.start(len(groups), "files")
        for group in groups:
            shown = group[0].stem if len(group) == 1 else f"{len(group)} files"
            try:
                read = session.load(self.arguments, group, self.wanted)
                self.warnings += read.warnings
                for warning in read.warnings:
                    self.progress.event("note", {"note": warning})
                armature = session.armature(self.arguments)
                weights = session.joint_weights(self.arguments, armature)
                finish(self.library.add(shown, armature, weights))
                self.origins |= dict.fromkeys(set(self.library.clips) - set(self.origins), tuple(group))
                self._opened = tuple(group)
            except UsageError:
                raise
            except InertiaError as error:
                self._fail(f"{group[0].name}: {error}", {"files": [str(path) for path in group]})
            self.progress.step()
        self.progress.finish()

    def _choose(self) -> None:
        """Leave only the clips that were asked for."""
        if not self.arguments.clips:
            return
        known = [clip.action for clip in self.library.clips]
        armature = self.arguments.armature or ""
        chosen = {names.choose_action(name, known, armature) for name in self.arguments.clips}
        self.library.clips = [clip for clip in self.library.clips if clip.action in chosen]

    def _edges(self) -> list[Edge]:
        pairs, edges = self.library.pairs(), []
        called = self.library.names()
        self.progress.event("start", {"clips": len(self.library.clips), "pairs": len(pairs)})
        self.progress.start(len(pairs), "pairs")
        for files, together in self._by_files(pairs, self.search.by == "JUDGED"):
            stage = self._stage(files) if files else None
            for source, destination in together:
                try:
                    edges.append(self.library.edge(source, destination, self.search, self.exact, stage))
                except InertiaError as error:
                    self._fail(f"{called[source]} to {called[destination]}: {error}", {})
                self.progress.step()
        self.progress.finish()
        return edges

    def _by_files(self, pairs: list[Pair], judged: bool) -> Iterator[tuple[tuple[Path, ...], list[Pair]]]:
        """The pairs with the files that have to be open to judge them, () for those that can't be."""
        found: dict[tuple[Path, ...], list[Pair]] = {}
        # what is open comes first
        for files in reversed(self.origins.values()) if judged else ():
            found.setdefault(files, [])
        apart: list[Pair] = []
        for pair in pairs:
            ends = {self.origins[self.library.clips[i]] for i in pair}
            (found[ends.pop()] if judged and len(ends) == 1 else apart).append(pair)
        yield from ((files, together) for files, together in found.items() if together)
        if judged and apart:
            said = (
                f"{len(apart)} pairs lead from one file to another and are found by cost alone: no file that "
                "is open has both clips."
            )
            self.progress.event("note", {"note": said}, f"note: {said}")
        yield (), apart

    def _stage(self, files: tuple[Path, ...]) -> Open:
        """The clips of files, which are opened unless they are."""
        if files != self._opened:
            session.load(self.arguments, list(files), self.wanted)
            self._opened = files
        return Open.of(session.armature(self.arguments))

    def _fail(self, sentence: str, values: dict[str, Any]) -> None:
        self.failed.append(sentence)
        self.progress.event("failed", {**values, "error": sentence}, f"failed: {sentence}")

    def _write(self, ranked: list[Edge], over: list[dict[str, Any]]) -> None:
        """Write the four files, which take their places when all are complete."""
        folder, library = self.arguments.output, self.library
        called = library.names()
        rows = [
            {
                **vars(edge),
                "source": called[edge.source],
                "destination": called[edge.destination],
                "verdict": None if edge.verdict is None else edge.verdict.as_dict(),
            }
            for edge in ranked
        ]
        values = {
            "files": [str(path) for path in self.arguments.files],
            "unit": "metre seconds",
            "method": library.settings.curve,
            "seconds": library.settings.seconds(library.fps),
            "root": library.root,
            "weights": {name: weight for name, weight in (library.weights or {}).items() if weight > 0.0},
            "skate_weight": library.skate_weight,
            "searched": "exact" if self.exact else "features",
            "by": self.search.by,
            "clips": [
                {"name": name, "file": clip.file, "action": clip.action, "frames": clip.frames}
                for name, clip in zip(called, library.clips, strict=True)
            ],
            "edges": rows,
            "over_gates": over,
            "warnings": self.warnings,
            "failed": self.failed,
            "skipped": library.skipped,
        }
        overview = report.overview(ranked, library)
        # of parts nothing is known of how the clips move
        maps = report.maps(ranked, library, PICTURES) if self.origins else []
        with picture_files.lettering():
            picture = picture_files.as_png(sheet([overview]))
            contents = (
                f"{as_json(values, 1)}\n".encode(),
                _as_csv(rows).encode(),
                picture,
                report.html(values, overview, picture, maps).encode(),
            )
        with safe_write.whole(), contextlib.ExitStack() as written:
            for name, content in zip(FILES, contents, strict=True):
                file = written.enter_context(safe_write.replacing(folder / name, settled=False))
                file.write_bytes(content)

    def _write_spec(self, ranked: list[Edge], each: int) -> None:
        """Write the spec of the best and the worst edges."""
        arguments, clips, origins = self.arguments, self.library.clips, self.origins
        # no file holds both clips of the others
        within = [one for one in ranked if origins[clips[one.source]] == origins[clips[one.destination]]]
        if len(within) < len(ranked):
            apart = len(ranked) - len(within)
            said = (
                f"{apart} edges lead from one file to another and are not in the spec: batch bakes none such."
            )
            self.progress.event("note", {"note": said}, f"note: {said}")
        best, worst = (each if n is None else n for n in (arguments.best, arguments.worst))
        if best + worst < len(within):
            within = [*within[:best], *within[len(within) - worst :]]
        if not within:
            raise InertiaError("There is no edge to write a spec of.")
        write_json(arguments.spec, self._spec(within))

    def _spec(self, edges: list[Edge]) -> dict[str, Any]:
        """A spec of edges at the cuts that were found, as JSON values."""
        given, folder = vars(self.arguments), self.arguments.spec.parent
        library, origins = self.library, self.origins
        read = list(dict.fromkeys(origins.values()))
        values: dict[str, Any] = {} if len(read) > 1 else {"files": _from(folder, read[0])}
        values |= {name: given[name] for name in ("armature", "scale", "fps") if given.get(name) is not None}
        settings = fields.worded(TransitionSettings, library.settings.as_dict())
        # what is not given is as usual in a spec, too; the root is the one that all clips were compared by
        defaults = {name: settings[name] for name in sorted(settings) if name in given and name != "root"}
        values |= {"joints": given["joints"], "defaults": {**defaults, "root": library.root}}
        places = len(str(len(edges)))
        values["transitions"] = []
        for place, edge in enumerate(edges, 1):
            source, destination = library.clips[edge.source], library.clips[edge.destination]
            transition = {
                "source": source.action,
                "destination": destination.action,
                "cut": edge.cut,
                "destination_frame": edge.destination_frame,
            }
            if len(read) > 1:
                transition["files"] = _from(folder, origins[source])
                # clips of several files may have the same names
                transition["name"] = f"{place:0{places}}_{{source}}_to_{{destination}}"
            values["transitions"].append(transition)
        return values


def _order(edges: list[Edge]) -> Callable[[Edge], Any]:
    """What edges are ranked by: as they are judged where all are, else by cost."""

    def judged(edge: Edge) -> Any:
        assert edge.verdict is not None
        return edge.verdict.order, edge.cost

    return judged if all(edge.verdict for edge in edges) else lambda edge: edge.cost


def _as_csv(rows: list[dict[str, Any]]) -> str:
    """Edges as comma-separated values."""
    text = io.StringIO()
    columns = ("source", "destination", "cut", "destination_frame", "cost", "bone", "share", "verdict")
    rows = [{**row, "verdict": report.headline(row)} for row in rows]
    table = csv.DictWriter(text, columns, lineterminator="\n")
    table.writeheader()
    table.writerows({name: _cell(row[name]) for name in columns} for row in rows)
    return text.getvalue()


def _cell(value: float | str) -> str:
    return escapes.cell(value) if isinstance(value, str) else f"{value:.6g}"


def _from(folder: Path, files: tuple[Path, ...]) -> list[str]:
    """Files as a spec in a folder names them."""
    named = []
    for file in files:
        try:
            named.append(Path(os.path.relpath(file.resolve(), folder.resolve())).as_posix())
        except ValueError:
            # on another drive
            named.append(str(file.resolve()))
    return named
