# SPDX-License-Identifier: GPL-3.0-or-later
"""Hops in the panel: found, listed, baked and saved; kept while nothing changes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat, recipe
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.hops import hop_gain
from inertia_addon.errors import InertiaError
from inertia_addon.motion.steps import finish
from inertia_addon.ui.hops import finding, hop_plot
from inertia_addon.ui.hops import panels as hop_panels
from inertia_addon.ui.hops import properties as hop_properties
from inertia_addon.ui.hops.panels import draw_hops
from inertia_addon.ui.overlay import build, mouse
from inertia_addon.ui.shared import cache, tab
from inertia_addon.ui.transition import pickers
from tests.ui.overlay.switched import switch_all_off
from tests.ui.recorder import context, drawn, drawn_by, panel_named
from tests.ui.rigs import make_action, take_snapshot

pytestmark = pytest.mark.usefixtures("no_rest")


@pytest.fixture
def walker(rig: Any) -> Any:
    """The rig with some more actions, and settings that leave room for two blends."""
    for name, swing in (("Jog", 0.6), ("Trot", 0.7)):
        make_action(rig, name, swing, (3, 45))
    rig.inertia.cut, rig.inertia.blend_frames, rig.inertia.use_destination_frame = 8.0, 6.0, False
    rig.inertia_hops.use_longest_stay, rig.inertia_hops.longest_stay = True, 6
    return rig


def test_the_mouse_reaches_the_hops_plot_when_it_is_alone(walker: Any) -> None:
    shown = bpy.context.scene.inertia_overlay
    switch_all_off(bpy.context.scene.inertia_overlay)
    assert not mouse.INERTIA_GGT_plots.poll(context())
    shown.hops = True
    assert mouse.INERTIA_GGT_plots.poll(context())


def test_hops_are_found_listed_and_baked(walker: Any) -> None:
    own = walker.inertia_hops
    assert not bpy.ops.inertia.bake_hop.poll()
    assert bpy.ops.inertia.find_hops(every=True) == {"FINISHED"}
    costs = [item.cost for item in own.ways]
    assert costs
    assert costs == sorted(costs)
    way = hop_properties.chosen(walker)
    assert way.trigger == 8.0
    assert own.direct > 0.0
    before = {action.name for action in bpy.data.actions}
    assert bpy.ops.inertia.bake_hop() == {"FINISHED"}
    (made,) = {action.name for action in bpy.data.actions} - before
    assert compat.assigned(walker)[0].name == made == "Walk to Run"
    assert recipe.is_baked(bpy.data.actions[made], recipe.HOP)
    assert way.clips[0] in " ".join(drawn_by(draw_hops, 2000).pressed)
    assert finding.recall_table(walker) is not None  # what was baked is none of its clips
    assert bpy.ops.inertia.rebake() == {"FINISHED"}
    assert {action.name for action in bpy.data.actions} - before == {made}


def test_a_hop_says_in_one_line_that_going_straight_is_as_good(walker: Any) -> None:
    own, shown = walker.inertia_hops, bpy.context.scene.inertia_overlay
    shown.hops = True
    plot = hop_plot.HopPlot()
    # whoever is in the destination already has nothing to gain
    walker.inertia.destination = walker.inertia.source.copy()
    walker.inertia.destination.name = "Same"
    own.alongside = True
    assert bpy.ops.inertia.find_hops() == {"FINISHED"}
    assert (len(own.ways), own.straight) == (0, True)
    assert "The direct transition is as good." in drawn_by(draw_hops).text
    assert not bpy.ops.inertia.bake_hop.poll()
    assert plot.model(walker, shown) == (None, "The direct transition is as good.")
    # of another cut nothing is known
    walker.inertia.cut += 1.0
    assert "The direct transition is as good." not in drawn_by(draw_hops).text
    walker.inertia.cut -= 1.0
    assert bpy.ops.inertia.find_hops(every=True) == {"FINISHED"}
    assert len(own.ways) > 0
    assert not own.straight


def test_the_listed_hops_are_those_that_are_worth_it(walker: Any) -> None:
    own = walker.inertia_hops
    bpy.ops.inertia.find_hops(every=True, count=3)
    every = [hop_properties.way_of(item) for item in own.ways]
    found = finding.recall_table(walker)
    assert found is not None
    judged = finish(
        hop_gain.judge_worth_steps(read_character(walker), found.prepared.settings, every, own.direct)
    )
    bpy.ops.inertia.find_hops(count=3)
    listed = [hop_properties.way_of(item) for item in own.ways]
    assert len(every) > 1
    assert listed == [way for way, is_worth in zip(every, judged.is_worth, strict=True) if is_worth]
    assert own.straight is not bool(listed)


def test_a_baked_hop_is_a_result_like_others(walker: Any) -> None:
    top = panel_named("working")
    scene = bpy.context.scene
    bpy.ops.inertia.find_hops(every=True)
    bpy.ops.inertia.bake_hop()
    hop = compat.assigned(walker)[0]
    cut = scene.timeline_markers[hop.name].frame
    assert cut >= 8
    assert scene.use_preview_range
    assert scene.frame_preview_start <= cut < scene.frame_preview_end
    shown = drawn(top)
    assert shown.greyed >= {"inertia.rebake"}
    assert "have changed" not in shown.text
    # in its place, and beside it
    before = sorted(bpy.data.actions.keys())
    walker.inertia.method = "CUBIC"
    shown = drawn(top)
    assert (shown.greyed, shown.pressed["Update"].replace) == (set(), True)
    bpy.ops.inertia.bake_hop(replace=True)
    assert sorted(bpy.data.actions.keys()) == before
    assert compat.assigned(walker)[0] == hop
    bpy.ops.inertia.bake_hop(replace=False)
    assert len(bpy.data.actions) == len(before) + 1
    assert drawn(top).greyed >= {"inertia.rebake"}
    through = recipe.ingredients(compat.assigned(walker)[0])[1]
    compat.curves(through, compat.slots(through)[0].identifier)[0].keyframe_points[1].co.y += 1.0
    cache.forget()
    assert "have changed" in drawn(top).text
    bpy.data.actions.remove(through)
    assert "can't be updated" in drawn(top).text


IN_WORDS = re.compile(
    r"(\d+ frames? on in Walk|Out of Walk at once), then (\w+) from \d+ to \d+, then Run; "
    r"costs [\d.]+, straight across [\d.]+"
)


def test_the_best_way_through_each_clip_is_told_and_the_others_on_request(walker: Any) -> None:
    own = walker.inertia_hops
    bpy.ops.inertia.find_hops(every=True)
    ways = [hop_properties.way_of(item) for item in own.ways]

    def shown() -> list[str]:
        # wide enough that each way takes one row
        found = [IN_WORDS.fullmatch(text) for text in drawn_by(draw_hops, 4000).pressed]
        return [match[2] for match in found if match]

    assert len(shown()) < len(ways)
    assert shown() == list(dict.fromkeys(way.clips[0] for way in ways))
    assert set(shown()) == {"Idle", "Jog", "Run", "Trot", "Walk"}
    own.show_all = True
    assert len(shown()) == len(ways)
    bpy.ops.inertia.choose_hop(index=1)
    assert hop_properties.chosen(walker) == ways[1]
    own.direct = hop_panels.NO_WAY
    assert "no way leads straight across" in " ".join(drawn_by(draw_hops, 4000).pressed)


def test_the_source_and_the_destination_can_be_left_out(walker: Any) -> None:
    own = walker.inertia_hops
    assert "others_only" in drawn(panel_named("hop_options")).shown
    own.others_only = True
    bpy.ops.inertia.find_hops(every=True)
    through = {hop_properties.way_of(item).clips[0] for item in own.ways}
    assert through == {"Idle", "Jog", "Trot"}
    own.choose_clips = True
    assert "others_only" not in drawn(panel_named("hop_options")).shown


def test_a_clip_too_short_for_a_hop_is_offered_as_a_cycle(walker: Any) -> None:
    own = walker.inertia
    assert finding.too_short(walker) == []
    own.destination = make_action(walker, "Step", 0.5, (1, 10))
    walker.inertia_hops.find_cycles = False
    own.destination_cycle = "OFF"
    with pytest.raises(RuntimeError, match="run past a clip's end"):
        bpy.ops.inertia.find_hops(every=True)
    assert finding.too_short(walker) == ["Step"]
    found = drawn_by(draw_hops)
    assert "Are they cycles?" in found.text
    assert found.pressed["Mark Step as a Cycle"].action == "Step"
    bpy.ops.inertia.take_as_cycle(action="Step")
    assert own.destination_cycle == "ON"
    assert finding.too_short(walker) == []
    bpy.ops.inertia.find_hops(every=True)
    assert len(walker.inertia_hops.ways) > 0


def test_a_clip_between_is_taken_as_a_cycle_by_the_list(walker: Any) -> None:
    own = walker.inertia_hops
    bpy.ops.inertia.take_as_cycle(action="Jog")
    assert own.choose_clips
    assert {item.action.name: item.cyclic for item in own.clips} == {
        "Idle": False,
        "Jog": True,
        "Trot": False,
    }


def test_an_action_is_listed_once(walker: Any) -> None:
    jog = bpy.data.actions["Jog"]
    pickers.list_clips(walker.inertia_hops, [jog, jog])
    pickers.list_clips(walker.inertia_hops, [jog])
    assert [item.action for item in walker.inertia_hops.clips] == [jog]


def test_the_table_is_kept_until_something_changes(walker: Any) -> None:
    assert finding.recall_table(walker) is None
    bpy.ops.inertia.find_hops(every=True)
    found = finding.recall_table(walker)
    assert found is not None
    walker.inertia.cut = 11.0
    assert finding.recall_table(walker) is found
    walker.inertia_hops.longest_stay = 3
    assert finding.recall_table(walker) is None
    walker.inertia_hops.longest_stay = 6
    assert finding.recall_table(walker) is found
    walker.inertia.blend_frames = 7.0
    assert finding.recall_table(walker) is None
    walker.inertia.blend_frames = 6.0
    bpy.data.actions["Trot"].name = "Jog Trot"
    assert finding.recall_table(walker) is None


def test_an_edited_key_makes_it_out_of_date(walker: Any) -> None:
    bpy.ops.inertia.find_hops(every=True)
    curve = compat.curves(bpy.data.actions["Jog"], compat.slots(bpy.data.actions["Jog"])[0].identifier)[0]
    curve.keyframe_points[2].co.y += 0.3
    curve.update()
    cache.forget()
    assert finding.recall_table(walker) is None


def test_the_weight_is_found_once_and_kept_with_the_file(walker: Any) -> None:
    bpy.ops.inertia.find_hops(every=True)
    stored = json.loads(walker.inertia_hops.found_weight)
    assert stored["weight"] == finding.recall_table(walker).prepared.objective.weight > 0.0
    stored["weight"] = 0.125
    walker.inertia_hops.found_weight = json.dumps(stored)
    cache.forget()
    bpy.ops.inertia.find_hops(every=True)
    assert finding.recall_table(walker).prepared.objective.weight == 0.125
    walker.inertia_hops.longest_stay = 4
    bpy.ops.inertia.find_hops(every=True)
    assert finding.recall_table(walker).prepared.objective.weight != 0.125


def test_hops_of_another_cut_are_not_baked(walker: Any) -> None:
    bpy.ops.inertia.find_hops(every=True)
    walker.inertia.cut = 12.0
    assert "hops for frame 8" in drawn_by(draw_hops).text
    with pytest.raises(RuntimeError, match="press Find Hops again"):
        bpy.ops.inertia.bake_hop()


def test_hops_too_long_to_be_searched_are_refused(walker: Any) -> None:
    walker.inertia.blend_frames = 1e5
    with pytest.raises(
        RuntimeError, match=r"^Error: Hops can't be searched with blends or stays of \d+ frames"
    ):
        bpy.ops.inertia.find_hops(every=True)


def test_chosen_clips_and_cycles_are_what_is_searched(walker: Any) -> None:
    own = walker.inertia_hops
    own.choose_clips = True
    with pytest.raises(InertiaError, match="list of clips is empty"):
        hop_properties.hop_settings_from(walker)
    with pytest.raises(InertiaError, match="list of clips is empty"):
        hop_plot.HopPlot().model(walker, None)
    bpy.ops.inertia.hop_clips(change="ALL")
    assert {item.action.name for item in own.clips} == {"Idle", "Jog", "Trot"}
    own.active_clip = 0
    bpy.ops.inertia.hop_clips(change="REMOVE")
    own.clips[0].cyclic = True
    first = own.clips[0].action.name
    bpy.ops.inertia.hop_clips(change="ADD")
    settings = hop_properties.hop_settings_from(walker)
    assert settings.clips == ("Jog", "Trot")
    assert settings.cycles == (first,)
    # the two ends have choices of their own, and the others are found
    assert settings.find_cycles
    bpy.ops.inertia.find_hops(every=True)
    assert {clip for item in own.ways for clip in hop_properties.way_of(item).clips} <= {"Jog", "Trot"}
    drawn_by(draw_hops)


@pytest.mark.parametrize("text", ["8, x", "0", "2.5"])
def test_blend_times_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(InertiaError, match="not a blend time"):
        hop_properties.blends_from(text)


def test_blend_times_are_read() -> None:
    assert hop_properties.blends_from(" 12, 8 20,8") == (8, 12, 20)


def test_the_table_is_saved(walker: Any, tmp_path: Path) -> None:
    before = take_snapshot()
    bpy.ops.inertia.save_hops("EXEC_DEFAULT", filepath=str(tmp_path / "hops.json"))
    held = json.loads((tmp_path / "hops.json").read_text())
    assert len(held["table"]) == 40
    assert take_snapshot() == before
    with pytest.raises(RuntimeError, match="use a name that ends in"):
        bpy.ops.inertia.save_hops("EXEC_DEFAULT", filepath=str(tmp_path / "hops.txt"))


def test_the_overlay_shows_what_was_found_and_says_what_is_missing(
    walker: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    bpy.context.scene.inertia_overlay.hops = True
    view = context()
    view.space_data = type("Space", (), {"overlay": type("Overlay", (), {"show_overlays": True})})
    overlay = build.view3d_overlay(view)
    assert (overlay.parts["hops"], overlay.note) == (None, "")
    monkeypatch.setattr(tab, "is_seen", "through".__eq__)
    overlay = build.view3d_overlay(view)
    assert (overlay.parts["hops"], overlay.note) == (None, hop_plot.MISSING)
    bpy.ops.inertia.find_hops(every=True)
    overlay = build.view3d_overlay(view)
    assert overlay.parts["hops"].current == 8.0
    assert (overlay.parts["hops"].frames[0], overlay.parts["hops"].frames[-1]) == (1.0, 40.0)
    assert build.view3d_overlay(view) is overlay
    bpy.context.scene.inertia_overlay.hops = False
