# SPDX-License-Identifier: GPL-3.0-or-later
"""Travel that something else than the armature object's own channels carries is blended as theirs is."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from inertia_addon.blender.data import compat, recipe_reader
from inertia_addon.blender.judging import verdict
from inertia_addon.blender.transition import bake
from inertia_addon.blender.transition.report import BakeReport
from inertia_addon.motion.steps import finish
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, carried_walker, clips
from tests.blender.carried_walker import OBJECT, WAYS, Array

CUT, ENTRY = 20.0, 9.0
FRAMES = np.append(np.arange(1.0, 48.0, 2.5), (CUT - 0.1, CUT))

ONCE = {"source_cycle": "OFF", "destination_cycle": "OFF"}

pytestmark = pytest.mark.usefixtures("fresh_file")
by_slots = pytest.mark.skipif(not compat.has_slots(), reason="only actions with slots have company")


def joined(armature: Any, **how: Any) -> tuple[BakeReport, Any]:
    """Bake Source and Destination, without cycles."""
    settings = TransitionSettings("Source", "Destination", CUT, ENTRY, **{**ONCE, **how})
    report = bake.bake_transition(armature, settings)
    return report, bpy.data.actions[report.result]


def as_seen(armature: Any, **how: Any) -> tuple[BakeReport, Array]:
    """What the file plays once the transition is baked, and assigned by default."""
    report, _ = joined(armature, **how)
    return report, carried_walker.seen(armature, FRAMES)


def fresh_walker() -> Any:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return carried_walker.walker()


@pytest.fixture(scope="module")
def by_object() -> Callable[..., Array]:
    """What the object's own travel comes to, with some settings."""

    @functools.cache
    def looks(*, is_played: bool = False, **how: Any) -> Array:
        armature = fresh_walker()
        if is_played:
            carried_walker.constrain(armature)
        return as_seen(armature, **how)[1]

    return looks


@pytest.mark.parametrize("way", WAYS)
def test_a_carried_character_looks_as_if_the_object_went(way: str, by_object: Callable[..., Array]) -> None:
    wanted = by_object(feet="OFF", is_played=way == "played")
    armature = fresh_walker()
    WAYS[way](armature)
    report, poses = as_seen(armature, feet="OFF")
    assert report.alignment == "POSITION_HEADING"
    assert report.root == ""
    assert_same_places(poses, wanted, 3e-4)
    assert not any("carries" in text for text in report.warnings)
    source = carried_walker.poses(armature, bpy.data.actions["Source"], FRAMES[FRAMES <= CUT])
    assert_same_places(poses[FRAMES <= CUT], source, 1e-5)


HOW: dict[str, dict[str, Any]] = {
    "locked": {"feet": "LOCK"},
    "cycles": {"feet": "OFF", "source_cycle": "ON", "destination_cycle": "ON"},
    "lengths": {"feet": "OFF", "source_cycle": "ON", "destination_cycle": "ON", "match_lengths": True},
    "strips": {"feet": "OFF", "strips": True},
    "longer": {"feet": "OFF", "destination_scale": 1.3},
    "half-life": {"feet": "OFF", "method": "SPRING", "alignment": "POSITION"},
    "dead": {"feet": "OFF", "method": "DEAD_BLENDING"},
}


@pytest.mark.variants(7)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("how", HOW)
def test_a_carried_character_with_other_settings_looks_as_if_the_object_went(
    way: str, how: str, by_object: Callable[..., Array]
) -> None:
    wanted = by_object(**HOW[how], is_played=way == "played")
    armature = fresh_walker()
    WAYS[way](armature)
    assert_same_places(as_seen(armature, **HOW[how])[1], wanted, 2e-3)


@pytest.mark.variants(4)
@pytest.mark.parametrize("how", ["plain", "played", *HOW])
def test_actions_of_its_own_carry_it_by_their_names(how: str, by_object: Callable[..., Array]) -> None:
    settings = HOW.get(how, {"feet": "OFF"})
    wanted = by_object(**settings, is_played=how == "played")
    armature = fresh_walker()
    carried_walker.on_own_actions(armature)
    if how == "played":
        carried_walker.constrain(armature)
    before = [clips.contents(bpy.data.actions[f"Mover|{name}"]) for name in ("Source", "Destination")]
    report, poses = as_seen(armature, **settings)
    assert_same_places(poses, wanted, 2e-3)
    assert not any("carries" in text for text in report.warnings)
    said = [note for note in report.notes if "their names match" in note]
    assert [name in said[i] for i, name in enumerate(("Mover|Source", "Mover|Destination"))] == [True, True]
    after = [clips.contents(bpy.data.actions[f"Mover|{name}"]) for name in ("Source", "Destination")]
    assert after == before
    if how == "plain":
        _, again = as_seen(armature, **settings)
        assert_same_places(again, poses, 1e-6)


@pytest.mark.parametrize("way", ["empty", "two", "delta"])
def test_the_verdict_is_the_same(way: str) -> None:
    found = []
    for change in (None, WAYS[way]):
        armature = fresh_walker()
        if change is not None:
            change(armature)
        settings = TransitionSettings("Source", "Destination", CUT, ENTRY, feet="OFF")
        found.append(finish(verdict.of_played(bake.plan_transition(armature, settings).evidence)))
    assert found[0].rating == found[1].rating
    assert [fault.kind for fault in found[0].faults] == [fault.kind for fault in found[1].faults]


def assert_same_places(found: Array, wanted: Array, metres: float) -> None:
    np.testing.assert_allclose(found[..., :3, 3], wanted[..., :3, 3], atol=metres)


def own_action(armature: Any) -> Any:
    """An action of its own, as before actions had slots."""
    armature.parent = mover = carried_walker.empty("Mover")
    made = builders.action("Gliding", slot="Mover")
    builders.curve(made, "location", 0, [(1.0, 0.0), (50.0, 3.0)], slot="OBMover")
    compat.assign(mover, made, "OBMover")
    return mover


def above_one_that_stands(armature: Any) -> Any:
    mover = own_action(armature)
    armature.parent = between = carried_walker.empty("Between")
    between.parent = mover
    return mover


def strip(armature: Any) -> Any:
    mover = own_action(armature)
    made = compat.assigned(mover)[0]
    compat.assign(mover, None)
    builders.set_strip_slot(mover.animation_data.nla_tracks.new().strips.new("Glide", 1, made), "OBMover")
    return mover


def driver(armature: Any) -> Any:
    armature.parent = mover = carried_walker.empty("Mover")
    mover.driver_add("location", 0).driver.expression = "frame * 0.1"
    return mover


def bone(armature: Any) -> Any:
    horse = builders.rig({"Back": None}, "Horse")
    made = builders.action("Gallop", slot="Horse")
    builders.curve(made, builders.bone_path("Back", "location"), 0, [(1, 0.0), (50, 3.0)], slot="OBHorse")
    compat.assign(horse, made, "OBHorse")
    armature.parent, armature.parent_type, armature.parent_bone = horse, "BONE", "Back"
    return horse


def copied_place(armature: Any) -> Any:
    mover = own_action(armature)
    armature.parent = None
    armature.constraints.new("COPY_LOCATION").target = mover
    return mover


def copied_in_the_clips(armature: Any) -> Any:
    """Keyed in both actions, but followed in place alone."""
    carried_walker.on_empty(armature)
    mover, armature.parent = armature.parent, None
    armature.constraints.new("COPY_LOCATION").target = mover
    carried_walker.poses(armature, bpy.data.actions["Source"], FRAMES[:1])
    return mover


@by_slots
@pytest.mark.parametrize("below", ["Mover", "Walker", ""])
def test_an_object_that_hangs_from_the_carrier_is_moved_once(below: str) -> None:
    """A lantern keeps its place beside the walker, whatever it hangs from."""
    armature = fresh_walker()
    carried_walker.on_empty(armature)
    lantern = carried_walker.empty("Lantern")
    lantern.parent = bpy.data.objects[below] if below else None
    for n, action in enumerate((bpy.data.actions["Source"], bpy.data.actions["Destination"])):
        builders.curve(action, "location", 0, [(1.0, 0.5 * n), (60.0, 1.0)], slot="OBLantern")
    report, result = joined(armature, feet="OFF", assign_others=True)
    sides = []
    for action, later in ((result, 0.0), (bpy.data.actions["Destination"], CUT - ENTRY)):
        carried_walker.poses(armature, action, FRAMES[:1])
        # what an action does not key stays as the other one has left it
        lantern.matrix_basis = Matrix()
        compat.assign(lantern, action, "OBLantern")
        bpy.context.scene.frame_set(int(report.window[1] + 5.0 - later))
        world = bpy.data.objects["Walker"].matrix_world
        sides.append(np.array(world.inverted() @ lantern.matrix_world))
    np.testing.assert_allclose(sides[0], sides[1], atol=1e-4)


@by_slots
def test_a_rider_on_a_bone_in_its_actions_is_told_of_the_horse() -> None:
    """Though the rider itself does not travel."""
    armature = fresh_walker()
    horse = builders.rig({"Back": None}, "Horse")
    armature.parent, armature.parent_type, armature.parent_bone = horse, "BONE", "Back"
    for n, action in enumerate(list(bpy.data.actions)):
        bag = builders.bag_of(action, "OBWalker")
        for curve in [curve for curve in bag.fcurves if curve.data_path in OBJECT]:
            bag.fcurves.remove(curve)
        path = builders.bone_path("Back", "location")
        builders.curve(action, path, 0, [(1.0, n), (50.0, 3.0 - n)], slot="OBHorse")
    report, _ = joined(armature, feet="OFF")
    assert any('bake the transition of "Horse"' in text for text in report.warnings)


ELSEWHERE = (
    own_action,
    above_one_that_stands,
    strip,
    driver,
    bone,
    copied_place,
    copied_in_the_clips,
)


@pytest.mark.parametrize("carried", ELSEWHERE, ids=lambda each: each.__name__)
def test_a_carrier_that_no_clip_knows_is_told(carried: Callable[[Any], Any]) -> None:
    """Once, with the name of who carries the character."""
    armature = fresh_walker()
    mover = carried(armature)
    report, _ = joined(armature, feet="OFF")
    said = [text for text in report.warnings if text.startswith(f'"{mover.name}" carries "Walker"')]
    assert len(said) == 1


def test_a_carrier_that_stands_is_not_spoken_of() -> None:
    armature = fresh_walker()
    mover = own_action(armature)
    compat.curves(compat.assigned(mover)[0], "OBMover")[0].keyframe_points[1].co.y = 0.0
    assert joined(armature, feet="OFF")[0].warnings == ()


def test_a_carrier_keyed_in_one_action_stands_in_the_other() -> None:
    """The source is as it plays, and behind the blend the destination, moved."""
    armature = fresh_walker()
    carried_walker.on_empty(armature)
    destination = bpy.data.actions["Destination"]
    compat.clear(destination, [each for each in compat.slots(destination) if each.name == "Walker"])
    carried_walker.walk(armature, "Still", 61)
    bpy.data.actions.remove(destination)
    still = bpy.data.actions["Still"]
    still.name = "Destination"
    for curve in [curve for curve in builders.bag_of(still, "OBWalker").fcurves if curve.data_path in OBJECT]:
        builders.bag_of(still, "OBWalker").fcurves.remove(curve)
    report, _ = joined(armature, feet="OFF")
    assert report.alignment == "POSITION_HEADING"
    steps = np.linalg.norm(
        np.diff(carried_walker.seen(armature, np.arange(15.0, 45.0))[:, 0, :3, 3], axis=0), axis=1
    )
    assert steps.max() < 1.5 * steps[0]
    assert steps[-1] < 1e-5


def test_a_carried_result_is_made_anew_by_update(by_object: Callable[..., Array]) -> None:
    wanted = by_object(feet="OFF")
    armature = fresh_walker()
    carried_walker.on_empty(armature)
    report, result = joined(armature, feet="OFF", alignment="NONE")
    assert not recipe_reader.has_changed(result, armature)
    settings = TransitionSettings("Source", "Destination", CUT, ENTRY, feet="OFF", **ONCE)
    bake.bake_transition(armature, settings, into=result)
    assert_same_places(carried_walker.seen(armature, FRAMES), wanted, 3e-4)
    key = compat.curves(bpy.data.actions["Source"], "OBMover")[0].keyframe_points[0]
    key.co.y += 1.0
    assert recipe_reader.has_changed(result, armature)
    assert report.assigned
