# SPDX-License-Identifier: GPL-3.0-or-later
"""Names in narrow places: what all share is left out, and left stays apart from right."""

from __future__ import annotations

import types
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.ui.shared import labels
from tests.ui.recorder import drawn, panel_named
from tests.ui.rigs import make_action, make_rig

LETTER = 6.5
"""About how wide one is in Blender's interface, pixels."""
LABEL = (280 - labels.MARGIN) * 0.4 - labels.PADDING - 8.0
"""What a row of the ranking has for a name, where the sidebar is as wide as Blender opens it."""


def width(text: str) -> float:
    return LETTER * len(text)


@pytest.mark.parametrize(
    ("given", "prefix"),
    [
        (("mixamorig:Hips", "mixamorig:LeftArm", "mixamorig:LeftHand"), "mixamorig:"),
        (("dataset-2_walk_normal_001", "dataset-2_walk_tired_001", "dataset-2_run_001"), "dataset-2_"),
        (("DEF-spine", "DEF-spine.001", "DEF-hand.L"), "DEF-"),
        (("Armature|Walk", "Armature|Wave", "Armature|Wait"), "Armature|"),
        (("Bip01 Pelvis", "Bip01 L Thigh", "Bip01 R Thigh"), "Bip01 "),
        # a rig with other bones too, numbers, a name that would be nothing, and what two are about
        (("DEF-spine", "ORG-spine", "root"), ""),
        (("walk_001", "walk_002", "walk_003"), ""),
        (("arm_", "arm_upper", "arm_lower"), ""),
        (("Walk_tired", "Walk_angry"), ""),
        ((), ""),
    ],
)
def test_a_prefix_that_all_names_share_is_left_out(given: tuple[str, ...], prefix: str) -> None:
    assert labels.shared_prefix(given) == prefix


@pytest.mark.parametrize(
    ("given", "suffix"),
    [
        (["Walk_Armature", "Run_Armature", "Stop_Armature"], "_Armature"),
        (["Walk_Armature", "Run_Armature"], ""),
        (["Walk Cycle", "Run Cycle", "Cycle"], ""),
        (["walk_001", "run_001", "stop_001"], ""),
        (["walking", "running", "stopping"], ""),
    ],
)
def test_a_suffix_that_all_names_share_is_left_out(given: list[str], suffix: str) -> None:
    assert labels.shared_suffix(given) == suffix


@pytest.mark.parametrize(
    "left",
    [
        "LeftHandThumb4",
        "LeftForeArmRollBone",
        "hand_thumb_03.L",
        "upper_arm_parent_widget.L",
        "l_clavicle_aim",
    ],
)
def test_left_and_right_differ_at_the_default_width(left: str) -> None:
    right = left.replace("Left", "Right").replace(".L", ".R").replace("l_", "r_", 1)
    shown = [labels.fitted(name, LABEL, width) for name in (left, right)]
    assert shown[0] != shown[1]
    assert all(width(name) <= LABEL and labels.DOTS in name for name in shown)
    # whatever fits is whole, and something is left of it where next to nothing does
    assert labels.fitted(left, width(left), width) == left
    assert labels.fitted(left, 1.0, width) == f"{left[:2]}…{left[-1]}"


def test_panels_leave_out_the_prefix_and_operators_do_not(
    fresh_file: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(labels, "measure_for", lambda _context: width)
    rig = make_rig(bones=("mixamorig:Hips", "mixamorig:Spine", "mixamorig:LeftHandMiddleFingerTip"))
    actions = [make_action(rig, f"Armature|{name}", 0.4) for name in ("Walk", "Run", "Idle")]
    rig.inertia.source, rig.inertia.destination = actions[:2]
    rig.inertia.cut = 20.0
    found = drawn(panel_named("look"))
    assert found.pressed["Spine"].bone == "mixamorig:Spine"
    (tip,) = [text for text in found.pressed if text.startswith("Left")]
    assert labels.DOTS in tip
    assert found.pressed[tip].bone == "mixamorig:LeftHandMiddleFingerTip"
    description: Any = bpy.types.INERTIA_OT_select_bone.description
    assert description(None, found.pressed[tip]).startswith("mixamorig:LeftHandMiddleFingerTip")
    assert labels.action(rig, "Armature|Walk") == "Walk"


@pytest.mark.parametrize("scale", [0.9, 1.0, 1.5])
def test_a_text_in_a_box_leaves_the_frame_of_the_box_free(scale: float) -> None:
    """Blender keeps 5 pixels free on each side, whatever the scale; an ellipsis would end what is wider."""
    where = types.SimpleNamespace(
        preferences=types.SimpleNamespace(system=types.SimpleNamespace(ui_scale=scale)),
        region=types.SimpleNamespace(width=280.0 * scale),
    )
    outside = labels.room_for(where, 1.0)
    with labels.in_box():
        assert labels.room_for(where, 1.0) <= outside - 10.0
    assert labels.room_for(where, 1.0) == outside
