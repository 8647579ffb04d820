# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panels show in each situation, and that drawing changes nothing."""

from __future__ import annotations

import types
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat, recipe
from inertia_addon.blender.transition import bake
from inertia_addon.ui import panels, rooms
from inertia_addon.ui.judging import live
from inertia_addon.ui.shared import cache, drawing, labels, tab
from inertia_addon.ui.transition import outlook, properties
from inertia_addon.ui.transition.bake_operators import INERTIA_OT_bake_transition
from tests.blender import stepper
from tests.ui.recorder import Recorder, context, drawn, panel_named
from tests.ui.rigs import make_rig, take_snapshot

pytestmark = pytest.mark.usefixtures("no_rest")


PANELS = {cls.bl_idname: cls for cls in panels.CLASSES}
MAIN = panel_named("transition")
WORKING = panel_named("working")
OPTIONS, LOOK, THROUGH = panel_named("options"), panel_named("look"), panel_named("through")
PREFLIGHT = panel_named("result")


def test_panels_of_the_dope_sheet_are_those_that_belong_beside_keys() -> None:
    parts = {
        place: {n.split("_PT_inertia_")[1] for n in PANELS if n.startswith(place)}
        for place in ("VIEW3D", "DOPE")
    }
    # of two selected keys there is nothing to say elsewhere
    assert parts["DOPE"] - {"keys"} < parts["VIEW3D"]
    assert parts["DOPE"] >= {"mode", "transition", "loop", "pops", "feet"}
    assert not parts["DOPE"] & {"options", "look", "through", "path", "steer", "travel", "rootmotion"}
    assert {cls.bl_category for cls in panels.CLASSES} == {"Inertia"}


def test_every_panel_draws_and_changes_nothing(rig: Any) -> None:
    rig.inertia.use_destination_frame = False
    bpy.ops.inertia.bake_transition()
    rig.data.bones.active = rig.data.bones["spine"]
    before = take_snapshot()
    for name, panel in PANELS.items():
        # of these actions all ramps are springs: a panel for the others is not there
        # without a workspace there are no modes to switch, and a path has joins once one is followed
        if not name.endswith(("_otherramps", "_mode", "_joined", "_joins", "_asked")):
            cache.forget()
            found = drawn(panel)
            assert found.shown + found.texts + found.buttons, name
            assert take_snapshot() == before, name


def test_the_panel_says_that_there_is_no_armature(fresh_file: None) -> None:
    found = drawn(MAIN)
    assert "Select an armature" in found.text
    assert found.shown == []
    assert not PREFLIGHT.poll(context())


@pytest.mark.parametrize("active", ["nothing", "a new armature"])
def test_every_panel_draws_without_clips(fresh_file: None, active: str) -> None:
    """Nothing is active in a new file, or an armature that has no bones and plays nothing."""
    rig = None if active == "nothing" else bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    if rig is not None:
        bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    shown = {panel for panel in PANELS.values() if panel.poll(context())}
    assert MAIN in shown
    for panel in shown:
        drawn(panel)


def test_a_mesh_means_its_armature(rig: Any) -> None:
    body = bpy.data.objects.new("Body", bpy.data.meshes.new("Body"))
    bpy.context.scene.collection.objects.link(body)
    bpy.context.view_layer.objects.active = body
    assert '"Body" is not an armature' in drawn(MAIN).text
    body.modifiers.new("Armature", "ARMATURE").object = rig
    found = drawn(MAIN)
    assert "inertia.bake_transition" in found.pressed
    assert found.pointers == {"object": rig}
    assert bpy.context.view_layer.objects.active == body
    with bpy.context.temp_override(object=rig):
        bpy.ops.inertia.bake_transition()
    assert bpy.context.view_layer.objects.active == rig
    assert rig.animation_data.action.name == "Walk to Run"


def test_the_panel_says_that_there_are_no_actions(fresh_file: None) -> None:
    make_rig()
    found = drawn(MAIN)
    assert "no action of an object yet" in found.text
    assert "source_name" in found.shown


def test_the_panel_says_that_one_action_is_missing(rig: Any) -> None:
    rig.inertia.destination = None
    found = drawn(MAIN)
    assert "Choose a destination action." in found.text
    # what is to be clicked then stands where it will
    assert "Best Pair" in found.pressed
    assert not bpy.ops.inertia.find_meeting.poll()
    assert not OPTIONS.poll(context())
    assert "inertia.bake_transition" not in found.pressed


def test_the_main_panel(rig: Any) -> None:
    rig.inertia.use_destination_frame = False
    found = drawn(MAIN)
    assert {"source_name", "destination_name", "cut", "enter_at", "blend_time"} == set(found.shown) - {
        "use_destination_frame"
    }
    assert {"Best Pair", "Here", "inertia.bake_transition", "inertia.preview"} <= set(found.pressed)
    assert found.menus == ["INERTIA_MT_source", "INERTIA_MT_destination", "INERTIA_MT_best"]
    assert "0.42 s" in found.texts
    rig.inertia.method = "SPRING"
    assert "half_life" in drawn(MAIN).shown


def test_options_have_all_that_is_seldom_changed(rig: Any) -> None:
    found = drawn(OPTIONS)
    assert {"method", "alignment", "feet", "decomposition", "guard", "follow_cut"} <= set(found.shown)
    assert {"1 to 40", "5 to 50"} <= set(found.texts)
    assert {"result", "strips", "assign"} <= set(drawn(panel_named("result")).shown)


def test_the_panel_of_other_clips_fills_a_gap_or_hops_as_chosen(rig: Any) -> None:
    where = context()
    for chosen, button in ((tab.GAP, "inertia.bake_fill"), (tab.CLIP, "inertia.find_hops")):
        where.workspace = types.SimpleNamespace(
            inertia_mode=tab.JOIN, inertia_through=chosen, bl_rna=bpy.types.WorkSpace.bl_rna
        )
        recorder = Recorder()
        THROUGH.draw(types.SimpleNamespace(layout=recorder), where)
        assert button in recorder.pressed
        assert len({"inertia.bake_fill", "inertia.find_hops"} & {*recorder.pressed}) == 1


def test_a_cycle_is_told_beside_its_frames(rig: Any) -> None:
    """A walk whose end is nowhere near its beginning is one only where it is chosen to be."""
    own = rig.inertia
    assert {"1 to 40", "5 to 50"} <= set(drawn(OPTIONS).texts)
    own.source_cycle = own.destination_cycle = "ON"
    own.cut = 70.0
    found = drawn(OPTIONS)
    assert {"1 to 40", "5 to 50"} <= set(found.texts)
    assert "go_on" in found.shown
    assert "go_on_cycles" not in found.shown
    own.go_on = "CYCLES"
    assert "go_on_cycles" in drawn(OPTIONS).shown
    assert outlook.preflight(rig).ready


def test_automatic_says_what_it_has_chosen(fresh_file: None) -> None:
    """A walk goes round, and its planted feet are locked where that looks better."""
    walker = stepper.biped()
    walk, late = stepper.walk(walker), stepper.walk(walker, "Late", frames=60, late=0.2)
    walker.inertia.source, walker.inertia.destination, walker.inertia.cut = walk, late, 20.0
    compat.assign(walker, walk, f"OB{walker.name}")
    found = drawn(OPTIONS)
    assert {"Locked", "Free"} & set(found.texts) == {
        "Locked" if outlook.preflight(walker).locks_feet else "Free"
    }
    walk.use_cyclic = True
    cache.forget()
    assert "Cycle" in drawn(OPTIONS).texts
    walker.inertia.feet = "LOCK"
    assert not {"Locked", "Free"} & set(drawn(OPTIONS).texts)


@pytest.mark.parametrize(("choice", "shown"), [("COLLECTION", "bone_collection"), ("LISTED", "bone_list")])
def test_a_choice_of_bones_shows_what_it_needs(rig: Any, choice: str, shown: str) -> None:
    rig.inertia.bones = choice
    assert shown in drawn(panel_named("bones")).shown


def test_slots_are_shown_where_there_is_a_choice(rig: Any) -> None:
    assert "source_slot" not in drawn(OPTIONS).shown
    if not compat.has_slots():
        return
    rig.inertia.source.slots.new("OBJECT", "Other")
    found = drawn(OPTIONS)
    assert "source_slot" in found.shown
    # empty, the field shows the slot that is used
    assert found.placeholders["source_slot"] == "OBRig"
    rig.inertia.source_slot = "OBOther"
    assert "No keys for this armature" in drawn(OPTIONS).text


def test_preflight_says_what_will_be(rig: Any) -> None:
    found = drawn(PREFLIGHT)
    # 0.4 s are 9.6 frames here
    assert {"Frames 20 to 30", "3 bones, 9 channels"} <= set(found.texts)
    rig.inertia.guard_angle = 0.0
    found = drawn(PREFLIGHT)
    assert "Swings Far" in found.texts


def test_preflight_warns_that_the_last_pose_is_held(rig: Any) -> None:
    rig.inertia.blend_frames = 60.0
    assert "its last pose is held" in drawn(MAIN).text


def test_preflight_says_what_hides_the_result(rig: Any) -> None:
    track = rig.animation_data.nla_tracks.new()
    track.name = "Idle"
    sentence = 'The track "Idle" of "Rig" is soloed and hides the assigned result'
    assert sentence not in drawn(MAIN).text
    track.is_solo = True
    assert sentence in drawn(MAIN).text
    report = bake.bake_transition(rig, properties.settings_from(rig))
    assert any(sentence in text for text in report.warnings)
    rig.inertia.assign = False
    assert sentence not in drawn(MAIN).text


def test_preflight_says_what_is_in_the_way(rig: Any) -> None:
    rig.inertia.cut = 90.0
    assert "lies outside" in drawn(MAIN).text


def test_narrow_panels_take_more_lines(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # Without a window Blender has no font to measure with.
    monkeypatch.setattr(labels, "measure_for", lambda _context: lambda text: 6.5 * len(text))
    rig.inertia.cut = 90.0
    narrow, wide = drawn(MAIN, 180).texts, drawn(MAIN, 900).texts
    assert len(narrow) > len(wide)
    assert " ".join(narrow).split() == " ".join(wide).split()


def test_the_assigned_result_stands_at_the_top(rig: Any) -> None:
    assert "inertia.rebake" not in drawn(WORKING).operators
    assert not any("Inertia" in text for text in drawn(WORKING).texts)
    bpy.ops.inertia.bake_transition()
    found = drawn(WORKING)
    assert "Walk to Run" in found.texts
    assert "inertia.rebake" in found.greyed
    assert "changed" not in found.text
    assert {"screen.animation_play", "As Strips"} <= {*found.pressed}
    action = bpy.data.actions["Walk"]
    compat.curves(action, compat.slots(action)[0].identifier)[0].keyframe_points[1].co.y += 1.0
    cache.forget()
    found = drawn(WORKING)
    assert "actions have changed" in found.text
    assert ("inertia.rebake" in found.operators, found.greyed) == (True, set())
    bpy.data.actions.remove(action)
    found = drawn(WORKING)
    assert "can't be updated" in found.text
    assert "inertia.rebake" in found.greyed


def test_a_result_needs_no_settings_to_be_updated(rig: Any) -> None:
    bpy.ops.inertia.bake_transition()
    rig.inertia.source = None
    assert "inertia.rebake" in drawn(WORKING).greyed
    action = bpy.data.actions["Walk"]
    compat.curves(action, compat.slots(action)[0].identifier)[0].keyframe_points[1].co.y += 1.0
    cache.forget()
    assert drawn(WORKING).greyed == set()


def test_the_verdict_on_a_result_stands_beside_it(rig: Any) -> None:
    bpy.ops.inertia.bake_transition()
    assert live.current(rig).verdict.rating.capitalize() in drawn(WORKING).texts


def test_a_result_is_updated_with_other_settings(rig: Any) -> None:
    bpy.ops.inertia.bake_transition()
    rig.inertia.blend_frames = 7.0
    found = drawn(WORKING)
    assert ("inertia.bake_transition" in found.operators, found.greyed) == (True, set())
    assert found.pressed["Update"].replace
    assert "settings have changed" in found.text
    before = len(bpy.data.actions)
    bpy.ops.inertia.bake_transition(replace=True)
    assert len(bpy.data.actions) == before
    assert "inertia.rebake" in drawn(WORKING).greyed
    # what is to bear another name, or to play otherwise, is another one
    rig.inertia.result = "Mine"
    assert "inertia.rebake" in drawn(WORKING).greyed
    rig.inertia.result, rig.inertia.strips = "", True
    assert "inertia.rebake" in drawn(WORKING).greyed


def test_scaled_bones_are_listed(rig: Any) -> None:
    panel = panel_named("bones")
    assert "Select a bone" in drawn(panel).text
    rig.pose.bones["spine"].inertia.blend_scale = 0.5
    assert {"spine", "0.5 times"} <= set(drawn(panel).texts)


@pytest.mark.parametrize("menu", rooms.MENUS)
def test_menus_list_bones_and_collections(rig: Any, menu: Any) -> None:
    rig.data.bones.active = rig.data.bones["spine"]
    rig.data.collections.new("Hands")
    recorder = Recorder()
    menu.draw(types.SimpleNamespace(layout=recorder), context())
    assert recorder.pressed


def test_the_redo_panel(rig: Any) -> None:
    recorder = Recorder()
    rna = bpy.ops.inertia.bake_transition.get_rna_type()
    fake = types.SimpleNamespace(
        layout=recorder,
        bl_rna=rna,
        use_destination_frame=True,
        _draw_more=lambda *given: INERTIA_OT_bake_transition._draw_more(fake, *given),
        source="Walk",
        destination="Run",
        source_library="",
        destination_library="",
        method="QUINTIC",
        guard="LIMIT",
        feet="AUTO",
        toes="ABOVE",
        assign=True,
        go_on="CYCLES",
        warp_object="Rig",
        warp_to="",
        use_warp_at=True,
        use_warp_from=False,
        use_warp_until=False,
    )
    INERTIA_OT_bake_transition.draw(fake, context())
    assert {"source", "destination", "cut", "blend_frames", "guard_angle", "bones", "assign"} <= set(
        recorder.shown
    )
    assert {"source_cycle", "destination_cycle", "go_on", "go_on_cycles"} <= set(recorder.shown)
    assert {"warp_object", "warp_at", "use_warp_from", "warp_heading", "warp_height"} <= set(recorder.shown)


def test_a_result_of_a_model_has_no_settings_of_a_transition(rig: Any) -> None:
    panel = WORKING
    bpy.ops.inertia.bake_transition()
    assert "inertia.rebake" in drawn(panel).operators
    made = rig.animation_data.action
    for key in [*made.keys()]:
        del made[key]
    made[recipe.LEARNED] = "{}"
    shown = drawn(panel)
    assert ("inertia.rebake" in shown.operators, "inertia.load_recipe" in shown.operators) == (True, False)


def test_the_character_says_in_edit_mode_why_nothing_is_seen(rig: Any) -> None:
    bpy.ops.object.mode_set(mode="EDIT")
    found = drawn(panel_named("character"))
    bpy.ops.object.mode_set(mode="OBJECT")
    assert "is in Edit Mode; leave it first." in found.text


def test_a_kind_of_a_later_version_is_no_result_here(rig: Any) -> None:
    rig.animation_data.action[recipe.REWRITTEN] = '{"kind": "of tomorrow"}'
    found = drawn(WORKING)
    assert rig.animation_data.action.name in found.texts
    assert "inertia.rebake" not in found.operators


def test_notes_are_not_greyed_where_letters_are_dark(registered: None) -> None:
    space = bpy.context.preferences.themes[0].view_3d.space
    before = tuple(space.text)
    assert drawing.may_grey()
    try:
        space.text = (0.1, 0.1, 0.1)
        assert not drawing.may_grey()
    finally:
        space.text = before
