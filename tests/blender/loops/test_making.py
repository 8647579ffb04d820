# SPDX-License-Identifier: GPL-3.0-or-later
"""A stretch of an action becomes a loop: its end goes on into its beginning, as Blender itself shows it."""

from __future__ import annotations

import dataclasses
from typing import Any

import bpy
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inertia_addon.blender.data import (
    actions,
    clip_store,
    compat,
    recipe_reader,
    rigs,
    roots,
)
from inertia_addon.blender.evaluation import cycles
from inertia_addon.blender.feet.contacts import Contacts
from inertia_addon.blender.loops import bake, channels
from inertia_addon.blender.loops.stretch import LoopStretch
from inertia_addon.errors import InertiaError
from inertia_addon.motion.cycles.cycle import Cycle
from inertia_addon.motion.feet.contacts import Span, planted
from inertia_addon.motion.steps import finish
from inertia_addon.settings.loops import LoopSettings
from tests.blender import builders, file_state, stepper, walkers

FIRST, LAST = 6.0, 36.5
"""The stretch: it ends between two frames."""


def looped(armature: Any, name: str, **settings: Any) -> Any:
    """A loop's report and its action."""
    report = finish(bake.make_loop_steps(armature, LoopSettings(name, FIRST, LAST, **settings)))
    return report, bpy.data.actions[report.result]


def shown(armature: Any, action: Any, frames: np.ndarray) -> np.ndarray:
    """Where Blender has the hips and all below them (n, bones, 4, 4) in the world at frames."""
    armature.animation_data_create().action = action
    found = []
    for frame in frames.tolist():
        bpy.context.scene.frame_set(int(np.floor(frame)), subframe=frame % 1.0)
        found.append([np.array(armature.matrix_world @ bone.matrix) for bone in armature.pose.bones[1:]])
    return np.array(found)


SPANS = st.lists(st.floats(0.0, 40.0), min_size=2, max_size=8, unique=True)
"""Where feet land and lift."""


@given(st.floats(5.0, 15.0), st.floats(8.0, 20.0), SPANS)
@example(10.4, 20.0, [10.7, 15.0, 25.0, 35.0])
def test_a_loops_feet_are_planted_when_those_of_its_stretch_are(
    start: float, period: float, ends: list[float]
) -> None:
    """Wherever between two frames it begins, from its first whole frame on."""
    edges = sorted(ends)
    spans = tuple(Span(*pair) for pair in zip(edges[::2], edges[1::2], strict=False))
    none = np.empty(0)
    known = Contacts((None,), (spans,), frozenset(), *[none] * 6, (0.0, 40.0))  # type: ignore[arg-type]
    found = LoopStretch(None, None, Cycle(start, start + period), 30.0, [])  # type: ignore[arg-type]
    loop = channels.of_loop(found, known)
    first = float(round(start))
    assert (loop.clip, loop.period) == ((first, pytest.approx(first + period)), pytest.approx(period))
    times = np.linspace(0.0, period, 300)
    edge = np.min(np.abs(times[:, None] + start - [*edges, start, start + period]), axis=1) < 0.01
    shown = planted(loop.spans[0], first + times) | planted(loop.spans[0], first + times + period)
    np.testing.assert_array_equal(shown[~edge], planted(spans, start + times)[~edge])


@pytest.mark.variants(3)
@pytest.mark.parametrize(
    ("place", "mode", "curl"),
    [
        ("plain", "QUATERNION", 0.0),
        ("lying", "XYZ", 0.0),
        ("parented", "ZXY", 0.02),
        ("with_deltas", "AXIS_ANGLE", -0.03),
        ("without_local_location", "QUATERNION", 0.02),
    ],
)
def test_the_end_goes_on_into_the_next_beginning(
    fresh_file: None, place: str, mode: str, curl: float
) -> None:
    """Wherever the character stands and however it turns: all of it, in its pose and in how that changes."""
    armature = walkers.character(place, mode)
    walk = walkers.walk(armature, "Walk", "" if place == "with_deltas" else "Hips", 0.4, curl)
    before = actions.contents(walk)
    report, action = looped(armature, "Walk", assign=False)
    assert actions.contents(walk) == before
    assert (report.end - report.start, action.use_cyclic) == (LAST - FIRST, True)
    found = cycle_of(armature, action)
    assert found.known_by == "RANGE"
    assert np.degrees(found.heading) == pytest.approx(report.heading_degrees, abs=0.01)
    assert (abs(report.heading_degrees) > 30.0) == (curl != 0.0)
    step, end = 0.01, found.end
    here = found.motion() @ shown(armature, action, found.start + step * np.arange(3.0))
    there = shown(armature, action, end - step * np.arange(2.0, -1.0, -1.0))
    size = walkers.size_of(armature) * (2.0 if place == "with_deltas" else 1.0)
    np.testing.assert_allclose(there[-1], here[0], atol=1e-5 * max(1.0, size))
    speeds = (there[2] - there[1]) / step, (here[1] - here[0]) / step
    np.testing.assert_allclose(*speeds, atol=0.01 * max(1.0, size))
    assert report.quality is not None
    assert report.quality.gap < 1e-5 * max(1.0, size)
    assert report.quality.seam <= 1.0 < report.quality.seam_before


def cycle_of(armature: Any, action: Any) -> Cycle:
    """What Blender says repeats in an action, and where that leads."""
    rig, clip = rigs.read(armature), clip_store.read(armature, action)
    found = cycles.declared(rig, roots.find_root(rig, [clip]), clip)
    assert found is not None
    return found


@pytest.mark.parametrize("closes", ["START", "END"])
def test_blenders_own_cycles_show_no_seam(fresh_file: None, closes: str) -> None:
    """Over five cycles, at any sub-frame: no channel jumps, and none bends more than within a cycle."""
    armature = walkers.character()
    walkers.walk(armature, "Walk", "Hips", 0.4, 0.0)
    report, action = looped(
        armature, "Walk", repeat="MODIFIERS", closes=closes, method="SPRING", half_life=0.2
    )
    first, last = report.frame_range
    period, step = last - first, 0.05
    steps = round(period / step)
    for fcurve in compat.curves(action, "OBRig"):
        # the seams lie on these frames
        values = np.array([fcurve.evaluate(first + period * i / steps) for i in range(5 * steps + 1)])
        rises, bends = np.abs(np.diff(values)), np.abs(np.diff(values, 2))
        inner = np.arange(1, steps - 1)
        assert rises.max() <= rises[inner].max() + 1e-6
        assert bends.max() <= 1.5 * bends[inner].max() + 1e-6
    far = shown(armature, action, np.array([first, last + 4.0 * period - 1e-3]))[:, 0, :3, 3]
    way = np.linalg.norm(far[1] - far[0])
    assert way == pytest.approx(5.0 * np.linalg.norm(report.translation), rel=1e-3)
    assert cycle_of(armature, action).known_by == "MODIFIERS"


def test_keyed_cycles_are_the_loop_over_and_over(fresh_file: None) -> None:
    armature = walkers.character("placed", "XYZ")
    walkers.walk(armature, "Walk", "Hips", 0.4, 0.02)
    _, action = looped(armature, "Walk")
    several, keyed = looped(armature, "Walk", repeat="KEYED", cycles=3)
    found = cycle_of(armature, action)
    assert several.frame_range == (found.start, found.start + 3.0 * found.period)
    frames = found.start + np.linspace(0.0, found.period, 20)
    once = shown(armature, action, frames)
    for turn in range(3):
        there = shown(armature, keyed, frames + turn * found.period)
        np.testing.assert_allclose(there, found.motion(turn) @ once, atol=1e-3)


def test_hips_that_sway_do_not_turn_a_straight_walk(fresh_file: None) -> None:
    """Less than 12 degrees from one end to the other is no turn, unless the animator says so."""
    armature = walkers.character()
    walkers.walk(armature, "Walk", "Hips", 0.4, 0.005)
    assert looped(armature, "Walk")[0].heading_degrees == 0.0
    assert looped(armature, "Walk", turn=-20.0)[0].heading_degrees == pytest.approx(-20.0)
    stays = looped(armature, "Walk", travel="NONE", turn=0.0)[0]
    assert stays.translation == (0.0, 0.0, 0.0)


def test_a_gap_leaves_out_a_bone_that_stays_above_the_root(fresh_file: None) -> None:
    """A bone that is keyed and stays, from which the travelling one hangs."""
    armature = walkers.character()
    walk = walkers.walk(armature, "Walk", "Hips", 0.4, 0.0)
    builders.curve(walk, builders.bone_path("Root", "location"), 0, [(1.0, 0.0), (41.0, 0.0)])
    quality = looped(armature, "Walk")[0].quality
    assert quality is not None
    assert quality.gap < 1e-5
    assert quality.seam <= 1.0


def test_an_earlier_loop_is_made_anew_in_its_place(fresh_file: None) -> None:
    armature = walkers.character()
    walk = walkers.walk(armature, "Walk", "Hips", 0.4, 0.0)
    _, action = looped(armature, "Walk")
    assert armature.animation_data.action == action
    curve = walk.fcurves[0] if hasattr(walk, "fcurves") else compat.curves(walk, "OBRig")[0]
    curve.keyframe_points[5].co[1] += 0.2
    walk.name = "Stroll"
    again = finish(
        bake.make_loop_steps(armature, recipe_reader.read_recipe(action, bake.KIND).settings, action)
    )
    assert (again.result, again.settings["action"]) == ("Walk loop", "Stroll")
    assert armature.animation_data.action == bpy.data.actions["Walk loop"]


def way_planted(armature: Any, action: str) -> float:
    """How far both feet go over the ground in the walk's plants, as Blender plays a loop of its frames."""
    frames = np.arange(9.0, 31.0)
    names = armature.pose.bones.keys()
    toes = builders.played(armature, bpy.data.actions[action], frames)[:, :, :2, 3]
    way = 0.0
    for foot, lands in (("toe.L", 0.1), ("toe.R", 0.6)):
        since = ((frames - 1.0) / stepper.FPS - lands) % 1.0
        # where a foot just lands or lifts it may move
        stands = (since > 0.1) & (since < 0.4)
        steps = np.linalg.norm(np.diff(toes[:, names.index(foot)], axis=0), axis=1)
        way += float(steps[stands[1:] & stands[:-1]].sum())
    return way


def test_locked_feet_stand_still_over_the_seam_too(fresh_file: None) -> None:
    """Of a walk that skates; but for its legs the loop is the same."""
    armature = stepper.biped()
    stepper.walk(armature, frames=60, skate=0.2, late=0.1)
    loop = LoopSettings("Walk", 8.0, 31.0)
    skating, locked = (
        finish(bake.make_loop_steps(armature, dataclasses.replace(loop, lock_feet=on)))
        for on in (False, True)
    )
    assert skating.quality is not None
    assert locked.quality is not None
    ways = [way_planted(armature, report.result) for report in (skating, locked)]
    assert ways[1] < 1e-3 < 0.05 < ways[0]
    assert locked.quality.gap < 1e-5
    assert locked.quality.seam < 1.1 < locked.quality.seam_before


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"start": -3.0}, "are not all within"),
        ({"end": 99.0}, "are not all within"),
        ({"start": 10.0, "end": 11.0}, "is too short"),
        ({"start": 6.0, "end": 36.0, "repeat": "MODIFIERS", "turn": 30.0}, "can't add up"),
        ({"action": "Walk loop", "start": None, "end": None}, "already loop"),
        ({"action": "Nothing"}, "There is no action"),
    ],
)
def test_a_loop_that_can_not_be_is_told_and_makes_nothing(
    fresh_file: None, settings: dict[str, Any], words: str
) -> None:
    armature = walkers.character()
    walkers.walk(armature, "Walk", "Hips", 0.4, 0.0)
    looped(armature, "Walk")
    before = file_state.everything()
    with pytest.raises(InertiaError, match=words):
        finish(
            bake.make_loop_steps(
                armature, LoopSettings(**{"action": "Walk", "start": FIRST, "end": LAST, **settings})
            )
        )
    assert file_state.differences(before, file_state.everything()) == {}
