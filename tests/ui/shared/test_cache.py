# SPDX-License-Identifier: GPL-3.0-or-later
"""What is kept for panels and overlays goes when it has to, and stays as long as it may."""

from __future__ import annotations

from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import actions
from inertia_addon.errors import InertiaError
from inertia_addon.motion.steps import finish
from inertia_addon.ui import panels
from inertia_addon.ui.cost import costs, joint_trajectories
from inertia_addon.ui.overlay import build
from inertia_addon.ui.shared import cache
from inertia_addon.ui.transition import outlook
from inertia_addon.ui.transition import panels as transition_panels
from tests.ui.recorder import Recorder, context, drawn, panel_named

PANELS = {cls.bl_idname: cls for cls in panels.CLASSES}


pytestmark = pytest.mark.usefixtures("no_rest")


@pytest.fixture
def constrained(rig: Any) -> Any:
    """A rig that only Blender can play, whose clips were evaluated."""
    constraint = rig.pose.bones["hand.L"].constraints.new("LIMIT_ROTATION")
    constraint.influence = 0.5
    finish(costs.evaluate_steps(rig))
    return rig


def is_known(rig: Any) -> bool:
    """Whether costs are there without playing the clips again."""
    try:
        costs.costs_of(rig)
    except InertiaError as error:
        return not isinstance(error, costs.NotEvaluated)
    return True


def move_a_key(action: Any, value: float) -> float:
    """Give a key another value; returns the former one."""
    curve = next(iter(actions.read(action, actions.choose_slot(action, bpy.context.object)).curves.values()))
    point = curve.fcurve.keyframe_points[2]
    former, point.co.y = point.co.y, value
    curve.fcurve.update()
    return former


def test_costs_of_an_evaluated_rig_outlive_a_bake_and_other_edits(constrained: Any) -> None:
    bpy.ops.inertia.bake_transition()
    assert is_known(constrained)
    move_a_key(bpy.data.actions["Idle"], 0.5)
    assert is_known(constrained)
    bpy.data.actions["Idle"].name = "Rest"
    bpy.context.scene.frame_set(13)
    constrained.pose.bones["spine"].rotation_euler.x += 0.5
    assert is_known(constrained)


def test_cached_clips_go_with_what_they_were_made_of(constrained: Any) -> None:
    former = move_a_key(bpy.data.actions["Run"], 0.5)
    assert not is_known(constrained)
    move_a_key(bpy.data.actions["Run"], former)
    assert is_known(constrained)  # what it is now is what was evaluated
    constrained.pose.bones["hand.L"].constraints[0].influence = 1.0
    assert not is_known(constrained)
    constrained.pose.bones["hand.L"].constraints[0].influence = 0.5
    assert is_known(constrained)
    bpy.context.scene.render.fps = 60
    assert not is_known(constrained)


def test_cached_clips_outlive_an_undo_that_does_not_concern_them(constrained: Any) -> None:
    bpy.ops.ed.undo_push(message="Evaluated")
    move_a_key(bpy.data.actions["Walk"], 0.5)
    bpy.ops.ed.undo_push(message="Move a key")
    assert not is_known(bpy.context.object)
    bpy.ops.ed.undo()
    assert is_known(bpy.context.object)
    bpy.ops.ed.redo()
    assert not is_known(bpy.context.object)


def test_a_redraw_without_a_change_looks_at_nothing_again(
    constrained: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What takes long with many strips and constraints: looking at rigs and actions, planning, comparing."""
    shown = bpy.context.scene.inertia_overlay
    for switch in ("curves", "map", "offsets", "ghosts", "tint", "root_motion"):
        setattr(shown, switch, True)
    constrained.data.bones.active = constrained.data.bones["spine"]
    view = context()
    view.space_data.overlay = type("Overlay", (), {"show_overlays": True})

    def redraw() -> list[Recorder]:
        build.view3d_overlay(view)
        return [
            drawn(panel)
            for panel in (
                panel_named("transition"),
                transition_panels.ResultPanel,
                transition_panels.BonesPanel,
            )
        ]

    other = bpy.data.objects.new("Other", None)
    bpy.context.scene.collection.objects.link(other)
    redraw()
    for module, name in (
        (cache.influence, "key"),
        (cache.actions, "contents"),
        (outlook.bake, "plan_transition"),
        (costs.costing, "compare"),
        (cache, "_rig_state"),
    ):
        monkeypatch.setattr(module, name, None)
    redraw()
    other.location.x = 1.0
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(17)
    redraw()


def test_ghosts_survive_a_bone_that_went_while_costs_lag_behind(
    rig: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = bpy.context.scene.inertia_overlay
    shown.ghosts = True
    rig.inertia_cost.joints = "ALL"
    found = costs.costs_of(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones.remove(rig.data.edit_bones["hips"])
    bpy.ops.object.mode_set(mode="OBJECT")
    made, _ = joint_trajectories.ghosts(rig, found, 10)
    assert {one.bone for one in made} == {"spine", "hand.L"}


def test_very_long_clips_are_not_read_while_panels_are_drawn(
    rig: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache.joint_motion, "QUICK", 20)
    cache.forget()
    for name in ("read", "read_keys", "contents"):
        monkeypatch.setattr(actions, name, None)
    shown = drawn(panel_named("result"))
    assert '"Walk" is so long that it is checked only when you bake.' in shown.text
    assert "1 to 40" in drawn(panel_named("options")).texts
    with pytest.raises(costs.NotEvaluated, match="Press Evaluate Clips"):
        costs.costs_of(rig)
    before = cache.action_state(rig.inertia.source)
    bpy.data.actions["Idle"].update_tag()
    assert cache.action_state(rig.inertia.source) != before


@pytest.mark.parametrize("fails", [False, True])
def test_parts_of_one_redraw_share_what_they_look_at_and_the_next_looks_anew(
    constrained: Any, *, fails: bool
) -> None:
    looks: list[None] = []

    def look() -> int:
        looks.append(None)
        if fails:
            raise InertiaError("There is nothing to see.")
        return len(looks)

    def ask() -> int | str:
        try:
            return cache.in_redraw("look", constrained, look)
        except InertiaError as error:
            return error.sentence

    for count in (1, 2):
        with cache.one_redraw():
            assert ask() == ask() == ("There is nothing to see." if fails else count)
        assert len(looks) == count
    ask(), ask()
    assert len(looks) == 4


def test_a_cached_answer_is_never_given_to_another_question(
    constrained: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A costly answer is kept a while where the rig changes, but only for what it answers."""
    monkeypatch.setattr(cache, "CHEAP_SECONDS", 0.0)
    monkeypatch.setattr(cache, "REST", 1e9)
    looks: list[str] = []

    def ask(bone: str) -> str:
        return cache.rig_answer("bone", constrained, lambda rig: looks.append(bone) or bone, question=bone)

    bones = ("hand.L", "hand.R")
    for _ in range(3):
        assert [ask(bone) for bone in bones] == list(bones)
        constrained.data.update_tag()
        cache.settle()
    assert looks == list(bones), "answers rest, each for its own question"
    for index in range(2 * cache.QUESTIONS):
        ask(str(index))
    assert sum(name.startswith("bone/") for name in cache._kept) <= cache.QUESTIONS + 1
