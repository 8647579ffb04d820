# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of how a transition blends: those that come with the extension, and one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.ui.transition import panels, properties

SECONDS = {"snappy": 0.2, "normal": 0.4, "soft": 0.8}


def files() -> dict[str, Path]:
    """The presets that Blender lists, by name."""
    return {
        path.stem: path
        for folder in bpy.utils.preset_paths(panels.PRESETS)
        for path in Path(folder).iterdir()
    }


def choose(path: Path) -> None:
    bpy.ops.script.execute_preset(filepath=str(path), menu_idname="INERTIA_PT_presets")


@pytest.mark.parametrize("fps", [24, 60])
@pytest.mark.parametrize("name", SECONDS)
def test_bundled_presets_set_how_long_a_blend_takes(rig: Any, name: str, fps: int) -> None:
    bpy.context.scene.render.fps = fps
    rig.inertia.method, rig.inertia.blend_frames, rig.inertia.guard = "SPRING", 3.0, "STRICT"
    choose(files()[name])
    settings = properties.settings_from(rig)
    assert settings.frames(fps) == round(SECONDS[name] * fps)
    assert (settings.method, settings.guard) == ("QUINTIC", "OFF")


def test_a_preset_of_ones_own_brings_back_how_it_blends_and_nothing_else(
    rig: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bpy.utils, "user_resource", lambda *_args, **_more: str(tmp_path))
    own = rig.inertia
    own.method, own.half_life, own.velocity, own.guard_angle, own.blend_frames = (
        "SPRING",
        0.3,
        "SOURCE",
        0.2,
        7.0,
    )
    wanted = properties.settings_from(rig)
    assert bpy.ops.inertia.add_preset(name="Heavy") == {"FINISHED"}
    choose(files()["normal"])
    assert properties.settings_from(rig) != wanted
    own.cut = 23.0
    (path,) = tmp_path.iterdir()
    choose(path)
    found = properties.settings_from(rig)
    assert found.cut == 23.0
    assert {**found.as_dict(), "cut": wanted.cut} == wanted.as_dict()
