# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``matrix``: all clips with all clips, where each meets each other one best."""

from __future__ import annotations

import argparse
import contextlib
import csv
import dataclasses
import functools
import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from .. import escapes
from ..batch.work.journal import write_json
from ..console import output, output_files
from ..console.output_files import Output
from ..console.progress import Progress
from ..errors import InertiaError, UsageError
from ..records import record
from ..settings import fields
from ..settings.cost import Joints, Search
from ..settings.transition import TransitionSettings
from ..storage import file_kinds, safe_write
from ..tasks import matrix
from ..tasks.task import AskedSettings, headline, transition_of
from . import gates, opened, options

if TYPE_CHECKING:
    from ..blender.cost.library import ClipLibrary, Edge, LibraryClip, Open
    from .matrix_player import PlayedClips

HELP = "compare all clips with all clips, and draw where each transition is best"
DESCRIPTION = """Find the best transition from each clip to each other one, before any is baked.

For every ordered pair of clips: the cut and the destination frame, of those that cost least, that look best,
with the verdict, the cost, and the bone that adds most to it. --by cost takes what costs least and judges
none, which is much quicker. The cost is in metre seconds; see the command cost. The files
may be several files of one skeleton; the clips are all actions that fit the armature. Between two files pairs
are found by cost alone. Of .json files, the parts of a matrix that batch writes, one matrix is made as they
are.

Into the folder -o go matrix.json, matrix.csv, matrix.png (a map with the clips' names) and matrix.html: a
report of one file that opens from disk, with a table to sort, the maps of the best and worst pairs, and a
player: a click on a cell plays the pair.
--spec writes the best and the worst edges for batch to bake.

Exit codes: 0 done, 1 a file or a pair failed or a gate was exceeded, 2 wrong usage, 130 stopped by an
interrupt, 143 by a request to terminate."""

FIELDS = {
    *("method", "quintic_start", "blend_frames", "half_life", "extrapolation_half_life"),
    *("velocity", "alignment", "align_height", "align_bone", "root"),
}
"""The settings that costs of a whole library depend on."""
FILES = ("matrix.json", "matrix.csv", "matrix.png", "matrix.html")
"""What goes into the folder."""
EACH = 10
"""So many of the best edges, and of the worst, go into a spec unless it is said."""
SEARCH = ("keep_frames", "before_seconds", "behind_seconds", "skate_weight", "by")
"""What may be said of the search of each pair."""
PICTURES = 6
"""So many of the best and of the worst pairs get a map of their own in the report."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options to its parser, and set ``speaks`` to True, as it writes its events itself,
    and ``weights`` to None. Only -o is needed.

    In the namespace are ``files``, a list of paths, [] for none; ``output`` (-o) and ``spec``, each a Path,
    and ``clips``, a list of names, ``best``, ``worst``, ``armature``, and how files are read (``scale``,
    ``fps`` and so on), None unless given; ``exact``, ``json`` and ``verbose``, False unless given;
    ``joints``, with its default; and ``max_cost``, ``max_skate``, ``max_lift``, ``max_reach`` and
    ``max_pop``, None unless given. Those settings of the blend, :data:`FIELDS`, and of the search,
    :data:`SEARCH`, that are not given stay out of the namespace.
    """
    groups: dict[str, Any] = {}
    options.add_input(parser)
    options.add_asked(parser, AskedSettings(TransitionSettings, FIELDS), groups)
    group = groups["searching"] = parser.add_argument_group("searching")
    group.add_argument(
        "--clips", nargs="+", metavar="ACTION", help="only these clips (default: all that fit)"
    )
    options.add_asked(parser, AskedSettings(Joints, ("joints",), title="searching"), groups)
    options.add_asked(parser, AskedSettings(Search, SEARCH, title="searching"), groups)
    options.add_switch(
        group,
        "--exact",
        "search all exact costs, which takes longer; else the features find a few meetings of each "
        "pair, and the best of these by exact cost is listed",
    )
    group = parser.add_argument_group("writing")
    options.add_path(group, "-o", "OUTDIR", "the folder to write into", required=True)
    options.add_path(
        group,
        "--spec",
        "FILE",
        "write a .json spec of the best and the worst edges, which batch bakes as they were found",
    )
    for which in ("best", "worst"):
        count = f"how many of the {which} edges go into --spec (default: {EACH})"
        options.add_number(group, f"--{which}", fields.LISTED_OR_NONE, "N", count)
    gates.add(parser, "cost", "skate", "lift", "reach", "pop")
    parser.set_defaults(speaks=True, weights=None)


def run(arguments: argparse.Namespace) -> NoReturn:
    """Run the command, which says and writes all itself, and leave by SystemExit with the exit code.

    Without FILE the file that is open in Blender is read, if it was started for this command, and
    arguments.files is set to it. Files that are all .json are parts of a matrix, which are put together;
    others are read and compared. What Blender prints is kept from standard output. The code is 0, or 1 if a
    file or a pair failed, a gate was exceeded or results could not be written. Raise UsageError without any
    file, for --best or --worst without --spec, and for options that don't fit the files or the method;
    InertiaError for what can't be read or written.
    """
    settings = transition_of(vars(arguments), source="", destination="", cut=0.0)
    already = opened.file()
    if not arguments.files and already is not None and opened.is_of_blender(sys.argv):
        arguments.files = [already]
    if not arguments.files:
        raise opened.explain_missing(sys.argv)
    if arguments.spec is None and (arguments.best is not None or arguments.worst is not None):
        raise UsageError("--best and --worst are for --spec FILE.")
    with contextlib.closing(Progress(as_json=arguments.json)) as progress:
        with output.muted(1, show=arguments.verbose):
            # bpy is imported only now that its chatter is kept aside
            from ..blender.cost.library import ClipLibrary

            if matrix.are_parts(arguments.files):
                _check_parts(arguments)
            else:
                # before a folder is made
                _read_together(arguments)
            search = Search(**{**fields.list_requests(Search), **fields.parsed(Search, vars(arguments))})
            library = ClipLibrary(settings, skate_weight=search.skate_weight)
            code = MatrixRun(arguments, progress, library, search, arguments.exact).run()
        raise SystemExit(code or int(progress.results.is_missed))


def _check_parts(arguments: argparse.Namespace) -> None:
    """Raise UsageError if --clips, --spec, --exact, a setting of the blend or one of the search was given,
    which parts of a matrix can't be asked for; the first is named.
    """
    asked = vars(arguments)
    names = [name for name in ("clips", "spec") if asked[name] is not None] + ["exact"] * arguments.exact
    names += [*sorted(FIELDS & asked.keys()), *fields.parsed(Search, asked)]
    if names:
        flag = names[0].replace("_", "-")
        raise UsageError(f"Parts of a matrix are put together as they are; leave out --{flag}.")


def _read_together(arguments: argparse.Namespace) -> list[list[Path]]:
    """Return the files in groups, each of which is read at once: all together if their kinds can be joined,
    such as .glb and .gltf, else each by itself. Without files it is one empty group.

    Raise UsageError for options, such as --scale, that are not for the kind of a file, or that are given
    without files.
    """
    files = arguments.files
    if len(files) == 1 or file_kinds.are_joined(files):
        return [options.input_files(arguments)]
    each = [argparse.Namespace(**{**vars(arguments), "files": [path]}) for path in files]
    return [*map(options.input_files, each)]


Pair = tuple[int, int]


@record(eq=False)
class MatrixRun:
    """One call of the command. origins: the files that each clip is read from, none for parts. played: what
    the report plays of them."""

    arguments: argparse.Namespace
    progress: Progress
    library: ClipLibrary
    search: Search
    exact: bool
    failed: list[str] = dataclasses.field(default_factory=list)
    warnings: list[str] = dataclasses.field(default_factory=list)
    origins: dict[LibraryClip, tuple[Path, ...]] = dataclasses.field(default_factory=dict)
    played: PlayedClips | None = None
    _opened: tuple[Path, ...] = ()

    @property
    def outputs(self) -> list[Output]:
        """What is to be written."""
        folder = self.arguments.output
        within = [Output("-o", folder / name, (Path(name).suffix,)) for name in FILES]
        return [*within, Output("--spec", self.arguments.spec, (".json",))]

    def run(self) -> int:
        """Read, compare and write everything, and return the exit code: 0, or 1 if a file or a pair failed or
        a gate was exceeded.

        The output folder is made if it is not there: before clips are read, but after parts are. Parts are
        put together without reading clips. Events are said for what failed, each clip that was skipped, each
        breach of a gate ("gate") and, at the end, a "summary" with the numbers of ``clips``, ``pairs``,
        ``failed`` and ``over_gates`` (breaches). The four files, see :meth:`_write_files`, and then the spec
        if one is asked for, are written before the summary, with what exceeds a gate in them.

        Raise UsageError for outputs that are inputs, with nothing done. Raise InertiaError for files that are
        no parts and for fewer than two clips, with nothing written but perhaps the folder; for a spec without
        edges, with all else written; and for what can't be written.
        """
        arguments, progress = self.arguments, self.progress
        output_files.check(self.outputs, options.files_read(arguments), new_folder=arguments.output)
        parts = matrix.gathered(arguments.files) if matrix.are_parts(arguments.files) else None
        if parts is None:
            output_files.make_folders(arguments.output)
            self._read_clips()
        else:
            self.library, self.search, self.exact = parts.library, parts.search, parts.exact
        count = len(self.library.clips)
        if count < 2:
            raise InertiaError(f"{count} clip{'s' * (count != 1)} can be read; a matrix needs two or more.")
        output_files.make_folders(arguments.output)
        for sentence in parts.failed if parts else ():
            self._fail(sentence, {})
        edges = parts.edges if parts else self._edges()
        for sentence in self.library.skipped:
            progress.event("skipped", {"error": sentence}, f"note: {sentence}")
        names = self.library.names()
        measured = [(f"{names[edge.source]} to {names[edge.destination]}", edge.measured) for edge in edges]
        over = gates.judge(arguments, measured, functools.partial(progress.event, "gate"))
        if blind := sorted({flag for _, each in measured for flag in gates.unmeasured(arguments, each)}):
            progress.say(f"note: {', '.join(blind)} can't judge all pairs; matrix.json says which it can.")
        ranked = _ranked(edges)
        self._write_files(ranked, over)
        if arguments.spec is not None:
            self._write_spec(ranked)
        failed = len(self.failed)
        counts = {"clips": count, "pairs": len(edges), "failed": failed, "over_gates": len(over)}
        line = f"{count} clips, {len(edges)} pairs"
        line += "".join(f", {n} {what}" for n, what in ((failed, "failed"), (len(over), "over a gate")) if n)
        progress.summary(counts, line, arguments.output, arguments.output / "matrix.html")
        return 1 if self.failed or over else 0

    def _read_clips(self) -> None:
        """Read the files group by group into Blender, and add their clips to the library; then keep only
        those of --clips, if given.

        A group that can't be read counts as failed, which is told, and does not end the run; clips that it
        had added until then stay in the library. origins (by clip, the files of its group), warnings and
        failed are filled, and progress is shown. What was loaded last stays open. Raise UsageError for wrong
        options, InertiaError for a name in --clips that fits no clip.
        """
        from ..blender.data import names, scene
        from ..blender.evaluation import playback
        from ..motion.steps import finish
        from . import session
        from .matrix_player import PlayedClips

        self.played = PlayedClips()
        groups = _read_together(self.arguments)
        self.progress.start(len(groups), "files")
        for group in groups:
            shown = group[0].stem if len(group) == 1 else f"{len(group)} files"
            # what is loaded takes the place of what was open, also where it turns out to be of no use
            self._opened = ()
            try:
                read = session.load(self.arguments, group, self.outputs)
                self.warnings += read.warnings
                for warning in read.warnings:
                    self.progress.event("note", {"note": warning})
                armature = names.find_armature(self.arguments.armature)
                weights = session.joint_weights(self.arguments, armature)
                with scene.use_scene_of(armature), playback.enable(armature):
                    finish(self.library.add(shown, armature, weights))
                    new = [clip for clip in self.library.clips if clip not in self.origins]
                    self.origins |= dict.fromkeys(new, tuple(group))
                    self.played.add_clips(armature, new)
                self._opened = tuple(group)
            except UsageError:
                raise
            except InertiaError as error:
                self._fail(f"{group[0].name}: {error}", {"files": [str(path) for path in group]})
            self.progress.step()
        self.progress.finish()
        if self.arguments.clips:
            actions, armature = [clip.action for clip in self.library.clips], self.arguments.armature or ""
            chosen = {names.choose_action(name, actions, armature) for name in self.arguments.clips}
            self.library.clips = [clip for clip in self.library.clips if clip.action in chosen]

    def _edges(self) -> list[Edge]:
        """Compare all pairs of clips, and return their edges in the order in which they were compared.

        That is the library's order of pairs. Where edges are to be judged, pairs of the same files come one
        after another instead, those of the files that are open first, and each set of files is opened in
        Blender; pairs of different files come last and are found by cost alone, which a note says. Pairs that
        can't meet are told as failed, added to self.failed and left out. Progress is shown. Raise
        InertiaError if files can't be opened again.
        """
        from ..blender.data import scene
        from ..blender.evaluation import playback

        pairs, edges, names = self.library.pairs(), [], self.library.names()
        self.progress.event("start", {"clips": len(names), "pairs": len(pairs)})
        self.progress.start(len(pairs), "pairs")
        is_judged = self.search.by == "JUDGED"
        # what is open comes first, and last what no file has both clips of
        by_files: dict[tuple[Path, ...], list[Pair]] = {
            files: [] for files in (*reversed(self.origins.values()), ())
        }
        for pair in pairs:
            files, *others = {self.origins[self.library.clips[i]] for i in pair}
            by_files[files if is_judged and not others else ()].append(pair)
        for files, together in by_files.items():
            if is_judged and together and not files:
                self._say_note(
                    f"{len(together)} pairs lead from one file to another and are found by cost alone: no "
                    "file that is open has both clips."
                )
            stage = self._stage(files) if files and together else None
            armature = None if stage is None else stage.armature
            with scene.use_scene_of(armature), playback.enable(armature):
                for source, destination in together:
                    try:
                        edges.append(
                            self.library.edge(source, destination, self.search, exact=self.exact, stage=stage)
                        )
                    except InertiaError as error:
                        self._fail(f"{names[source]} to {names[destination]}: {error}", {})
                    self.progress.step()
        self.progress.finish()
        return edges

    def _stage(self, files: tuple[Path, ...]) -> Open:
        """Return the open armature with its clips, for judging, after opening files in Blender, unless they
        are noted as those that were read or opened last.

        The armature is the one that --armature names, else the file's only one. Raise InertiaError if they
        can't be opened or have no such armature.
        """
        from ..blender.cost.library import Open
        from ..blender.data import names
        from . import session

        if files != self._opened:
            session.load(self.arguments, list(files), self.outputs)
            self._opened = files
        return Open.of(names.find_armature(self.arguments.armature))

    def _say_note(self, sentence: str) -> None:
        self.progress.event("note", {"note": sentence}, f"note: {sentence}")

    def _fail(self, sentence: str, values: dict[str, Any]) -> None:
        self.failed.append(sentence)
        self.progress.event("failed", {**values, "error": sentence}, f"failed: {sentence}")

    def _write_files(self, ranked: list[Edge], over: list[dict[str, Any]]) -> None:
        """Write matrix.json, matrix.csv, matrix.png and matrix.html into the folder; they take their places
        when all are complete.

        ranked: edges, the best first; all files have them in this order. over: breaches of gates.

        The JSON has ``files``; how clips were compared: ``unit``, ``method``, ``seconds``, ``root``,
        ``weights`` of the joints above 0, ``skate_weight``, ``searched`` ("exact" or "features") and ``by``;
        ``clips``, each with ``name``, ``file``, ``action`` and ``frames``; ``edges``, each with the fields of
        an Edge, its clips by name and its verdict as a dict or None; ``over_gates``; and the sentences
        ``warnings``, ``failed`` and ``skipped``.

        The report has maps of the six best and six worst edges, and plays each pair; neither for parts. An
        edge is not in both. Raise
        InertiaError if a file can't be written.
        """
        from ..blender.files import picture_files
        from ..plots.chart import sheet
        from . import matrix_report as report
        from .matrix_player import player_values

        folder, library = self.arguments.output, self.library
        names = library.names()
        rows = [matrix.edge_values(edge, names) for edge in ranked]
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
                for name, clip in zip(names, library.clips, strict=True)
            ],
            "edges": rows,
            "over_gates": over,
            "warnings": self.warnings,
            "failed": self.failed,
            "skipped": library.skipped,
        }
        overview = report.overview(ranked, library)
        # of parts nothing is known of how the clips move
        pictures = PICTURES if self.origins else 0
        best = ranked[:pictures]
        worst = [edge for edge in ranked[::-1][:pictures] if edge not in best]
        played = {} if self.played is None else player_values(self.played, library, ranked)
        with picture_files.outline_texts():
            picture = picture_files.as_png(sheet([overview]))
            contents = (
                f"{output.as_json(values, 1)}\n".encode(),
                _as_csv(rows).encode(),
                picture,
                report.html(values, (overview, picture), library, (best, worst), played).encode(),
            )
        with safe_write.whole(), contextlib.ExitStack() as written:
            for name, content in zip(FILES, contents, strict=True):
                file = written.enter_context(safe_write.replace_safely(folder / name, settled=False))
                file.write_bytes(content)

    def _write_spec(self, ranked: list[Edge]) -> None:
        """Write the --spec file of the best and the worst edges, for batch to bake.

        ranked: edges, the best first, the order in which they are written. Edges whose clips come from
        different files are left out, which a note says. --best and --worst say how many of each end are
        taken, ten by default; where these are together no fewer than there are edges, all are, each once.
        Raise InertiaError if no edge is left, as with 0 for both, or if the file can't be written.
        """
        arguments, clips, origins = self.arguments, self.library.clips, self.origins
        # no file holds both clips of the others
        within = [edge for edge in ranked if origins[clips[edge.source]] == origins[clips[edge.destination]]]
        if apart := len(ranked) - len(within):
            self._say_note(
                f"{apart} edges lead from one file to another and are not in the spec: batch bakes none such."
            )
        best, worst = (EACH if count is None else count for count in (arguments.best, arguments.worst))
        if best + worst < len(within):
            within = [*within[:best], *within[len(within) - worst :]]
        if not within:
            raise InertiaError("There is no edge to write a spec of.")
        write_json(arguments.spec, self._spec(within))

    def _spec(self, edges: list[Edge]) -> dict[str, Any]:
        """Return a spec, as JSON values, that bakes `edges`, in their order, at the cuts and destination
        frames that were found.

        "armature", "scale", "fps" and "up" are there if they were given; "joints" is the option's value.
        "defaults" has those transition settings that are options of the command, choices as specs spell them,
        and the root by which all clips were compared. "transitions" has a dict for each edge: "source" and
        "destination", which are the actions' names, "cut" and "destination_frame".

        If all clips come from the same files, "files" stands once, at the top. Otherwise each transition has
        the "files" of its source, and a "name" such as "01_{source}_to_{destination}", a pattern that the
        batch fills, numbered from 1 as clips may share names. Paths are relative to the spec's folder.
        """
        asked, folder = vars(self.arguments), self.arguments.spec.parent
        library, origins = self.library, self.origins
        read = list(dict.fromkeys(origins.values()))
        values: dict[str, Any] = {} if len(read) > 1 else {"files": _from(folder, read[0])}
        values |= {
            name: asked[name] for name in ("armature", "scale", "fps", "up") if asked.get(name) is not None
        }
        settings = fields.worded(TransitionSettings, library.settings.as_dict())
        # what is not asked is as usual in a spec, too; the root is the one that all clips were compared by
        defaults = {name: settings[name] for name in sorted(settings) if name in asked and name != "root"}
        values |= {"joints": asked["joints"], "defaults": {**defaults, "root": library.root}}
        digits = len(str(len(edges)))
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
                transition["name"] = f"{place:0{digits}}_{{source}}_to_{{destination}}"
            values["transitions"].append(transition)
        return values


def _ranked(edges: list[Edge]) -> list[Edge]:
    """Rank edges, the best first: by their verdicts where all are judged, else by cost."""
    by_verdict = all(edge.verdict for edge in edges)
    return sorted(
        edges, key=lambda edge: (*([edge.verdict.order] if by_verdict and edge.verdict else []), edge.cost)
    )


def _as_csv(rows: list[dict[str, Any]]) -> str:
    """Return edges as comma-separated text: a line of the columns' names, and a line for each edge, in the
    given order. Lines end with a line feed.

    rows: edges as JSON values. Columns are source, destination, cut, destination_frame, cost (metre seconds),
    bone, share and the verdict's first sentence ("" without one). Numbers have six significant digits; texts
    that a spreadsheet would compute begin with an apostrophe.
    """
    text = io.StringIO()
    columns = ("source", "destination", "cut", "destination_frame", "cost", "bone", "share", "verdict")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(columns)
    for row in rows:
        cells = {**row, "verdict": headline(row)}
        table.writerow([_cell(cells[name]) for name in columns])
    return text.getvalue()


def _cell(value: float | str) -> str:
    return escapes.cell(value) if isinstance(value, str) else f"{value:.6g}"


def _from(folder: Path, files: tuple[Path, ...]) -> list[str]:
    """Return how a spec in a folder names files: relative to the folder, with forward slashes, or in full on
    another drive. Links are followed.
    """
    names = []
    for file in files:
        try:
            names.append(Path(os.path.relpath(file.resolve(), folder.resolve())).as_posix())
        except ValueError:
            # on another drive
            names.append(str(file.resolve()))
    return names
