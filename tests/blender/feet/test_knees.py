# SPDX-License-Identifier: GPL-3.0-or-later
"""Locked feet turn no joint of a leg much faster than the clips do, wherever walks in place are cut."""

from __future__ import annotations

import itertools
import math
import random
from pathlib import Path
from typing import Any

import bpy
import pytest

from inertia_addon.blender import files
from inertia_addon.blender.data import compat, rig
from inertia_addon.blender.feet import legs
from inertia_addon.blender.transition import bake
from inertia_addon.settings.transition import TransitionSettings

pytestmark = [pytest.mark.usefixtures("fresh_file"), pytest.mark.data]

WALKS = {
    "godot_player": ("walk", "run", "idle"),
    "KayKit_Rig_Medium": ("Rig_Medium|Walking_A", "Rig_Medium|Running_A", "Rig_Medium|Walking_C"),
    "RobotExpressive": ("Walking", "Running", "Idle"),
}
TIMES = 2.0
"""A lock may have to turn a knee faster than the clips and the blend do, by so much: a leg that is in the air
in one of them stands in the other."""


def fastest(armature: Any, action: Any, slot: str, first: float, last: float) -> float:
    """How many degrees any knee or ankle turns from one frame to the next, at most, as Blender plays it."""
    compat.assign(armature, action, slot)
    names = armature.data.bones.keys()
    pairs = [
        (names[upper], names[lower])
        for leg in legs.of_armature(armature)
        for upper, lower in itertools.pairwise(leg.joints)
    ]
    bends = []
    for frame in range(math.ceil(first), math.floor(last) + 1):
        bpy.context.scene.frame_set(frame)
        posed = armature.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
        turned = [posed[upper].matrix.inverted() @ posed[lower].matrix for upper, lower in pairs]
        bends.append([each.to_quaternion() for each in turned])
    return max(
        math.degrees(2.0 * math.acos(min(1.0, abs(before.dot(after)))))
        for one, other in itertools.pairwise(bends)
        for before, after in zip(one, other, strict=True)
    )


@pytest.mark.variants(1)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rig_name", WALKS)
def test_no_knee_is_flung(rig_name: str, seed: int, data_dir: Path) -> None:
    (source,) = (data_dir / "glb").rglob(f"{rig_name}.glb")
    files.load([source])
    (armature, *_) = rig.armatures()
    chance = random.Random(f"{rig_name} {seed}")
    # before Blender 4.4 the importer adds the object's name
    named = {each.name.removesuffix(f"_{armature.name}"): each for each in bpy.data.actions}
    clips = [named[name] for name in chance.sample(WALKS[rig_name], 2)]
    spans = [clip.curve_frame_range for clip in clips]
    cut = float(chance.randint(math.ceil(spans[0][0]) + 1, math.floor(spans[0][1]) - 1))
    entry = float(chance.randint(math.ceil(spans[1][0]), math.floor(spans[1][1]) - 4))
    found = {}
    for feet in ("OFF", "LOCK"):
        settings = TransitionSettings(clips[0].name, clips[1].name, cut, entry, feet=feet)
        report = bake.bake_transition(armature, settings)
        result = bpy.data.actions[report.result]
        found[feet] = fastest(armature, result, report.slot, cut - 4.0, report.until + 4.0)
    own = [
        fastest(armature, clip, compat.slots(clip)[0].identifier, *span)
        for clip, span in zip(clips, spans, strict=True)
    ]
    assert found["LOCK"] <= TIMES * max(found["OFF"], *own)
