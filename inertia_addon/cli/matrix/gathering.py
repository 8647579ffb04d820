# SPDX-License-Identifier: GPL-3.0-or-later
"""A matrix of parts: the .json files that ``batch`` writes of matrices, put together."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ...blender.cost.library import Edge, Library, LibraryClip
from ...blender.judging.verdict import Verdict
from ...errors import InertiaError
from ...records import record
from ...settings.cost import Search
from ...settings.transition import TransitionSettings

SUFFIX = ".json"


def are_parts(paths: Sequence[Path]) -> bool:
    """Whether files are parts of a matrix, in place of clips."""
    return bool(paths) and all(path.suffix.lower() == SUFFIX for path in paths)


@record(frozen=True, eq=False)
class Gathered:
    """Parts that are put together.

    library: their clips, without how they move. edges, failed: of their pairs. search, exact: how they were
    compared.
    """

    library: Library
    edges: list[Edge]
    failed: list[str]
    search: Search
    exact: bool


def gathered(paths: Sequence[Path]) -> Gathered:
    """Put parts together; a pair that several have is taken from the first.

    Raises InertiaError for files that are none, and for parts that were compared in other ways.
    """
    parts = [_read(path) for path in paths]
    how = parts[0]["compared"]
    for path, part in zip(paths, parts, strict=True):
        if part["compared"] != how:
            raise InertiaError(
                f'"{path.name}" was compared in another way than "{paths[0].name}"; give matrices of one way.'
            )
    try:
        return _together(parts, how)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InertiaError(f"These files are no parts of a matrix: {error!r}.") from error


def _together(parts: Sequence[dict[str, Any]], how: dict[str, Any]) -> Gathered:
    search = Search.from_dict(how["search"])
    frames = {clip["action"]: clip["frames"] for part in parts for clip in part["clips"]}
    library = Library(
        TransitionSettings.from_dict(how["settings"]),
        how["weights"],
        how["root"],
        search.skate_weight,
        how["fps"],
        clips=[LibraryClip("", action, count) for action, count in frames.items()],
        skipped=_once(part["skipped"] for part in parts),
    )
    places = {action: i for i, action in enumerate(frames)}
    edges: dict[tuple[int, int], Edge] = {}
    for told in (edge for part in parts for edge in part["edges"]):
        ends = places[told["source"]], places[told["destination"]]
        verdict = None if told["verdict"] is None else Verdict.from_dict(told["verdict"])
        edges.setdefault(ends, Edge(*ends, **{**_figures(told), "verdict": verdict}))
    failed = _once(part["failed"] for part in parts)
    return Gathered(library, [*edges.values()], failed, search, how["exact"])


def _once(lists: Iterable[Iterable[str]]) -> list[str]:
    """All sentences, each once."""
    return list(dict.fromkeys(each for listed in lists for each in listed))


def _figures(told: dict[str, Any]) -> dict[str, Any]:
    return {name: told[name] for name in ("cut", "destination_frame", "cost", "bone", "share")}


def _read(path: Path) -> dict[str, Any]:
    """A part. Raises InertiaError where it is none."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        known = {"compared", "clips", "edges", "failed", "skipped"} <= values.keys()
    except (OSError, ValueError, AttributeError) as error:
        raise InertiaError(f'"{path.name}" can\'t be read as a part of a matrix: {error}.') from error
    if not known:
        raise InertiaError(
            f'"{path.name}" is no part of a matrix; give .json files that batch has written of "matrices".'
        )
    return dict(values)
