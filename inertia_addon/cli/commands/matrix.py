# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``matrix``: all clips with all clips, where each meets each other one best."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path
from typing import Any, NoReturn

from ...blender.data import names
from ...console import output, outputs
from ...console.outputs import Output
from ...console.progress import Progress
from ...errors import InertiaError, UsageError
from ...settings import limits
from ...settings.cost import Search
from ...storage import file_kinds, half_written, places
from .. import gates, options

HELP = "compare all clips with all clips, and draw where each transition is best"
DESCRIPTION = """Find the best transition from each clip to each other one, before any is baked.

For every ordered pair of clips: the cut and the destination frame that cost least, the cost, and the bone
that adds most to it. The cost is the displacement, in metre seconds; see the command cost. The files may be
several files of one skeleton; the clips are all actions that fit the armature.

Into the folder -o go matrix.json, matrix.csv, matrix.png (a map with the clips' names) and matrix.html: a
report of one file that opens from disk, with a table to sort and the maps of the best and worst pairs.
--spec writes the best and the worst edges for batch to bake.

Exit codes: 0 done, 1 a file or a pair failed or a gate was exceeded, 2 wrong usage, 130 stopped by an
interrupt, 143 by a request to terminate."""

FIELDS = {
    *("method", "quintic_start", "blend_frames", "half_life", "extrapolation_half_life"),
    *("velocity", "alignment", "root"),
}
"""The settings that costs of a whole library depend on."""

EACH = 10
"""So many of the best edges, and of the worst, go into a spec unless it is said."""

FILES = ("matrix.json", "matrix.csv", "matrix.png", "matrix.html")
"""What goes into the folder."""

PICTURES = 6
"""So many of the best and of the worst pairs get a map of their own in the report."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options to its parser."""
    options.add_input(parser)
    options.add(parser, only=FIELDS)
    group = parser.add_argument_group("searching")
    group.add_argument(
        "--clips", nargs="+", metavar="ACTION", help="only these clips (default: all that fit)"
    )
    options.add_joints(group, "joints")
    options.add_all(group, Search, "keep_frames")
    group.add_argument(
        "--exact",
        action="store_true",
        help="search all exact costs, which takes longer; else the features find a few meetings of each "
        "pair, and the best of these by exact cost is listed",
    )
    group = parser.add_argument_group("writing")
    group.add_argument(
        "-o", "--output", type=Path, required=True, metavar="OUTDIR", help="the folder to write into"
    )
    group.add_argument(
        "--spec",
        type=Path,
        metavar="FILE",
        help="write a .json spec of the best and the worst edges, which batch bakes as they were found",
    )
    for which in ("best", "worst"):
        said = f"how many of the {which} edges go into --spec (default: {EACH})"
        options.add_number(group, f"--{which}", limits.LISTED_OR_NONE, "N", said)
    gates.add(parser, "cost")
    parser.set_defaults(speaks=True)


def run(arguments: argparse.Namespace) -> NoReturn:
    """Run the command, which says all itself; leaves by SystemExit."""
    settings = options.settings(arguments, source="", destination="", cut=0.0)
    if not arguments.files:
        raise UsageError("Give FILES to read.")
    if arguments.spec is None and (arguments.best is not None or arguments.worst is not None):
        raise UsageError("--best and --worst are for --spec FILE.")
    with contextlib.closing(Progress(arguments.json)) as progress:
        with output.muted(1, arguments.verbose):
            code = _Matrix(arguments, settings, progress).run()
        raise SystemExit(code or int(progress.is_missed))


class _Matrix:
    """One call of the command."""

    def __init__(self, arguments: argparse.Namespace, settings: Any, progress: Progress) -> None:
        # bpy is imported only now that its chatter is kept aside
        from ...blender.cost.library import Library

        self.arguments, self.progress = arguments, progress
        self.library = Library(settings)
        self.failed: list[str] = []
        self.warnings: list[str] = []
        self.origins: dict[Any, tuple[Path, ...]] = {}
        self.wanted = [Output("-o", arguments.output / name, (Path(name).suffix,)) for name in FILES]
        self.wanted.append(Output("--spec", arguments.spec, (".json",)))

    def run(self) -> int:
        """Do all, and return the exit code."""
        arguments, progress = self.arguments, self.progress
        outputs.check(self.wanted, arguments.files, made=arguments.output)
        places.make_folders(arguments.output)
        self._read()
        self._choose()
        count = len(self.library.clips)
        if count < 2:
            raise InertiaError(
                "{count} clip{plural} can be read; a matrix needs two or more.",
                count=count,
                plural="s" * (count != 1),
            )
        edges = self._edges()
        for sentence in self.library.skipped:
            progress.event("skipped", {"error": sentence}, f"note: {sentence}")
        called = self.library.names()
        over = [
            breach
            for edge in edges
            for breach in gates.breaches(
                arguments, f"{called[edge.source]} to {called[edge.destination]}", {"cost": edge.cost}
            )
        ]
        for breach in over:
            progress.event("gate", vars(breach), f"gate: {breach.sentence()}")
        self._write(edges, [vars(breach) for breach in over])
        if arguments.spec is not None:
            self._write_spec(edges)
        self._summary(edges, len(over))
        return 1 if self.failed or over else 0

    def _read(self) -> None:
        """Read the files one after the other, at once those that can be."""
        from ...blender.data import named
        from ...blender.evaluation import joints
        from ...motion.steps import finish
        from .. import session

        groups = self._groups()
        self.progress.start(len(groups), "files")
        for group in groups:
            shown = group[0].stem if len(group) == 1 else f"{len(group)} files"
            try:
                read = session.load(self.arguments, group, self.wanted)
                self.warnings += read.warnings
                for warning in read.warnings:
                    self.progress.event("note", {"note": warning})
                armature = named.find_armature(self.arguments.armature)
                session.tell_of_joints(armature, self.arguments.joints)
                weights = joints.named_weights(armature, self.arguments.joints)
                finish(self.library.add(shown, armature, weights))
                self.origins |= dict.fromkeys(set(self.library.clips) - set(self.origins), tuple(group))
            except UsageError:
                raise
            except InertiaError as error:
                self._fail(f"{group[0].name}: {error}", {"files": [str(path) for path in group]})
            self.progress.step()
        self.progress.finish()

    def _groups(self) -> list[list[Path]]:
        files = self.arguments.files
        if len(files) == 1 or file_kinds.are_joined(files):
            return [options.input_files(self.arguments)]
        # what is said of --scale and --fps is said for each file
        given = vars(self.arguments)
        return [options.input_files(argparse.Namespace(**{**given, "files": [path]})) for path in files]

    def _choose(self) -> None:
        """Leave only the clips that were asked for."""
        if not self.arguments.clips:
            return
        known = [clip.action for clip in self.library.clips]
        armature = self.arguments.armature or ""
        chosen = {names.choose_action(name, known, armature) for name in self.arguments.clips}
        self.library.clips = [clip for clip in self.library.clips if clip.action in chosen]

    def _edges(self) -> list[Any]:
        pairs, edges = self.library.pairs(), []
        search = Search(**options.given(Search, self.arguments))
        called = self.library.names()
        self.progress.event("start", {"clips": len(self.library.clips), "pairs": len(pairs)})
        self.progress.start(len(pairs), "pairs")
        for source, destination in pairs:
            try:
                edges.append(self.library.edge(source, destination, search, self.arguments.exact))
            except InertiaError as error:
                self._fail(f"{called[source]} to {called[destination]}: {error}", {})
            self.progress.step()
        self.progress.finish()
        return edges

    def _fail(self, sentence: str, values: dict[str, Any]) -> None:
        self.failed.append(sentence)
        self.progress.event("failed", {**values, "error": sentence}, f"failed: {sentence}")

    def _write(self, edges: list[Any], over: list[dict[str, Any]]) -> None:
        """Write the four files, which take their places when all are complete."""
        from ...batch.work.journal import as_json
        from ...blender.files import picture_files
        from ...plots.chart import sheet
        from ...storage import safe_write
        from ..matrix import report as matrix_report
        from ..matrix import tables as matrix_tables

        folder, library = self.arguments.output, self.library
        ranked = sorted(edges, key=lambda edge: edge.cost)
        rows = [matrix_tables.as_row(edge, library) for edge in ranked]
        values = {
            "files": [str(path) for path in self.arguments.files],
            "unit": "metre seconds",
            "method": library.settings.curve,
            "seconds": library.settings.seconds(library.fps),
            "root": library.root,
            "weights": {name: weight for name, weight in (library.weights or {}).items() if weight > 0.0},
            "searched": "exact" if self.arguments.exact else "features",
            "clips": [
                {"name": name, "file": clip.file, "action": clip.action, "frames": clip.frames}
                for name, clip in zip(library.names(), library.clips, strict=True)
            ],
            "edges": rows,
            "over_gates": over,
            "warnings": self.warnings,
            "failed": self.failed,
            "skipped": library.skipped,
        }
        overview = matrix_report.overview(edges, library)
        maps = matrix_report.maps(ranked, library, PICTURES)
        with picture_files.lettering():
            contents = (
                as_json(values).encode(),
                matrix_tables.as_csv(rows).encode(),
                picture_files.as_png(sheet([overview])),
                matrix_report.html(values, overview, maps).encode(),
            )
        with half_written.whole(), contextlib.ExitStack() as written:
            for name, content in zip(FILES, contents, strict=True):
                file = written.enter_context(safe_write.replacing(folder / name, settled=False))
                file.write_bytes(content)

    def _write_spec(self, edges: list[Any]) -> None:
        """Write the spec of the best and the worst edges."""
        from ...batch.work.journal import write_json
        from ..matrix import spec as matrix_spec

        arguments = self.arguments
        ranked = sorted(edges, key=lambda edge: edge.cost)
        within = matrix_spec.bakeable(ranked, self.library, self.origins)
        if len(within) < len(ranked):
            apart = len(ranked) - len(within)
            said = (
                f"{apart} edges lead from one file to another and are not in the spec: batch bakes none such."
            )
            self.progress.event("note", {"note": said}, f"note: {said}")
        best, worst = (EACH if n is None else n for n in (arguments.best, arguments.worst))
        chosen = matrix_spec.chosen(within, best, worst)
        if not chosen:
            raise InertiaError("There is no edge to write a spec of.")
        folder = arguments.spec.parent
        values = matrix_spec.spec(chosen, self.library, self.origins, vars(arguments), folder)
        write_json(arguments.spec, values)

    def _summary(self, edges: list[Any], over: int) -> None:
        values = {
            "clips": len(self.library.clips),
            "pairs": len(edges),
            "failed": len(self.failed),
            "over_gates": over,
        }
        said = f"{values['clips']} clips, {values['pairs']} pairs"
        said += f", {len(self.failed)} failed" if self.failed else ""
        said += f", {over} over a gate" if over else ""
        self.progress.summary(values, said, self.arguments.output, self.arguments.output / "matrix.html")
