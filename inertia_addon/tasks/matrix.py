# SPDX-License-Identifier: GPL-3.0-or-later
"""Matrices: where clips of an armature meet best, such as those of two parts of a library."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Self

from ..errors import InertiaError
from ..records import record
from ..settings.cost import Search
from ..settings.transition import TransitionSettings
from .task import Done, Task

if TYPE_CHECKING:
    from .work import Work


@record(frozen=True)
class Matrix(Task):
    """The best meeting of each of some clips with each of others.

    settings: as far as a cost depends on them. search: what may be found. sources, destinations: names of
    actions, () for all that fit. exact: whether all exact costs are searched. In its JSON values ``edges``
    has what the command ``matrix`` says of each pair, by the names of the actions, and ``failed`` a sentence
    for each pair that can't meet.
    """

    KIND = "matrix"
    SETTINGS = TransitionSettings
    TOLD = ("pairs", "failed")
    SUMMARY = ("pairs", "failed")

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

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """The inverse of :meth:`as_dict`."""
        search = Search.from_dict(values["search"])
        return dataclasses.replace(super().from_dict({**values, "search": {}}), search=search)

    def found(self, armature: str) -> Self:
        """The task, with the names of its actions as the file has them."""
        from ..blender.data import names

        sources, destinations = (names.resolve(s, armature) for s in (self.sources, self.destinations))
        return dataclasses.replace(self, sources=sources, destinations=destinations)

    def make(self, work: Work, bakes: bool) -> Done:
        """Compare each source with each destination."""
        from ..blender.cost.library import Library, Open

        library = Library(self.settings, skate_weight=self.search.skate_weight)
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
                edge = library.edge(source, destination, self.search, self.exact, stage)
            except InertiaError as error:
                failed.append(f"{names[source]} to {names[destination]}: {error}")
                continue
            told = None if edge.verdict is None else edge.verdict.as_dict()
            ends = {"source": names[source], "destination": names[destination]}
            edges.append({**vars(edge), **ends, "verdict": told})
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
