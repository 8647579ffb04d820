# SPDX-License-Identifier: GPL-3.0-or-later
"""What results of all kinds have alike: a recipe, a check with a verdict, markers; and each is a source."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import bpy
import pytest

from inertia_addon import api
from inertia_addon.blender.data import actions, recipe, recipe_reader
from inertia_addon.blender.nla import tracks
from inertia_addon.blender.results import update
from inertia_addon.motion.steps import finish
from tests.blender.results import kinds

EACH = pytest.mark.parametrize("kind", kinds.MADE)
PLAYING_CLIPS = ("transition", "fill", "path", "take")
"""The kinds that can be laid out as strips."""


@pytest.fixture
def walker(fresh_file: None) -> Any:
    return kinds.character()


@pytest.mark.variants(4)
@EACH
def test_a_result_is_checked_and_has_a_verdict(walker: Any, tmp_path: Path, kind: str) -> None:
    name = kinds.MADE[kind](walker, "Walk", tmp_path)
    checked = api.check(walker, action=name).values
    if kind == "model" and not checked["verdicts"]:
        return  # it went all the way without a jump
    assert checked["verdict"]["rating"] in ("GOOD", "FAIR", "POOR"), checked["notes"]
    assert checked["verdict"]["words"]
    assert len(checked["verdicts"]) >= 1


@pytest.mark.variants(4)
@EACH
def test_a_result_remembers_settings_with_present_names(walker: Any, tmp_path: Path, kind: str) -> None:
    action = bpy.data.actions[kinds.MADE[kind](walker, "Walk", tmp_path)]
    before = recipe_reader.read_recipe(action)
    assert isinstance(before.settings, recipe_reader.SETTINGS[recipe.kind(action)])
    assert recipe.noted_armature(action) == walker.name
    for used in {each for each in recipe.ingredients(action) if each is not None}:
        used.name += " renamed"
    action.name = "Called"
    after = recipe_reader.read_recipe(action)
    assert after.used == tuple(f"{name} renamed" for name in before.used)
    joins = getattr(after.settings, "transition", after.settings)
    assert joins.result == "Called"
    finish(update.update_steps(walker, action))


@pytest.mark.variants(4)
@EACH
def test_a_result_is_itself_a_source(walker: Any, tmp_path: Path, kind: str) -> None:
    name = kinds.MADE[kind](walker, "Walk", tmp_path)
    before = actions.contents(bpy.data.actions[name])
    start = bpy.data.actions[name].frame_range[0]
    made = api.bake(walker, source=name, destination="Turn", cut=start + 8.0, destination_frame=15.0)
    for again in (api.travel, api.feet, api.keys):
        with contextlib.suppress(api.InertiaError):  # such as where it has no way to lose
            again(walker, action=made.action)
    assert actions.contents(bpy.data.actions[name]) == before
    assert recipe.ingredients(bpy.data.actions[made.action])[0].name == name


@pytest.mark.parametrize(
    "kind", ["transition", "jump", "hop", "fill", "loop", "travel", "feet", "fewer keys"]
)
def test_a_result_has_the_markers_of_its_clips(walker: Any, tmp_path: Path, kind: str) -> None:
    for name in ("Walk", "Jumping"):
        bpy.data.actions[name].pose_markers.new("Step").frame = 8
    action = bpy.data.actions[kinds.MADE[kind](walker, "Walk", tmp_path)]
    first = action.frame_range[0] if kind == "loop" else 0.0
    expected = 8 - 5 + round(first) if kind == "loop" else 8
    assert [marker.frame for marker in action.pose_markers if marker.name == "Step"] == [expected]


@pytest.mark.parametrize("kind", PLAYING_CLIPS)
def test_a_result_of_clips_is_laid_out_as_strips_and_updated_there(
    walker: Any, tmp_path: Path, kind: str
) -> None:
    name = kinds.MADE[kind](walker, "Walk", tmp_path)
    keys = {"transition": "bake", "fill": "fill", "path": "path", "take": "steer"}
    asked: dict[str, Any] = {
        "transition": {**kinds.ENDS, "cut": 12.0, "destination_frame": 15.0},
        "fill": {**kinds.ENDS, "cut": 16.0, "destination_frame": 9.0, "gap_frames": 12.0, "actions": "Bend"},
        "path": {"curve": kinds.WAY, "actions": ("Walk", "Turn"), "width": 4},
        "take": {"input": str(tmp_path / "wishes.csv"), "actions": ("Walk", "Turn")},
    }
    bpy.data.actions.remove(bpy.data.actions[name])
    made = api.run(keys[kind], walker, strips=True, **asked[kind]).action
    action = bpy.data.actions[made]
    assert tracks.is_played(walker, action)
    assert recipe_reader.is_strips(action)
    count = len(walker.animation_data.nla_tracks)
    report = finish(update.update_steps(walker, action))
    assert report.assigned
    assert tracks.is_played(walker, bpy.data.actions[made])
    assert len(walker.animation_data.nla_tracks) == count


# --- results within results


def check_good(armature: Any, name: str) -> None:
    """Assert that a result plays finite poses, is judged, and is made anew the same."""
    verdicts = api.check(armature, action=name).values["verdicts"]
    assert verdicts
    assert all(each["rating"] in ("GOOD", "FAIR") for each in verdicts), verdicts
    before = actions.contents(bpy.data.actions[name])
    finish(update.update_steps(armature, bpy.data.actions[name]))
    assert actions.contents(bpy.data.actions[name]) == before


def test_a_path_has_a_hop_in_it(walker: Any, tmp_path: Path) -> None:
    hop = kinds.MADE["hop"](walker, "Walk", tmp_path)
    pins = f"{hop}@{12.0:g}=0.2"
    made = api.path(walker, curve=kinds.WAY, actions=(hop, "Walk"), width=4, pins=(pins,))
    names = {play.action for play in plays_of(made.action)}
    assert hop in names
    check_good(walker, made.action)


def test_a_path_of_a_loop_alone_is_no_loop(walker: Any, tmp_path: Path) -> None:
    loop = kinds.MADE["loop"](walker, "Walk", tmp_path)
    assert bpy.data.actions[loop].use_cyclic
    made = api.path(walker, curve=kinds.WAY, actions=(loop,), width=4)
    action = bpy.data.actions[made.action]
    assert (action.use_cyclic, action.use_frame_range) == (False, False)


def test_a_fill_lies_between_a_loop_and_a_take(walker: Any, tmp_path: Path) -> None:
    loop, take = (kinds.MADE[kind](walker, "Walk", tmp_path) for kind in ("loop", "take"))
    first = bpy.data.actions[take].frame_range[0]
    made = api.fill(
        walker,
        source=loop,
        destination=take,
        cut=20.0,
        destination_frame=first + 4.0,
        gap_frames=14.0,
        actions="Bend",
    )
    assert [each.name for each in recipe.ingredients(bpy.data.actions[made.action])][:2] == [loop, take]
    check_good(walker, made.action)


def test_a_jump_is_mended_within_a_path(walker: Any, tmp_path: Path) -> None:
    path = bpy.data.actions[kinds.MADE["path"](walker, "Walk", tmp_path)]
    first, last = path.frame_range
    middle = round(0.5 * (first + last))
    cut = path.copy()
    cut.name = "Cut path"
    for curve in kinds.curves_of(cut):
        shown = {key.co.x: curve.evaluate(key.co.x - 5.0) for key in curve.keyframe_points}
        for key in curve.keyframe_points:
            if key.co.x >= middle:
                key.interpolation, key.co.y = "LINEAR", shown[key.co.x]
        curve.update()
    jump = {"cut": float(middle), "destination_frame": float(middle), "smooth_jump": True}
    made = api.bake(walker, source="Cut path", destination="Cut path", **jump, alignment="none")
    hard, mended = (api.check(walker, action=each).values["pop"] for each in ("Cut path", made.action))
    assert mended < 0.5 * hard
    assert api.check(walker, action=made.action).values["verdicts"]
    before = actions.contents(bpy.data.actions[made.action])
    finish(update.update_steps(walker, bpy.data.actions[made.action]))
    assert actions.contents(bpy.data.actions[made.action]) == before


def plays_of(name: str) -> Any:
    """What a path plays."""
    from inertia_addon.blender.matching import recipes

    return recipes.plays_of(bpy.data.actions[name])
