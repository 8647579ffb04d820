# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks that a game plays are imported in the panel, as a model that it takes."""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.learned import engine_files, files
from inertia_addon.blender.learned.files import State
from inertia_addon.motion.learned import model_file
from tests.blender import wanderer
from tests.blender.learned import test_spoilt
from tests.ui.recorder import drawn, panel_named

PANEL = panel_named("learned")


def test_a_folder_becomes_the_panel_s_model(fresh_file: None, tmp_path: Path) -> None:
    armature = wanderer.with_clips()
    content, stopped, material = test_spoilt.learned()
    model = model_file.read(io.BytesIO(content), "").model
    folder, path = tmp_path / "networks", tmp_path / "walker.npz"
    folder.mkdir()
    engine_files.save_bin(folder, model, material)
    armature.inertia_learned.model = str(path)
    with pytest.raises(RuntimeError, match="Choose the folder"):
        bpy.ops.inertia.import_networks(directory="")
    # a training that was stopped there stays beside it
    path.write_bytes(stopped)
    assert bpy.ops.inertia.import_networks(directory=f"{folder}/") == {"FINISHED"}
    assert files.state_at(path) is State.FINISHED
    assert files.load(tmp_path / "walker.learning.npz1").held is not None
    found = files.load(path).model
    assert (found.frames, found.has_found_norms, found.compressor) == (model.frames, False, None)
    shown = drawn(PANEL)
    assert "A game's networks" in shown.text
    assert "inertia.bake_model" in shown.operators
    # without its Compressor nothing can be compared with clips
    assert "inertia.check_model" not in shown.operators
    files.save(path, dataclasses.replace(found, has_found_norms=True))
    assert "came without features.bin" in drawn(PANEL).text
    # networks that have hardly learned don't tell what their features mean, and nothing is written
    before = path.read_bytes()
    (folder / "features.bin").unlink()
    with pytest.raises(RuntimeError, match="The offsets and scales of the networks' features"):
        bpy.ops.inertia.import_networks(directory=str(folder))
    assert path.read_bytes() == before
