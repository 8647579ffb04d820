# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties, shape keys and channels of bones blend by themselves, or are left out, by name or pattern."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon.blender.data import compat
from inertia_addon.blender.data.channels import Channels, ClipChannels
from inertia_addon.blender.transition import bake, selecting
from inertia_addon.blender.transition.selecting import Scales
from inertia_addon.errors import InertiaError
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders

CUT, BLEND = 20.0, 10.0
HEAD = builders.bone_path("Head", "rotation_quaternion")
PATHS = {
    "mood": '["mood"]',
    "glow": '["glow"]',
    "Head": HEAD,
    "Head.wink": 'pose.bones["Head"]["wink"]',
    "Hips": builders.bone_path("Hips", "rotation_quaternion"),
    "Hips.scale": builders.bone_path("Hips", "scale"),
}


@pytest.fixture
def armature(fresh_file: None) -> Any:
    made = builders.rig({"Hips": None, "Head": "Hips"})
    made["mood"] = made["glow"] = made.pose.bones["Head"]["wink"] = 0.0
    for name, value in (("Walk", 0.2), ("Run", 0.8)):
        action = builders.action(name)
        for path in PATHS.values():
            builders.curve(action, path, 1 if "rotation" in path else 0, [(1.0, value), (60.0, value)])
    return made


def baked(armature: Any, **how: Any) -> dict[str, str]:
    """What each channel does behind the cut: ``at once``, ``blends``, or ``stays`` as in the source."""
    settings = TransitionSettings(
        *("Walk", "Run", CUT, CUT),
        **{"blend_frames": BLEND, "feet": "OFF", "alignment": "NONE", "source_cycle": "OFF", **how},
        destination_cycle="OFF",
    )
    report = bake.bake_transition(armature, settings)
    result, done = bpy.data.actions[report.result], {}
    for name, path in PATHS.items():
        index = 1 if "rotation" in path else 0
        curve = builders.by_address(result)[path, index]
        at = np.array([curve.evaluate(frame) for frame in (CUT - 1, CUT + 1, CUT + 5, CUT + 15, CUT + 40)])
        assert at[0] == pytest.approx(0.2)
        if at[-1] == pytest.approx(0.2):
            done[name] = "stays"
        else:
            assert at[-1] == pytest.approx(0.8)
            late = "slowly" if at[3] < 0.79 else "blends"
            done[name] = "at once" if at[1] == pytest.approx(0.8) else late
    return done


def all_but(what: str, *names: str, others: str = "blends") -> dict[str, str]:
    return {name: what if name in names else others for name in PATHS}


@pytest.mark.parametrize(
    ("scales", "expected"),
    [
        ({"mood": 0.0}, all_but("at once", "mood")),
        ({'["mood"]': 0.0}, all_but("at once", "mood")),
        ({'["*"]': 0.0}, all_but("at once", "mood", "glow")),
        ({"mo*": 0.0, "Head": 2.0}, {**all_but("slowly", "Head", "Head.wink"), "mood": "at once"}),
        ({"Head": 0.0, "wink": 1.0}, all_but("at once", "Head")),
        ({"H*": 0.0, "Head": 1.0}, all_but("at once", "Hips", "Hips.scale")),
        ({"*.scale": 0.0}, all_but("at once", "Hips.scale")),
        ({"Head.rotation": 0.0}, all_but("at once", "Head")),
        ({HEAD: 0.0}, all_but("at once", "Head")),
    ],
)
def test_blend_scales_are_for_the_channels_that_they_name(
    armature: Any, scales: dict[str, float], expected: dict[str, str]
) -> None:
    assert baked(armature, blend_scales=tuple(scales.items())) == expected


def test_a_name_goes_before_what_the_bone_says(armature: Any) -> None:
    stored = {"Head": 0.0}
    channels = [
        Channels(bone, "value", *[ClipChannels(None, ((PATHS[name], 0),), (0.0,))] * 2)  # type: ignore[arg-type]
        for name, bone in (("Head", "Head"), ("Head.wink", "Head"), ("mood", None))
    ]
    scales = Scales(stored, (("*", 3.0), ("wink", 2.0)))
    assert [scales.of(each) for each in channels] == [3.0, 2.0, 3.0]
    assert [Scales(stored).of(each) for each in channels] == [0.0, 0.0, 1.0]
    assert scales.longest == 3.0


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("!mood",), all_but("stays", "mood")),
        (("!Head",), all_but("stays", "Head", "Head.wink")),
        (("!*.scale", "!gl*"), all_but("stays", "Hips.scale", "glow")),
        (("mood", "Head"), all_but("blends", "mood", "Head", "Head.wink", others="stays")),
        (("H*", "!wink"), all_but("blends", "Hips", "Hips.scale", "Head", others="stays")),
        (("Head",), all_but("blends", "Head", "Head.wink", others="stays")),
    ],
)
def test_bones_that_take_part_are_those_that_are_named(
    armature: Any, names: tuple[str, ...], expected: dict[str, str]
) -> None:
    assert baked(armature, bones=names) == expected


@pytest.mark.parametrize(
    "how", [{"bones": ("!tail*",)}, {"blend_scales": (("moods", 0.0),)}, {"bones": ("mod",)}]
)
def test_a_name_that_nothing_has_is_refused(armature: Any, how: dict[str, Any]) -> None:
    before = {*bpy.data.actions.keys()}
    with pytest.raises(
        InertiaError, match=r'"Rig" has no bone "(tail\*|moods|mod)", and the actions animate no'
    ):
        baked(armature, **how)
    assert {*bpy.data.actions.keys()} == before


def test_a_jump_of_one_property(armature: Any) -> None:
    walk = bpy.data.actions["Walk"]
    for path in PATHS.values():
        curve = builders.by_address(walk)[path, 1 if "rotation" in path else 0]
        curve.keyframe_points.add(2)
        for key, frame, value in zip(list(curve.keyframe_points)[-2:], (20.0, 21.0), (0.2, 0.9), strict=True):
            key.co = frame, value
        curve.keyframe_points[1].co[1] = 0.9
        curve.update()
    settings = TransitionSettings("Walk", "Walk", 20.0, smooth_jump=True, bones=("mood",), feet="OFF")
    result = bpy.data.actions[bake.bake_transition(armature, settings).result]
    curves = builders.by_address(result)
    assert curves['["mood"]', 0].evaluate(22.0) < 0.6
    assert curves['["glow"]', 0].evaluate(22.0) == pytest.approx(0.9, abs=0.05)


@pytest.mark.skipif(not compat.has_slots(), reason="one action holds a face's shape keys since Blender 4.4")
@pytest.mark.parametrize(
    ("how", "at"),
    [({}, "blends"), ({"blend_scales": (("Smile", 0.0),)}, "at once"), ({"bones": ("!Smi*",)}, "stays")],
)
def test_a_shape_key_of_the_same_action(armature: Any, how: dict[str, Any], at: str) -> None:
    face = bpy.data.objects.new("Face", bpy.data.meshes.new("Face"))
    face.data.from_pydata([(0, 0, 0), (1, 0, 0), (0, 0, 1)], [], [(0, 1, 2)])
    bpy.context.collection.objects.link(face)
    face.parent = armature
    for name in ("Basis", "Smile", "Blink"):
        face.shape_key_add(name=name)
    keys = face.data.shape_keys
    for name, value in (("Walk", 0.2), ("Run", 0.8)):
        action = bpy.data.actions[name]
        for key in ("Smile", "Blink"):
            path = f'key_blocks["{key}"].value'
            builders.curve(action, path, 0, [(1.0, value), (60.0, value)], slot=f"KE{keys.name}")
        compat.assign(keys, action, f"KE{keys.name}")
    settings = TransitionSettings(
        "Walk",
        "Run",
        CUT,
        CUT,
        blend_frames=BLEND,
        feet="OFF",
        source_cycle="OFF",
        destination_cycle="OFF",
        **how,
    )
    result = bpy.data.actions[bake.bake_transition(armature, settings).result]
    curves = builders.by_address(result)
    shown = {key: curves[f'key_blocks["{key}"].value', 0].evaluate(CUT + 1.0) for key in ("Smile", "Blink")}
    end = curves['key_blocks["Smile"].value', 0].evaluate(CUT + 30.0)
    assert 0.2 < shown["Blink"] < 0.4
    wanted = {"at once": (0.8, 0.8), "stays": (0.2, 0.2)}.get(at, (shown["Blink"], 0.8))
    assert (shown["Smile"], end) == pytest.approx(wanted, abs=1e-4)


def test_names_of_channels() -> None:
    assert selecting.names_of('key_blocks["Smile"].value') == ('key_blocks["Smile"].value', "Smile")
    assert selecting.names_of(PATHS["Head.wink"])[0] == "Head"
    assert {"wink", "Head.wink"} < {*selecting.names_of(PATHS["Head.wink"])}
    assert selecting.names_of("location") == ("location",)
