# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of hops for game engines: what to do for each trigger frame, as .npz or JSON.

Both hold the same: ``about``, a description (in the .npz as JSON text), and arrays with a row for each
trigger frame of each pair of clips, one pair after the other:

- ``table``: whole numbers: clip, offset, stay in the source, stay in the clip. The clip is its place in
  ``about["clips"]``, or -1 for the direct transition, which waits in the source only; offset is the clip's
  frame, from its first one, at which the blend into it begins. With up to k hops there are k pairs of clip
  and offset, and then k + 1 stays. All stays are -1 where there is no way. Stays are frames of waiting: the
  clip is left so many frames after the blend into it has ended.
- ``blends``: frames that each of the blends takes, 0 behind the last.
- ``cost``, ``direct``: of the best way, and of the direct transition at the trigger; infinity (``null`` in
  JSON) where there is none.

``about["clips"]`` has each clip with its pose markers, at frames of its own. ``about["pairs"]`` says for each
pair which rows are its own, ``rows`` being the first and how many: the row of trigger frame f is
``rows[0] + f - first_frame`` of its source. ``start`` is the destination's frame, from its first one, when
the trigger comes; ``alongside`` says that it is later by each frame of the source before.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion.hops.search import Table
from ...settings.hops import TABLE_KINDS, UNITS
from ...storage import places, safe_write
from ..data import markers
from .search import PreparedHops

VERSION = 1


def contents(prepared: PreparedHops, tables: Sequence[tuple[str, str, Table]]) -> dict[str, Any]:
    """Return what a file of tables holds: "about", the description as JSON values, and arrays with a row for
    each trigger, pair after pair: "table" (clip and entry of each hop, then the stays), "blends", "cost" and
    "direct".

    tables: (source, destination, table) by the clips' names. Blends that there are not are 0.
    """
    pairs, start = [], 0
    for source, destination, table in tables:
        problem = prepared.problem(source, destination)
        pairs.append(
            {
                "source": problem.source,
                "destination": problem.destination,
                "start": problem.start,
                "alongside": problem.alongside,
                "rows": [start, len(table.cost)],
            }
        )
        start += len(table.cost)
    about = {
        "version": VERSION,
        "fps": prepared.fps,
        "distance": prepared.settings.distance,
        "unit": UNITS[prepared.settings.distance],
        "weight": prepared.objective.weight,
        "longest_stay": prepared.objective.longest_stay,
        "clips": [
            {
                **{"name": name, "first_frame": float(frames[0]), "frames": len(frames), "cyclic": cyclic},
                "markers": markers.as_values(own),
            }
            for name, frames, cyclic, own in zip(
                prepared.names, prepared.frames, prepared.cyclic, prepared.markers, strict=True
            )
        ],
        "pairs": pairs,
    }
    rows = [
        np.concatenate([np.stack([t.clips, t.entries], axis=-1).reshape(len(t.cost), -1), t.stays], axis=1)
        for _, _, t in tables
    ]
    return {
        "about": about,
        "table": np.concatenate(rows).astype(np.int32),
        "blends": np.concatenate([np.maximum(t.blends, 0) for _, _, t in tables]).astype(np.int32),
        "cost": np.concatenate([t.cost for _, _, t in tables]).astype(np.float32),
        "direct": np.concatenate([t.direct for _, _, t in tables]).astype(np.float32),
    }


def check(path: Path) -> None:
    """Raise InertiaError unless a table can be written to a path."""
    if path.suffix.lower() not in TABLE_KINDS:
        raise InertiaError(
            '"{file}" can\'t name a table; use a name that ends in {kinds}.',
            file=path.name,
            kinds=" or ".join(TABLE_KINDS),
        )
    places.check(path)


def save(path: Path, contents: dict[str, Any]) -> None:
    """Write the contents of a file of tables; an old one is replaced when the new one is complete."""
    with replace_table(path, contents):
        pass


@contextmanager
def replace_table(path: Path, contents: dict[str, Any]) -> Iterator[None]:
    """Write the contents of a file of tables, which takes its place when the block that follows has gone
    well."""
    check(path)
    with safe_write.replace_safely(path) as draft:
        if path.suffix.lower() == ".npz":
            with draft.open("wb") as file:
                np.savez_compressed(file, **{**contents, "about": np.array(json.dumps(contents["about"]))})
        else:
            text = json.dumps({name: _to_json(value) for name, value in contents.items()})
            draft.write_text(text, encoding="utf-8")
        yield


def _to_json(value: Any) -> Any:
    """Return an array as lists, floats with seven digits and None for what is not finite, as JSON has no
    infinity; any other value as it is.
    """
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.kind != "f":
        return value.tolist()
    return [float(f"{number:.7g}") if np.isfinite(number) else None for number in value.tolist()]
