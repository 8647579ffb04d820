# SPDX-License-Identifier: GPL-3.0-or-later
"""A model is steered in place of the clips, and its take is what was shown."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

import numpy as np
from mathutils import Matrix

from inertia_addon.blender.data import compat, recipe
from inertia_addon.blender.data.recipe_reader import read_recipe
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.feet import legs as leg_list
from inertia_addon.blender.learned import posing, recipes
from inertia_addon.errors import InertiaError
from inertia_addon.motion.steps import finish
from inertia_addon.settings.steering import SteerSettings
from inertia_addon.ui.learned import models, training
from inertia_addon.ui.steering import live
from tests.blender import wanderer
from tests.ui.recorder import drawn, panel_named
from tests.ui.rigs import brief_training

PANEL, OPTIONS = (panel_named(name) for name in ("steer", "steer_options"))
FIRST = 7
WISHED = ((0.0, -0.6, 0.5), (0.6, 0.0, 0.4), (0.0, 0.0, 0.2))


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A very small model of the wanderer's clips."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    armature, path = wanderer.with_clips(), tmp_path_factory.mktemp("models") / "walker.npz"
    own = armature.inertia_learned
    own.model, own.hidden, own.latent, own.minutes = str(path), 16, 4, 0.02
    with brief_training():
        bpy.ops.inertia.train_model()
    training.forget()
    return path


@pytest.fixture
def walker(fresh_file: None, learned: Path) -> Iterator[Any]:
    armature = wanderer.with_clips()
    armature.inertia_learned.model, armature.inertia_steer.use_model = str(learned), True
    armature.inertia.feet = "OFF"
    bpy.context.scene.render.fps = 30
    yield armature
    live.end()


def pose(armature: Any) -> Any:
    """Where Blender shows the heads and tails of the bones."""
    bpy.context.view_layer.update()
    shown = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    ends = [shown.matrix_world @ end for bone in shown.pose.bones for end in (bone.head, bone.tail)]
    return np.array(ends)


def steered(armature: Any) -> tuple[Any, dict[int, Any]]:
    """Steer as in a window; what was shown on the scene's frames."""
    begun = finish(live.prepare_steps(armature, float(FIRST), None))
    shown, seen = live.begin(armature, bpy.context.scene, begun), {}
    fps = bpy.context.scene.render.fps
    for x, y, seconds in WISHED:
        shown.session.wish(x, y)
        end = shown.session.frames + round(60 * seconds)
        while shown.session.frames < end:
            shown.advance(shown.session.frames + 60 // fps)
            seen[FIRST + shown.session.now.frame * fps // 60] = pose(armature)
    live.end()
    return shown, seen


def kept(armature: Any, shown: Any) -> Any:
    """Keep the take as Enter does."""
    begun = shown.begun
    bpy.ops.inertia.steer(
        wishes=";".join(map(str, shown.session.rows())),
        start=",".join(f"{number:.17g}" for number in begun.settings.start),
        model=begun.model,
        continued=begun.continued,
        first_frame=begun.settings.first_frame,
    )
    return compat.assigned(armature)[0]


def keys_of(action: Any) -> list[tuple[float, ...]]:
    return [
        tuple(key.co)
        for curve in compat.curves(action, compat.slots(action)[0].identifier)
        for key in curve.keyframe_points
    ]


@pytest.mark.variants(1)
@pytest.mark.parametrize("feet", ["OFF", "LOCK"])
def test_the_take_is_what_was_shown_and_gone_on_with(walker: Any, feet: str) -> None:
    walker.inertia.feet = feet
    before = pose(walker)
    shown, seen = steered(walker)
    np.testing.assert_allclose(pose(walker), before, atol=1e-6)
    assert shown.begun.plays(shown.session.now) == "walker"
    made = kept(walker, shown)
    assert recipe.is_baked(made, recipe.LEARNED)
    assert made.frame_range[0] == FIRST
    for frame, there in seen.items():
        bpy.context.scene.frame_set(frame)
        np.testing.assert_allclose(pose(walker), there, atol=1e-3)
    settings, path = read_recipe(made).settings, recipes.find_model(made)
    assert (len(settings.wishes), path.name) == (len(shown.session.rows()), "walker.npz")
    keys = keys_of(made)
    assert bpy.ops.inertia.rebake() == {"FINISHED"}
    assert keys_of(compat.assigned(walker)[0]) == keys
    # it is gone on with from its middle
    first, middle = compat.assigned(walker)[0], FIRST + 16
    bpy.context.scene.frame_set(middle)
    there = pose(walker)
    begun = finish(live.prepare_steps(walker, float(middle), None))
    assert begun.continued == first.name
    shown = live.begin(walker, bpy.context.scene, begun)
    np.testing.assert_allclose(pose(walker), there, atol=1e-3)
    shown.session.wish(0.0, 0.6)
    shown.advance(shown.session.frames + 30)
    live.end()
    again = kept(walker, shown)
    assert again != first
    for frame in (FIRST, FIRST + 8, middle):
        assert keys_on(first, frame) == pytest.approx(keys_on(again, frame), abs=1e-6)


def test_feet_that_the_model_has_planted_stand_in_what_is_shown(walker: Any) -> None:
    _, free = steered(walker)
    walker.inertia.feet = "LOCK"
    shown, locked = steered(walker)
    legs, names = leg_list.of_armature(walker), [bone.name for bone in walker.pose.bones]
    moved = {i for leg in legs for i in (*leg.joints, leg.point)}
    others = [2 * i + k for i in range(len(names)) if i not in moved for k in range(2)]
    feet = [2 * leg.foot + 1 for leg in legs]
    known = shown.begun.session.led.model.skeleton.feet
    columns = [known.index(names[leg.foot]) for leg in legs]
    planted = {
        FIRST + moment.frame // 2: moment.shown.pose.contacts[0, columns]
        for moment in shown.session.moments
        if moment.frame % 2 == 0
    }
    still, slid = [], []
    for frame in sorted(locked)[:-1]:
        np.testing.assert_allclose(locked[frame][others], free[frame][others], atol=1e-5)
        stands = np.all([planted.get(at, [False] * len(legs)) for at in range(frame - 6, frame + 2)], axis=0)
        for found, seen in ((still, locked), (slid, free)):
            steps = np.linalg.norm((seen[frame + 1] - seen[frame])[feet, :2], axis=1)
            found += steps[stands].tolist() if frame + 1 in seen else []
    assert len(still) > 5
    # so small a model leaps now and then, where nothing stands
    assert np.quantile(still, 0.25) < 1e-5 < 1e-3 < np.median(slid)
    assert np.median(still) < 0.25 * np.median(slid)


def keys_on(action: Any, frame: int) -> list[float]:
    curves = compat.curves(action, compat.slots(action)[0].identifier)
    return [curve.evaluate(frame) for curve in curves]


@pytest.mark.parametrize("turn", [0.0, 1.0, -2.5])
def test_a_steered_model_begins_where_the_character_stands(walker: Any, turn: float) -> None:
    model = models.trained(walker).model
    place, heading = posing.stands(model, read_character(walker))
    walker.matrix_world = (
        Matrix.Translation((3.0, -2.0, 0.0)) @ Matrix.Rotation(turn, 4, "Z") @ walker.matrix_world
    )
    bpy.context.view_layer.update()
    moved, turned = posing.stands(model, read_character(walker))
    c, s = math.cos(turn), math.sin(turn)
    there = np.array([[c, -s], [s, c]]) @ place + (3.0, -2.0)
    np.testing.assert_allclose(moved, there, atol=1e-5)
    assert math.remainder(turned - heading - turn, math.tau) == pytest.approx(0.0, abs=1e-5)
    begun = finish(live.prepare_steps(walker, 1.0, None))
    np.testing.assert_allclose(begun.session.now.ground, moved, atol=1e-6)


def test_moves_and_a_file_that_is_gone_are_refused_and_the_panel_asks_for_the_model_alone(
    walker: Any,
) -> None:
    with pytest.raises(RuntimeError, match="plays no moves"):
        bpy.ops.inertia.steer(
            wishes="0,0,0;1,0,0,,Bend;2,0,0", start="0,0,0", model=str(models.path_of(walker))
        )
    gone = models.path_of(walker).with_name("gone.npz")
    with pytest.raises(RuntimeError, match=r"gone\.npz.* could not be read: No such file"):
        bpy.ops.inertia.steer(wishes="0,0,0;1,0,0;2,0,0", start="0,0,0", model=str(gone))
    assert {"model", "use_model"} <= {*drawn(PANEL).shown}
    assert "faithful" not in drawn(PANEL).shown
    walker.inertia_steer.use_model = False
    assert "model" not in drawn(PANEL).shown
    assert "faithful" in drawn(PANEL).shown


def test_options_ask_for_a_stick_s_speeds_and_for_weights_only_where_these_mean_something(
    walker: Any,
) -> None:
    own = walker.inertia_steer
    assert not {"run_side", "hip_velocity_weight"} & {*drawn(OPTIONS).shown}
    assert {"wished_as", "filter_half_life", "clamp_distance"} <= {*drawn(OPTIONS).shown}
    assert "walk" in drawn(PANEL).shown
    own.use_model, own.wished_as = False, "STICK"
    assert {"run_side", "hip_velocity_weight"} <= {*drawn(OPTIONS).shown}
    # a stick has the speeds of its gait, and no others
    assert "walk" not in drawn(PANEL).shown


def test_a_model_is_steered_by_what_the_options_ask_for(walker: Any) -> None:
    own = walker.inertia_steer
    own.wished_as, own.run_forward = "STICK", 2.0
    begun = finish(live.prepare_steps(walker, 1.0, None))
    assert begun.settings.steer == SteerSettings(wished_as="STICK", run_forward=2.0)
    assert begun.session.led.lead.how == begun.settings.steer


def test_a_rig_whose_pose_could_not_be_kept_is_not_steered(walker: Any, tmp_path: Path) -> None:
    held = walker.pose.bones["hips"].constraints
    held.new("COPY_LOCATION").target = bpy.data.objects.new("Aim", None)
    with pytest.raises(InertiaError, match="can only move plain rigs"):
        finish(live.prepare_steps(walker, 1.0, None))
    held.remove(held[0])
    walker.inertia_learned.model = str(tmp_path / "none.npz")
    with pytest.raises(InertiaError, match="no model"):
        finish(live.prepare_steps(walker, 1.0, None))
    assert 'There is no model "none.npz" yet' in drawn(PANEL).text
