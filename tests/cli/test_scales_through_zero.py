# SPDX-License-Identifier: GPL-3.0-or-later
"""Scales that are keyed through 0, held there, and negative: every command works, and divides by none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from tests.batch.small_rig import Run
from tests.blender import builders, wanderer

Inertia = Callable[..., Run]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("plain_letters"),
    pytest.mark.filterwarnings("error::RuntimeWarning"),
]

SCALES = {"Walk": (1.0, 0.5, 0.0, 0.0, -1.0, -0.5, 1.0), "Turn": (1.0, 0.0, 0.0, 1.0, -1.0, 0.0, 1.0)}
ENDS = ("--source", "Walk", "--destination", "Turn")
WORDS = {
    "bake": (*ENDS, "--cut", 20, "-o", "out.blend"),
    "bake early": (*ENDS, "--cut", 9, "--method", "spring", "-o", "out.blend"),
    "complete": ("--action", "Walk", "-o", "out.blend"),
    "cost": (*ENDS, "--by", "cost"),
    "check": ("--action", "Walk"),
    "feet": ("--action", "Walk", "-o", "out.blend"),
    "fit": (),
    "hop": (*ENDS, "--trigger", 10),
    "loop": ("--action", "Walk", "--range", 2, 30, "-o", "out.blend"),
    "path": ("--actions", "Walk", "Turn", "--points", "line.csv", "--width", 4, "-o", "out.blend"),
    "database": ("-o", "out.npz"),
    "learn": ("-o", "out.npz", "--iterations", 2, "--mirror"),
    "pops": ("--action", "Walk"),
    "finish": ("--action", "Walk", "-o", "out.blend"),
    "keys": ("--action", "Walk", "-o", "out.blend"),
    "travel": ("--action", "Walk", "--on", "object", "-o", "out.blend"),
    "fill": (*ENDS, "--cut", 20, "--gap-frames", 12, "-o", "out.blend"),
    "matrix": ("--clips", "Walk", "Turn", "--by", "cost", "-o", "matrix"),
    "batch": ("-o", "batch"),
    "info": (),
}


def scaled(*, bones: bool, thing: bool) -> None:
    """Key the scales of all bones, of the object, or of both."""
    armature = wanderer.with_clips()
    paths = [builders.bone_path(bone.name, "scale") for bone in armature.data.bones] if bones else []
    for action in bpy.data.actions:
        action.use_fake_user = True
        slot = compat.slots(action)[0].identifier
        keys = [(1.0 + 8.0 * i, value) for i, value in enumerate(SCALES.get(action.name, SCALES["Turn"]))]
        for path in (*paths, *(["scale"] if thing else [])):
            for i in range(3):
                builders.curve(action, path, i, keys, "LINEAR", slot=slot)


@pytest.fixture
def folder(scales: str, tmp_path: Path, fresh_file: None) -> Path:
    scaled(bones=scales != "object", thing=scales != "bones")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scaled.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    wanderer.csv_of(tmp_path / "line.csv", [(0.0, 0.0), (0.5, 0.0)], "x,y")
    spec = {"files": ["scaled.blend"], "feet": [{"action": "Walk"}], "pops": [{"action": "Walk"}]}
    (tmp_path / "spec.json").write_text(json.dumps(spec))
    return tmp_path


@pytest.mark.variants(len(WORDS))
@pytest.mark.variants(6)
@pytest.mark.parametrize(
    ("scales", "name"),
    [
        *(("both", name) for name in WORDS),
        *((scales, name) for scales in ("bones", "object") for name in ("bake", "feet", "loop", "path")),
    ],
)
def test_every_command_works(
    inertia: Inertia, folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    file = "spec.json" if name == "batch" else "scaled.blend"
    done = inertia(name.split()[0], file, *WORDS[name])
    # joins may lie where there is no root to be moved, and travel may have nothing to stand on: that is a
    # sentence
    refused = name in ("path", "fill", "travel") and "is scaled to zero" in done.err
    assert done.code == 0 or refused, done.err
