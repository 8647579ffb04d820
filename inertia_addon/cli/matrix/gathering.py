# SPDX-License-Identifier: GPL-3.0-or-later
"""A matrix of parts: the .json files that ``batch`` writes of matrices, put together."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...blender.cost.library import Edge, Library, LibraryClip
from ...blender.judging.verdict import Verdict
from ...errors import InertiaError
from ...settings.cost import Search
from ...settings.transition import TransitionSettings

SUFFIX = ".json"


def are_parts(paths: Sequence[Path]) -> bool:
    """Whether files are parts of a matrix, in place of clips."""
    return bool(paths) and all(path.suffix.lower() == SUFFIX for path in paths)


def gathered(paths: Sequence[Path]) -> tuple[Library, list[Edge], Search, bool]:
    """The clips of parts, without how they move; the edges; how they were searched, and whether exactly.

    A pair that several parts have is taken from the first. Raises InertiaError for files that are none, and
    for parts that were compared in other ways.
    """
    parts = [(path, _read(path)) for path in paths]
    (_, first), *_ = parts
    for path, part in parts:
        if part["compared"] != first["compared"]:
            names = [name for name, value in part["compared"].items() if value != first["compared"][name]]
            raise InertiaError(
                f'"{path.name}" was compared in another way than "{paths[0].name}", by its {names[0]}; give '
                "matrices of one way."
            )
    how = first["compared"]
    library = Library(TransitionSettings.from_dict(how["settings"]), how["weights"], how["root"])
    library.fps, search = how["fps"], Search.from_dict(how["search"])
    library.skate_weight = search.skate_weight
    frames = {clip["action"]: clip["frames"] for _, part in parts for clip in part["clips"]}
    library.clips = [LibraryClip("", action, count) for action, count in frames.items()]
    library.skipped = list(dict.fromkeys(said for _, part in parts for said in part["skipped"]))
    places = {action: i for i, action in enumerate(frames)}
    edges: dict[tuple[int, int], Edge] = {}
    for _, part in parts:
        for told in part["edges"]:
            ends = places[told["source"]], places[told["destination"]]
            verdict = None if told["verdict"] is None else Verdict.from_dict(told["verdict"])
            edges.setdefault(ends, Edge(*ends, **{**_figures(told), "verdict": verdict}))
    return library, list(edges.values()), search, how["exact"]


def _figures(told: dict[str, Any]) -> dict[str, Any]:
    return {name: told[name] for name in ("cut", "destination_frame", "cost", "bone", "share")}


def _read(path: Path) -> dict[str, Any]:
    """A part. Raises InertiaError where it is none."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        known = {"compared", "clips", "edges", "skipped"} <= values.keys()
    except (OSError, ValueError, AttributeError) as error:
        raise InertiaError(f'"{path.name}" can\'t be read as a part of a matrix: {error}.') from error
    if not known:
        raise InertiaError(
            f'"{path.name}" is no part of a matrix; give .json files that batch has written of "matrices".'
        )
    return dict(values)
