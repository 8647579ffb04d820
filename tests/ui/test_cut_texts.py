# SPDX-License-Identifier: GPL-3.0-or-later
"""No text of a panel is cut off in a sidebar of the width that it has at first, in English and in Chinese."""

from __future__ import annotations

import itertools
import types
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from inertia_addon.blender.mannequin import character
from inertia_addon.ui import panels, rooms, translations
from inertia_addon.ui.shared import tab
from tests.ui.widths import POINTS, UNIT, Layout

REGION = 280.0
"""The width of a sidebar that nobody has dragged, in pixels at a UI scale of 1."""
MARGINS = 53.0
"""What a panel of a sidebar has at its sides, the tabs included, as it is in a picture of one; likewise."""


@pytest.fixture(params=["en_US", "zh_HANS"])
def look_up(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Translates a text of the interface as Blender does in a language, which it has in the test."""
    entries = translations.entries(request.param) if request.param in translations.LANGUAGES else {}

    def translate(text: str) -> str:
        return entries.get((translations.OWN_CONTEXT, text)) or entries.get(("*", text), text)

    monkeypatch.setattr(translations, "language", lambda: request.param)
    monkeypatch.setattr(translations, "interface", translate)
    return translate


def context(mode: str, scale: float) -> Any:
    """What panels are drawn with in a mode of the tab, at a UI scale."""
    own = types.SimpleNamespace(preferences=types.SimpleNamespace(all_modes=False, pipeline_tools=True))
    preferences = types.SimpleNamespace(
        system=types.SimpleNamespace(ui_scale=scale),
        ui_styles=[types.SimpleNamespace(widget=types.SimpleNamespace(points=POINTS))],
        addons={tab.ADDON: own},
    )
    chosen = {name: items[0][0] for name, (_, _, items) in tab.CHOICES.items()}
    return types.SimpleNamespace(
        object=bpy.context.view_layer.objects.active,
        scene=bpy.context.scene,
        selected_objects=bpy.context.selected_objects,
        preferences=preferences,
        workspace=types.SimpleNamespace(bl_rna=bpy.types.WorkSpace.bl_rna, **{**chosen, tab.PROPERTY: mode}),
        region=types.SimpleNamespace(width=REGION * scale),
        space_data=types.SimpleNamespace(mode="ACTION"),
    )


@pytest.fixture(params=["small", "mannequin"])
def armature(request: pytest.FixtureRequest) -> Any:
    """The small rig with a transition of former settings, or a character of which much was asked."""
    if request.param == "small":
        rig = request.getfixturevalue("rig")
        bpy.ops.inertia.bake_transition()
        rig.inertia.blend_frames = 14.0
        return rig
    request.getfixturevalue("fresh_file")
    scene = bpy.context.scene
    scene.render.fps = character.FPS
    made = character.build_mannequin(scene).rig
    bpy.context.view_layer.objects.active = made
    made.select_set(True)
    own = made.inertia
    own.source, own.destination = bpy.data.actions["Walk"], bpy.data.actions["Run"]
    own.cut, own.use_destination_frame, own.destination_frame = 30.0, True, 12.0
    spoil(bpy.data.actions["Idle"])
    compat.assign(made, bpy.data.actions["Idle"], compat.slots(bpy.data.actions["Idle"])[0].identifier)
    for search in ("find_pops", "find_faults", "find_loop", "find_contacts", "measure_actions", "fill_legs"):
        getattr(bpy.ops.inertia, search)()
    bpy.ops.inertia.find_meeting(goal="PAIRS")
    bpy.ops.inertia.smooth_pops()
    bpy.ops.inertia.lock_feet()
    return made


def spoil(action: Any) -> None:
    """Have a hand jump aside for a frame."""
    for curve in compat.curves(action, compat.slots(action)[0].identifier):
        if "hand" in curve.data_path and "rotation" in curve.data_path:
            curve.keyframe_points[len(curve.keyframe_points) // 2].co.y += 0.8
            curve.update()


def cut_texts(panel: Any, where: Any, look_up: Any) -> set[str]:
    """The texts of a panel, its lists and popovers that are cut off as it is now."""
    scale = where.preferences.system.ui_scale
    layout = Layout("column", look_up=look_up)
    layout.scale = scale
    panel.draw(types.SimpleNamespace(layout=layout), where)
    where.drawn.append(layout)
    units = getattr(panel, "bl_ui_units_x", 0)
    width = (units - 1.0) * UNIT if units else REGION - MARGINS
    return {
        f"{text} ({needed / scale:.0f} > {has / scale:.0f})"
        for text, needed, has in layout.cut(width * scale, scale)
    }


def first_cut_texts(panel: Any, where: Any, look_up: Any) -> set[str]:
    """The texts that are cut off as the panel is now."""
    where.drawn = []
    return cut_texts(panel, where, look_up)


def all_cut_texts(panel: Any, where: Any, look_up: Any) -> set[str]:
    """The texts that are cut off, whatever is chosen of what the panel shows."""
    where.drawn = []
    found = cut_texts(panel, where, look_up)
    tried: set[tuple[str, str]] = set()
    while where.drawn:
        for owner, name in where.drawn.pop().seen:
            prop = owner.bl_rna.properties[name]
            key = (owner.bl_rna.identifier, name)
            if key in tried or prop.type not in ("BOOLEAN", "ENUM") or name == tab.PROPERTY:
                continue
            tried.add(key)
            if prop.is_readonly or (prop.type == "ENUM" and prop.is_enum_flag):
                continue
            before = getattr(owner, name)
            others = [not before] if prop.type == "BOOLEAN" else [item.identifier for item in prop.enum_items]
            for other in others:
                if other != before:
                    setattr(owner, name, other)
                    found |= cut_texts(panel, where, look_up)
            setattr(owner, name, before)
    return found


POPOVERS = [
    cls
    for room in rooms.ROOMS
    for cls in room.classes
    if issubclass(cls, bpy.types.Panel) and hasattr(cls, "bl_ui_units_x")
]


@pytest.mark.variants(2)
def test_no_text_is_cut_off(armature: Any, look_up: Any, pytestconfig: pytest.Config) -> None:
    is_whole = pytestconfig.getoption("--all-variants")
    found: dict[str, set[str]] = {}
    for scale, (mode, _, _) in itertools.product((1.0, 1.5), tab.ITEMS):
        where = context(mode, scale)
        shown = [cls for cls in panels.CLASSES if cls.poll(where)]
        # what is in a popover is the same in all modes
        for panel in [*shown, *(POPOVERS if mode == tab.JOIN else ())]:
            # what else could be chosen is as wide at any scale, but for the rounding of letters
            find = all_cut_texts if scale == 1.0 or is_whole else first_cut_texts
            if cut := find(panel, where, look_up):
                found.setdefault(panel.__name__, set()).update(cut)
    assert found == {}
