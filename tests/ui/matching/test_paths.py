# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths in the panel: searched as soon as something changes, baked, made anew, and asked to be otherwise."""

from __future__ import annotations

from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import actions, compat, recipe
from inertia_addon.ui import panels
from inertia_addon.ui.matching import properties, searching
from tests.blender import wanderer
from tests.ui.recorder import drawn

PANEL, OPTIONS = (
    next(cls for cls in panels.CLASSES if cls.bl_idname == f"VIEW3D_PT_inertia_{name}")
    for name in ("path", "pathsearch")
)


def draw_curve(name: str = "Street", length: float = 1.0) -> Any:
    """A straight curve along -Y from where the clips set out."""
    shape = bpy.data.curves.new(name, "CURVE")
    spline = shape.splines.new("POLY")
    spline.points.add(1)
    for point, y in zip(spline.points, (0.0, -length), strict=True):
        point.co = (0.0, y, 0.0, 1.0)
    drawn_curve = bpy.data.objects.new(name, shape)
    bpy.context.collection.objects.link(drawn_curve)
    bpy.context.view_layer.update()
    return drawn_curve


@pytest.fixture
def walker(fresh_file: None) -> Any:
    """A biped that stands, walks and turns, and a street before it."""
    armature = wanderer.with_clips()
    own = armature.inertia_path
    own.followed, own.mirror, own.width = draw_curve(), True, 4
    return armature


def test_a_path_is_analysed_once_and_searched_anew_with_every_change(walker: Any) -> None:
    own = walker.inertia_path
    shown = drawn(PANEL)
    assert "inertia.find_path" in shown.operators
    assert "Duration" not in shown.text
    assert bpy.ops.inertia.find_path() == {"FINISHED"}
    shown = drawn(PANEL)
    assert "inertia.find_path" not in shown.operators
    assert "Duration" in shown.text
    assert "Clips Have" in shown.text
    before = searching.of(walker).shown
    assert before is not None
    assert searching.of(walker).shown is before
    assert before.length == pytest.approx(1.0, abs=0.01)
    own.followed.scale = (1.0, 1.5, 1.0)
    longer = searching.of(walker).shown
    assert longer is not None
    assert longer.length == pytest.approx(1.5, abs=0.01)
    own.speed, own.constant_speed = "CONSTANT", 1.5
    quick = searching.of(walker)
    assert quick.shown is not None
    assert quick.shown.is_timed
    assert "asks for 1.5 m/s" in drawn(PANEL).text
    assert "Path Asks 1.5 m/s" in drawn(PANEL).text
    # other clips have to be analysed first, and until then nothing is searched
    own.mirror = False
    assert not searching.of(walker).is_analysed
    shown = drawn(PANEL)
    assert "inertia.find_path" in shown.operators
    assert "The actions have changed" in shown.text
    bpy.ops.inertia.find_path()
    assert searching.of(walker).is_analysed
    assert "width" in drawn(OPTIONS).shown


def test_a_path_is_baked_replaced_and_made_anew(walker: Any) -> None:
    own = walker.inertia_path
    own.mirror = False
    before = {action.name: actions.contents(action) for action in bpy.data.actions}
    assert bpy.ops.inertia.bake_path() == {"FINISHED"}
    made = compat.assigned(walker)[0].name
    assert made.endswith("along Street")
    assert {a.name: actions.contents(a) for a in bpy.data.actions if a.name != made} == before
    shown = drawn(PANEL)
    assert {"inertia.rebake_path", "inertia.bake_path"} <= shown.operators
    assert "Planted Feet" in shown.text
    assert "Bake in Its Place" in shown.pressed
    whole = bpy.data.actions[made].frame_range[1]
    # what a redo says counts, and what it does not is the armature's own
    own.followed.scale = (1.0, 1.5, 1.0)
    assert bpy.ops.inertia.bake_path(replace=True, first_frame=11.0) == {"FINISHED"}
    again = compat.assigned(walker)[0]
    assert (again.name, again.frame_range[0], own.first_frame) == (made, 11.0, 1.0)
    assert again.frame_range[1] > whole + 15.0
    assert len(bpy.data.actions) == len(before) + 1


def test_a_path_is_made_anew_as_it_was_baked(walker: Any) -> None:
    own = walker.inertia_path
    own.mirror = False
    bpy.ops.inertia.bake_path()
    made = compat.assigned(walker)[0]
    made, contents = made.name, actions.contents(made)
    # what was renamed since is still what it was made of, and the panel's settings are of the next one
    bpy.data.actions["Walk"].name, own.followed.name = "Stroll", "Lane"
    own.faithful, own.mirror = 1.0, True
    assert bpy.ops.inertia.rebake_path() == {"FINISHED"}
    again = compat.assigned(walker)[0]
    assert (again.name, actions.contents(again)) == (made, contents)
    bpy.data.objects.remove(own.followed)
    with pytest.raises(RuntimeError, match="follows is gone"):
        bpy.ops.inertia.rebake_path()
    bpy.data.actions.remove(bpy.data.actions["Stroll"])
    assert None in recipe.ingredients(compat.assigned(walker)[0])
    with pytest.raises(RuntimeError, match="was made of, is gone"):
        bpy.ops.inertia.rebake_path()


def test_what_can_not_be_is_said_in_the_panel(walker: Any) -> None:
    own = walker.inertia_path
    bpy.ops.inertia.find_path()
    assert bpy.ops.inertia.path_clips.poll()
    own.choose_clips = True
    assert "The list of actions is empty" in drawn(PANEL).text
    bpy.ops.inertia.path_clips(change="ALL")
    assert [item.action.name for item in own.clips] == ["Bend", "Stand", "Turn", "Walk"]
    own.active_clip = 1
    bpy.ops.inertia.path_clips(change="REMOVE")
    assert searching.of(walker).is_analysed is False
    bpy.ops.inertia.find_path()
    own.followed.scale = (0.01, 0.01, 0.01)
    assert "leaves nothing to follow" in drawn(PANEL).text
    own.followed = None
    assert "Choose what to follow" in drawn(PANEL).text
    assert not bpy.ops.inertia.find_path.poll()


def test_clips_of_another_skeleton_are_refused_in_a_sentence(walker: Any) -> None:
    other = bpy.data.actions.new("Strange")
    walker.inertia_path.choose_clips = True
    walker.inertia_path.clips.add().action = other
    with pytest.raises(RuntimeError, match="Strange"):
        bpy.ops.inertia.find_path()
    assert properties.actions_of(walker) == [other]
