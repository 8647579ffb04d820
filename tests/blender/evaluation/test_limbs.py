# SPDX-License-Identifier: GPL-3.0-or-later
"""What a limb copies, what its controls hang from, and that only what Blender shows is posed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import pytest

from inertia_addon.blender.evaluation import limbs
from inertia_addon.blender.evaluation.controls import open_stage
from inertia_addon.errors import InertiaError
from tests.blender.made_up_limbs import SEEN, SWING, SWITCH, made_up, turned_itself

pytestmark = pytest.mark.usefixtures("fresh_file")


def test_a_copy_constraint_that_is_switched_off_copies_nothing() -> None:
    rig = made_up()
    with open_stage(rig) as stage:
        assert limbs.BoneRelations(rig, stage.evaluated).copy_sources == dict(
            zip(SEEN[1:], SWING, strict=True)
        )
    for name in SEEN[1:]:
        for constraint in rig.pose.bones[name].constraints:
            constraint.mute = constraint.name in SWING
    with open_stage(rig) as stage:
        assert limbs.BoneRelations(rig, stage.evaluated).copy_sources == {}


def test_a_control_hangs_from_what_carries_it_up_to_the_next_one() -> None:
    rig = made_up()
    shape = bpy.data.objects.new("Shape", None)
    for name in ("body", "swing c"):
        rig.pose.bones[name].custom_shape = shape
    with open_stage(rig) as stage:
        reading = limbs.BoneRelations(rig, stage.evaluated)
        assert reading.above("swing c") == {"swing c", "swing b", "swing a"}
        assert reading.above("body") == {"body"}


def test_a_bone_hangs_from_the_nearest_control_above_it() -> None:
    rig = made_up()
    rig.pose.bones["body"].custom_shape = bpy.data.objects.new("Shape", None)
    with open_stage(rig) as stage:
        reading = limbs.BoneRelations(rig, stage.evaluated, ("swing b",))
        assert [reading.nearest(name) for name in SWING] == ["body", "swing b", "swing b"]
        assert reading.nearest("body") == "body"
        assert reading.nearest("gear") == reading.nearest("") == ""


@pytest.mark.parametrize("build", [made_up, turned_itself])
def test_a_switched_limb_is_posed_on_one_side_by_its_chain_and_on_the_other_by_what_is_reached_for(
    build: Callable[[], Any],
) -> None:
    rig = build()
    with open_stage(rig) as stage:
        (limb,) = limbs.find(stage, {*SWING, "grab"})
    assert (limb.switch, limb.fk_value, limb.ik_value) == (SWITCH, 0.0, 1.0)
    assert (limb.fk, limb.ik) == (SWING, ("grab",))
    assert limb.shown == (SEEN[1:] if build is made_up else SWING)


def test_a_rig_that_blender_does_not_show_is_not_posed() -> None:
    rig = made_up()
    rig.hide_viewport = True
    with pytest.raises(InertiaError, match="is disabled in viewports"), open_stage(rig):
        pass
