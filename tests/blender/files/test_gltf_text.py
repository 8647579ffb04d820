# SPDX-License-Identifier: GPL-3.0-or-later
"""glTF files whose clips or skeletons Blender's importer would not read as such."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.files import gltf_text, importing
from inertia_addon.errors import InertiaError
from tests.blender import builders

NODES = {
    "hips": (None, (0.0, 0.95, 0.0)),
    "spine": ("hips", (0.0, 0.25, 0.0)),
    "head": ("spine", (0.0, 0.4, 0.0)),
    **{
        f"{side}{name}": (up if up in ("hips", "spine") else f"{side}{up}", (sign * x, y, z))
        for side, sign in (("left", 1.0), ("right", -1.0))
        for name, up, (x, y, z) in (
            ("UpperLeg", "hips", (0.1, -0.05, 0.0)),
            ("LowerLeg", "UpperLeg", (0.0, -0.42, 0.02)),
            ("Foot", "LowerLeg", (0.0, -0.42, -0.02)),
            ("UpperArm", "spine", (0.2, 0.2, 0.0)),
            ("LowerArm", "UpperArm", (0.28, 0.0, 0.0)),
            ("Hand", "LowerArm", (0.25, 0.0, 0.0)),
        )
    },
}
NAMES = list(NODES)
FRAMES = 13


def document(*, is_one_clip: bool, ends: float = 0.0, has_skin: bool = True) -> dict[str, Any]:
    """A person of whom each bone sways, in one animation, or in one for each bone.

    ends: how many seconds later each animation ends than the one before.
    """
    data, accessors, views, samplers = b"", [], [], []

    def add(values: Any, kind: str) -> int:
        nonlocal data
        numbers = np.asarray(values, "<f4")
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": numbers.nbytes})
        accessor = {"bufferView": len(views) - 1, "componentType": 5126, "count": len(numbers), "type": kind}
        if kind == "SCALAR":
            accessor |= {"min": [float(numbers.min())], "max": [float(numbers.max())]}
        accessors.append(accessor)
        data += numbers.tobytes()
        return len(accessors) - 1

    for i in range(len(NAMES)):
        times = np.linspace(0.0, 0.5 + i * ends, FRAMES)
        half = 0.1 * np.sin(2.0 * np.pi * times + i)
        turns = np.stack([np.sin(half), 0.0 * half, 0.0 * half, np.cos(half)], axis=1)
        samplers.append({"input": add(times, "SCALAR"), "output": add(turns, "VEC4")})
    channels = [{"sampler": i, "target": {"node": i, "path": "rotation"}} for i in range(len(NAMES))]
    each = [
        {"name": f"take_{name}", "samplers": [sampler], "channels": [{**channel, "sampler": 0}]}
        for name, sampler, channel in zip(NAMES, samplers, channels, strict=True)
    ]
    whole = [{"name": "take", "samplers": samplers, "channels": channels}]
    nodes: list[dict[str, Any]] = []
    for name, (_, place) in NODES.items():
        below = [i for i, (up, _) in enumerate(NODES.values()) if up == name]
        nodes.append({"name": f"node {name}", "translation": place, **({"children": below} if below else {})})
    uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": nodes,
        **({"skins": [{"joints": list(range(len(NAMES)))}]} if has_skin else {}),
        "animations": whole if is_one_clip else each,
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(data), "uri": uri}],
    }


def written(path: Path, held: dict[str, Any]) -> Path:
    """The file: a .gltf as text, all others with the buffer in a chunk of its own."""
    if path.suffix != ".gltf":
        data = base64.b64decode(held["buffers"][0].pop("uri").partition(",")[2])
        text = json.dumps(held).encode()
        text += b" " * (-len(text) % 4)
        data += b"\0" * (-len(data) % 4)
        chunks = (
            struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x4E4942) + data
        )
        path.write_bytes(b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks)
    else:
        path.write_text(json.dumps(held), encoding="utf-8")
    return path


def curves() -> dict[str, dict[tuple[str, int], list[float]]]:
    """The values of the file's actions at a few frames, by name and channel."""
    return {
        action.name: {
            at: [curve.evaluate(frame) for frame in (0.0, 5.0, 12.0)]
            for at, curve in builders.by_address(action).items()
        }
        for action in bpy.data.actions
    }


@pytest.mark.parametrize("kind", [".gltf", ".glb"])
def test_a_clip_for_each_bone_is_one_clip(tmp_path: Path, kind: str) -> None:
    importing.import_gltf([written(tmp_path / f"a{kind}", document(is_one_clip=True))], None)
    whole = curves()
    importing.import_gltf([written(tmp_path / f"b{kind}", document(is_one_clip=False))], None)
    assert curves() == whole
    assert len(next(iter(whole.values()))) == 4 * len(NAMES)


def test_clips_that_end_at_other_times_stay_several(tmp_path: Path) -> None:
    importing.import_gltf([written(tmp_path / "a.glb", document(is_one_clip=False, ends=0.1))], None)
    assert len(bpy.data.actions) == len(NAMES)


def test_a_vrm_animation_has_the_skeleton_that_it_names(tmp_path: Path) -> None:
    held = document(is_one_clip=True, has_skin=False)
    bones = {name: {"node": i} for i, name in enumerate(NAMES)}
    held["extensions"] = {"VRMC_vrm_animation": {"specVersion": "1.0", "humanoid": {"humanBones": bones}}}
    importing.import_gltf([written(tmp_path / "wave.vrma", held)], None)
    (armature,) = [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]
    roles: dict[str, set[str]] = {}
    for joint in joints.default_joints(armature):
        roles.setdefault(joint.role, set()).add(joint.bone)
    assert roles["HAND"] == {"node leftHand", "node rightHand"}
    assert roles["FOOT"] == {"node leftFoot", "node rightFoot"}
    # before Blender 4.4 the importer names an action after the armature, too
    assert [action.name.removesuffix("_Armature") for action in bpy.data.actions] == ["take"]


def test_a_vrm_animation_that_names_no_bones_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "wave.vrma", document(is_one_clip=True, has_skin=False))
    with pytest.raises(InertiaError, match="does not say which of its nodes are the bones of a person"):
        importing.import_gltf([path], None)


def test_a_vrm_animation_whose_nodes_hang_in_a_circle_is_read_to_its_end(tmp_path: Path) -> None:
    """Nodes that do not hang from the hips are bones of their own, even those that carry each other."""
    held = document(is_one_clip=True, has_skin=False)
    first = len(held["nodes"])
    held["nodes"] += [{"name": "One", "children": [first + 1]}, {"name": "Other", "children": [first]}]
    bones = {**{name: {"node": i} for i, name in enumerate(NAMES)}, "jaw": {"node": first}}
    held["extensions"] = {"VRMC_vrm_animation": {"specVersion": "1.0", "humanoid": {"humanBones": bones}}}
    changed = gltf_text.plain(written(tmp_path / "wave.vrma", held))
    assert changed is not None
    assert {*changed["skins"][0]["joints"]} == {*range(len(NAMES)), first}
