# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a Rigify character in a process of its own, as that add-on's traces are not to stay in the tests'.

    python tests/rigify_character.py character.blend [human [bare]] [-- another.blend cat bare ...]

It is made of the basic human, of the whole one, with its fingers and face, or of another metarig. Unless it
shall be bare the rig "rig" gets the actions Walk, Step and Run, which move its controls and switch spaces
while they play.
"""

from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy

SWITCHES = {"thigh_parent.L": ("IK_parent", "pole_parent"), "torso": ("torso_parent",)}
"""Integers whose values have names, by the bone that holds them."""


def generated(path: Path, *kind: str) -> Path:
    """Make a character in a process of its own; returns its file."""
    generate({path: kind})
    return path


def generate(characters: Mapping[Path, Sequence[str]]) -> None:
    """Make files of kinds of characters in one process, which takes a second to start."""
    words = [word for path, kind in characters.items() for word in ("--", path, *kind)]
    made = subprocess.run([sys.executable, __file__, *words[1:]], capture_output=True, text=True, timeout=300)
    assert made.returncode == 0, made.stderr


def make(kind: str) -> Any:
    """The generated rig of a kind of metarig; the add-on must be enabled."""
    getattr(bpy.ops.object, f"armature_{kind}_metarig_add")()
    metarig = bpy.context.object
    bpy.ops.pose.rigify_generate()
    rig = bpy.context.object
    bpy.data.objects.remove(metarig)
    rig.name = "rig"
    return rig


def change_modes_of_faces_seldom() -> None:
    """Have Rigify's face copy its bones in Edit Mode, and then what poses have of them, in Object Mode.

    It goes there and back for each of two hundred bones, and to Object Mode again for each of their
    constraints, which takes most of the time: Blender follows the rig whenever it is told of a mode.
    """
    from rigify.rigs.faces import super_face
    from rigify.utils import bones

    copied: list[tuple[str, str]] = []

    def copy_bone(armature: Any, bone: str, name: str = "") -> str:
        made = str(bones.copy_bone(armature, bone, name, parent=True, bbone=True))
        copied.append((bone, made))
        return made

    def create_bones(rig: Any) -> Any:
        created = create(rig)
        bpy.ops.object.mode_set(mode="OBJECT")
        for bone, made in copied:
            # copies have shapes of their own by now
            bones.copy_bone_properties(rig.obj, bone, made, widget=False)
        copied.clear()
        bpy.ops.object.mode_set(mode="EDIT")
        return created

    def mode_set(mode: str) -> None:
        if bpy.context.object.mode != mode:
            bpy.ops.object.mode_set(mode=mode)

    create = super_face.Rig.create_bones
    super_face.Rig.create_bones, super_face.copy_bone = create_bones, copy_bone
    # nothing else of Blender is used there
    super_face.bpy = SimpleNamespace(ops=SimpleNamespace(object=SimpleNamespace(mode_set=mode_set)))


def key(rig: Any, name: str, speed: float) -> None:
    """Key an action of its controls: the torso and a foot go, the arms swing, and spaces are switched."""
    rig.animation_data_create().action = bpy.data.actions.new(name)
    rig.animation_data.action.use_fake_user = True
    bones = rig.pose.bones
    for frame in range(1, 42, 5):
        bones["torso"].location = (0.0, -speed * frame, 0.02 * math.sin(frame))
        bones["foot_ik.L"].location = (0.0, -speed * frame, 0.1 * abs(math.sin(frame * speed)))
        for bone in ("torso", "foot_ik.L"):
            bones[bone].keyframe_insert("location", frame=frame)
        bones["upper_arm_fk.R"].rotation_quaternion = (1.0, speed * math.sin(frame), 0.0, 0.0)
        bones["upper_arm_fk.R"].keyframe_insert("rotation_quaternion", frame=frame)
        for bone, names in SWITCHES.items():
            for switch in names:
                bones[bone][switch] = frame % 2
                bones[bone].keyframe_insert(f'["{switch}"]', frame=frame)
        bones["thigh_parent.L"]["IK_FK"] = frame / 41.0
        bones["thigh_parent.L"].keyframe_insert('["IK_FK"]', frame=frame)


def main() -> None:
    import addon_utils  # Blender's own, which it puts where Python finds it

    bpy.ops.wm.read_factory_settings(use_empty=True)
    addon_utils.enable("rigify", default_set=True)
    change_modes_of_faces_seldom()
    arguments = [list(words) for end, words in itertools.groupby(sys.argv[1:], "--".__eq__) if not end]
    for path, *given in arguments:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        kind, *bare = given or ["basic_human"]
        rig = make(kind)
        for name, speed in () if bare else (("Walk", 0.05), ("Step", 0.1), ("Run", 0.15)):
            key(rig, name, speed)
        bpy.ops.wm.save_as_mainfile(filepath=path)


if __name__ == "__main__":
    try:
        main()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)  # the bpy modules 4.2 and 4.5 hang or crash at exit while an add-on is registered
