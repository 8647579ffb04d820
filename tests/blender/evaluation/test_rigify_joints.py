# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints that are found on the rigs that Rigify generates, and the controls that move them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.evaluation import joints

MAKER = Path(__file__).parents[2] / "ui" / "rigify_character.py"

JOINTS = {
    "human": {
        "HIPS": {"DEF-spine"},
        "HEAD": {"DEF-spine.006"},
        "HAND": {"DEF-hand.L", "DEF-hand.R"},
        "FOOT": {"DEF-foot.L", "DEF-foot.R"},
    },
    "cat": {
        "HIPS": {"DEF-spine"},
        "HEAD": {"DEF-spine.006"},
        "FOOT": {"DEF-f_toe.L", "DEF-f_toe.R", "DEF-r_toe.L", "DEF-r_toe.R"},
        "OTHER": {"DEF-tail.004"},
    },
    # the feathers are no hands; its tail begins at the tip, where the spine's names do
    "bird": {
        "HIPS": {"DEF-spine.004"},
        "HEAD": {"DEF-head"},
        "FOOT": {"DEF-toe.L", "DEF-toe.R"},
        "OTHER": {"DEF-spine", "DEF-Wing.002.L", "DEF-Wing.002.R"},
    },
    # with a mane
    "horse": {
        "HIPS": {"DEF-spine.001"},
        "HEAD": {"DEF-head"},
        "FOOT": {"DEF-f_hoof.L", "DEF-f_hoof.R", "DEF-r_hoof.L", "DEF-r_hoof.R"},
        "OTHER": {"DEF-tail.004"},
    },
    "wolf": {
        "HIPS": {"DEF-spine.005"},
        "HEAD": {"DEF-spine.011"},
        "FOOT": {"DEF-front_toe.L", "DEF-front_toe.R", "DEF-toe.L", "DEF-toe.R"},
        "OTHER": {"DEF-spine.001"},
    },
    # its fins are no feet, though they hang lowest; two of them and the tail's are long
    "shark": {
        "HIPS": {"DEF-spine.003"},
        "HEAD": {"DEF-spine.007"},
        "OTHER": {"DEF-spine", "DEF-back_fin.T.002.Bk", "DEF-side_fin.L.001", "DEF-side_fin.R.001"},
    },
    "basic_quadruped": {
        "HIPS": {"DEF-spine.005"},
        "HEAD": {"DEF-spine.011"},
        "FOOT": {"DEF-front_toe.L", "DEF-front_toe.R", "DEF-toe.L", "DEF-toe.R"},
        "OTHER": {"DEF-spine.001"},
    },
}


@pytest.fixture(scope="module", params=JOINTS)
def character(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, str]:
    """A generated rig; put back as it was by each test that changes it."""
    path = tmp_path_factory.mktemp("joints") / f"{request.param}.blend"
    command = [sys.executable, MAKER, path, request.param, "bare"]
    made = subprocess.run(command, capture_output=True, text=True, timeout=180)
    assert made.returncode == 0, made.stderr
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return bpy.data.objects["rig"], request.param


def by_role(armature: Any) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for joint in joints.default_joints(armature):
        found.setdefault(joint.role, set()).add(joint.bone)
    return found


def test_joints_are_those_that_a_person_would_choose(character: tuple[Any, str]) -> None:
    armature, kind = character
    assert by_role(armature) == JOINTS[kind]


def test_a_name_that_all_bones_have_changes_nothing(character: tuple[Any, str]) -> None:
    armature, kind = character
    bones = list(armature.data.bones)
    try:
        for bone in bones:
            bone.name = f"Foot Wing:{bone.name}"
        assert by_role(armature) == {
            role: {f"Foot Wing:{bone}" for bone in found} for role, found in JOINTS[kind].items()
        }
    finally:
        for bone in bones:
            bone.name = bone.name.removeprefix("Foot Wing:")
