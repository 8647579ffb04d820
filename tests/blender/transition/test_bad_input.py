# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake that cannot be: one sentence, and the file as it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import actions, compat, recipe, recipe_reader
from inertia_addon.blender.transition import bake
from inertia_addon.errors import InertiaError
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders

PATH = builders.bone_path("A", "location")

pytestmark = pytest.mark.usefixtures("fresh_file")


@pytest.fixture
def armature(fresh_file: None) -> Any:
    made = builders.rig({"A": None, "B": "A"})
    for name, points in (("Source", [(1, 0.0), (31, 2.0)]), ("Destination", [(5, 1.0), (41, 0.0)])):
        builders.curve(builders.action(name), PATH, 0, points)
    return made


def state(armature: Any) -> dict[str, Any]:
    """What a failure must leave as it was."""
    found: dict[str, Any] = {
        prop.identifier: [thing.name for thing in getattr(bpy.data, prop.identifier)]
        for prop in bpy.data.bl_rna.properties
        if prop.type == "COLLECTION"
    }
    context = bpy.context
    found["frame"] = (context.scene.frame_current, context.scene.frame_subframe)
    found["selection"] = [thing.name for thing in context.selected_objects]
    found["active"] = context.view_layer.objects.active
    for made in bpy.data.actions:
        made_of = {at: builders.key_data(fcurve) for at, fcurve in builders.by_address(made).items()}
        # as text, in which one NaN equals another
        found[f"keys of {made.name}"] = repr(made_of)
        found[f"users of {made.name}"] = (
            made.users,
            made.use_fake_user,
            [s.identifier for s in compat.slots(made)],
        )
        found[f"properties of {made.name}"] = {name: str(made[name]) for name in made.keys()}
    if armature is not None:
        found["mode"] = armature.mode
        found["assigned"] = compat.assigned(armature) if armature.type == "ARMATURE" else None
    return found


def assert_refused(armature: Any, words: str, into: Any = None, **how: Any) -> str:
    """The bake raises one sentence with some words, and nothing in the file has changed."""
    bpy.context.scene.frame_set(7, subframe=0.25)
    before = state(armature)
    asked = {"source": "Source", "destination": "Destination", "cut": 15.0, **how}
    with pytest.raises(InertiaError) as caught:
        bake.bake_transition(armature, TransitionSettings(**asked), into)
    assert state(armature) == before
    sentence = str(caught.value)
    assert words in sentence
    assert sentence.endswith((".", "?"))
    assert "\n" not in sentence
    assert (
        sentence[0].isupper()
        or sentence[0] == '"'
        or sentence.split(" ")[0] in TransitionSettings.__annotations__
    )
    return sentence


def test_an_object_that_is_no_armature_is_refused() -> None:
    for name in ("Source", "Destination"):
        builders.curve(builders.action(name), PATH, 0, [(1, 0.0), (31, 2.0)])
    assert_refused(None, "no armature")
    empty = bpy.data.objects.new("Empty", None)
    assert_refused(empty, '"Empty" is not an armature')


def test_edit_mode_is_refused(armature: Any) -> None:
    bpy.ops.object.mode_set(mode="EDIT")
    assert_refused(armature, "Edit Mode")
    bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.parametrize("mode", ["OBJECT", "POSE"])
def test_the_mode_of_the_armature_and_the_frame_stay(armature: Any, mode: str) -> None:
    bpy.ops.object.mode_set(mode=mode)
    bpy.context.scene.frame_set(9, subframe=0.5)
    builders.transition(armature, bpy.data.actions["Source"], bpy.data.actions["Destination"], 15.0)
    assert armature.mode == mode
    assert (bpy.context.scene.frame_current, bpy.context.scene.frame_subframe) == (9, 0.5)
    bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.parametrize("which", ["source", "destination"])
def test_actions_that_are_not_there(armature: Any, which: str) -> None:
    assert_refused(armature, "No action is chosen", **{which: ""})
    sentence = assert_refused(armature, 'no action "Walk"', **{which: "Walk"})
    assert "Destination, Source" in sentence
    assert_refused(armature, 'no action "Source"', **{which: "Source", f"{which}_library": "//missing.blend"})


@pytest.mark.parametrize("which", ["source", "destination"])
def test_actions_that_say_nothing(armature: Any, which: str) -> None:
    empty = builders.action("Empty")
    assert_refused(armature, '"Empty" has no keys', **{which: "Empty"})
    builders.bags(empty)[0].fcurves.new(PATH, index=0)
    assert_refused(armature, '"Empty" has no keys', **{which: "Empty"})
    muted = builders.action("Muted")
    builders.curve(muted, PATH, 0, [(1, 0.0), (31, 2.0)]).mute = True
    assert_refused(armature, "not muted", **{which: "Muted"})
    other = builders.action("Other")
    builders.curve(other, builders.bone_path("Tail", "location"), 0, [(1, 0.0), (31, 2.0)])
    assert_refused(armature, '"Tail"', **{which: "Other"})


def test_frames_outside_of_a_clip_are_refused(armature: Any) -> None:
    once = {"source_cycle": "OFF", "destination_cycle": "OFF"}
    for how in ({"cut": 0.0, **once}, {"cut": 31.5, **once}):
        assert_refused(armature, 'outside "Source", which runs from frame 1 to 31', **how)
        bake.bake_transition(armature, TransitionSettings("Source", "Destination", **how, extrapolate=True))
    # of a cycle any repetition may be cut, but nothing before it
    bake.bake_transition(armature, TransitionSettings("Source", "Destination", 31.5, source_cycle="ON"))
    assert_refused(armature, 'outside "Source"', cut=0.0, source_cycle="ON")
    for frame in (4.0, 42.0):
        assert_refused(armature, 'outside "Destination"', destination_frame=frame)
        settings = TransitionSettings("Source", "Destination", 15.0, frame, extrapolate=True)
        bake.bake_transition(armature, settings)


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_numbers_that_make_no_sense(armature: Any, value: float) -> None:
    assert_refused(armature, "blend time", blend_frames=value)
    assert_refused(armature, "half-life", half_life=value)
    if value != 0.0:
        assert_refused(armature, "guard angle", guard_angle=value)
        assert_refused(armature, "guard length", guard_length=value)
        assert_refused(armature, 'blend scale of "A"', blend_scales=(("A", value),))
    if not np.isfinite(value):
        assert_refused(armature, "The cut is", cut=value)
        assert_refused(armature, "The destination frame is", destination_frame=value)


@pytest.mark.parametrize(
    "field", ["method", "quintic_start", "decomposition", "velocity", "difference", "guard", "alignment"]
)
def test_choices_that_do_not_exist(armature: Any, field: str) -> None:
    assert_refused(armature, "choose one of", **{field: "MAGIC"})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("which", ["Source", "Destination"])
def test_keys_that_are_no_numbers(armature: Any, value: float, which: str) -> None:
    fcurve = builders.by_address(bpy.data.actions[which])[PATH, 0]
    fcurve.keyframe_points[1].co[1] = value
    sentence = assert_refused(armature, "not a finite number")
    assert f'Key 2 of {PATH}[0] in action "{which}"' in sentence


@pytest.mark.parametrize("name", ["handle_left", "handle_right"])
def test_handles_that_are_no_numbers(armature: Any, name: str) -> None:
    fcurve = builders.by_address(bpy.data.actions["Source"])[PATH, 0]
    for key in fcurve.keyframe_points:
        key.handle_left_type = key.handle_right_type = "FREE"
    getattr(fcurve.keyframe_points[1], name)[1] = float("nan")
    assert_refused(armature, "Key 2")


def test_names_that_do_not_exist(armature: Any) -> None:
    assert_refused(armature, 'no bone "Tail"', root="Tail")
    assert_refused(armature, 'no bone "Tail"', bones=("A", "Tail"))
    assert_refused(armature, 'no bone "Tail"', blend_scales=(("Tail", 0.5),))
    if compat.has_slots():
        assert_refused(armature, 'no slot "OBNobody"', source_slot="OBNobody")
        assert_refused(armature, 'no slot "OBNobody"', destination_slot="OBNobody")


def baked(armature: Any, **how: Any) -> tuple[Any, TransitionSettings]:
    settings = TransitionSettings("Source", "Destination", 15.0, **how)
    return bpy.data.actions[bake.bake_transition(armature, settings).result], settings


@pytest.mark.parametrize("fails", ["write", "store"])
@pytest.mark.parametrize("again", [False, True])
def test_a_failure_while_writing(
    armature: Any, monkeypatch: pytest.MonkeyPatch, fails: str, *, again: bool
) -> None:
    """Neither half an action is left, nor half of what was there before."""
    builders.curve(bpy.data.actions["Source"], PATH, 1, [(1, 0.0), (31, 2.0)])
    into = baked(armature)[0] if again else None
    calls: list[None] = []

    def failing(original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*args: Any) -> Any:
            calls.append(None)
            if fails == "store" or len(calls) > 1:
                raise RuntimeError("the disk is on fire")
            return original(*args)

        return wrapper

    owner: Any = actions if fails == "write" else recipe
    monkeypatch.setattr(owner, fails, failing(getattr(owner, fails)))
    before = state(armature)
    settings = TransitionSettings("Source", "Destination", 20.0, blend_frames=5.0)
    with pytest.raises(RuntimeError, match="on fire"):
        bake.bake_transition(armature, settings, into)
    assert calls
    assert state(armature) == before


def test_into_what_cannot_be(armature: Any) -> None:
    for name in ("Source", "Destination"):
        assert_refused(armature, "its own source", bpy.data.actions[name])


@pytest.fixture
def library(tmp_path: Path, armature: Any) -> Path:
    """A file with an armature and its two actions, and a fresh file to link them into."""
    bpy.data.actions["Source"].use_fake_user = bpy.data.actions["Destination"].use_fake_user = True
    path = tmp_path / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return path


def link(path: Path, objects: tuple[str, ...], made: tuple[str, ...]) -> None:
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.objects, wanted.actions = list(objects), list(made)
    for thing in bpy.data.objects:
        bpy.context.collection.objects.link(thing)


def test_a_linked_armature_is_not_assigned(library: Path) -> None:
    link(library, ("Rig",), ("Source", "Destination"))
    armature = bpy.data.objects["Rig"]
    report, result = builders.transition(
        armature, bpy.data.actions["Source"], bpy.data.actions["Destination"], 15.0
    )
    assert not report.assigned
    assert "linked" in report.not_assigned_because
    assert compat.assigned(armature)[0] is None
    assert result.library is None
    assert result.use_fake_user
    assert builders.evaluated(result, PATH, 0, [1.0])[0] == 0.0


def test_linked_actions_are_as_good_as_own_ones(library: Path) -> None:
    """Actions of a library are as good as own ones, also when an own one bears the same name."""
    link(library, (), ("Source", "Destination"))
    armature = builders.rig({"A": None})
    builders.curve(builders.action("Source"), PATH, 0, [(1, 8.0), (31, 8.0)])
    path = bpy.data.actions["Destination"].library.filepath
    for how, value in (({}, 8.0), ({"source_library": path}, 0.0)):
        settings = TransitionSettings("Source", "Destination", 15.0, destination_library=path, **how)
        result = bpy.data.actions[bake.bake_transition(armature, settings).result, None]
        assert builders.evaluated(result, PATH, 0, [1.0])[0] == value
        assert compat.assigned(armature)[0] == result
        loaded = recipe_reader.read_recipe(result, recipe.RECIPE).settings
        assert (loaded.source_library, loaded.destination_library) == (how.get("source_library", ""), path)
        assert not recipe_reader.has_changed(result, armature)


def test_into_a_linked_result(library: Path, tmp_path: Path) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(library))
    result, _ = baked(bpy.data.objects["Rig"])
    name = result.name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "baked.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(library))
    link_actions(tmp_path / "baked.blend", name)
    assert_refused(bpy.data.objects["Rig"], "linked from another file", bpy.data.actions[name])


def link_actions(path: Path, name: str) -> None:
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.actions = [name]
