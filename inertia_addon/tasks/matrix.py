# SPDX-License-Identifier: GPL-3.0-or-later
"""Matrices: where clips of an armature meet best, such as those of two parts of a library, and parts that are
put together."""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ..errors import InertiaError
from ..records import record
from ..settings.cost import Search
from ..settings.transition import TransitionSettings
from .task import Done, Task, Work

if TYPE_CHECKING:
    from ..blender.cost.library import ClipLibrary, Edge


@record(frozen=True)
class MatrixTask(Task):
    """The best meeting of each of some clips with each of others.

    settings: as far as a cost depends on them. search: what may be found. sources, destinations: names of
    actions, () for all that fit. exact: whether all exact costs are searched. In its JSON values ``edges``
    has what the command ``matrix`` says of each pair, by the names of the actions, and ``failed`` a sentence
    for each pair that can't meet.
    """

    KIND = "matrix"
    SETTINGS = TransitionSettings
    EVENT = ("pairs", "failed")
    SUMMARY = ("pairs", "failed")
    NESTED = {"search": Search}

    search: Search = dataclasses.field(default_factory=Search)
    sources: tuple[str, ...] = ()
    destinations: tuple[str, ...] = ()
    exact: bool = False

    @property
    def label(self) -> str:
        """Whose pairs they are, for a reader."""
        sides = (
            ", ".join(side[:2]) + ", ..." * (len(side) > 2) for side in (self.sources, self.destinations)
        )
        return "matrix of {} and {}".format(*(side or "all clips" for side in sides))

    def resolved(self, armature: str) -> Self:
        """Return the task with the names of its actions as the file has them."""
        from ..blender.data import names

        sources, destinations = (names.resolve(s, armature) for s in (self.sources, self.destinations))
        return dataclasses.replace(self, sources=sources, destinations=destinations)

    def make(self, work: Work, *, bakes: bool) -> Done:
        """Find the best meeting of each source with each destination among the armature's clips, never of a
        clip with itself.

        sources and destinations are names of clips; where either is empty all clips count. Names that fit no
        clip of the library pair with nothing. bakes is ignored: nothing is made. A pair that can't meet adds
        a sentence to "failed" and does not end the work. values of the Done: "pairs" (how many met),
        "compared" (a dict of how: settings, search, exact, root, weights, fps), "clips" (dicts of action and
        frames), "edges" (dicts of source, destination, cut, destination_frame, cost in metre seconds, bone,
        share and verdict, which is None where not judged), "failed" and "skipped" (sentences). Raise
        InertiaError where the armature's clips can't be read at all.
        """
        from ..blender.cost.library import ClipLibrary, Open

        library = ClipLibrary(self.settings, skate_weight=self.search.skate_weight)
        work.run(library.add("", work.armature, work.weights()), "reading")
        stage = Open.of(work.armature) if self.search.by == "JUDGED" else None
        names = [clip.action for clip in library.clips]
        pairs = [
            (source, destination)
            for source, destination in library.pairs()
            if names[source] in (self.sources or names) and names[destination] in (self.destinations or names)
        ]
        edges, failed = [], []
        for source, destination in pairs:
            try:
                edge = library.edge(source, destination, self.search, exact=self.exact, stage=stage)
            except InertiaError as error:
                failed.append(f"{names[source]} to {names[destination]}: {error}")
                continue
            edges.append(edge_values(edge, names))
        work.count("comparing")
        clips = [{"action": clip.action, "frames": clip.frames} for clip in library.clips]
        values = {
            "pairs": len(edges),
            "compared": {
                "settings": library.settings.as_dict(),
                "search": self.search.as_dict(),
                "exact": self.exact,
                "root": library.root,
                "weights": library.weights,
                "fps": library.fps,
            },
            "clips": clips,
            "edges": edges,
            "failed": failed,
            "skipped": library.skipped,
        }
        return Done(self.label, values)


def edge_values(edge: Edge, names: Sequence[str]) -> dict[str, Any]:
    """Return an edge as JSON values. names: of the library's clips."""
    ends = {"source": names[edge.source], "destination": names[edge.destination]}
    verdict = None if edge.verdict is None else edge.verdict.as_dict()
    return {**vars(edge), **ends, "verdict": verdict}


def are_parts(paths: Sequence[Path]) -> bool:
    """Tell whether files are parts of a matrix, in place of clips."""
    return bool(paths) and all(path.suffix.lower() == ".json" for path in paths)


@record(frozen=True, eq=False)
class Gathered:
    """Parts that are put together.

    library: their clips, without how they move. edges, failed: of their pairs. search, exact: how they were
    compared.
    """

    library: ClipLibrary
    edges: list[Edge]
    failed: list[str]
    search: Search
    exact: bool


def gathered(paths: Sequence[Path]) -> Gathered:
    """Read files that batch has written of "matrices", and return them put together to one :class:`Gathered`.

    Its library has the clips of all in the order in which their actions' names first come, without how they
    move; of a name that comes again the number of frames is the last one's. Edges stand once for each pair of
    actions, as in the first file that has the pair; sentences on failed pairs, and on clips that were skipped
    (in the library), stand once each. Settings, weights, search and exact are those of the first file. Raise
    InertiaError for a file that can't be read or is no part of a matrix, for parts that were compared in
    different ways, for damaged contents, and if there are no paths.
    """
    parts = [_read_part(path) for path in paths]
    for path, part in zip(paths, parts, strict=True):
        if part["compared"] != parts[0]["compared"]:
            raise InertiaError(
                f'"{path.name}" was compared in another way than "{paths[0].name}"; give matrices of one way.'
            )
    try:
        return _together(parts)
    except InertiaError as error:
        raise InertiaError(f"These files are no parts of a matrix: {error}") from error
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError) as error:
        raise InertiaError(f"These files are no parts of a matrix: {error!r}.") from error


def _read_part(path: Path) -> dict[str, Any]:
    """Read a .json file and return its values as a dict, if these have all keys of a part of a matrix:
    "compared", "clips", "edges", "failed" and "skipped".

    Other keys are kept; what the keys hold is not checked. Raise InertiaError if the file can't be read, is
    no JSON object, or lacks a key.
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        is_part = {"compared", "clips", "edges", "failed", "skipped"} <= values.keys()
    except (OSError, ValueError, AttributeError, RecursionError) as error:
        raise InertiaError(f'"{path.name}" can\'t be read as a part of a matrix: {error}.') from error
    if not is_part:
        raise InertiaError(
            f'"{path.name}" is no part of a matrix; give .json files that batch has written of "matrices".'
        )
    return dict(values)


def _together(results: Sequence[dict[str, Any]]) -> Gathered:
    from ..blender.cost.library import ClipLibrary, Edge, LibraryClip
    from ..blender.judging.verdict import Verdict

    def all_of(name: str) -> list[Any]:
        return [*itertools.chain.from_iterable(part[name] for part in results)]

    compared = results[0]["compared"]
    search = Search.from_dict(compared["search"])
    frames = {clip["action"]: clip["frames"] for clip in all_of("clips")}
    library = ClipLibrary(
        TransitionSettings.from_dict(compared["settings"]),
        compared["weights"],
        compared["root"],
        search.skate_weight,
        compared["fps"],
        clips=[LibraryClip("", action, count) for action, count in frames.items()],
        skipped=[*dict.fromkeys(all_of("skipped"))],
    )
    places = {action: i for i, action in enumerate(frames)}
    edges: dict[tuple[int, int], Edge] = {}
    for values in all_of("edges"):
        ends = places[values["source"]], places[values["destination"]]
        figures = {name: values[name] for name in ("cut", "destination_frame", "cost", "bone", "share")}
        verdict = None if values["verdict"] is None else Verdict.from_dict(values["verdict"])
        edges.setdefault(ends, Edge(*ends, **figures, verdict=verdict))
    failed = [*dict.fromkeys(all_of("failed"))]
    return Gathered(library, [*edges.values()], failed, search, compared["exact"])
