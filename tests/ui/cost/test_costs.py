# SPDX-License-Identifier: GPL-3.0-or-later
"""Costs follow the settings and the keys, and the searches put the settings where they are least."""

from __future__ import annotations

import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from inertia_addon.blender.judging import verdict
from inertia_addon.errors import InertiaError
from inertia_addon.motion.judging import faults
from inertia_addon.ui.cost import costs, curve_plot, joint_trajectories, search
from inertia_addon.ui.hops import hop_plot
from inertia_addon.ui.judging import live
from inertia_addon.ui.loops import map_plot as loop_map
from inertia_addon.ui.overlay import build, handlers
from inertia_addon.ui.overlay.switches import plot_switches
from inertia_addon.ui.rooms import PLOTS
from inertia_addon.ui.shared import cache, tab
from inertia_addon.ui.shared.drawing import RATINGS
from tests.ui.pressed import ESC, press
from tests.ui.recorder import Recorder, context, drawn, panel_named
from tests.ui.rigs import make_action, make_rig, take_snapshot

APART = 20.0
"""Frames by which pairs that are listed differ at least: the more, the fewer have to be judged."""


pytestmark = pytest.mark.usefixtures("no_rest")


def total(rig: Any) -> float:
    return sum(part for _, part in costs.by_bone(costs.costs_of(rig), rig))


def test_the_parts_make_the_cost_and_the_curves_go_through_it(rig: Any) -> None:
    found = costs.costs_of(rig)
    frames = list(found.compared.source.frames)
    over_cut, over_destination = (
        curve_plot.cost_curve(rig, found, over).costs for over in ("CUT", "DESTINATION")
    )
    assert total(rig) == pytest.approx(over_cut[frames.index(20.0)], rel=1e-4)
    assert total(rig) == pytest.approx(over_destination[0], rel=1e-4)
    assert len(over_destination) == len(found.compared.destination.frames) == 46


def test_asking_changes_nothing(rig: Any) -> None:
    before = take_snapshot()
    total(rig)
    assert take_snapshot() == before


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cut", 24.0),
        ("blend_frames", 20.0),
        ("method", "SPRING"),
        ("quintic_start", "ZERO_JERK"),
        ("velocity", "SOURCE"),
        ("alignment", "POSITION_HEADING"),
    ],
)
def test_costs_follow_the_settings(rig: Any, name: str, value: Any) -> None:
    before = total(rig)
    setattr(rig.inertia, name, value)
    assert total(rig) != pytest.approx(before, rel=1e-6)


def test_costs_follow_the_keys_and_undo(rig: Any) -> None:
    before = total(rig)
    curve = next(iter(compat.curves(rig.inertia.source, "OBRig" if compat.has_slots() else "")))
    for point in curve.keyframe_points:
        point.co[1] += 0.5
    curve.update()
    rig.inertia.source.update_tag()
    bpy.context.view_layer.update()
    assert total(rig) != pytest.approx(before, rel=1e-6)


def test_a_meeting_outside_is_said(rig: Any) -> None:
    rig.inertia.cut = 400.0
    with pytest.raises(InertiaError, match='cut 400 lies outside "Walk"'):
        costs.costs_of(rig)
    rig.inertia.cut, rig.inertia.use_destination_frame = 20.0, True
    rig.inertia.destination_frame = -3.0
    with pytest.raises(InertiaError, match='destination frame -3 lies outside "Run"'):
        costs.costs_of(rig)


def test_the_best_entry_by_cost_is_the_curves_lowest(rig: Any) -> None:
    rig.inertia_search.by = "COST"
    bpy.ops.inertia.find_meeting(goal="DESTINATION")
    found = costs.costs_of(rig)
    curve = curve_plot.cost_curve(rig, found, "DESTINATION").costs
    allowed = curve[: len(curve) - 12]
    assert total(rig) == pytest.approx(allowed.min(), rel=1e-4)
    assert rig.inertia.use_destination_frame


def test_the_best_cut_lies_within_the_range(rig: Any) -> None:
    own = rig.inertia_search
    own.use_range, own.first, own.last, own.by = True, 10.0, 14.0, "COST"
    bpy.ops.inertia.find_meeting(goal="CUT")
    assert 10.0 <= rig.inertia.cut <= 14.0
    curve = curve_plot.cost_curve(rig, costs.costs_of(rig), "CUT").costs
    assert total(rig) == pytest.approx(curve[9:14].min(), rel=1e-4)


def test_an_empty_range_is_said(rig: Any) -> None:
    own = rig.inertia_search
    own.use_range, own.first, own.last = True, 300.0, 310.0
    with pytest.raises(RuntimeError, match="No frame of the source lies between 300 and 310"):
        bpy.ops.inertia.find_meeting(goal="PAIR")
    assert rig.inertia.cut == 20.0


def test_pairs_are_listed_and_stepped_through(rig: Any) -> None:
    own = rig.inertia_search
    own.by = "COST"
    bpy.ops.inertia.find_meeting(goal="PAIRS", count=5)
    found = [pair.cost for pair in own.pairs]
    assert 1 < len(found) <= 5
    assert found == sorted(found)
    for step in (1, 1, -1):
        bpy.ops.inertia.step_pair(step=step)
        pair = own.pairs[own.active_pair]
        assert (rig.inertia.cut, rig.inertia.destination_frame) == (pair.cut, pair.destination_frame)
        assert total(rig) == pytest.approx(pair.cost, rel=1e-3)
    assert own.active_pair == 1


def test_the_list_tells_the_word_of_each_pair_with_its_worst_fault(rig: Any) -> None:
    own = rig.inertia_search
    own.apart_frames = APART
    bpy.ops.inertia.find_meeting(goal="PAIRS", count=5)
    assert len(own.pairs) > 1
    told = [search.verdict_of(pair) for pair in own.pairs]
    ratings = [faults.RATED.index(rating) for rating, _ in told]
    assert ratings == sorted(ratings)
    shown = Recorder()
    for i, pair in enumerate(own.pairs):
        search.INERTIA_UL_pairs.draw_row(types.SimpleNamespace(), shown, own, pair, i)
    assert [shown.icons[text] for text in shown.texts[::2]] == [RATINGS[rating] for rating, _ in told]
    assert all(rating.capitalize() in headline for rating, headline in told)
    own.active_pair = 1
    assert told[1][1] in drawn(panel_named("look"), 2000).text
    # what is listed first is what the panel says of it once it is chosen
    live.forget()
    (rating, headline), chosen = told[0], live.current(rig).verdict
    assert chosen is not None
    assert (rating, headline) == (chosen.rating, verdict.sentences(chosen)[0])
    # files may hold anything
    for spoilt in ("", "[]", "{", '{"rating": "GOOD"}', '{"rating": "GREAT", "fault": null}'):
        own.pairs[0].verdict = spoilt
        assert search.verdict_of(own.pairs[0]) == ("", "")
        search.INERTIA_UL_pairs.draw_row(types.SimpleNamespace(), shown, own, own.pairs[0], 0)
    own.by = "COST"
    bpy.ops.inertia.find_meeting(goal="PAIRS", count=5)
    assert {search.verdict_of(pair) for pair in own.pairs} == {("", "")}


def test_a_button_takes_what_is_judged_best(rig: Any) -> None:
    rig.inertia_search.apart_frames = APART
    bpy.ops.inertia.find_meeting(goal="PAIRS", count=10)
    assert len(rig.inertia_search.pairs) > 1
    first = rig.inertia_search.pairs[0]
    best = first.cut, first.destination_frame
    rig.inertia.cut, rig.inertia.destination_frame = 20.0, 5.0
    bpy.ops.inertia.find_meeting(goal="PAIR")
    assert (rig.inertia.cut, rig.inertia.destination_frame) == best


def test_a_search_in_slices_finds_what_a_script_does(rig: Any) -> None:
    rig.inertia_search.apart_frames = APART
    bpy.ops.inertia.find_meeting(goal="PAIR")
    found = rig.inertia.cut, rig.inertia.destination_frame
    rig.inertia.cut, rig.inertia.destination_frame = 20.0, 5.0
    assert found != (20.0, 5.0)
    press("find_meeting", goal="PAIR").finish()
    assert (rig.inertia.cut, rig.inertia.destination_frame) == found


def test_a_search_that_is_stopped_keeps_the_best_so_far(rig: Any) -> None:
    rig.inertia.cut, rig.inertia.destination_frame = 20.0, 5.0
    early = press("find_meeting", goal="PAIR")
    assert not early.tick(ESC)
    assert early.state == {"CANCELLED"}
    assert (rig.inertia.cut, rig.inertia.destination_frame) == (20.0, 5.0)
    pressed = press("find_meeting", goal="PAIRS", count=10)
    while len(pressed.operator._judged) < 3:
        assert pressed.tick()
    assert "ESC keeps the best so far" in pressed.window.workspace.status_text_set.call_args.args[0]
    judged = len(pressed.operator._judged)
    pressed.tick(ESC)
    assert pressed.state == {"FINISHED"}
    assert pressed.window.is_tidy()
    assert 1 <= len(rig.inertia_search.pairs) <= judged
    first = rig.inertia_search.pairs[0]
    assert (rig.inertia.cut, rig.inertia.destination_frame) == (first.cut, first.destination_frame)
    assert f"the best of {judged} pairs is kept" in " ".join(text for _, text in pressed.said)


def test_a_list_says_when_it_is_out_of_date(rig: Any) -> None:
    panel = panel_named("look")

    def is_said() -> bool:
        return "have changed since these were found" in " ".join(drawn(panel).text.split())

    rig.inertia_search.apart_frames = APART
    bpy.ops.inertia.find_meeting(goal="PAIRS", count=3)
    bpy.ops.inertia.step_pair()
    cache.forget()  # as in another session
    assert not is_said()
    own, where = rig.inertia, rig.inertia_search
    for group, name, value in (
        *((own, "blend_time", 20.0), (own, "method", "SPRING"), (own, "alignment", "POSITION_HEADING")),
        *((own, "source", own.destination), (where, "keep_frames", 3.0), (where, "use_range", True)),
        *((where, "skate_weight", 1.0), (where, "by", "COST")),
    ):
        before = getattr(group, name)
        setattr(group, name, value)
        assert is_said(), name
        setattr(group, name, before)
        assert not is_said(), name
    curve = next(iter(compat.curves(own.source, "OBRig" if compat.has_slots() else "")))
    curve.keyframe_points[0].co[1] += 0.5
    own.source.update_tag()
    bpy.context.view_layer.update()
    assert is_said()
    bpy.ops.inertia.find_meeting(goal="PAIRS", count=3)
    assert not is_said()


def test_stepping_bakes_into_one_action(rig: Any) -> None:
    rig.inertia_search.apart_frames = APART
    bpy.ops.inertia.find_meeting(goal="PAIRS", count=4)
    rig.inertia_search.rebake = True
    before = set(bpy.data.actions.keys())
    for _ in range(3):
        bpy.ops.inertia.step_pair()
    assert set(bpy.data.actions.keys()) - before == {"Walk to Run"}
    assert compat.assigned(rig)[0].name == "Walk to Run"


def test_a_row_selects_its_bone(rig: Any) -> None:
    bpy.ops.inertia.select_bone(bone="spine")
    assert rig.data.bones.active.name == "spine"
    bpy.ops.inertia.select_bone(bone="hips", extend=True)
    assert [bone.name for bone in compat.selected_bones(rig)] == ["hips", "spine"]
    with pytest.raises(RuntimeError, match='no bone "gone"'):
        bpy.ops.inertia.select_bone(bone="gone")


@pytest.fixture
def switched() -> Iterator[Any]:
    """The scene's switches, all on."""
    own = bpy.context.scene.inertia_overlay
    for name in [each.name for each in PLOTS]:
        setattr(own, name, True)
    yield own
    handlers._stop()


def view() -> Any:
    made = context()
    made.space_data.overlay = type("Overlay", (), {"show_overlays": True})
    return made


def test_plots_that_are_on_are_all_shown(rig: Any, switched: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tab, "is_seen", lambda panel: panel in ("through", "loop"))
    rig.data.bones.active = rig.data.bones["spine"]
    overlay = build.view3d_overlay(view())
    assert overlay is not None
    assert {curve.over for curve in overlay.parts["curves"]} == {"CUT", "DESTINATION"}
    for curve in overlay.parts["curves"]:
        assert curve.current_cost == pytest.approx(total(rig))
    assert overlay.parts["map"] is not None
    assert overlay.parts["map"].costs.shape == (40, 46)
    assert overlay.parts["offsets"] is not None
    chosen = {decay.method: decay.chosen for decay in overlay.parts["offsets"].decays}
    assert {"Quintic", "Cubic", "Spring"} <= {*chosen}
    assert [method for method in chosen if chosen[method]] == ["Quintic"]
    assert {t.kind for t in overlay.parts["ghosts"]} == {"SOURCE", "DESTINATION", "RESULT"}
    assert max(bone.share for bone in joint_trajectories.tinted_bones(view())) == 1.0
    no_legs = f'No legs were found on "{rig.name}"; list them by hand.'
    assert all(sentence in overlay.note for sentence in (hop_plot.MISSING, loop_map.MISSING, no_legs))


def test_a_plot_that_did_not_change_is_not_made_again(rig: Any, switched: Any) -> None:
    switched.tint = False
    first, second = build.view3d_overlay(view()), build.view3d_overlay(view())
    assert first is second
    rig.inertia.cut = 21.0
    third = build.view3d_overlay(view())
    assert third is not first


ON_AT_FIRST = {"fill", "foot_contacts", "loops", "path", "pops", "travel"}


def switch_all_off(overlays: Any) -> None:
    """Switch off all that a scene shows at first, too."""
    for each in plot_switches():
        setattr(overlays, each.name, False)


def test_plots_are_not_drawn_unless_one_is_on(rig: Any) -> None:
    own = bpy.context.scene.inertia_overlay
    switch_all_off(own)
    assert handlers._handles == []
    assert build.view3d_overlay(view()) is None
    own.map = True
    assert len(handlers._handles) == len(handlers.CALLBACKS)
    own.map, own.timelines = False, True
    assert len(handlers._handles) == len(handlers.CALLBACKS)
    assert build.view3d_overlay(view()) is None
    assert build.time_overlay(view()) is not None
    own.timelines = False
    assert handlers._handles == []


def test_time_editors_show_the_curve_of_the_keys_in_sight(rig: Any) -> None:
    bpy.context.scene.inertia_overlay.timelines = True
    for name, over, clip in (("Walk", "CUT", "Walk"), ("Run", "DESTINATION", "Run"), ("Idle", "CUT", "Walk")):
        action = bpy.data.actions[name]
        compat.assign(rig, action, compat.slots(action)[0].identifier)
        overlay = build.time_overlay(view())
        assert overlay is not None
        shown = overlay.parts["timelines"]
        assert (shown.over, shown.clip) == (over, clip)
    handlers._stop()


def test_loading_a_file_switches_off_what_it_does_not_show(rig: Any, tmp_path: Path) -> None:
    own = bpy.context.scene.inertia_overlay
    switch_all_off(own)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "off.blend"), copy=True)
    own.curves = True
    assert handlers._handles
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "off.blend"))
    assert handlers._handles == []


def test_a_new_file_shows_what_is_on_at_first(rig: Any) -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    own = bpy.context.scene.inertia_overlay
    assert {each.name for each in plot_switches() if getattr(own, each.name)} == ON_AT_FIRST
    assert handlers._handles


def test_the_result_starts_on_the_source_and_ends_on_the_destination(rig: Any, switched: Any) -> None:
    overlay = build.view3d_overlay(view())
    assert overlay is not None
    ways = {(t.bone, t.kind): t for t in overlay.parts["ghosts"]}
    for bone in {t.bone for t in overlay.parts["ghosts"]}:
        result, source, destination = (ways[bone, k] for k in ("RESULT", "SOURCE", "DESTINATION"))
        assert result.cut is not None
        before = [i for i, frame in enumerate(result.frames) if frame <= 20.0]
        for i in before:
            at = list(source.frames).index(result.frames[i])
            assert result.points[i] == pytest.approx(source.points[at], abs=1e-4)
        after = [i for i, frame in enumerate(result.frames) if frame >= 32.0]
        for i in after:
            at = list(destination.frames).index(result.frames[i])
            assert result.points[i] == pytest.approx(destination.points[at], abs=1e-4)


def test_a_second_rig_has_costs_of_its_own(rig: Any) -> None:
    before = total(rig)
    other = make_rig("Other")
    other.inertia.source, other.inertia.destination = rig.inertia.source, rig.inertia.destination
    other.inertia.cut = 30.0
    assert total(other) != pytest.approx(before)
    assert total(rig) == pytest.approx(before)


def constrain(rig: Any) -> None:
    """Make the rig one that only Blender can play."""
    constraint = rig.pose.bones["hand.L"].constraints.new("COPY_ROTATION")
    constraint.target, constraint.subtarget = rig, "hips"


def test_a_constrained_rig_is_played_when_asked(rig: Any) -> None:
    plain = total(rig)
    constrain(rig)
    with pytest.raises(InertiaError, match=r"^Press Evaluate Clips"):
        costs.costs_of(rig)
    before = take_snapshot()
    bpy.ops.inertia.evaluate_clips()
    assert take_snapshot() == before
    assert total(rig) == pytest.approx(plain, rel=0.5)
    rig.inertia.cut = 25.0
    total(rig)
    rig.pose.bones["hand.L"].constraints[0].influence = 0.5
    with pytest.raises(InertiaError, match=r"^Press Evaluate Clips"):
        costs.costs_of(rig)


def test_a_search_plays_a_constrained_rig_first(rig: Any) -> None:
    constrain(rig)
    rig.inertia_search.apart_frames = 100.0
    bpy.ops.inertia.find_meeting(goal="PAIR")
    assert total(rig) < 1e9


def test_a_constrained_result_is_estimated(rig: Any, switched: Any) -> None:
    constrain(rig)
    overlay = build.view3d_overlay(view())
    assert overlay is not None
    assert overlay.note.startswith("Press Evaluate Clips")
    bpy.ops.inertia.evaluate_clips()
    overlay = build.view3d_overlay(view())
    assert overlay is not None
    assert "estimate" in overlay.note
    ways = {(t.bone, t.kind): t for t in overlay.parts["ghosts"]}
    for bone in {t.bone for t in overlay.parts["ghosts"]}:
        result, source = ways[bone, "RESULT"], ways[bone, "SOURCE"]
        assert result.cut is not None
        at = list(source.frames).index(20.0)
        assert result.points[result.cut] == pytest.approx(source.points[at], abs=1e-5)


def test_a_map_becomes_an_image_and_a_file(rig: Any, tmp_path: Any) -> None:
    # of two short clips, as each pair of their frames is drawn
    own = rig.inertia
    own.source, own.destination = make_action(rig, "A", 0.4, (1, 12)), make_action(rig, "B", 0.9, (1, 12))
    own.cut = 5.0
    bpy.ops.inertia.save_map(as_image=True)
    bpy.ops.inertia.save_map(as_image=True)
    (image,) = [image for image in bpy.data.images if image.name.startswith("Cost of")]
    assert image.packed_file is not None
    assert len({*image.pixels[:][::97]}) > 1
    path = tmp_path / "map"
    bpy.ops.inertia.save_map(filepath=str(path))
    assert path.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    bpy.ops.inertia.save_map(filepath=str(path.with_suffix(".svg")))
    assert "destination frame of" in path.with_suffix(".svg").read_text(encoding="utf-8")
    bpy.ops.inertia.save_map(filepath=str(path.with_suffix(".svg")), kind="POINT_CLOUD")
    assert "m²" in path.with_suffix(".svg").read_text(encoding="utf-8")
    with pytest.raises(RuntimeError, match="There is no folder"):
        bpy.ops.inertia.save_map(filepath=str(tmp_path / "gone" / "map.png"))


def test_a_search_never_lags_behind_the_settings(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    total(rig)
    monkeypatch.setattr(cache, "CHEAP_SECONDS", -1.0)  # everything rests after it was computed ...
    monkeypatch.setattr(cache, "REST", 1e9)  # ... for ever
    rig.inertia.blend_frames = 13.0
    total(rig)
    rig.inertia.blend_frames, rig.inertia.cut = 40.0, 25.0
    rig.inertia_search.by, rig.inertia_search.behind_seconds = "COST", 0.0
    bpy.ops.inertia.find_meeting(goal="DESTINATION")
    cache.forget()
    chosen = rig.inertia.destination_frame
    monkeypatch.setattr(cache, "CHEAP_SECONDS", 60.0)
    found = costs.costs_of(rig)
    curve = curve_plot.cost_curve(rig, found, "DESTINATION").costs[
        : len(found.compared.destination.frames) - 12
    ]
    assert chosen == found.compared.destination.frames[int(curve.argmin())]


def test_a_clip_is_evaluated_once_for_all_its_partners(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluated = []
    steps = costs.joint_motion.steps

    def counted(armature: Any, clip: Any, *rest: Any) -> Any:
        evaluated.append(clip.action.name)
        return steps(armature, clip, *rest)

    monkeypatch.setattr(costs.joint_motion, "steps", counted)
    rig.inertia.use_destination_frame, rig.inertia.destination_frame = True, 10.0
    total(rig)
    rig.inertia.destination = bpy.data.actions["Idle"]
    total(rig)
    rig.inertia.destination = bpy.data.actions["Run"]
    total(rig)
    assert evaluated == ["Walk", "Run", "Idle"]
    for i in range(costs.MOTIONS + 3):
        cache.put(f"{costs.MOTION}{i}", rig, None, None)
        cache.trim(costs.MOTION, costs.MOTIONS)
    assert sum(name.startswith(costs.MOTION) for name in cache._kept) == costs.MOTIONS


def test_the_curves_name_the_frames_that_the_buttons_find_by_cost(rig: Any) -> None:
    """Where a clip that plays once is too short to be entered at its cheapest, the panel says so."""
    own, limits = rig.inertia, rig.inertia_search
    limits.keep_frames, limits.by = 30.0, "COST"
    for choice in ("OFF", "ON"):
        own.source_cycle = own.destination_cycle = choice
        own.cut = 20.0
        found = costs.costs_of(rig)
        curve = curve_plot.cost_curve(rig, found, "DESTINATION")
        least = float(curve.frames[curve.minima[0]])
        everywhere = float(curve.frames[curve.costs.argmin()])
        assert (least == everywhere) or choice == "OFF"
        assert bool(curve_plot.left_out(rig, found)) is (least != everywhere)
        bpy.ops.inertia.find_meeting(goal="DESTINATION")
        assert own.destination_frame == least
        curve = curve_plot.cost_curve(rig, costs.costs_of(rig), "CUT")
        bpy.ops.inertia.find_meeting(goal="CUT")
        assert own.cut == float(curve.frames[curve.minima[0]])


def test_a_later_repetition_of_a_source_costs_what_the_first_one_does(rig: Any) -> None:
    rig.inertia.source_cycle, rig.inertia.alignment = "ON", "POSITION_HEADING"
    rig.inertia.cut = 20.0
    first, curve = total(rig), curve_plot.cost_curve(rig, costs.costs_of(rig), "CUT")
    rig.inertia.cut = 20.0 + 39.0
    assert total(rig) == pytest.approx(first, rel=1e-5)
    later = curve_plot.cost_curve(rig, costs.costs_of(rig), "CUT")
    assert (later.current, list(later.frames)) == (20.0, list(curve.frames))
    rig.inertia.source_cycle = "OFF"
    with pytest.raises(InertiaError, match="lies outside"):
        costs.costs_of(rig)
