# SPDX-License-Identifier: GPL-3.0-or-later
"""An example of the guide is made beside what is in the file: it can be played, its page works, undo takes it
back."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from inertia_addon.ui.examples import operators
from inertia_addon.ui.shared import tab
from tests.ui.rigs import keys_of, make_action, make_rig, take_snapshot

ASSIGNED = {
    "TRANSITION": "Walk",
    "LOOP": "Walk",
    "FEET": "Skating",
    "POPS": "Popping",
    "PATH": "Idle",
    "STEER": "Idle",
}
"""The action that moves the character of each example."""
MODES = {
    "TRANSITION": "JOIN",
    "LOOP": "CLEAN",
    "FEET": "CLEAN",
    "POPS": "CLEAN",
    "PATH": "TRAVEL",
    "STEER": "TRAVEL",
}
CLIPS = {"Idle", "Walk", "Run", "Turn"}
KINDS = (
    "actions",
    "objects",
    "armatures",
    "scenes",
    "meshes",
    "curves",
    "materials",
    "collections",
    "worlds",
)

every_example = pytest.mark.parametrize("which", ASSIGNED)


@pytest.fixture(params=["empty", "object mode", "pose mode", "edit mode"])
def file(request: pytest.FixtureRequest, fresh_file: None) -> str:
    """An empty file, or one with a character and actions whose names an example has, too."""
    if request.param != "empty":
        rig = make_rig("Mannequin")
        for name in ("Walk", "Run", "Idle"):
            make_action(rig, name, 0.4)
        bpy.data.objects.new("Street", None)
        bpy.context.scene.frame_set(7)
        bpy.ops.object.mode_set(mode=request.param.split()[0].upper())
    return str(request.param)


def blocks() -> dict[tuple[str, str], Any]:
    """Every data-block by its kind and name, with what an example could change of it."""
    found: dict[tuple[str, str], Any] = {}
    for kind in KINDS:
        for block in getattr(bpy.data, kind):
            found[kind, block.name] = [block.users, block.use_fake_user]
    for action in bpy.data.actions:
        found["actions", action.name] += keys_of(action)
    for scene in bpy.data.scenes:
        found["scenes", scene.name] += list(state_of(scene))
    return found


def state_of(scene: Any) -> Iterator[Any]:
    """What is set of a scene and its objects."""
    yield scene.render.fps, scene.frame_start, scene.frame_end, scene.frame_current
    for layer in scene.view_layers:
        yield layer.name, layer.objects.active and layer.objects.active.name
        for each in layer.objects:
            action, slot = compat.assigned(each)
            assigned = action and action.name, slot
            yield each.name, each.mode, each.select_get(view_layer=layer), assigned, list(each.matrix_world)


def make(which: str) -> Any:
    """The character of an example that is made now."""
    assert bpy.ops.inertia.make_example(example=which) == {"FINISHED"}
    return bpy.context.object


def bare(name: str) -> str:
    """A name without the number that Blender has given it."""
    return name.partition(".")[0]


@pytest.mark.variants(4)
@every_example
def test_an_example_leaves_what_is_in_the_file_as_it_is(file: str, which: str) -> None:
    before = blocks()
    make(which)
    after = blocks()
    assert {key: after.get(key) for key in before} == before
    assert all(
        bare(name) in {*CLIPS, "Popping", "Skating"}
        for kind, name in after.keys() - before.keys()
        if kind == "actions"
    )


@pytest.mark.variants(4)
@every_example
def test_an_example_is_a_new_scene_with_its_character_in_hand(file: str, which: str) -> None:
    scenes = set(bpy.data.scenes)
    character = make(which)
    scene = bpy.context.scene
    assert scene not in scenes
    assert set(bpy.data.scenes) == {*scenes, scene}
    assert (bare(scene.name), bare(character.name)) == ("Mannequin", "Mannequin")
    assert (character.type, character.mode, bpy.context.mode) == ("ARMATURE", "OBJECT", "OBJECT")
    assert bpy.context.selected_objects == [character]
    action, slot = compat.assigned(character)
    assert bare(action.name) == ASSIGNED[which]
    assert slot == compat.slots(action)[0].identifier
    assert (scene.render.fps, scene.frame_current, scene.frame_start) == (30, 1, 1)
    assert scene.frame_end >= action.frame_range[1]
    assert getattr(bpy.context.workspace, tab.PROPERTY) == MODES[which]
    others = {bare(each.name) for each in scene.objects if each.type not in ("ARMATURE", "MESH")}
    assert others == ({"Street"} if which == "PATH" else set())


@pytest.mark.variants(4)
@every_example
def test_undo_takes_an_example_back(file: str, which: str) -> None:
    bpy.ops.ed.undo_push(message="before")
    before, scene = (blocks(), take_snapshot()), bpy.context.scene.name
    make(which)
    bpy.ops.ed.undo_push(message="made")
    bpy.ops.ed.undo()
    assert bpy.context.scene.name == scene
    assert (blocks(), take_snapshot()) == before


def test_undo_is_offered_of_an_example() -> None:
    assert {"REGISTER", "UNDO"} <= operators.INERTIA_OT_make_example.bl_options


def test_a_second_example_has_names_of_its_own(fresh_file: None) -> None:
    make("PATH")
    before = blocks()
    second = make("PATH")
    after = blocks()
    assert second.name == "Mannequin.001"
    assert {key: after.get(key) for key in before} == before
    # it goes its way with its own clips, whatever else the file has
    assert {row.action.name for row in second.inertia_path.clips} == {f"{name}.001" for name in CLIPS}


@pytest.mark.variants(1)
def test_the_page_of_a_transition_works(file: str) -> None:
    former = list(bpy.data.actions)
    character = make("TRANSITION")
    clips = {bare(each.name): each for each in bpy.data.actions if each not in former}
    character.inertia.source, character.inertia.destination = clips["Walk"], clips["Run"]
    character.inertia.cut = 24.0
    assert bpy.ops.inertia.bake_transition() == {"FINISHED"}
    baked = compat.assigned(character)[0]
    assert baked.name == f"{clips['Walk'].name} to {clips['Run'].name}"
    assert baked.frame_range[1] <= bpy.context.scene.frame_end


@pytest.mark.slow
@pytest.mark.parametrize(
    ("which", "presses", "result"),
    [
        ("LOOP", ("find_loop", "make_loop"), "Walk loop"),
        ("FEET", ("lock_feet",), "Skating locked"),
        ("POPS", ("find_pops", "smooth_pops"), "Popping smoothed"),
    ],
)
def test_the_page_of_an_example_works(
    fresh_file: None, which: str, presses: tuple[str, ...], result: str
) -> None:
    character = make(which)
    for press in presses:
        assert getattr(bpy.ops.inertia, press)() == {"FINISHED"}
    assert compat.assigned(character)[0].name == result


@pytest.mark.slow
def test_the_page_of_a_path_works(fresh_file: None) -> None:
    character = make("PATH")
    character.inertia_path.followed = bpy.data.objects["Street"]
    assert bpy.ops.inertia.bake_path() == {"FINISHED"}
    baked = compat.assigned(character)[0]
    assert baked.name == "Along Street"
    assert baked.frame_range[1] <= bpy.context.scene.frame_end


def test_steering_an_example_is_offered(fresh_file: None) -> None:
    make("STEER")
    assert bpy.ops.inertia.steer.poll()


def test_views_of_the_window_look_at_what_is_selected(monkeypatch: pytest.MonkeyPatch) -> None:
    framed: list[Any] = []
    regions = [SimpleNamespace(type="HEADER"), SimpleNamespace(type="WINDOW")]
    areas = [SimpleNamespace(type=kind, regions=regions) for kind in ("VIEW_3D", "OUTLINER")]
    context = MagicMock()
    context.window.screen.areas = areas
    look = MagicMock(side_effect=lambda: framed.append(context.temp_override.call_args.kwargs))
    monkeypatch.setattr(operators, "bpy", MagicMock(app=SimpleNamespace(background=False)))
    operators.bpy.ops.view3d.view_selected = look
    look.poll.return_value = True
    operators.frame_selected(context)
    assert framed == [{"area": areas[0], "region": regions[1]}]
