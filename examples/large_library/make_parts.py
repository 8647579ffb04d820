# SPDX-License-Identifier: GPL-3.0-or-later
"""Cuts a large library into parts that fit into memory, and writes what batch is to do with them.

    python examples/large_library/make_parts.py FOLDER --kind bvh -o parts.json --at-once 40 [--points FILE]
    python -m inertia_addon batch parts.json -o parts --jobs 2
    python -m inertia_addon matrix parts/matrix_*.json -o matrix
    python examples/large_library/make_parts.py FOLDER --kind bvh --searched parts

FOLDER has motion files of one skeleton, a clip each; --kind takes those of one kind. Of every two parts the
spec has matrices, and of each part a database and, with --points, a path that is only searched. A process has
two parts open at once, at most. With --searched the files of the clips that these paths take are listed: the
command path chooses among them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

KINDS = (".bvh", ".fbx", ".glb", ".gltf")


def parts_of(folder: Path, at_once: int, kinds: tuple[str, ...] = KINDS) -> list[list[Path]]:
    """The files of these kinds in a folder, in order, so many together. Exits if two clips share a name."""
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in kinds)
    names = [path.stem for path in files]
    if doubled := sorted({name for name in names if names.count(name) > 1}):
        sys.exit(f"Two files are called {doubled[0]}; rename one, or take one kind of file with --kind.")
    if not files:
        sys.exit(f"There are no motion files in {folder}.")
    return [files[first : first + at_once] for first in range(0, len(files), at_once)]


def spec(parts: list[list[Path]], where: Path, by: str, points: Path | None) -> dict[str, Any]:
    """What batch is to do. where: the folder of the spec. by: what the best of a pair are."""

    def told(*files: Path) -> list[str]:
        return [Path(os.path.relpath(path.absolute(), where.absolute())).as_posix() for path in files]

    width = len(str(len(parts)))
    matrices, databases, paths = [], [], []
    for i, left in enumerate(parts):
        one = f"{i + 1:0{width}}"
        databases.append({"files": told(*left), "name": f"database_{one}"})
        if points is not None:
            path = {"points": told(points)[0], "formats": ["json"], "name": f"path_{one}"}
            paths.append({"files": told(*left), **path})
        for k, right in enumerate(parts[i:], i):
            # a part of one clip has no pair of its own
            if k == i and len(left) == 1:
                continue
            ways = [(i, k), (k, i)] if k > i else [(i, i)]
            for source, destination in ways:
                matrices.append(
                    {
                        "files": told(*left, *(right if k > i else ())),
                        "sources": [path.stem for path in parts[source]],
                        "destinations": [path.stem for path in parts[destination]],
                        "by": by,
                        "name": f"matrix_{source + 1:0{width}}_{destination + 1:0{width}}",
                    }
                )
    return {"matrices": matrices, "databases": databases, **({"paths": paths} if paths else {})}


def chosen(searched: Path) -> set[str]:
    """The clips that searched paths take, by their names."""
    told = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(searched.glob("path_*.json"))]
    begun = {each["begins_with"]["action"] for each in told}
    return begun | {join["to"]["action"] for each in told for join in each["joins"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", type=Path, help="the spec to write")
    parser.add_argument("--at-once", type=int, default=40, help="files of a part")
    parser.add_argument(
        "--by", choices=("cost", "judged"), default="cost", help="what the best of a pair are"
    )
    parser.add_argument("--scale", type=float, default=1.0, help="the files' units in metres")
    parser.add_argument("--points", type=Path, help="a .csv file of points to follow")
    parser.add_argument(
        "--kind", choices=tuple(kind[1:] for kind in KINDS), help="take files of this kind alone"
    )
    parser.add_argument("--searched", type=Path, help="the folder in which batch has searched the paths")
    given = parser.parse_args()
    kinds = KINDS if given.kind is None else (f".{given.kind}",)
    if given.searched is not None:
        names = chosen(given.searched)
        print(
            *(path for part in parts_of(given.folder, 1, kinds) for path in part if path.stem in names),
            sep="\n",
        )
        return
    if given.o is None:
        sys.exit("Give -o or --searched.")
    values = spec(
        parts_of(given.folder, given.at_once, kinds), given.o.absolute().parent, given.by, given.points
    )
    text = json.dumps({"scale": given.scale, **values}, indent=1)
    given.o.write_text(f"{text}\n", encoding="utf-8")
    print(", ".join(f"{len(each)} {name}" for name, each in values.items()))


if __name__ == "__main__":
    main()
