# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the table of skeletons by shape that tests look for joints in: tests/skeletons/table.json.

    python -m tests.skeletons.table --data DATA [-o tests/skeletons/table.json]

Of every rig below DATA, by each of the importer's guesses of where bones end, of each rig that Rigify
generates, of all that are made up in made_up.py, and of some of these from a .bvh with Z up and on an empty
that carries them, it holds the names, parents, rest heads and tails (Z up), which bones move something, where
that is asked for how often each is the lowest in clips, and the right joints, which are those of right.py. Of
what does not stand at rest it has the first frame of a clip.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.evaluation.joints import Shape
from inertia_addon.blender.files import bvh, bvh_up, importing
from tests.blender import clips
from tests.blender.skeletons import build
from tests.rigify_character import generate
from tests.skeletons import FILE
from tests.skeletons.made_up import SKELETONS
from tests.skeletons.right import CHOSEN, HEURISTICS, RIGIFY, WILD

BROUGHT = ("mixamo", "unreal", "quaternius", "french with weapons", "japanese", "horse", "spider")
"""Made-up skeletons that are looked at as a .bvh with Z up, and with a carrier, too."""
DIGITS = 5
"""So many digits of a place are enough to find joints, and no more than these are kept."""


def values(shape: Shape, right: Mapping[str, set[str]]) -> dict[str, Any]:
    """A skeleton as the table has it."""
    heads, tails = shape.arrays()
    size = float(np.ptp(heads, axis=0).max()) or 1.0
    walked = np.frombuffer(shape.walked, np.float32) if shape.walked else None
    return {
        "names": list(shape.names),
        "parents": list(shape.parents),
        "heads": _rounded(heads, size),
        "tails": _rounded(tails, size),
        "moving": np.frombuffer(shape.moving, bool).tolist(),
        **({} if walked is None else {"walked": [round(float(x), 2) for x in walked]}),
        "right": {role: sorted(found) for role, found in sorted(right.items())},
    }


def _rounded(places: Any, size: float) -> list[list[float]]:
    """Places as parts of the size."""
    return [[float(f"{x:.{DIGITS}g}") for x in place] for place in places / size]


def armature() -> Any:
    """The armature of the open file."""
    return next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")


def with_z_up(name: str, folder: Path) -> Any:
    """A made-up skeleton as it comes in from a .bvh file whose Z axis points up, which nobody says."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    figure = build(name)
    figure[bvh_up.KEPT] = bvh_up.Z
    path = folder / f"{name}.bvh"
    bvh.write(path, figure, 1, 4, 30.0)
    importing.import_bvh([path], 1.0)
    return armature()


def on_carrier(name: str) -> Any:
    """A made-up skeleton that lies in an empty, a hundredth as large, as other programs' files come in."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    figure, carrier = build(name), bpy.data.objects.new("Carrier", None)
    bpy.context.scene.collection.objects.link(carrier)
    carrier.location, carrier.rotation_euler.z = (3.0, -2.0, 0.0), 0.7
    lying = Matrix.Rotation(math.radians(90.0), 4, "X") @ Matrix.Scale(0.01, 4)
    figure.data.transform(lying.inverted())
    figure.parent, figure.matrix_basis = carrier, lying
    bpy.context.view_layer.update()
    return figure


def brought() -> Iterator[tuple[str, dict[str, Any]]]:
    """Some made-up skeletons as files and other programs bring them."""
    with tempfile.TemporaryDirectory() as folder:
        for name in BROUGHT:
            right = SKELETONS[name].right
            # names in files have no blanks
            spelt = {role: {bone.replace(" ", "_") for bone in bones} for role, bones in right.items()}
            yield f"{name} z up", values(joints.shape(with_z_up(name, Path(folder))), spelt)
            yield f"{name} carried", values(joints.shape(on_carrier(name)), right)


def skeletons(data: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """All of the table, by name."""
    for name, skeleton in SKELETONS.items():
        yield name, skeleton.values()
    yield from brought()
    for path in sorted(data.glob("glb/**/*.glb")):
        right = WILD.get(path.stem) or CHOSEN[path.stem.removeprefix("KayKit_")]
        for heuristic in HEURISTICS:
            bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
            bpy.ops.import_scene.gltf(filepath=str(path), bone_heuristic=heuristic)
            yield f"{path.stem} {heuristic.lower()}", values(joints.shape(armature()), right)
    for name in ("pab", "cmu127", "cmu02", "cmu131"):
        found, _ = clips.load(name, data)
        yield name, values(joints.shape(found), CHOSEN["cmu127" if name == "cmu02" else name])
    with tempfile.TemporaryDirectory() as folder:
        files = {Path(folder) / f"{kind}.blend": (kind, "bare") for kind in RIGIFY}
        generate(files)
        for path, (kind, _) in files.items():
            bpy.ops.wm.open_mainfile(filepath=str(path))
            yield f"rigify {kind}", values(joints.shape(bpy.data.objects["rig"]), RIGIFY[kind])
            bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def main() -> None:
    """Write the table, a skeleton a line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, metavar="DATA")
    parser.add_argument("-o", "--output", type=Path, default=FILE, metavar="TABLE")
    arguments = parser.parse_args()
    clips.is_whole = False
    lines = [
        f"{json.dumps(name)}: {json.dumps(held, separators=(',', ':'))}"
        for name, held in skeletons(arguments.data)
    ]
    arguments.output.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{len(lines)} skeletons in {arguments.output}")


if __name__ == "__main__":
    main()
