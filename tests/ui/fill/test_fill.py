# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaps in the panel: found, shown, baked, made anew; and between two strips."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat, recipe, recipe_reader
from inertia_addon.blender.fill import bake
from inertia_addon.blender.nla import tracks
from inertia_addon.ui import panels
from inertia_addon.ui.fill import fill_plot, finding, operators, properties
from inertia_addon.ui.fill import panels as fill_panels
from inertia_addon.ui.fill.finding import Refused
from inertia_addon.ui.shared import cache
from tests.blender import builders, wanderer
from tests.blender.nla import strip_poses
from tests.ui.overlay.made_up import DARK
from tests.ui.recorder import Recorder, context, drawn, panel_named

PANEL, WORKING = (panel_named(name) for name in ("through", "working"))
(STRIPS,) = [cls for cls in panels.CLASSES if cls.bl_space_type == "NLA_EDITOR"]
(KEYS,) = [cls for cls in panels.CLASSES if cls.__name__ == "DOPESHEET_PT_inertia_keys"]


pytestmark = pytest.mark.usefixtures("no_rest")


@pytest.fixture
def walker(fresh_file: None) -> Any:
    """A biped that walks, and turns a second later, elsewhere."""
    armature = wanderer.with_clips()
    own, gap = armature.inertia, armature.inertia_fill
    own.source, own.destination, own.cut = bpy.data.actions["Walk"], bpy.data.actions["Turn"], 20.0
    own.use_destination_frame, own.destination_frame, own.feet = True, 30.0, "OFF"
    own.method = "CUBIC"  # of whose joins is known soonest what they displace
    gap.gap_frames, gap.use_place, gap.choose_by = 24.0, True, "COST"
    gap.place, gap.facing = (0.1, -1.1), math.radians(-80.0)
    choose(gap, "Walk", "Turn")
    return armature


def choose(gap: Any, *names: str) -> None:
    """Have these clips alone fill a gap."""
    gap.choose_clips = True
    gap.clips.clear()
    for name in names:
        gap.clips.add().action = bpy.data.actions[name]


def apart(armature: Any, gap: float = 24.0) -> list[Any]:
    """Walk from frame 11 on, keyed from 1 on, up to its 20; and later the same walk from its 30 on."""
    compat.assign(armature, None)
    made = []
    for first, last, start in ((1.0, 20.0, 11.0), (30.0, 61.0, 30.0 + gap)):
        action = bpy.data.actions["Walk"]
        strip = armature.animation_data.nla_tracks.new().strips.new(f"From {first:g}", round(start), action)
        if compat.has_slots():
            strip.action_slot = action.slots[0]
        strip.action_frame_start, strip.action_frame_end = first, last
        strip.frame_start, strip.frame_end = start, start + last - first
        strip.select = True
        made.append(strip)
    return made


def only_turning(armature: Any) -> None:
    """Have one clip alone fill a gap that lasts as long, for which there are fewer ways than three."""
    armature.inertia_fill.gap_frames = 19.0
    choose(armature.inertia_fill, "Turn")


def test_the_arrival_is_the_cut_and_the_gap(walker: Any) -> None:
    gap = walker.inertia_fill
    assert gap.arrival == 44.0
    gap.arrival = 50.0
    assert gap.gap_frames == 30.0
    walker.inertia.cut = 10.0
    assert (gap.gap_frames, gap.arrival) == (30.0, 40.0)


def test_the_fill_panel_asks_for_what_the_command_would(walker: Any) -> None:
    asked = properties.settings_from(walker)
    own = asked.transition
    assert (own.source, own.destination, own.cut, own.destination_frame) == ("Walk", "Turn", 20.0, 30.0)
    assert asked.place == pytest.approx((0.1, -1.1, -80.0))
    assert asked.actions == ("Walk", "Turn")
    walker.inertia_fill.choose_clips = False
    assert properties.settings_from(walker).actions == tuple(sorted(wanderer.CLIPS))
    # metres, whatever the scene's unit of length is
    bpy.context.scene.unit_settings.scale_length = 0.01
    assert properties.settings_from(walker).place == pytest.approx((0.001, -0.011, -80.0))
    walker.inertia_fill.use_place = walker.inertia.use_destination_frame = False
    asked = properties.settings_from(walker)
    assert (asked.place, asked.transition.destination_frame) == (None, 1.0)
    assert asked.chosen_goal == "LEAD"
    walker.inertia_fill.goal = "OWN"
    assert properties.settings_from(walker).chosen_goal == "OWN"


def test_the_cursor_says_where_it_arrives(walker: Any) -> None:
    cursor, gap = bpy.context.scene.cursor, walker.inertia_fill
    cursor.location, cursor.rotation_euler = (1.5, -0.5, 3.0), (0.0, 0.0, math.radians(30.0))
    gap.use_place = False
    bpy.ops.inertia.fill_at_cursor()
    assert properties.settings_from(walker).place == pytest.approx((1.5, -0.5, -60.0))


def test_fills_are_shown_and_drawn_until_something_changes(walker: Any) -> None:
    before = {action.name for action in bpy.data.actions}
    plot, switches = fill_plot.FillPlot(), bpy.context.scene.inertia_overlay
    assert finding.recall_fills(walker) is None
    assert plot.model(walker, switches) == (None, fill_plot.MISSING)
    assert bpy.ops.inertia.find_fill() == {"FINISHED"}
    assert {action.name for action in bpy.data.actions} == before
    found = finding.recall_fills(walker)
    assert isinstance(found, tuple)
    shown = drawn(PANEL)
    assert {"Goal", "At a Place", "Drawn By"} <= {*shown.texts}
    assert f"Frame {found[0].clips[0]['from']:g}" in shown.texts
    model, note = plot.model(walker, switches)
    assert note == ""
    lines = plot.world(model, DARK)
    ghosts = [line for line in lines if line.pairs]
    each = sum(len(shown.ghosts) for shown in (model.chosen, *model.others))
    assert len(ghosts) == each > 3
    # the chosen one lies on top, with an edge
    assert len(lines) == each + len(model.others) + 2
    assert [line.pairs for line in lines[-len(model.chosen.ghosts) :]] == [True] * len(model.chosen.ghosts)
    # the same object, so that what was drawn of it is drawn again
    assert finding.recall_fills(walker) is found
    walker.inertia_fill.strips = True
    walker.inertia_fill.result = "Other"
    assert finding.recall_fills(walker) is found
    walker.inertia_fill.gap_frames = 25.0
    assert finding.recall_fills(walker) is None
    walker.inertia_fill.gap_frames = 24.0
    assert finding.recall_fills(walker) is found
    # the word is of the feet that are asked for
    walker.inertia.feet = "LOCK"
    assert finding.recall_fills(walker) is None
    walker.inertia.feet = "OFF"
    assert bpy.ops.inertia.bake_fill() == {"FINISHED"}
    made = walker.animation_data.action
    names = [bone.name for bone in walker.pose.bones]

    def places(frame: float) -> Any:
        return builders.played(walker, made, [frame])[0][:, :3, 3]

    # ghosts lead from the source to where the destination is arrived at
    for (lines, part), frame in ((found[0].ghosts[0], 20.0), (found[0].ghosts[-1], 44.0)):
        assert part == (frame - 20.0) / 24.0
        there = places(frame)
        away = np.linalg.norm(lines[:, None] - there[None], axis=-1).min(axis=1)
        # each end of a line is where a joint is
        assert away.max() < 0.01, (names, away)
    # the way is the root's own, which sways about where the character is
    assert found[0].figures["arrives_at"][:2] == pytest.approx((0.1, -1.1), abs=1e-6)
    assert found[0].way[-1, :2] == pytest.approx((0.1, -1.1), abs=0.01)


def test_a_gap_is_filled_judged_taken_as_a_result_and_updated(walker: Any) -> None:
    assert bpy.ops.inertia.bake_fill() == {"FINISHED"}
    made = walker.animation_data.action
    assert (made.name, recipe.kind(made)) == ("Walk to Turn", recipe.FILL)
    scene = bpy.context.scene
    assert scene.timeline_markers["Walk to Turn"].frame == 20
    assert scene.frame_preview_start <= 20 < 44 <= scene.frame_preview_end
    # the judge's word stands beside what plays, and its faults below the button
    assert {"Good", "Fair", "Poor"} & {*drawn(WORKING).texts}
    assert any(text.startswith(("Good", "Fair", "Poor")) for text in drawn(PANEL).texts)
    assert "inertia.rebake" in drawn(WORKING).greyed
    # a changed clip is taken in
    for curves in wanderer.bags(bpy.data.actions["Turn"]):
        curves[0].keyframe_points[40].co.y += 0.1
        curves[0].update()
    cache.look_again()
    assert "inertia.rebake" in drawn(WORKING).operators
    assert bpy.ops.inertia.rebake() == {"FINISHED"}
    assert walker.animation_data.action.name == "Walk to Turn"
    assert not recipe_reader.has_changed(walker.animation_data.action, walker)
    assert made not in bpy.data.actions.values() or made == walker.animation_data.action
    # it is filled anew by the panel in its place
    walker.inertia_fill.gap_frames = 28.0
    shown = drawn(WORKING)
    assert "inertia.bake_fill" in shown.operators
    assert bpy.ops.inertia.bake_fill(replace=True) == {"FINISHED"}
    fills = [action for action in bpy.data.actions if recipe.is_baked(action, recipe.FILL)]
    assert [action.name for action in fills] == ["Walk to Turn"]
    assert "inertia.bake_fill" not in drawn(WORKING).operators
    bpy.ops.inertia.bake_fill()
    assert sum(recipe.is_baked(action, recipe.FILL) for action in bpy.data.actions) == 2


def test_a_fill_of_several_is_chosen_by_its_word_and_baked(
    walker: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operators, "CHOICES", 2)
    # a second and more, for which there are several ways
    walker.inertia.destination, walker.inertia.destination_frame = bpy.data.actions["Stand"], 5.0
    walker.inertia_fill.gap_frames, walker.inertia_fill.place = 48.0, (0.0, -1.0)
    choose(walker.inertia_fill, "Stand", "Walk")
    bpy.ops.inertia.find_fill()
    found = finding.recall_fills(walker)
    assert isinstance(found, tuple)
    assert len(found) > 1
    plot, switches = fill_plot.FillPlot(), bpy.context.scene.inertia_overlay
    before = plot.model(walker, switches)[0]
    assert plot.model(walker, switches)[0] is before
    assert drawn(PANEL).buttons.count("inertia.choose_fill") == len(found)
    bpy.ops.inertia.choose_fill(choice=2)
    assert finding.recall_fills(walker) is found
    model, _ = plot.model(walker, switches)
    assert (model.chosen, model.others) == (found[1], (found[0], *found[2:]))
    bpy.ops.inertia.bake_fill()
    made = walker.animation_data.action
    # the word was that of what is baked
    assert operators.worst(walker, made) == found[1].verdict
    assert recipe_reader.read_recipe(made, recipe.FILL).settings.choice == 2
    shown = builders.played(walker, made, [20.0, 44.0, 68.0])
    bpy.ops.inertia.rebake()
    again = builders.played(walker, walker.animation_data.action, [20.0, 44.0, 68.0])
    assert again == pytest.approx(shown, abs=1e-6)


def test_no_clips_is_one_of_the_fills_and_the_judge_says_which_is_the_first(walker: Any) -> None:
    walker.inertia_fill.choose_by = "JUDGE"
    assert bpy.ops.inertia.find_fill() == {"FINISHED"}
    found = finding.recall_fills(walker)
    assert isinstance(found, tuple)
    (unaided,) = (i for i, each in enumerate(found) if "costs" not in each.figures)
    words = [("GOOD", "FAIR", "POOR").index(each.rating) for each in found[:2]]
    assert words == sorted(words)
    assert unaided < 2
    shown = drawn(PANEL)
    assert [text for text in shown.pressed if text.endswith(": No Clips")]
    walker.inertia_fill.choice = unaided + 1
    assert "Drawn By" not in drawn(PANEL).texts
    plot, switches = fill_plot.FillPlot(), bpy.context.scene.inertia_overlay
    model, _ = plot.model(walker, switches)
    assert model.chosen is found[unaided]
    assert plot.world(model, DARK)
    assert bpy.ops.inertia.bake_fill() == {"FINISHED"}
    made = walker.animation_data.action
    assert bake.is_without_clips(made)
    assert operators.worst(walker, made) == found[unaided].verdict
    # ghosts are what is baked
    lines, part = model.chosen.ghosts[1]
    there = builders.played(walker, made, [round(20.0 + 24.0 * part)])[0][:, :3, 3]
    assert np.linalg.norm(lines[:, None] - there[None], axis=-1).min(axis=1).max() < 1e-4
    # without the judge clips come first, and Update sees that this is asked for otherwise
    assert "inertia.bake_fill" not in drawn(WORKING).operators
    walker.inertia_fill.choose_by = "COST"
    assert "inertia.bake_fill" in drawn(WORKING).operators


def test_the_fill_shown_as_chosen_is_baked_where_fewer_were_found(walker: Any) -> None:
    only_turning(walker)
    walker.inertia_fill.choice = 3
    bpy.ops.inertia.find_fill()
    found = finding.recall_fills(walker)
    assert isinstance(found, tuple)
    assert len(found) < 3
    assert bpy.ops.inertia.bake_fill() == {"FINISHED"}
    assert operators.worst(walker, walker.animation_data.action) == found[-1].verdict
    assert "inertia.rebake" in drawn(WORKING).greyed


def test_a_choice_that_there_is_not_is_said_and_takes_no_other_ones_place(walker: Any) -> None:
    only_turning(walker)
    walker.inertia_fill.choice = 3
    with pytest.raises(RuntimeError, match=r"There is no choice 3: [12] of three"):
        bpy.ops.inertia.bake_fill()
    assert finding.recall_fills(walker) is None


@pytest.mark.slow  # the search is the same under every version
def test_obstacles_are_searched_around_and_moved_ones_light_update(
    walker: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operators, "CHOICES", 1)
    own = walker.inertia_fill
    own.gap_frames, own.place, own.mirror = 72.0, (0.1, -2.0), True
    posts = bpy.data.collections.new("Posts")
    bpy.context.scene.collection.children.link(posts)
    post = bpy.data.objects.new("Post", None)
    post.location = (0.1, -1.2, 0.0)
    posts.objects.link(post)
    bpy.context.view_layer.update()
    own.obstacles, own.keep_away = "Posts", 0.2
    bpy.ops.inertia.find_fill()
    found = finding.recall_fills(walker)
    assert isinstance(found, tuple)
    assert found[0].figures["obstacle_m"] > 0.12
    assert np.linalg.norm(found[0].way[:, :2] - (0.1, -1.2), axis=1).min() > 0.12
    bpy.ops.inertia.bake_fill()
    assert "inertia.rebake" in drawn(WORKING).greyed
    post.location.x += 0.3
    bpy.context.view_layer.update()
    assert finding.recall_fills(walker) is None
    assert "inertia.rebake" not in drawn(WORKING).greyed
    own.use_library = False
    # without clips nothing leads around
    assert properties.settings_from(walker).obstacles == ""


def test_a_place_too_far_has_a_button_with_the_time_that_would_do(walker: Any) -> None:
    walker.inertia_fill.gap_frames = 15.0
    walker.inertia_fill.place = (0.0, -1.9)
    names = {action.name for action in bpy.data.actions}
    with pytest.raises(RuntimeError, match="No clips of the set arrive there"):
        bpy.ops.inertia.bake_fill()
    assert {action.name for action in bpy.data.actions} == names
    found = finding.recall_fills(walker)
    assert isinstance(found, Refused)
    assert found.nearest_frames is not None
    (text,) = [text for text in drawn(PANEL).pressed if text.startswith("Make the Gap")]
    button = drawn(PANEL).pressed[text]
    # what helps comes first, then why
    order = list[str]()

    class Ordered(Recorder):
        def label(self, text: str = "", icon: str = "NONE", *, translate: bool = True) -> None:
            order.append(text)

        def operator(self, name: str, **options: Any) -> Any:
            order.append(name)
            return super().operator(name, **options)

    fill_panels.draw_found(Ordered(), context(), walker)
    assert order[0] == "inertia.use_fill_time"
    assert order[1].startswith("No clips of the set")
    bpy.ops.inertia.use_fill_time(gap_frames=button.gap_frames)
    assert walker.inertia_fill.gap_frames == found.nearest_frames
    assert bpy.ops.inertia.find_fill() == {"FINISHED"}


def test_a_fill_without_clips_searches_nothing(walker: Any) -> None:
    walker.inertia_fill.use_library = walker.inertia_fill.use_place = False
    assert "inertia.find_fill" in drawn(PANEL).greyed
    with pytest.raises(RuntimeError, match="nothing to find"):
        bpy.ops.inertia.find_fill()
    assert bpy.ops.inertia.bake_fill() == {"FINISHED"}


def test_listed_clips_alone_are_taken(walker: Any) -> None:
    gap = walker.inertia_fill
    choose(gap)
    with pytest.raises(RuntimeError, match="The list of actions is empty"):
        bpy.ops.inertia.find_fill()
    assert "The list of actions is empty" in drawn(PANEL).text
    bpy.ops.inertia.fill_clips(change="ALL")
    assert {item.action.name for item in gap.clips} == {*wanderer.CLIPS}
    gap.active_clip = [item.action.name for item in gap.clips].index("Stand")
    bpy.ops.inertia.fill_clips(change="REMOVE")
    gap.clips[0].cyclic = True
    asked = properties.settings_from(walker)
    assert "Stand" not in asked.actions
    assert asked.cycles == (gap.clips[0].action.name,)


@pytest.mark.variants(1)
@pytest.mark.parametrize("as_strips", [False, True])
def test_the_gap_between_two_strips_is_filled_where_they_play(walker: Any, *, as_strips: bool) -> None:
    strips = apart(walker)
    own, gap = walker.inertia, walker.inertia_fill
    own.source = own.destination = None
    gap.use_place, gap.strips = False, as_strips
    shown = drawn(STRIPS)
    assert "Fill Gap between Strips" in shown.pressed
    assert "inertia.bake_transition" not in shown.operators
    before, behind = np.arange(11.0, 30.0), np.arange(54.0, 85.0)
    wanted = []
    for played, frames in ((0, before), (1, behind)):
        for i, track in enumerate(walker.animation_data.nla_tracks):
            track.mute = i != played
        wanted.append(strip_poses.shown(walker, frames))
    for track in walker.animation_data.nla_tracks:
        track.mute = False
    assert bpy.ops.inertia.bake_fill(from_strips=True) == {"FINISHED"}
    for frames, pose in zip((before, behind), wanted, strict=True):
        assert strip_poses.shown(walker, frames) == pytest.approx(pose, abs=1e-4)
    assert (own.source.name, own.cut, own.shift, gap.gap_frames) == ("Walk", 20.0, 10.0, 24.0)
    made = bpy.data.actions["Walk to Walk"]
    assert made.frame_range[0] == 11.0
    assert bpy.context.scene.timeline_markers["Walk to Walk"].frame == 30
    if not as_strips:
        assert compat.assigned(walker)[0] == made
        return
    assert tracks.results(walker) == [made]
    (track,) = [track for track in walker.animation_data.nla_tracks if track.name == "Walk to Walk"]
    ends = [(strip.frame_start, strip.frame_end) for strip in track.strips]
    # the source may play on into the gap
    assert (ends[0][0], ends[-1]) == (11.0, (54.0, 85.0))
    assert 30.0 <= ends[0][1] < 54.0
    assert all(one[1] == other[0] for one, other in itertools.pairwise(ends))
    assert all(strip.action == made for strip in track.strips)
    # it is made anew in its place, and goes by a button
    bpy.ops.inertia.rebake()
    assert [t.name for t in walker.animation_data.nla_tracks].count("Walk to Walk") == 1
    bpy.ops.inertia.remove_strips()
    assert "Walk to Walk" not in bpy.data.actions
    assert [strip.name for track in walker.animation_data.nla_tracks for strip in track.strips] == [
        strip.name for strip in strips
    ]


def select_keys(action: Any, *frames: float) -> None:
    """Select the keys of an action on these frames alone."""
    for curve in compat.curves(action, compat.slots(action)[0].identifier):
        for key in curve.keyframe_points:
            key.select_control_point = any(abs(key.co[0] - frame) < 1e-3 for frame in frames)


def test_the_assigned_action_is_filled_between_its_selected_keys(walker: Any) -> None:
    walk, gap = bpy.data.actions["Walk"], walker.inertia_fill
    compat.assign(walker, walk, compat.slots(walk)[0].identifier)
    select_keys(walk, 20.0, 24.0, 32.0)
    assert gap.use_place
    assert "Fill Between Keys" in drawn(KEYS).pressed
    before, behind = np.arange(1.0, 21.0), np.arange(32.0, 61.0)
    wanted = [strip_poses.shown(walker, frames) for frames in (before, behind)]
    assert bpy.ops.inertia.bake_fill(from_keys=True) == {"FINISHED"}
    made, _ = compat.assigned(walker)
    assert made != walk
    assert tuple(made.frame_range) == tuple(walk.frame_range)
    for frames, pose in zip((before, behind), wanted, strict=True):
        assert strip_poses.shown(walker, frames) == pytest.approx(pose, abs=1e-4)
    # and is made anew in its place
    name = made.name
    bpy.ops.inertia.rebake()
    assert compat.assigned(walker)[0].name == name


def test_poses_of_selected_keys_between_are_kept(walker: Any) -> None:
    walk = bpy.data.actions["Walk"]
    compat.assign(walker, walk, compat.slots(walk)[0].identifier)
    select_keys(walk, 20.0, 26.0, 32.0)
    wanted = strip_poses.shown(walker, np.array([26.0]))
    assert bpy.ops.inertia.bake_fill(from_keys=True, keep_between=True) == {"FINISHED"}
    assert compat.assigned(walker)[0] != walk
    assert strip_poses.shown(walker, np.array([26.0])) == pytest.approx(wanted, abs=1e-4)
    assert walker.inertia_fill.through == "26"


def test_keys_on_one_frame_are_no_gap(walker: Any) -> None:
    walk = bpy.data.actions["Walk"]
    compat.assign(walker, walk, compat.slots(walk)[0].identifier)
    select_keys(walk, 20.0)
    with pytest.raises(RuntimeError, match='Select keys of "Walk" on two frames'):
        bpy.ops.inertia.bake_fill(from_keys=True)
    compat.assign(walker, None)
    with pytest.raises(RuntimeError, match="plays no action"):
        bpy.ops.inertia.bake_fill(from_keys=True)


def test_strips_without_a_gap_are_no_gap_and_scaled_ones_are_said(walker: Any) -> None:
    first, second = apart(walker)
    bpy.ops.inertia.use_strips()
    assert walker.inertia_fill.gap_frames == 24.0
    with pytest.raises(RuntimeError, match="24 frames lie between"):
        bpy.ops.inertia.bake_transition(from_strips=True)
    second.scale = 1.5
    with pytest.raises(RuntimeError, match="it is scaled or repeats"):
        bpy.ops.inertia.bake_fill(from_strips=True)
    second.scale = 1.0
    second.frame_start = first.frame_end
    with pytest.raises(RuntimeError, match="No gap lies between"):
        bpy.ops.inertia.bake_fill(from_strips=True)
