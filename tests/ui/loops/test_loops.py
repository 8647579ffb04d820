# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops in the panel: found, listed, taken from the list or the map, made, and made anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import actions, compat
from inertia_addon.ui.loops import map_plot
from inertia_addon.ui.overlay import mouse
from inertia_addon.ui.shared import cache
from tests.blender import stepper
from tests.ui.overlay.made_up import DARK
from tests.ui.recorder import context, drawn, panel_named

PANEL = panel_named("loop")
WORKING = panel_named("working")


@pytest.fixture
def walker(fresh_file: None) -> Any:
    """A biped whose walk skates a little, so that it closes nowhere, assigned."""
    armature = stepper.biped()
    walk = stepper.walk(armature, frames=80)
    keys = compat.curves(walk, "OBWalker")[0].keyframe_points
    for key in keys:
        key.co[1] += 2e-4 * key.co[0]
    compat.assign(armature, walk, "OBWalker")
    return armature


def test_loops_are_found_listed_chosen_and_made(walker: Any) -> None:
    own, walk = walker.inertia_loops, bpy.data.actions["Walk"]
    before = actions.contents(walk)
    assert drawn(PANEL).placeholders["action_name"] == "Walk, assigned"
    # until others are chosen, its frames are the action's
    assert (own.loop_start, own.loop_end) == tuple(walk.frame_range)
    assert bpy.ops.inertia.find_loop(count=3) == {"FINISHED"}
    assert (own.action, len(own.loops), own.active_loop) == (walk, 3, 0)
    assert own.loops[0].end - own.loops[0].start == 24.0
    own.active_loop = 1
    assert (own.loop_start, own.loop_end) == (own.loops[1].start, own.loops[1].end)
    own.closes, own.use_turn, own.turn = "END", True, 0.5
    assert bpy.ops.inertia.make_loop() == {"FINISHED"}
    made, _ = compat.assigned(walker)
    assert (made.name, made.use_cyclic, actions.contents(walk)) == ("Walk loop", True, before)
    assert made.frame_end - made.frame_start == 24.0
    shown = drawn(PANEL)
    assert {"Seam", "Moved Most"} <= set(shown.text.split("\n")) or "Seam" in shown.text
    top = drawn(WORKING)
    assert top.greyed >= {"inertia.rebake"}
    assert {"Loop", "Good", "Fair", "Poor"} & set(top.texts)
    assert top.pressed["As Destination"].side == "DESTINATION"
    # what a redo says counts, and what it does not is the object's own
    again = {"start": 3.0, "end": 27.0, "repeat": "KEYED", "cycles": 2, "result": "Twice"}
    assert bpy.ops.inertia.make_loop(**again) == {"FINISHED"}
    twice = compat.assigned(walker)[0]
    assert (twice.name, twice.frame_start, twice.frame_end) == ("Twice", 3.0, 51.0)
    assert own.repeat == "MARKED"
    assert bpy.ops.inertia.rebake() == {"FINISHED"}
    assert compat.assigned(walker)[0].name == "Twice"
    compat.curves(walk, compat.slots(walk)[0].identifier)[0].keyframe_points[1].co.y += 1.0
    cache.forget()
    assert "have changed" in drawn(WORKING).text


def test_the_map_shows_what_was_found_and_is_clicked(walker: Any) -> None:
    own, shown = walker.inertia_loops, bpy.context.scene.inertia_overlay
    shown.loops = True
    assert mouse.INERTIA_GGT_plots.poll(context())
    plot = map_plot.LoopMapPlot()
    assert plot.model(walker, shown) == (None, map_plot.MISSING)
    bpy.ops.inertia.find_loop()
    known = map_plot.map_of(walker)
    assert known is not None
    assert plot.model(walker, shown)[0] is known
    chart = plot.chart(known, DARK)
    assert chart.current == (own.loop_start, own.loop_end - own.loop_start)
    row, column = np.unravel_index(np.nanargmin(known.costs), known.costs.shape)
    start, length = float(known.starts[row]), float(known.lengths[column])
    assert plot.meant(known, start + 0.3, length - 0.2) == ("LOOP", (start, start + length))
    assert start == own.loops[0].start
    # it lags behind nothing: with other settings there is none
    own.by_feet = False
    assert map_plot.map_of(walker) is None


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"use_first": True, "first": 70.0, "last": 75.0}, "fewer than the shortest loop"),
        ({"use_first": True, "first": 70.0, "last": 60.0}, "swap the two"),
        ({"use_shortest_frames": True, "shortest_frames": 70.0, "longest_frames": 75.0}, ""),
    ],
)
def test_a_loop_that_can_not_be_found_is_told(walker: Any, settings: dict[str, Any], words: str) -> None:
    own = walker.inertia_loops
    for name, value in settings.items():
        setattr(own, name, value)
    if not words:
        assert bpy.ops.inertia.find_loop() == {"FINISHED"}
        assert own.loops[0].end - own.loops[0].start == 72.0
        return
    with pytest.raises(RuntimeError, match=words):
        bpy.ops.inertia.find_loop()
    assert not len(own.loops)


def test_a_walk_that_closes_as_it_is_is_used_as_it_is(fresh_file: None) -> None:
    armature = stepper.biped()
    walk = stepper.walk(armature, frames=25)
    compat.assign(armature, walk, "OBWalker")
    assert "Already loops" not in drawn(WORKING).text
    own = armature.inertia_loops
    own.loop_start, own.loop_end = 1.0, 25.0
    assert bpy.ops.inertia.make_loop() == {"FINISHED"}
    assert [action.name for action in bpy.data.actions] == ["Walk"]
    top = drawn(WORKING)
    assert "Already loops" in top.text
    top.pressed["As Destination"]
    bpy.ops.inertia.use_assigned_action(side="DESTINATION")
    assert armature.inertia.destination == walk
    # until it is another one
    for key in compat.curves(walk, "OBWalker")[0].keyframe_points[:3]:
        key.co.y += 0.1
    cache.look_again()
    assert "Already loops" not in drawn(WORKING).text


def test_a_loop_of_another_action_is_made_from_its_own_first_to_its_last_frame(walker: Any) -> None:
    own = walker.inertia_loops
    own.loop_start, own.loop_end = 5.0, 31.0
    other = bpy.data.actions["Walk"].copy()
    other.name = "Other"
    for curve in compat.curves(other, "OBWalker"):
        while curve.keyframe_points[-1].co[0] > 61.0:
            curve.keyframe_points.remove(curve.keyframe_points[-1])
    assert bpy.ops.inertia.make_loop(action="Other", result="Looped") == {"FINISHED"}
    looped = bpy.data.actions["Looped"]
    assert (looped.frame_start, looped.frame_end) == tuple(other.frame_range)
    # the frames that were chosen for one action stay its own
    assert bpy.ops.inertia.make_loop(action="Walk", result="Again") == {"FINISHED"}
    again = bpy.data.actions["Again"]
    assert (again.frame_start, again.frame_end) == (5.0, 31.0)


def test_a_loop_needs_an_action(walker: Any) -> None:
    compat.assign(walker, None)
    assert drawn(PANEL).placeholders["action_name"] == ""
    with pytest.raises(RuntimeError, match="Choose the action"):
        bpy.ops.inertia.make_loop()
    assert not bpy.ops.inertia.rebake.poll()
