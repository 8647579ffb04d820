# SPDX-License-Identifier: GPL-3.0-or-later
"""The spec of a matrix's best and worst edges, to be baked by ``batch`` as they are."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...blender.cost.library import Edge, Library, LibraryClip

Files = tuple[Path, ...]


def spec(
    edges: Sequence[Edge],
    library: Library,
    origins: Mapping[LibraryClip, Files],
    given: Mapping[str, Any],
    folder: Path,
) -> dict[str, Any]:
    """A spec of edges at the cuts that were found, as JSON values.

    origins: the files of each clip. given: the options of the command that were given. folder: the spec's.
    """
    read = list(dict.fromkeys(origins.values()))
    values: dict[str, Any] = {} if len(read) > 1 else {"files": _from(folder, read[0])}
    values |= {name: given[name] for name in ("armature", "scale", "fps") if given.get(name) is not None}
    settings = library.settings.as_dict()
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


def _from(folder: Path, files: Files) -> list[str]:
    """Files as a spec in a folder names them."""
    named = []
    for file in files:
        try:
            named.append(Path(os.path.relpath(file.resolve(), folder.resolve())).as_posix())
        except ValueError:
            # on another drive
            named.append(str(file.resolve()))
    return named
