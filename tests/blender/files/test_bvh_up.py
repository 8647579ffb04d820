# SPDX-License-Identifier: GPL-3.0-or-later
"""Which axis of a BVH file points up, by its skeleton and by how its figure stands."""

from __future__ import annotations

import math
from pathlib import Path

import bpy
import numpy as np
import pytest

from inertia_addon.blender import files
from inertia_addon.blender.data import rig
from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.files import bvh, bvh_text, bvh_up, importing
from inertia_addon.errors import InertiaError

Offsets = dict[str, tuple[str, tuple[float, float, float]]]

HALF: Offsets = {
    "Arm": ("Spine", (0.18, 0.2, 0.0)),
    "ForeArm": ("Arm", (0.28, 0.0, 0.0)),
    "Hand": ("ForeArm", (0.25, 0.0, 0.0)),
    "UpLeg": ("Hips", (0.1, -0.05, 0.0)),
    "Leg": ("UpLeg", (0.0, -0.42, 0.0)),
    "Foot": ("Leg", (0.0, -0.42, 0.0)),
    "Toe": ("Foot", (0.0, -0.04, 0.14)),
}
PERSON: Offsets = {
    "Hips": ("", (0.0, 0.95, 0.0)),
    "Spine": ("Hips", (0.0, 0.3, 0.0)),
    "Head": ("Spine", (0.0, 0.35, 0.0)),
    **{
        f"{side}{name}": (up if up in ("Hips", "Spine") else f"{side}{up}", (sign * x, y, z))
        for side, sign in (("Left", 1.0), ("Right", -1.0))
        for name, (up, (x, y, z)) in HALF.items()
    },
}
FRAMES = 9


def written(path: Path, up: str = "Y", tilt: float = 0.0, names: dict[str, str] | None = None) -> Path:
    """A person of 1.6 m who goes 0.1 m a frame, forwards.

    up: the axis along which the skeleton is built. tilt: degrees about X by which its root is turned, and its
    way with it. names: of other joints.
    """

    def turned(place: tuple[float, ...]) -> tuple[float, ...]:
        x, y, z = place
        return (x, -z, y) if up == "Z" else (x, y, z)

    lines = ["HIERARCHY"]

    def joint(name: str, depth: int) -> None:
        tab = "  " * depth
        place = " ".join(f"{value:.4f}" for value in turned(PERSON[name][1]))
        kinds = "6 Xposition Yposition Zposition" if not depth else "3"
        lines.extend((f"{tab}{'JOINT' if depth else 'ROOT'} {(names or {}).get(name, name)}", tab + "{"))
        lines.extend((f"{tab}  OFFSET {place}", f"{tab}  CHANNELS {kinds} Zrotation Xrotation Yrotation"))
        below = [other for other, (above, _) in PERSON.items() if above == name]
        for other in below:
            joint(other, depth + 1)
        if not below:
            end = " ".join(f"{value:.4f}" for value in turned((0.0, 0.05, 0.05)))
            lines.extend((f"{tab}  End Site", tab + "  {", f"{tab}    OFFSET {end}", tab + "  }"))
        lines.append(tab + "}")

    joint("Hips", 0)
    lines += ["MOTION", f"Frames: {FRAMES}", "Frame Time: 0.033333"]
    c, s = math.cos(math.radians(tilt)), math.sin(math.radians(tilt))
    for frame in range(FRAMES):
        x, y, z = turned((0.0, 0.95, 0.1 * frame))
        numbers = [x, c * y - s * z, s * y + c * z, 0.0, tilt, 0.0] + [0.0] * (3 * len(PERSON) - 3)
        lines.append(" ".join(f"{number:.5f}" for number in numbers))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def armature() -> bpy.types.Object:
    return next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")


@pytest.mark.parametrize(
    ("up", "tilt", "stands"),
    [
        ("Y", 0.0, "Y"),
        ("Z", 0.0, "Z"),
        # built with Z up, and turned by the root, to stand with Y up
        ("Z", -90.0, "Y"),
        # one who lies on the back
        ("Y", -90.0, "Y"),
    ],
)
@pytest.mark.parametrize("is_named", [True, False])
def test_the_axis_that_points_up_is_where_the_figure_stands(
    tmp_path: Path, up: str, tilt: float, stands: str, *, is_named: bool
) -> None:
    names = None if is_named else {name: f"Bone{i}" for i, name in enumerate(PERSON)}
    assert bvh_up.find_up([written(tmp_path / "a.bvh", up, tilt, names)]) == stands


def test_files_that_are_read_together_have_the_same_axis(tmp_path: Path) -> None:
    """Of those that lie nothing is said, and they go with the others."""
    stands = written(tmp_path / "a.bvh", "Z")
    lies = written(tmp_path / "b.bvh", "Z", 60.0)
    assert bvh_up.find_up([stands, lies]) == bvh_up.find_up([lies, stands]) == "Z"
    assert bvh_up.find_up([stands, written(tmp_path / "c.bvh")]) == "Y"


@pytest.mark.parametrize("up", ["Y", "Z"])
def test_a_figure_stands_on_its_feet_and_goes_out_as_it_came(tmp_path: Path, up: str) -> None:
    path = written(tmp_path / "a.bvh", up)
    importing.import_bvh([path], 1.0)
    figure = armature()
    roles: dict[str, set[str]] = {}
    for joint in joints.default_joints(figure):
        roles.setdefault(joint.role, set()).add(joint.bone)
    assert roles["FOOT"] == {"LeftFoot", "RightFoot"}
    assert roles["HAND"] == {"LeftHand", "RightHand"}
    said = importing.warnings([path], 1.0)
    assert (said == ()) == (up == "Y")
    assert importing.warnings([path], 1.0, up="z") == ()
    out = tmp_path / "out.bvh"
    bvh.write(out, figure, 1, FRAMES, 30.0)
    texts = [bvh_text.read(file) for file in (path, out)]
    places = [
        bvh_up.pose_joints(bvh_up.read_skeleton(text), np.array([row.split() for row in text.rows], float))
        for text in texts
    ]
    assert np.allclose(*places, atol=1e-4)


def test_the_axis_that_is_said_to_point_up_is_followed(tmp_path: Path) -> None:
    path = written(tmp_path / "a.bvh", "Z")
    importing.import_bvh([path], 1.0, "y")
    head = armature().data.bones["Head"].head_local
    assert head.z == pytest.approx(0.0, abs=1e-4)
    importing.import_bvh([path], 1.0, "z")
    assert armature().data.bones["Head"].head_local.z == pytest.approx(1.6, abs=1e-4)
    with pytest.raises(InertiaError, match="choose one of auto, y, z"):
        importing.import_bvh([path], 1.0, "x")


@pytest.mark.data
@pytest.mark.variants(3)
@pytest.mark.parametrize("rig_name", ["Fox", "dragon", "spider", "Wasp"])
@pytest.mark.parametrize("up", ["Y", "Z"])
def test_animals_stand_though_their_heads_are_far_ahead(
    rig_name: str, up: str, tmp_path: Path, data_dir: Path
) -> None:
    (source,) = (data_dir / "glb").rglob(f"{rig_name}.glb")
    files.load([source])
    (animal, *_) = rig.armatures()
    animal[bvh_up.KEPT] = up
    out = tmp_path / "animal.bvh"
    bvh.write(out, animal, 1, 4, 24.0)
    assert bvh_up.find_up([out]) == up


@pytest.mark.data
@pytest.mark.parametrize("up", ["Y", "Z"])
def test_a_figure_that_does_not_tell_its_axis_is_asked_about(up: str, tmp_path: Path, data_dir: Path) -> None:
    """Two legs, two hands and a body whose own place is on the ground: nothing says what is above."""
    (source,) = (data_dir / "glb").rglob("greenman.glb")
    files.load([source])
    (figure, *_) = rig.armatures()
    figure[bvh_up.KEPT] = up
    out = tmp_path / "figure.bvh"
    bvh.write(out, figure, 1, 4, 24.0)
    importing.import_bvh([out], 1.0)
    is_right = bvh_up.find_up([out]) == up
    (said,) = importing.warnings([out], 1.0) or ("",)
    assert is_right or said == (
        '"figure.bvh" does not tell which axis points up; give --up z if its figure lies on its back.'
    )
    assert importing.warnings([out], 1.0, up=up.lower()) == ()


def test_a_skeleton_that_opens_before_its_first_joint_is_damaged(tmp_path: Path) -> None:
    path = written(tmp_path / "a.bvh")
    path.write_text(
        path.read_text(encoding="utf-8").replace("HIERARCHY", "HIERARCHY\n{", 1), encoding="utf-8"
    )
    with pytest.raises(ValueError, match="before the first joint"):
        bvh_up.read_skeleton(bvh_text.read(path))
