# SPDX-License-Identifier: GPL-3.0-or-later
"""A result remembers how it was made, can be made anew in place, and nothing vanishes from a saved file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import compat, recipe, recipe_reader
from inertia_addon.blender.transition import bake
from inertia_addon.errors import InertiaError
from inertia_addon.motion.decay.decay import Method
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders

PATH = builders.bone_path("A", "location")
TURN = builders.bone_path("A", "rotation_quaternion")

pytestmark = pytest.mark.usefixtures("fresh_file")


@pytest.fixture
def armature(fresh_file: None) -> Any:
    armature = builders.rig({"A": None, "B": "A"})
    for n, name in enumerate(("Source", "Destination")):
        made = builders.action(name)
        builders.wave(made, PATH, 0, 1.0, phase=n)
        builders.curves(made, TURN, [(1, (1, 0, 0.1 * n, 0)), (41, (1, 0.3, 0, 0.2 * n))])
    return armature


def settings(**how: Any) -> TransitionSettings:
    return TransitionSettings("Source", "Destination", **{"cut": 15.0, "destination_frame": 4.0, **how})


def baked(armature: Any, **how: Any) -> Any:
    return bpy.data.actions[bake.bake_transition(armature, settings(**how)).result]


def contents(made: Any) -> Any:
    return {address: builders.key_data(fcurve) for address, fcurve in builders.by_address(made).items()}


ALL: dict[str, Any] = {
    "cut": 15.25,
    "destination_frame": 4.5,
    "method": "SPRING",
    "quintic_start": "ZERO_JERK",
    "blend_frames": 9.0,
    "half_life": 0.07,
    "decomposition": "AXIS_ANGLE",
    "velocity": "SOURCE",
    "difference": "BACKWARD",
    "match_lengths": True,
    "step": 2,
    "guard": "STRICT",
    "guard_angle": 33.0,
    "guard_length": 0.25,
    "alignment": "POSITION",
    "root": "A",
    "bones": ("A", "B"),
    "blend_scales": (("A", 0.5), ("B", 2.0)),
    "result": "Mine",
    "key_tolerance": 0.5,
    "assign": False,
    "assign_others": True,
    "extrapolate": True,
}


def test_a_recipe_gives_all_settings_back(armature: Any) -> None:
    result = baked(armature, **ALL)
    assert result.name == "Mine"
    loaded = recipe_reader.read_recipe(result, recipe.RECIPE).settings
    assert {field: getattr(loaded, field) for field in ALL} == ALL
    assert (loaded.source, loaded.destination) == ("Source", "Destination")
    assert not recipe_reader.has_changed(result, armature)


def test_a_default_destination_frame_is_written_down(armature: Any) -> None:
    result = baked(armature, destination_frame=None)
    assert recipe_reader.read_recipe(result, recipe.RECIPE).settings.destination_frame == 1.0


@pytest.mark.parametrize("how", [{}, ALL])
def test_making_anew_gives_the_same(armature: Any, how: dict[str, Any]) -> None:
    result = baked(armature, **{**how, "assign": True})
    holder = builders.rig({"A": None}, name="Holder")
    holder["held"] = result
    before = (
        contents(result),
        result.users,
        compat.slots(result),
        compat.assigned(armature),
        len(bpy.data.actions),
    )
    for _ in range(2):
        report = bake.bake_transition(
            armature, recipe_reader.read_recipe(result, recipe.RECIPE).settings, into=result
        )
        assert report.result == result.name
        after = (
            contents(result),
            result.users,
            compat.slots(result),
            compat.assigned(armature),
            len(bpy.data.actions),
        )
        assert after == before
    assert holder["held"] == result


def test_making_anew_with_other_settings(armature: Any) -> None:
    """Every trace of the former curves is gone, groups and modifiers too."""
    result = baked(armature)
    fcurve = builders.by_address(result)[PATH, 0]
    fcurve.modifiers.new("NOISE")
    builders.curve(result, '["mine"]', 0, [(1, 0.0)], slot=compat.slots(result)[0].identifier)
    builders.bags(result)[0].groups.new("Mine")
    other = settings(cut=20.0, method="CUBIC")
    bake.bake_transition(armature, other, into=result)
    found = (contents(result), [group.name for group in builders.bags(result)[0].groups])
    fresh = bpy.data.actions[bake.bake_transition(armature, other).result]
    assert found == (contents(fresh), [group.name for group in builders.bags(fresh)[0].groups])
    assert recipe_reader.read_recipe(result, recipe.RECIPE).settings.cut == 20.0


def test_users_of_a_result_go_on_using_it(armature: Any) -> None:
    """An NLA strip and a second armature keep their slot when the result is made anew."""
    result = baked(armature)
    other = builders.rig({"A": None}, name="Other")
    identifier = compat.slots(result)[0].identifier
    compat.assign(other, result, identifier)
    strip = armature.animation_data.nla_tracks.new().strips.new("Transition", 1, result)
    if compat.has_slots():
        builders.set_strip_slot(strip, identifier)
    bake.bake_transition(armature, settings(cut=20.0), into=result)
    assert compat.assigned(other) == (result, identifier)
    assert compat.strip_assigned(strip) == (result, identifier)


@pytest.mark.variants(3)
@pytest.mark.parametrize("which", ["Source", "Destination"])
@pytest.mark.parametrize(
    "change",
    [
        lambda fcurve: fcurve.keyframe_points[3].co.__setitem__(1, 9.0),
        lambda fcurve: fcurve.keyframe_points.insert(3.5, 1.0),
        lambda fcurve: fcurve.modifiers.new("NOISE"),
        lambda fcurve: setattr(fcurve, "mute", True),
        lambda fcurve: setattr(fcurve, "extrapolation", "LINEAR"),
        lambda fcurve: setattr(fcurve.keyframe_points[2], "interpolation", "BOUNCE"),
    ],
)
def test_a_change_of_the_clips_shows(armature: Any, which: str, change: Any) -> None:
    result = baked(armature)
    assert not recipe_reader.has_changed(result, armature)
    change(builders.by_address(bpy.data.actions[which])[PATH, 0])
    assert recipe_reader.has_changed(result, armature)
    bake.bake_transition(armature, recipe_reader.read_recipe(result, recipe.RECIPE).settings, into=result)
    assert not recipe_reader.has_changed(result, armature)


def test_settings_of_a_modifier_and_an_easing_show(armature: Any) -> None:
    fcurve = builders.by_address(bpy.data.actions["Source"])[PATH, 0]
    modifier = fcurve.modifiers.new("GENERATOR")
    fcurve.keyframe_points[2].interpolation = "BACK"
    result = baked(armature)
    assert not recipe_reader.has_changed(result, armature)
    modifier.coefficients = (0.5, 2.0)
    assert recipe_reader.has_changed(result, armature)
    bake.bake_transition(armature, recipe_reader.read_recipe(result, recipe.RECIPE).settings, into=result)
    fcurve.modifiers.remove(modifier)
    bake.bake_transition(armature, recipe_reader.read_recipe(result, recipe.RECIPE).settings, into=result)
    fcurve.keyframe_points[2].back = 5.0
    assert recipe_reader.has_changed(result, armature)


@pytest.mark.skipif(not compat.has_slots(), reason="actions of this Blender have no slots")
def test_a_change_of_another_slot_shows(armature: Any) -> None:
    source = bpy.data.actions["Source"]
    fcurve = builders.curve(source, 'key_blocks["Smile"].value', 0, [(1, 0.0), (9, 1.0)], slot="KEFace")
    result = baked(armature)
    assert not recipe_reader.has_changed(result, armature)
    fcurve.keyframe_points[1].co[1] = 0.5
    assert recipe_reader.has_changed(result, armature)


def test_renamed_and_deleted_clips(armature: Any) -> None:
    result = baked(armature)
    bpy.data.actions["Source"].name = "Walk"
    assert recipe_reader.read_recipe(result, recipe.RECIPE).settings.source == "Walk"
    assert not recipe_reader.has_changed(result, armature)
    bpy.data.actions.remove(bpy.data.actions["Destination"])
    with pytest.raises(InertiaError, match=r'"Destination", which .* was made from, is gone'):
        recipe_reader.read_recipe(result, recipe.RECIPE)
    assert recipe_reader.has_changed(result, armature)


def test_a_source_is_another_action_of_its_name_only_if_it_is_gone(armature: Any) -> None:
    made = baked(armature)
    bpy.data.actions["Source"].name = "Renamed"
    builders.action("Source")
    assert recipe_reader.read_recipe(made, recipe.RECIPE, by_name=True).settings.source == "Renamed"
    bpy.data.actions.remove(bpy.data.actions["Renamed"])
    assert recipe_reader.read_recipe(made, recipe.RECIPE, by_name=True).settings.source == "Source"
    with pytest.raises(InertiaError, match=r'"Source", which .* was made from, is gone'):
        recipe_reader.read_recipe(made, recipe.RECIPE)


def test_an_action_that_was_not_baked(armature: Any) -> None:
    with pytest.raises(InertiaError, match="was not baked by Inertia"):
        recipe_reader.read_recipe(bpy.data.actions["Source"], recipe.RECIPE)


def test_actions_of_a_bake_do_not_vanish_from_a_saved_file(armature: Any, tmp_path: Path) -> None:
    """Blender saves what has users only; all of the actions involved are kept, the former one too."""
    former = builders.action("Former")
    builders.curve(former, PATH, 1, [(1, 0.0), (10, 1.0)])
    compat.assign(armature, former, compat.slots(former)[0].identifier)
    first = baked(armature)
    # making another one takes the first one off the armature
    second = bake.bake_transition(
        armature, TransitionSettings(first.name, "Destination", 20.0, 3.0, result="Second")
    )
    assert second.assigned
    expected = {name: contents(bpy.data.actions[name]) for name in bpy.data.actions.keys()}
    for _ in range(2):
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
    names = {"Source", "Destination", "Former", "Source to Destination", "Second"}
    assert set(expected) == set(bpy.data.actions.keys()) == names
    assert {name: contents(bpy.data.actions[name]) for name in names} == expected
    armature = bpy.data.objects["Rig"]
    assert compat.assigned(armature)[0] == bpy.data.actions["Second"]
    assert (
        recipe_reader.read_recipe(bpy.data.actions["Second"], recipe.RECIPE).settings.source
        == "Source to Destination"
    )
    assert not recipe_reader.has_changed(bpy.data.actions["Second"], armature)


def test_names_of_results(armature: Any) -> None:
    assert [baked(armature).name for _ in range(2)] == ["Source to Destination", "Source to Destination.001"]
    long = bpy.data.actions["Source"]
    long.name = "W" * 60
    report = bake.bake_transition(armature, TransitionSettings(long.name, "Destination", 15.0))
    assert report.result in bpy.data.actions


@pytest.mark.parametrize("fps", [24, 30, 120])
def test_a_blend_takes_as_long_at_any_frame_rate(armature: Any, fps: int) -> None:
    bpy.context.scene.render.fps = fps
    report = bake.bake_transition(armature, settings(cut=8.0, destination_frame=2.0))
    frames = {24: 10.0, 30: 12.0, 120: 48.0}[fps]
    assert report.window[1] == 8.0 + frames
    loaded = recipe_reader.read_recipe(bpy.data.actions[report.result], recipe.RECIPE).settings
    assert loaded.blend_frames is None
    assert loaded.seconds(fps) == pytest.approx(frames / fps)
    # what was said in frames stays in frames
    said = settings(blend_frames=9.0)
    assert (said.frames(fps), said.seconds(fps)) == (9.0, pytest.approx(9.0 / fps))


BEFORE_SOFT = {
    "source": "Source",
    "destination": "Destination",
    "cut": 15.0,
    "destination_frame": 4.0,
    "method": "QUINTIC",
    "quintic_start": "SMOOTH",
    "blend_frames": 12.0,
    "half_life": 0.1,
    "guard": "LIMIT",
    "guard_angle": 20.0,
    "guard_length": 0.05,
    "result": "",
}
"""What a recipe of the first version says, where it matters here."""


def test_an_older_recipe_keeps_its_meaning(armature: Any) -> None:
    result = baked(armature)
    stored = json.loads(result[recipe.RECIPE])
    del stored["form"]
    stored["settings"] = BEFORE_SOFT
    result[recipe.RECIPE] = json.dumps(stored)
    loaded = recipe_reader.read_recipe(result, recipe.RECIPE).settings
    assert (loaded.decay, loaded.guard, loaded.guard_angle) == (Method.SMOOTH, "LIMIT", 20.0)
    assert loaded.seconds(60.0) == 12.0 / 60.0
    # there were no cycles: what ended then holds its last pose as ever
    assert (loaded.source_cycle, loaded.destination_cycle, loaded.go_on) == ("OFF", "OFF", "ONCE")


def test_a_recipe_of_a_later_version_is_refused(armature: Any) -> None:
    result = baked(armature)
    stored = json.loads(result[recipe.RECIPE])
    assert stored["form"] == recipe.FORM
    result[recipe.RECIPE] = json.dumps({**stored, "form": recipe.FORM + 1})
    with pytest.raises(InertiaError, match="by a later version"):
        recipe_reader.read_recipe(result)


@pytest.mark.parametrize("kind", ["MESH", "BEZIER", "POLY"])
def test_the_fingerprint_of_an_object_tells_each_point_of_its_shape(kind: str) -> None:
    spline: Any = None
    if kind == "MESH":
        shape: Any = bpy.data.meshes.new("Shape")
        shape.from_pydata([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0)], [], [(0, 1, 2)])
        points = shape.vertices
    else:
        shape = bpy.data.curves.new("Shape", "CURVE")
        spline = shape.splines.new(kind)
        points = spline.bezier_points if kind == "BEZIER" else spline.points
        points.add(2)
    thing = bpy.data.objects.new("Thing", shape)
    known = [recipe.fingerprint_of_object(thing)]
    assert recipe.fingerprint_of_object(thing) == known[0]
    for point in points:
        point.co[1] += 0.5
        known.append(recipe.fingerprint_of_object(thing))
    if kind == "BEZIER":
        points[2].handle_right[0] += 1.0
        known.append(recipe.fingerprint_of_object(thing))
    assert len({*known}) == len(known)
    told = [np.frombuffer(piece, np.float32) for piece in recipe._points(spline or shape)]
    assert told[0] == pytest.approx(np.ravel([point.co for point in points]))
    assert [len(each) for each in told] == [len(told[0])] * (3 if kind == "BEZIER" else 1)
