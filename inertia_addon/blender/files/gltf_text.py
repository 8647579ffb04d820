# SPDX-License-Identifier: GPL-3.0-or-later
"""What a glTF file says, made plain where Blender's importer would not read a character with its clips.

- Some exporters write an animation for each bone, which together are one clip.
- A VRM animation (.vrma) has no mesh and no skin, only nodes, and says which bones of a person these are.
"""

from __future__ import annotations

import copy
import itertools
import json
import struct
import urllib.parse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import InertiaError
from . import framerate

FEWEST = 3
"""So many animations of a bone each are one clip; fewer may be those of a door and a lid."""
AS_LONG = 0.02
"""They end at the same time, within this part of the longest."""
HUMANOID = "VRMC_vrm_animation"
"""The extension by which a file names the bones of a person."""

Document = dict[str, Any]


def plain(path: Path) -> Document | None:
    """Return a glTF file's JSON as Blender should read it, None where it can be read as it is.

    Animations that move one bone each become one, see :func:`_merge_animations`, which is called after the
    file's stem where their names have nothing in common. A file whose name ends in .vrma gets a skin, see
    :func:`_add_skin`. The file stays as it is. Raise InertiaError for a damaged file, and for a VRM animation
    that names no bones; OSError where it can't be read.
    """
    try:
        document, _ = framerate.read_gltf(path)
        changed = copy.deepcopy(document)
        if path.suffix.lower() == ".vrma":
            _add_skin(changed, path)
        _merge_animations(changed, path.stem)
    except InertiaError:
        raise
    except framerate.DAMAGE as error:
        raise InertiaError('"{file}" is not a glTF file, or it is damaged.', file=path.name) from error
    return None if changed == document else changed


def write(document: Document, path: Path, source: Path) -> None:
    """Write a .glb or .gltf file with another JSON. source: the file whose JSON that was; its kind, told by
    its content whatever the path's suffix, and its binary chunk are taken over.

    The path is overwritten directly, without a temporary file. Buffers and images that the JSON names beside
    the source are named by their absolute paths, percent-encoded as URIs; this changes the given document.
    Data URIs stay. An OSError passes through.
    """
    for buffer in (*document.get("buffers", ()), *document.get("images", ())):
        uri = buffer.get("uri", "")
        if uri and not uri.startswith("data:"):
            beside = source.parent.resolve() / urllib.parse.unquote(uri)
            buffer["uri"] = urllib.parse.quote(str(beside))
    text = json.dumps(document).encode("utf-8")
    content = source.read_bytes()
    if not content.startswith(framerate.MAGIC):
        path.write_bytes(text)
        return
    text += b" " * (-len(text) % 4)
    size, _ = struct.unpack_from("<II", content, 12)
    chunks = struct.pack("<II", len(text), framerate.JSON) + text + content[20 + size :]
    path.write_bytes(content[:8] + struct.pack("<I", 12 + len(chunks)) + chunks)


def _merge_animations(document: Document, name: str) -> None:
    """Replace all animations of a document by one, in place, if they are parts of one clip; else nothing is
    changed.

    They are if there are at least three, each moves a node of its own, the nodes are of one skin (if there is
    any), and all end within 2 % of the longest. The new one's name is what the animations' names begin with
    in common, without separators at its end; `name` where that is nothing.
    """
    animations = document.get("animations", [])
    if not _are_one(document, animations):
        return
    samplers: list[Any] = []
    channels: list[Any] = []
    for animation in animations:
        first = len(samplers)
        samplers += animation["samplers"]
        channels += [{**each, "sampler": each["sampler"] + first} for each in animation["channels"]]
    names = [animation.get("name", "") for animation in animations]
    alike = itertools.takewhile(lambda letters: len({*letters}) == 1, zip(*names, strict=False))
    shared = "".join(letters[0] for letters in alike).rstrip("_-.:| ")
    document["animations"] = [{"name": shared or name, "samplers": samplers, "channels": channels}]


def _are_one(document: Mapping[str, Any], animations: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether animations are parts of one clip.

    They are if there are at least three, each moves a single node, no two the same, all nodes are of one skin
    (if the document has any), and all end within 2 % of the longest. document: read for skins and key times;
    KeyError or IndexError if it is damaged.
    """
    nodes = [{channel["target"].get("node") for channel in each["channels"]} for each in animations]
    if len(animations) < FEWEST or any(len(each) != 1 for each in nodes):
        return False
    moved = [next(iter(each)) for each in nodes]
    if len({*moved}) < len(moved) or None in moved:
        return False
    skins = [{*skin["joints"]} for skin in document.get("skins", ())]
    if skins and not any({*moved} <= joints for joints in skins):
        return False
    ends = [
        max(document["accessors"][sampler["input"]]["max"][0] for sampler in each["samplers"])
        for each in animations
    ]
    return max(ends) - min(ends) <= AS_LONG * max(ends)


def _add_skin(document: Document, path: Path) -> None:
    """Add a skin, in place, whose bones are the nodes that a VRM animation names, and all between these and
    the hips.

    The hips come first, the other nodes by their indices; where no bone is named "hips" the first named one
    counts for that. Named nodes that do not hang from the hips are in it, too; nodes without a name get that
    of their bone. A document with skins stays as it is. path: for the error's text. Raise InertiaError where
    no bones are named in the extension HUMANOID, and an error of :data:`framerate.DAMAGE` for a damaged
    document.
    """
    if document.get("skins"):
        return
    extension = document.get("extensions", {}).get(HUMANOID, {})
    named = extension.get("humanoid", {}).get("humanBones", {})
    if not named:
        raise InertiaError(
            '"{file}" does not say which of its nodes are the bones of a person, so it can\'t be read; '
            "export it again as a VRM animation, or as .glb or .bvh.",
            file=path.name,
        )
    nodes = document["nodes"]
    for bone, held in named.items():
        nodes[held["node"]].setdefault("name", bone)
    parents = {child: i for i, node in enumerate(nodes) for child in node.get("children", ())}
    joints = {held["node"] for held in named.values()}
    hips = named.get("hips", next(iter(named.values())))["node"]
    for joint in sorted(joints):
        way = [joint]
        # nodes of a damaged file may hang from each other in a circle
        while way[-1] != hips and parents.get(way[-1], joint) not in way:
            way.append(parents[way[-1]])
        joints |= {*way} if way[-1] == hips else {joint}
    document["skins"] = [{"joints": [hips, *sorted(joints - {hips})]}]
