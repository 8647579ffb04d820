# SPDX-License-Identifier: GPL-3.0-or-later
"""The page that plays what was judged: the character as lines, and a timeline with its faults."""

from __future__ import annotations

import base64
import hashlib
import html as markup
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

from .. import escapes
from ..records import record
from .tracks import PointTrack, encode_points, find_grain

FOLDER = Path(__file__).parent
VERSION = 1
"""The version of what a page holds as JSON."""


@record(frozen=True)
class DrawnSkeleton:
    """What is drawn of a character.

    points: how many there are. lines: pairs of points, by index, and bones: of each line the bone that moves
    it, and sides: "L", "R" or "" for neither. joints: the point of each bone, by its name. followed: the
    point that the view follows, such as the hips.
    """

    points: int
    lines: tuple[tuple[int, int], ...]
    bones: tuple[str, ...]
    sides: tuple[str, ...]
    joints: Mapping[str, int]
    followed: int


@record(frozen=True, eq=False)
class JudgedPage:
    """What a page shows.

    armature: its name. fps: frames a second. result: what was judged. own: what the clips that it was made of
    do by themselves, each on the result's frames and where the result has it; () for none. values: of the
    check, as JSON values. about: what there is to read of faults, by their names. notes: what is not shown,
    for a reader.
    """

    armature: str
    fps: float
    skeleton: DrawnSkeleton
    result: PointTrack
    own: tuple[PointTrack, ...]
    values: Mapping[str, Any]
    about: Mapping[str, Mapping[str, str]]
    notes: tuple[str, ...] = ()


def render_page(page: JudgedPage) -> str:
    """Return a page as the text of one HTML file, which holds all that it needs.

    All names are escaped. Only the page's own script may run in it, and nothing is loaded. Raise InertiaError
    for points that are at no finite place.
    """
    grain = find_grain(page.result.points)
    data = {
        "version": VERSION,
        "armature": page.armature,
        "fps": page.fps,
        "grain": grain,
        "skeleton": skeleton_values(page.skeleton),
        "result": track_values(page.result, grain),
        "own": [track_values(track, grain) for track in page.own],
        "check": dict(page.values),
        "about": dict(page.about),
        "notes": page.notes,
    }
    return fill_template("judged.html", page.result.label, ("player.js", "judged.js"), {"data": data})


def skeleton_values(drawn: DrawnSkeleton) -> dict[str, Any]:
    """Return what is drawn of a character as a page's script reads it."""
    joints = [[name, point] for name, point in drawn.joints.items()]
    return {**vars(drawn), "joints": joints}


def track_values(point_track: PointTrack, grain: float) -> dict[str, Any]:
    """Return a track as a page's script reads it: label, first and step (frames), count, and points, see
    :func:`encode_points`. grain: metres.
    """
    return {
        "label": point_track.label,
        "first": point_track.first,
        "step": point_track.step,
        "count": len(point_track.points),
        "points": encode_points(point_track.points, grain),
    }


def fill_template(
    name: str,
    title: str,
    scripts: Sequence[str],
    values: Mapping[str, Any],
) -> str:
    """Return a page made of a template of this folder.

    name: the template's file. title: of the page, which is escaped. scripts: files of this folder, one after
    the other. values: JSON values by the names under which the template has them; they may stand in a page.
    """
    script = "\n".join((FOLDER / each).read_text(encoding="utf-8") for each in scripts)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    return Template((FOLDER / name).read_text(encoding="utf-8")).substitute(
        title=markup.escape(escapes.plain(title)),
        style=(FOLDER / "page.css").read_text(encoding="utf-8"),
        script=script,
        digest=digest,
        **{each: as_script(plain_values(value)) for each, value in values.items()},
    )


def plain_values(value: Any) -> Any:
    """Return a copy of JSON values in which all texts, keys too, are escaped against what breaks a line or
    turns its direction; tuples become lists.
    """
    if isinstance(value, Mapping):
        return {plain_values(name): plain_values(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain_values(part) for part in value]
    return escapes.plain(value) if isinstance(value, str) else value


def as_script(values: Any) -> str:
    """Write JSON that may stand in a script of a page, whatever names it has."""
    text = json.dumps(values, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
