# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths in the panel: searched as soon as something changes, baked, made anew, and asked to be otherwise."""

from __future__ import annotations

import dataclasses
import types
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import actions, compat, recipe
from inertia_addon.blender.data.recipe_reader import read_recipe
from inertia_addon.blender.judging import verdict
from inertia_addon.blender.nla import tracks
from inertia_addon.settings.steering import SteerSettings
from inertia_addon.ui.matching import (
    join_operators,
    operators,
    path_plot,
    properties,
    searching,
    shown,
)
from inertia_addon.ui.matching.panels import ROWS
from inertia_addon.ui.steering import properties as steering
from tests.blender import builders, stepper, wanderer
from tests.ui.overlay.made_up import DARK
from tests.ui.recorder import Recorder, context, drawn, panel_named

PANEL, JOINS, ASKED, OPTIONS, WORKING = (
    panel_named(name) for name in ("path", "joins", "asked", "path_options", "working")
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
    armature = wanderer.with_clips(46)
    own = armature.inertia_path
    own.followed, own.mirror, own.width, own.ahead_seconds = draw_curve(), False, 2, 0.2
    armature.inertia.method = "CUBIC"  # of whose joins is known soonest what they displace
    return armature


@pytest.mark.slow  # the search is the same under every version
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
    own.mirror = True
    assert not searching.of(walker).is_analysed
    shown = drawn(PANEL)
    assert "inertia.find_path" in shown.operators
    assert "The actions have changed" in shown.text
    bpy.ops.inertia.find_path()
    assert searching.of(walker).is_analysed
    assert "width" in drawn(OPTIONS).shown


def test_a_path_is_baked_replaced_and_made_anew(walker: Any) -> None:
    own = walker.inertia_path
    # longer than its one walk
    own.followed = draw_curve("Long Street", 1.6)
    own.mirror, own.faithful = False, 1.0
    before = {action.name: actions.contents(action) for action in bpy.data.actions}
    assert bpy.ops.inertia.bake_path() == {"FINISHED"}
    made = compat.assigned(walker)[0].name
    assert made == "Along Long Street"
    assert {a.name: actions.contents(a) for a in bpy.data.actions if a.name != made} == before
    shown = drawn(PANEL)
    assert "inertia.bake_path" in shown.operators
    assert drawn(WORKING).greyed >= {"inertia.rebake"}
    assert drawn(WORKING).pressed["Lock Feet"].ground == own.ground
    # the set is not analysed anew because the bake has assigned an action
    assert searching.of(walker).is_analysed
    # the worst of its joins, and in the list each with its own
    seen = operators.verdicts_of(walker)
    assert len(seen) == len(searching.of(walker).shown.joins) > 0
    assert verdict.sentences(verdict.worst(seen.values()))[0] in shown.text
    active = searching.of(walker).shown.joins[join_operators.active_join(walker, searching.of(walker).shown)]
    assert verdict.sentences(seen[active["frame"]])[0] in drawn(JOINS).text
    whole = bpy.data.actions[made].frame_range[1]
    own.faithful = 0.5
    assert drawn(WORKING).pressed["Update"].replace
    own.faithful = 1.0
    # what a redo says counts, and what it does not is the armature's own
    own.followed.scale = (1.0, 1.5, 1.0)
    assert bpy.ops.inertia.bake_path(replace=True, first_frame=11.0) == {"FINISHED"}
    again = compat.assigned(walker)[0]
    assert (again.name, again.frame_range[0], own.first_frame) == (made, 11.0, 1.0)
    redo = Recorder()
    operators.INERTIA_OT_bake_path.draw(types.SimpleNamespace(layout=redo, **redo_of(own)), context())
    assert {"speed", "constant_speed", "faithful", "ground_height", "first_frame"} <= set(redo.shown)
    assert again.frame_range[1] > whole + 15.0
    assert len(bpy.data.actions) == len(before) + 1
    # a clip that is gone leaves nothing to say, and a panel to be drawn
    assert operators.verdicts_of(walker)
    for name in before:
        bpy.data.actions.remove(bpy.data.actions[name])
    assert operators.verdicts_of(walker) == {}
    assert "is gone" in drawn(WORKING).text


def test_a_path_as_strips_is_made_anew_where_it_has_moved_and_taken_away(walker: Any) -> None:
    own = walker.inertia_path
    own.mirror, own.strips, own.faithful, walker.inertia.feet = False, True, 1.0, "OFF"
    before, assigned = set(bpy.data.actions.keys()), compat.assigned(walker)[0]
    bpy.ops.inertia.bake_path()
    assert compat.assigned(walker)[0] is None
    (made,) = tracks.results(walker)
    shown = drawn(WORKING)
    assert {"inertia.rebake", "inertia.remove_strips"} <= set(shown.pressed)
    assert "has changed since" not in shown.text
    own.faithful = 0.5
    assert "inertia.bake_path" in drawn(WORKING).operators
    own.strips = False
    # as an action it would be another one beside it
    assert "inertia.bake_path" not in drawn(WORKING).operators
    own.strips, own.faithful = True, 1.0
    name, length = made.name, made.frame_range[1]
    own.followed.data.splines[0].points[1].co.y = -1.5
    bpy.context.view_layer.update()
    own.followed.data.update_tag()
    assert "The path has changed since it was baked" in drawn(WORKING).text
    assert bpy.ops.inertia.rebake() == {"FINISHED"}
    (again,) = tracks.results(walker)
    assert (again.name, len(walker.animation_data.nla_tracks)) == (name, 1)
    assert again.frame_range[1] > length + 10.0
    assert "has changed since" not in drawn(PANEL).text
    own.followed.location.x = 1.0
    assert recipe.has_moved(again)
    assert bpy.ops.inertia.remove_strips() == {"FINISHED"}
    assert (set(bpy.data.actions.keys()), compat.assigned(walker)[0]) == (before, assigned)


def test_a_followed_object_is_known_by_what_moves_it(walker: Any) -> None:
    leader, above = (bpy.data.objects.new(name, None) for name in ("Leader", "Above"))
    for thing in (leader, above):
        bpy.context.collection.objects.link(thing)
    leader.parent = above
    for frame, y in ((1, 0.0), (40, -1.0)):
        leader.location = (0.0, y, 0.0)
        leader.keyframe_insert("location", frame=frame)
    known = recipe.fingerprint_of_object(leader)
    bpy.context.scene.frame_set(20)
    assert recipe.fingerprint_of_object(leader) == known
    leader.scale.x = 2.0
    scaled = recipe.fingerprint_of_object(leader)
    above.location.x = 1.0
    moved = recipe.fingerprint_of_object(leader)
    next(iter(compat.curves(*compat.assigned(leader)))).keyframe_points[1].co.y += 0.1
    assert len({known, scaled, moved, recipe.fingerprint_of_object(leader)}) == 4


def test_a_path_is_made_anew_as_it_was_baked(walker: Any) -> None:
    own = walker.inertia_path
    own.mirror, own.faithful, walker.inertia.feet = False, 0.9, "OFF"
    floor = bpy.data.objects.new("Floor", bpy.data.meshes.new("Floor"))
    floor.data.from_pydata([(-9, -9, 0), (9, -9, 0), (9, 9, 0), (-9, 9, 0)], [], [(0, 1, 2, 3)])
    bpy.context.collection.objects.link(floor)
    own.ground, own.ground_object = "OBJECT", "Floor"
    posts = bpy.data.collections.new("Posts")
    bpy.context.scene.collection.children.link(posts)
    posts.objects.link(bpy.data.objects.new("Post", None))
    posts.objects["Post"].location = (0.8, -0.5, 0.0)
    own.obstacles = "Posts"
    pin, ban = own.pins.add(), own.bans.add()
    pin.action, pin.frame, pin.at, ban.action = bpy.data.actions["Walk"], 20.0, 0.5, bpy.data.actions["Turn"]
    bpy.ops.inertia.bake_path()
    made = compat.assigned(walker)[0]
    made, contents = made.name, actions.contents(made)
    # what was renamed since is still what it was made of, and the panel's settings are of the next one
    bpy.data.actions["Walk"].name, own.followed.name, floor.name = "Stroll", "Lane", "Field"
    posts.name = "Columns"
    own.faithful, own.mirror, walker.inertia.feet = 0.1, True, "AUTO"
    assert bpy.ops.inertia.rebake() == {"FINISHED"}
    again = compat.assigned(walker)[0]
    assert (again.name, actions.contents(again)) == (made, contents)
    settings = read_recipe(again).settings
    assert (settings.ground_object, settings.obstacles) == ("Field", "Columns")
    assert (settings.curve, settings.pins, settings.bans) == ("Lane", ("Stroll@20=0.5",), ("Turn=0:1",))
    bpy.data.objects.remove(own.followed)
    with pytest.raises(RuntimeError, match="follows is gone"):
        bpy.ops.inertia.rebake()
    bpy.data.actions.remove(bpy.data.actions["Stroll"])
    assert None in recipe.ingredients(compat.assigned(walker)[0])
    with pytest.raises(RuntimeError, match="was made from, is gone"):
        bpy.ops.inertia.rebake()


@pytest.mark.slow  # sentences are the same under every version
def test_a_path_that_can_not_be_is_told_in_the_panel(walker: Any) -> None:
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


def test_clips_that_can_not_follow_are_said_in_the_panel_until_others_are_chosen(walker: Any) -> None:
    own = walker.inertia_path
    strange = bpy.data.actions.new("Strange")
    stepper.walk(walker, "Blink", 3)
    # a walk straight on alone never turns
    stepper.walk(walker, "Straight", 61)
    own.choose_clips, own.mirror = True, False
    item = own.clips.add()
    for action, words in (
        (strange, '"Strange"'),
        (bpy.data.actions["Stand"], "stay in place"),
        (bpy.data.actions["Blink"], "shorter than 0.5 s"),
    ):
        item.action = action
        assert words not in drawn(PANEL).text
        with pytest.raises(RuntimeError, match=words):
            bpy.ops.inertia.find_path()
        assert words in drawn(PANEL).text
    item.action = bpy.data.actions["Straight"]
    own.find_cycles = False
    assert bpy.ops.inertia.find_path() == {"FINISHED"}
    leader = bpy.data.objects.new("Leader", None)
    bpy.context.collection.objects.link(leader)
    for frame, y in ((1, 0.0), (40, -1.0), (41, -9.0)):
        leader.location = (0.0, y, 0.0)
        leader.keyframe_insert("location", frame=frame)
    own.followed = leader
    assert "jumps by" in drawn(PANEL).text


def redo_of(own: Any) -> dict[str, Any]:
    """The operator's properties, as the redo panel reads them, each with what hides behind a choice."""
    chosen = {"speed": "CONSTANT", "ground": "PLANE"}
    return {"bl_rna": own.bl_rna, **{name: getattr(own, name) for name in properties.SETTINGS}, **chosen}


# --- the joins, and what is asked for on the way


def test_joins_are_listed_with_why_and_another_one_is_taken(walker: Any) -> None:
    own = walker.inertia_path
    # so long, and followed so closely, that there are some joins
    own.followed, own.faithful = draw_curve("Long Street", 1.6), 0.0
    assert "Find a path to see its joins" in drawn(JOINS).text
    assert not bpy.ops.inertia.take_clip.poll()
    bpy.ops.inertia.find_path()
    found = searching.of(walker).shown
    assert found is not None
    listed = drawn(JOINS)
    assert len(listed.buttons) >= min(len(found.joins), ROWS) + 2
    assert {"Leaves", "Enters", "Next Best"} <= set(listed.texts)
    rows = [shown.gait(one["leads"], found.size) for one in found.joins]
    assert all(f"  {row}" in " ".join(listed.pressed) for row in rows[:ROWS])
    bpy.ops.inertia.choose_join(index=1)
    join = found.joins[1]
    assert own.joined_at == pytest.approx(join["seconds"])
    assert all(str(line.text) in drawn(JOINS).text for line in shown.reason(walker, join))
    # the numbers of the search are in the row's tooltip
    tip = join_operators.INERTIA_OT_choose_join.description(context(), types.SimpleNamespace(index=1))
    assert f"{join['cost']:.2f}" in tip
    assert "mm·s" in shown.reason(walker, join)[0].text
    assert bpy.ops.inertia.take_clip(index=0) == {"FINISHED"}
    other = join["next_best"][0]
    assert not len(own.pins)
    again = searching.of(walker).shown
    assert again is not None
    # what comes before stays, and the join that was changed is still looked at
    assert own.joined_at == pytest.approx(join["seconds"])
    assert again.begins == found.begins
    assert [(one["seconds"], one["to"]) for one in again.joins[:1]] == [
        (one["seconds"], one["to"]) for one in found.joins[:1]
    ]
    taken = again.joins[1]
    assert taken["seconds"] == join["seconds"]
    assert taken["to"] == {key: other[key] for key in ("action", "mirrored", "frame")}
    assert f"up to {join['seconds']:.1f} s" in drawn(ASKED).text
    # to take the next one there takes its place, and leaves no trace of it
    bpy.ops.inertia.take_clip(index=0)
    assert len(own.fixed) == 3
    third = searching.of(walker).shown
    assert third is not None
    assert third.joins[1]["to"] == {key: taken["next_best"][0][key] for key in taken["to"]}
    # what is asked for before it is searched from there on
    bpy.ops.inertia.choose_join(index=0)
    bpy.ops.inertia.forbid_clip()
    assert not len(own.fixed)
    bpy.ops.inertia.unpin_clip(change="ALL")
    back = searching.of(walker).shown
    assert back is not None
    assert [one["to"] for one in back.joins] == [one["to"] for one in found.joins]


@pytest.mark.slow  # the search is the same under every version
def test_a_clip_is_forbidden_pinned_at_the_cursor_and_all_taken_back(walker: Any) -> None:
    own = walker.inertia_path
    bpy.ops.inertia.find_path()
    found = searching.of(walker).shown
    assert found is not None
    name = found.joins[0]["to"]["action"]
    bpy.ops.inertia.choose_join(index=0)
    bpy.ops.inertia.forbid_clip()
    (ban,) = own.bans
    assert ban.action.name == name
    again = searching.of(walker).shown
    assert again is not None
    # where the next clip took over it may be played again; ends are rounded to a tenth of a millimetre
    there = [one["to"]["action"] for one in again.joins if ban.first <= one["place"] < ban.last - 1e-4]
    assert name not in there
    bpy.context.scene.cursor.location = (0.3, -0.6, 0.0)
    bpy.ops.inertia.pin_clip()
    (pin,) = own.pins
    assert pin.at == pytest.approx(0.6, abs=0.03)
    pin.action, pin.frame = bpy.data.actions["Bend"], 20.0
    pinned = searching.of(walker).shown
    assert pinned is not None
    assert {"action": "Bend", "mirrored": pin.mirrored, "frame": 20.0} in [one["to"] for one in pinned.joins]
    shown = drawn(ASKED)
    assert {"pins", "bans", "frame", "at", "first", "last"} <= set(shown.shown)
    pin.at = 50.0
    assert "so it is not played" in drawn(PANEL).text
    bpy.ops.inertia.unpin_clip(change="ALL")
    assert not len(own.pins) + len(own.bans)
    assert not bpy.ops.inertia.unpin_clip.poll()


def test_goals_are_set_with_the_cursor_on_a_frame(walker: Any) -> None:
    own, scene = walker.inertia_path, bpy.context.scene
    for frame, y in ((31, -0.4), (61, -0.4), (61, -0.5)):
        scene.frame_set(frame)
        scene.cursor.location = (0.2, y, 0.0)
        assert bpy.ops.inertia.set_goal() == {"FINISHED"}
    # the same frame again moves its goal
    assert [(goal.frame, round(goal.at, 3)) for goal in own.goals] == [(31.0, 0.4), (61.0, 0.5)]
    assert own.active_goal == 1
    own.goals[1].at, own.goals[1].use_facing, own.goals[1].facing = 0.4, True, -1.0
    settings = properties.settings_from(walker)
    fps = scene.render.fps / scene.render.fps_base
    seconds = [round((frame - 1.0) / fps, 6) for frame in (31, 61)]
    assert [(goal.at, goal.seconds) for goal in settings.aimed] == [(0.4, seconds[0]), (0.4, seconds[1])]
    assert settings.aimed[1].facing == pytest.approx(np.degrees(-1.0), abs=1e-3)
    bpy.ops.inertia.find_path()
    found = searching.of(walker).shown
    assert found is not None
    # a mark of each goal on the path, where the character then is
    assert np.abs(found.pins[:, :2] - (0.0, -0.4)).max() < 0.03
    between = found.points[round(30 / found.step) : round(60 / found.step)]
    assert np.abs(between[:, 1] + 0.4).max() < 0.1
    assert {"goals", "frame", "at", "use_facing", "facing"} <= set(drawn(ASKED).shown)
    own.first_frame = 40.0
    assert "A goal is on frame 31, and the path begins on frame 40" in drawn(PANEL).text
    own.first_frame = 1.0
    bpy.ops.inertia.unpin_clip(change="GOAL")
    assert len(own.goals) == 1
    bpy.ops.inertia.unpin_clip(change="ALL")
    assert not len(own.goals)
    own.followed = bpy.data.objects.new("Leader", None)
    assert not bpy.ops.inertia.set_goal.poll()


@pytest.mark.slow  # the search is the same under every version
def test_settings_come_back_from_a_path_and_from_a_take(walker: Any) -> None:
    own = walker.inertia_path
    own.choose_clips = True
    bpy.ops.inertia.path_clips(change="ALL")
    own.clips[0].cyclic, own.faithful, own.warp, own.first_frame = True, 0.3, True, 11.0
    walker.inertia.method, walker.inertia.half_life = "SPRING", 0.07
    pin, ban, goal = own.pins.add(), own.bans.add(), own.goals.add()
    pin.action, pin.frame, pin.at, pin.mirrored = bpy.data.actions["Bend"], 20.0, 1.1, True
    own.mirror = True
    ban.action, ban.first, ban.last = bpy.data.actions["Turn"], 0.2, 0.9
    goal.at, goal.frame, goal.use_facing, goal.facing = 0.5, 41.0, True, -1.2
    asked = properties.settings_from(walker)
    bpy.ops.inertia.bake_path()
    baked = walker.animation_data.action
    assert "inertia.load_recipe" in drawn(WORKING).operators
    own.choose_clips, own.faithful, own.first_frame, own.followed = False, 0.9, 1.0, None
    walker.inertia.method = "CUBIC"
    for items in (own.pins, own.bans, own.goals, own.clips):
        items.clear()
    assert bpy.ops.inertia.load_recipe() == {"FINISHED"}
    assert properties.settings_from(walker) == asked
    # the panel asks for what is there
    assert not operators.anew(walker, baked)
    # a take leaves alone what is followed
    took = dataclasses.replace(
        asked, curve="", pins=(), bans=(), goals=(), wishes=("0,0,0,", "2,0.5,0,"), faithful=0.6
    )
    properties.put_settings(walker, took)
    assert (round(own.faithful, 3), own.followed.name, len(own.goals), len(own.pins)) == (0.6, "Street", 1, 0)
    answers = SteerSettings(wished_as="STICK", velocity_half_life=0.3, clamp_angle=60.0, adjust=False)
    properties.put_settings(walker, dataclasses.replace(took, wishes=("0,0,0", "2,0.5,0"), steer=answers))
    assert steering.settings_from(walker, took.wishes, took.start).steer == answers


def test_the_character_walks_along_the_path_before_it_is_baked(walker: Any) -> None:
    plot, own, scene = path_plot.PathPlot(), walker.inertia_path, bpy.context.scene
    scene.inertia_overlay.path, own.first_frame = True, 11.0
    bpy.ops.inertia.find_path()
    found, _ = plot.model(walker, scene.inertia_overlay)
    assert found is not None
    assert found.ghost_at(10.0) is None
    assert found.ghost_at(11.0 + len(found.ghosts)) is None
    above = np.diag([0.5, 0.5, -0.1, 1.0])
    view = types.SimpleNamespace(
        **vars(context()), region_data=types.SimpleNamespace(perspective_matrix=above)
    )
    view.region = types.SimpleNamespace(width=2000, height=2000)

    def drawn_on(frame: int) -> int:
        scene.frame_set(frame)
        return sum(getattr(shape, "pairs", False) for shape in plot.now(view, found, (), DARK))

    assert (drawn_on(5), drawn_on(15)) == (0, 2)
    bpy.ops.inertia.bake_path()
    # what plays needs no ghost
    assert drawn_on(15) == 0
    made = walker.animation_data.action
    joins = [join["frame"] for join in found.joins]
    for frame in range(11, 11 + len(found.ghosts), 6):
        # joins take some time, and the root is drawn over a smoothed way
        if all(frame < join or frame > join + 10 for join in joins):
            there = builders.played(walker, made, [float(frame)])[0][:, :3, 3]
            lines = found.ghost_at(float(frame))
            away = np.linalg.norm(lines[:, None] - there[None], axis=-1).min(axis=1)
            assert away.max() < 0.06


def test_the_path_is_drawn_coloured_and_its_joins_are_picked(walker: Any) -> None:
    plot, shown = path_plot.PathPlot(), bpy.context.scene.inertia_overlay
    shown.path = True
    assert plot.model(walker, shown) == (None, path_plot.MISSING)
    bpy.ops.inertia.find_path()
    model = plot.model(walker, shown)[0]
    assert model is searching.of(walker).shown
    _, path, *_ = plot.world(model, DARK)
    assert len(path.points) == len(model.errors)
    np.testing.assert_allclose(path.points[-1], (0.0, -1.0, 0.0), atol=0.05)
    colours = path_plot.coloured(np.array([0.0, 0.2, 9.0]), 0.2)
    np.testing.assert_allclose(colours[0, :3], path_plot.COLOURS[0])
    np.testing.assert_allclose(colours[1:, :3], path_plot.COLOURS[[-1, -1]])
    # seen from above, 100 pixels a metre
    above = np.diag([0.1, 0.1, 0.01, 1.0])
    view = types.SimpleNamespace(
        **vars(context()), region_data=types.SimpleNamespace(perspective_matrix=above)
    )
    view.region = types.SimpleNamespace(width=2000, height=2000)
    x, y = 1000.0 + 100.0 * model.marks[-1, :2]
    kind, (seconds,) = plot.hit_in_view(view, model, x + 2.0, y)
    assert (kind, seconds) == ("JOIN", model.joins[-1]["seconds"])
    assert plot.hit_in_view(view, model, 10.0, 10.0) is None
    walker.inertia_path.joined_at = seconds
    drawn_now = plot.now(view, model, (), DARK)
    assert path_plot.join_text(walker, model.joins[-1]) in [getattr(one, "text", "") for one in drawn_now]
    legend = plot.shapes(model, model, (0.0, 0.0, 260.0, 24.0), DARK)
    assert f"{20.0 * model.size:.0f} cm" in [getattr(one, "text", "") for one in legend]
