# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import clip_store, rigs
from inertia_addon.blender.evaluation import influence
from inertia_addon.blender.evaluation.character import read_character
from tests.blender import builders


@pytest.fixture
def armature(fresh_file: None) -> Any:
    """Return an armature of three bones with an action, "Walk"."""
    made = builders.rig({"A": None, "B": "A", "C": "B"})
    builders.wave(builders.action("Walk"), builders.bone_path("A", "location"), 0, 1.0)
    return made


@pytest.mark.parametrize(("rate", "base", "unit"), [(24, 1.0, 1.0), (30, 1.001, 0.01), (120, 1.0, 2.5)])
def test_character_has_the_rate_and_the_units_of_the_scene(
    armature: Any, rate: int, base: float, unit: float
) -> None:
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = rate, base
    scene.unit_settings.scale_length = unit
    character = read_character(armature)
    assert (character.fps, character.metres) == pytest.approx((rate / base, unit))
    assert character.size == pytest.approx(rigs.read(armature).size * unit)


def test_character_keeps_the_rig_that_it_has_read(armature: Any) -> None:
    character = read_character(armature)
    before = character.rig.world[:3, 3].tolist()
    armature.location.x += 3.0
    bpy.context.view_layer.update()
    assert character.rig.world[:3, 3].tolist() == before
    assert read_character(armature).rig.world[0, 3] == pytest.approx(before[0] + 3.0)


@pytest.mark.parametrize("is_plain", [True, False])
def test_character_is_plain_where_no_constraint_acts(armature: Any, *, is_plain: bool) -> None:
    if not is_plain:
        armature.pose.bones["B"].constraints.new("COPY_ROTATION").target = armature
    clip = clip_store.read(armature, bpy.data.actions["Walk"])
    character = read_character(armature)
    assert character.is_plain([clip]) == is_plain
    assert character.why_not_plain([clip]) == influence.why_not_plain(armature, [clip])


def test_character_looks_once_for_what_is_found_of_it(armature: Any) -> None:
    looked: list[str] = []

    def find(thing: Any) -> tuple[str, ...]:
        looked.append(thing.name)
        return tuple(thing.data.bones.keys())

    character = read_character(armature)
    assert [character.find_once(find) for _ in range(3)] == [("A", "B", "C")] * 3
    assert read_character(armature).find_once(find) == ("A", "B", "C")
    assert looked == [armature.name] * 2
