# SPDX-License-Identifier: GPL-3.0-or-later
"""Which kinds of files there are, told by their names. Nothing here needs Blender."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

GLTF = (".glb", ".gltf", ".vrm", ".vrma")
"""The kinds that are glTF: their keys are in seconds, so that their frame rate can be given."""
USD = (".usd", ".usda", ".usdc", ".usdz")
"""The kinds that are USD: not every Blender can tell their frame rate, so that it can be given."""
READABLE = (".blend", ".bvh", *GLTF, ".fbx", *USD)
WRITABLE = (".blend", ".glb", ".gltf", ".fbx", ".bvh", *USD)
SCALED = (".bvh", ".fbx")
"""The kinds whose lengths can be scaled while they are read."""
TAKERS = {"scale": SCALED, "fps": (*GLTF, *USD), "up": (".bvh",)}
"""The kinds that a setting of reading is for."""

JOINED = ((".bvh",), (".fbx",), GLTF, USD)
"""Kinds of which several files are read together, when all are of one of these groups."""
SPOKEN_JOINED = ".bvh, all .fbx, all .glb or .gltf, or all .usd"


def spoken(kinds: Sequence[str]) -> str:
    """Return some kinds as a part of a sentence: ".glb, .bvh and .fbx"."""
    if len(kinds) == 1:
        return kinds[0]
    return f"{', '.join(kinds[:-1])} and {kinds[-1]}"


def are_joined(paths: Iterable[Path]) -> bool:
    """Tell whether files are read together, as the clips of one character."""
    kinds = {path.suffix.lower() for path in paths}
    return any(kinds <= set(group) for group in JOINED)
