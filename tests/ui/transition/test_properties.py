# SPDX-License-Identifier: GPL-3.0-or-later
"""The properties say what TransitionSettings says, and survive in the file."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from inertia_addon.errors import InertiaError
from inertia_addon.settings import fields as settings_fields
from inertia_addon.settings.transition import TransitionSettings
from inertia_addon.ui import panels
from inertia_addon.ui.shared import made_of
from inertia_addon.ui.transition import fields, properties
from tests.ui.recorder import context, drawn
from tests.ui.rigs import make_rig, store, stored_group

CHOICES = {
    name: one.choices for name, one in settings_fields.settings(TransitionSettings).items() if one.items
}
NOT_ON_OBJECTS = {"source_library", "destination_library", "blend_scales"}
"""An action pointer knows its library; the scales are the pose bones' own."""
OF_ONE_OPERATOR = {"smooth_jump", "locked_feet", "suggest_blend_time"}
"""What an operator of its own decides."""
OF_ANOTHER_KIND = {"source", "destination", "bones"}


def group(rig: Any) -> Any:
    return rig.inertia.bl_rna.properties


def operator() -> Any:
    return bpy.ops.inertia.bake_transition.get_rna_type().properties


def test_every_setting_has_a_property(rig: Any) -> None:
    names = {field.name for field in dataclasses.fields(TransitionSettings)} - OF_ONE_OPERATOR
    assert names - NOT_ON_OBJECTS <= set(group(rig).keys())
    assert names <= set(operator().keys())


def test_defaults_are_the_dataclass_s(rig: Any) -> None:
    rig.inertia.use_destination_frame = False
    plain = TransitionSettings("Walk", "Run", 1.0)
    fresh = properties.settings_from(rig)
    # but for what earlier versions did otherwise
    assert (fresh.enter_at, fresh.go_on, fresh.toes) == ("AUTO", "WHOLE_CYCLE", "ABOVE")
    as_before = {"enter_at": plain.enter_at, "go_on": plain.go_on, "toes": plain.toes}
    assert dataclasses.replace(fresh, cut=1.0, **as_before) == plain


@pytest.mark.parametrize("name", CHOICES)
def test_choices_are_the_dataclass_s(rig: Any, name: str) -> None:
    for rna in (group(rig), operator()):
        assert tuple(item.identifier for item in rna[name].enum_items) == CHOICES[name]


def test_an_operator_s_defaults_are_an_object_s(rig: Any) -> None:
    for name in (*fields.SHARED, "use_destination_frame"):
        assert group(rig)[name].default == operator()[name].default, name


def test_properties_have_a_tooltip(rig: Any) -> None:
    for rna in (group(rig), operator(), rig.pose.bones[0].inertia.bl_rna.properties):
        own = [prop for prop in rna if prop.identifier not in ("rna_type", "name")]
        assert [prop.identifier for prop in own if len(prop.description) < 10] == []
        # Blender puts the full stop itself.
        assert [prop.identifier for prop in own if prop.description.endswith(".")] == []


def test_settings_carry_units(rig: Any) -> None:
    own = rig.inertia
    own.guard_angle, own.half_life, own.use_destination_frame, own.destination_frame = 0.5, 0.25, True, 7.5
    settings = properties.settings_from(rig)
    assert settings.guard_angle == pytest.approx(28.6479, abs=1e-3)
    assert (settings.half_life, settings.destination_frame) == (0.25, 7.5)


@pytest.mark.parametrize("fps", [24, 30, 120])
def test_a_blend_time_that_was_never_set_is_as_long_in_whole_frames_at_any_rate(rig: Any, fps: int) -> None:
    own, scene = rig.inertia, bpy.context.scene
    own.property_unset("blend_frames")
    scene.render.fps = fps
    assert own.blend_time == {24: 10.0, 30: 12.0, 120: 48.0}[fps]
    assert properties.settings_from(rig).blend_frames is None
    # once it is set, by either name, it stays in frames
    own.blend_time = 14.0
    scene.render.fps = 60
    assert (own.blend_time, own.blend_frames) == (14.0, 14.0)
    assert properties.settings_from(rig).blend_frames == 14.0
    # a recipe that says nothing leaves it as if it had not been set
    left = dataclasses.replace(properties.settings_from(rig), blend_frames=None)
    properties.put_settings(rig, left, own.source, own.destination)
    assert own.blend_time == pytest.approx(24.0)
    assert properties.settings_from(rig).blend_frames is None


def test_a_wrong_blend_time_can_not_be_set(rig: Any) -> None:
    rig.inertia.blend_frames, rig.inertia.half_life = 0.0, 1e38
    settings = properties.settings_from(rig)
    allowed = [settings_fields.range_of(TransitionSettings, name) for name in ("blend_frames", "half_life")]
    assert (settings.blend_frames, settings.half_life) == (allowed[0].least, allowed[1].most)


@pytest.mark.parametrize("value", [1e38, 0.0, -1.0, float("nan"), float("inf")])
def test_a_wrong_blend_time_of_a_file_is_the_dataclass_s_error(rig: Any, value: float) -> None:
    store(rig, "blend_frames", value)
    with pytest.raises(InertiaError, match=r"; give a number of frames from 0\.01 to 100000") as refused:
        properties.settings_from(rig)
    assert f"The blend time is {value:.7g};" in str(refused.value)


@pytest.mark.parametrize("value", [1e38, -1.0, float("nan")])
def test_panels_say_what_a_file_has_stored_wrong(rig: Any, value: float) -> None:
    """They are drawn with every redraw, and by a script's own drawing code."""
    for wrong in ({"blend_frames": value}, {"cut": value * 1e9}):
        rig.inertia.property_unset("blend_frames")
        for name, number in wrong.items():
            store(rig, name, number)
        assert any("; give a number" in text for text in every_text())
    rig.inertia.property_unset("cut")
    rig.pose.bones["spine"].inertia.blend_scale = 2.0
    stored_group(rig.pose.bones["spine"])["blend_scale"] = value
    rig.data.bones.active = rig.data.bones["spine"]
    assert any("blend scale of" in text for text in every_text())


def every_text() -> list[str]:
    found = [drawn(panel) for panel in panels.CLASSES if not hasattr(panel, "poll") or panel.poll(context())]
    return [text for recorder in found for text in recorder.texts]


def test_put_settings_is_the_inverse(rig: Any) -> None:
    settings = TransitionSettings(
        "Walk",
        "Run",
        12.25,
        destination_frame=8.0,
        method="SPRING",
        quintic_start="ZERO_JERK",
        blend_frames=7.0,
        half_life=0.3,
        decomposition="AXIS_ANGLE",
        velocity="SOURCE",
        match_lengths=True,
        guard="STRICT",
        guard_angle=33.0,
        guard_length=0.2,
        alignment="POSITION",
        root="hips",
        bones=("spine", "hand.L"),
        result="Mine",
        key_tolerance=0.5,
        assign=False,
        extrapolate=True,
    )
    properties.put_settings(rig, settings, bpy.data.actions["Walk"], bpy.data.actions["Run"])
    assert properties.settings_from(rig) == settings


def test_bones_are_chosen_by_selection_and_collection(rig: Any) -> None:
    own = rig.inertia
    assert properties.bones_from(rig) == ()
    own.bones = "SELECTED"
    for bone in rig.pose.bones:
        compat.select_bone(bone, state=bone.name == "spine")
    assert properties.bones_from(rig) == ("spine",)
    compat.select_bone(rig.pose.bones["spine"], state=False)
    with pytest.raises(InertiaError, match="No bone is selected"):
        properties.bones_from(rig)
    own.bones = "COLLECTION"
    with pytest.raises(InertiaError, match="No bone collection is chosen"):
        properties.bones_from(rig)
    upper = rig.data.collections.new("Upper")
    own.bone_collection = "Upper"
    with pytest.raises(InertiaError, match="is empty"):
        properties.bones_from(rig)
    rig.data.collections.new("Hands", parent=upper).assign(rig.data.bones["hand.L"])
    upper.assign(rig.data.bones["spine"])
    assert properties.bones_from(rig) == ("spine", "hand.L")
    own.bone_collection = "Nowhere"
    with pytest.raises(InertiaError, match='no bone collection "Nowhere"'):
        properties.bones_from(rig)


def test_bones_in_hidden_collections_are_not_selected(rig: Any) -> None:
    hidden = rig.data.collections.new("Hidden")
    hidden.assign(rig.data.bones["spine"])
    hidden.is_visible = False
    for bone in rig.pose.bones:
        compat.select_bone(bone, state=True)
    assert [bone.name for bone in compat.selected_bones(rig)] == ["hips", "hand.L"]


@pytest.mark.parametrize("names", [(), ("hips",), ("a, b", 'quote "x"', "hand.L"), ("Größe", "=")])
def test_lists_of_bones(names: tuple[str, ...]) -> None:
    assert made_of.text_to_names(made_of.names_to_text(names)) == names
    scales = tuple((name, 0.5) for name in names)
    assert made_of.text_to_scales(made_of.names_to_text(f"{name}=0.5" for name in names)) == scales


def test_a_list_by_hand() -> None:
    assert made_of.text_to_names(' hips ,  "a, b",,') == ("hips", "a, b")
    assert made_of.text_to_scales("hips=2, hand.L = 0.25") == (("hips", 2.0), ("hand.L", 0.25))
    for wrong in ("hips", "hips=much"):
        with pytest.raises(InertiaError, match="write bone=number"):
            made_of.text_to_scales(wrong)


def test_actions_of_objects_alone_can_be_chosen(rig: Any) -> None:
    material = bpy.data.materials.new("Paint")
    material.diffuse_color = (1.0, 0.0, 0.0, 1.0)
    material.keyframe_insert("diffuse_color", frame=1)
    paint = material.animation_data.action
    assert not properties.animates_objects(None, paint)
    assert properties.animates_objects(None, bpy.data.actions["Walk"])


def test_a_slot_is_forgotten_with_another_action(rig: Any) -> None:
    rig.inertia.source_slot = "OBGone"
    rig.inertia.source = bpy.data.actions["Idle"]
    assert rig.inertia.source_slot == ""


def test_settings_survive_saving(rig: Any, tmp_path: Path) -> None:
    own = rig.inertia
    own.method, own.blend_frames, own.root, own.bones, own.bone_list = "CUBIC", 9.0, "hips", "LISTED", "spine"
    rig.pose.bones["spine"].inertia.blend_scale = 0.5
    before = properties.settings_from(rig)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "a.blend"))
    rig = bpy.data.objects["Rig"]
    assert properties.settings_from(rig) == before
    assert rig.pose.bones["spine"].inertia.blend_scale == 0.5


def test_linked_actions_are_named_with_their_file(rig: Any, tmp_path: Path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"), copy=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, wanted):
        wanted.actions = ["Run"]
    (linked,) = wanted.actions
    rig.inertia.destination = linked
    settings = properties.settings_from(rig)
    assert settings.destination == "Run"
    assert settings.destination_library == linked.library.filepath


def link_and_override(folder: Path) -> Any:
    with bpy.data.libraries.load(str(folder / "library.blend"), link=True) as (_, wanted):
        wanted.objects = ["Rig"]
    bpy.context.scene.collection.objects.link(wanted.objects[0])
    return wanted.objects[0].override_create(remap_local_usages=True)


def test_an_override_of_a_linked_rig_has_settings_of_its_own(rig: Any, tmp_path: Path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    override = link_and_override(tmp_path)
    override.inertia.method, override.inertia.cut = "SPRING", 33.0
    override.pose.bones["spine"].inertia.blend_scale = 0.25
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    own = bpy.data.objects[("Rig", None)].inertia
    assert (own.method, own.cut, own.source.name) == ("SPRING", 33.0, "Walk")
    assert bpy.data.objects[("Rig", None)].pose.bones["spine"].inertia.blend_scale == 0.25


def test_settings_of_an_override_survive_where_the_linked_rig_had_none(
    fresh_file: None, tmp_path: Path
) -> None:
    make_rig()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    override = link_and_override(tmp_path)
    override.inertia.source = bpy.data.actions.new("Walk")
    override.inertia.blend_frames = 7.0
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    own = bpy.data.objects[("Rig", None)].inertia
    assert (own.blend_frames, own.source.name) == (7.0, "Walk")


def test_channel_scales_are_asked_for_and_come_back(rig: Any) -> None:
    rig["mood"] = 0.0
    own = rig.inertia
    own.channel_scales = '["mood"]=0, finger*=0.5'
    settings = properties.settings_from(rig)
    assert settings.blend_scales == (('["mood"]', 0.0), ("finger*", 0.5))
    own.channel_scales = ""
    both = dataclasses.replace(settings, blend_scales=(*settings.blend_scales, ("spine", 2.0)))
    properties.put_settings(rig, both, own.source, own.destination)
    assert properties.settings_from(rig).blend_scales == settings.blend_scales
    assert rig.pose.bones["spine"].inertia.blend_scale == 2.0
    own.channel_scales = "mood"
    with pytest.raises(InertiaError, match="is not a blend scale"):
        properties.settings_from(rig)
