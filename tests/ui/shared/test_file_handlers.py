# SPDX-License-Identifier: GPL-3.0-or-later
"""Files hold what was set with the extension, and nothing of what was only looked at."""

from __future__ import annotations

import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import recipe
from inertia_addon.cli.program import main
from inertia_addon.ui import panels, rooms
from inertia_addon.ui.overlay import build, switches
from inertia_addon.ui.rooms import PLOTS
from inertia_addon.ui.shared import file_handlers
from tests.blender.file_state import differences, everything
from tests.ui.recorder import Recorder, context, drawn, panel_named
from tests.ui.rigs import make_action, make_rig

OURS = b"inertia"
"""Blender itself has that word in each file, some times."""


def look_at_everything() -> None:
    """All panels and menus drawn, and all overlays on."""
    overlays = bpy.context.scene.inertia_overlay
    for name in [each.name for each in PLOTS]:
        setattr(overlays, name, True)
    where = context()
    where.space_data.overlay = types.SimpleNamespace(show_overlays=True)
    armature = where.object
    armature.data.bones.active = armature.data.bones[0]
    for panel in panels.CLASSES:
        if not hasattr(panel, "poll") or panel.poll(where):
            drawn(panel)
    for menu in rooms.MENUS:
        menu.draw(types.SimpleNamespace(layout=Recorder()), where)
    build.view3d_overlay(where)
    switches.is_on(bpy.context.scene)
    bpy.context.scene.property_unset("inertia_overlay")  # to switch them on is to set something
    switches.is_on(bpy.context.scene)


def save(path: Path) -> bytes:
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True, compress=False)
    return path.read_bytes()


@pytest.fixture
def plain_rig(fresh_file: None) -> Any:
    """A rig with two actions, of which the extension knows nothing."""
    rig = make_rig("Rig")
    for name in ("Walk", "Run"):
        make_action(rig, name, 0.4).use_fake_user = True
    rig.data.bones.active = rig.data.bones[0]
    return rig


def held(path: Path) -> dict[str, Any]:
    """All properties in a file, and the names of those that it stores beside Blender's own."""
    bpy.ops.wm.open_mainfile(filepath=str(path))
    found: dict[str, Any] = {}
    for holder in (*bpy.data.user_map(), *(b for o in bpy.data.objects if o.pose for b in o.pose.bones)):
        system = getattr(holder, "bl_system_properties_get", lambda: None)()
        found[repr(holder)] = [*holder.keys(), *(system.keys() if system is not None else ())]
    return {**everything(), **found}


def test_a_file_that_was_only_looked_at_is_as_before(plain_rig: Any, tmp_path: Path) -> None:
    """But for the empty container of properties that Blender leaves where there were some."""
    before = save(tmp_path / "before.blend")
    look_at_everything()
    assert plain_rig.is_property_set("inertia"), "or nothing had to be dropped"
    after = save(tmp_path / "after.blend")
    drawn(panel_named("transition"))
    assert after.count(OURS) == before.count(OURS)
    # some IDs are counted on from file to file
    seen, expected = (
        {path: value for path, value in held(tmp_path / name).items() if not path.endswith("session_uid")}
        for name in ("after.blend", "before.blend")
    )
    assert differences(expected, seen) == {}


def test_info_leaves_the_file_alone(
    plain_rig: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, again = save(tmp_path / "rig.blend"), tmp_path / "again.blend"
    for command in (("info",), ("cost", "--source", "Walk", "--destination", "Run", "--cut", "20")):
        assert main([command[0], str(tmp_path / "rig.blend"), *command[1:]]) == 0
        assert (tmp_path / "rig.blend").read_bytes() == before
    assert save(again).count(OURS) == before.count(OURS)


def test_bones_are_not_touched_by_reading_them(plain_rig: Any) -> None:
    look_at_everything()
    assert [recipe.read_stored_scale(bone) for bone in plain_rig.pose.bones] == [1.0, 1.0, 1.0]
    assert [bone.is_property_set("inertia") for bone in plain_rig.pose.bones[1:]] == [False, False]


SETTINGS: dict[str, Callable[[Any], tuple[Any, str, Any]]] = {
    "inertia": lambda rig: (rig.inertia, "blend_frames", 7.0),
    "inertia_cost": lambda rig: (rig.inertia_cost, "joints", "ALL"),
    "inertia_limbs": lambda rig: (rig.inertia_limbs, "active_index", 2),
    "inertia_search": lambda rig: (rig.inertia_search, "keep_frames", 3.0),
    "inertia_root": lambda rig: (rig.inertia_root, "smoothing_seconds", 0.5),
    "inertia_feet": lambda rig: (rig.inertia_feet, "active_leg", 2),
    "inertia_hops": lambda rig: (rig.inertia_hops, "longest_stay", 9),
    "inertia_loops": lambda rig: (rig.inertia_loops, "cycles", 3),
    "inertia_pops": lambda rig: (rig.inertia_pops, "strictness", 7.0),
    "inertia_path": lambda rig: (rig.inertia_path, "faithful", 0.25),
    "inertia_learned": lambda rig: (rig.inertia_learned, "hidden", 64),
    "inertia_fill": lambda rig: (rig.inertia_fill, "faithful", 0.25),
    "inertia_travel": lambda rig: (rig.inertia_travel, "speed", 1.5),
    "inertia_steer": lambda rig: (rig.inertia_steer, "run", 2.5),
    "inertia_library": lambda rig: (rig.inertia_library, "active_pair", 2),
    "inertia_finish": lambda rig: (rig.inertia_finish, "strictness", 7.0),
    "inertia_fewer_keys": lambda rig: (rig.inertia_fewer_keys, "tolerance_cm", 0.75),
    "bone": lambda rig: (rig.pose.bones[1].inertia, "blend_scale", 0.5),
}


def link_and_override(folder: Path) -> Any:
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(folder / "library.blend"), link=True) as (_, wanted):
        wanted.objects = ["Rig"]
    override = wanted.objects[0].override_create(remap_local_usages=True)
    bpy.context.scene.collection.objects.link(override)
    bpy.context.view_layer.objects.active = override
    return override


def reopened(folder: Path) -> Any:
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"), compress=False)
    bpy.ops.wm.open_mainfile(filepath=str(folder / "shot.blend"))
    return bpy.data.objects["Rig", None]


def overridden(rig: Any) -> list[str]:
    return [prop.rna_path for prop in rig.override_library.properties if "inertia" in prop.rna_path]


def test_a_library_override_that_was_only_looked_at_is_not_marked(
    plain_rig: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    link_and_override(tmp_path)
    count = save(tmp_path / "shot.blend").count(OURS)
    look_at_everything()
    capfd.readouterr()
    rig = reopened(tmp_path)
    assert overridden(rig) == []
    assert "ERROR" not in "".join(capfd.readouterr())
    assert (tmp_path / "shot.blend").read_bytes().count(OURS) == count


@pytest.mark.variants(4)
@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_of_a_library_override_alone_is_kept(
    name: str, plain_rig: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    group, prop, value = SETTINGS[name](link_and_override(tmp_path))
    look_at_everything()
    setattr(group, prop, value)
    capfd.readouterr()
    for _ in range(2):
        rig = reopened(tmp_path)
        assert "ERROR" not in "".join(capfd.readouterr())
        group, prop, value = SETTINGS[name](rig)
        assert getattr(group, prop) == value


def test_every_group_is_known() -> None:
    """One that another part adds later is dropped, too."""
    assert set(file_handlers.names_of("Object")) == {*SETTINGS} - {"bone"}
    assert file_handlers.names_of("PoseBone") == ("inertia",)
    assert file_handlers.names_of("Scene") == ("inertia_overlay",)
