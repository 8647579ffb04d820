# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of Blender's that lost anything are told from whole ones."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest

from inertia_addon.storage.file_kinds import USD
from inertia_addon.storage.wholeness import is_whole

EXPORTED = (".glb", ".gltf", ".fbx", *USD)


@pytest.mark.parametrize("compress", [False, True])
def test_a_file_is_whole_until_it_is_cut_anywhere(
    *, compress: bool, tmp_path: Path, fresh_file: None
) -> None:
    import bpy

    path = tmp_path / "some.blend"
    # several parts of a megabyte each
    points = np.random.default_rng(1).normal(size=(200_000, 3)).astype(np.float32)
    mesh = bpy.data.meshes.new("Cloud")
    mesh.vertices.add(len(points))
    mesh.vertices.foreach_set("co", points.ravel())
    mesh.use_fake_user = True
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=compress)
    content = path.read_bytes()
    assert is_whole(path)
    for count in (0, 3, 8, 100, len(content) // 2, len(content) - 70, len(content) - 1):
        path.write_bytes(content[:count])
        assert not is_whole(path), count


def test_a_hole_within_is_seen(tmp_path: Path, fresh_file: None) -> None:
    import bpy

    path = tmp_path / "some.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=True)
    content = path.read_bytes()
    path.write_bytes(content[:1000] + content[5000:])
    assert not is_whole(path)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small character in every kind of file that an exporter of Blender's writes."""
    bpy = pytest.importorskip("bpy", reason="bpy is not installed here")
    from inertia_addon.blender import files
    from inertia_addon.blender.data import compat
    from tests.batch.small_rig import make_rig

    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    armature, folder = make_rig(), tmp_path_factory.mktemp("written")
    action = bpy.data.actions["Walk"]
    for kind in EXPORTED:
        files.save(folder / f"out{kind}", armature, "Walk", compat.slots(action)[0].identifier)
    return folder


@pytest.mark.variants(3)
@pytest.mark.parametrize("kind", EXPORTED)
def test_an_exported_file_is_whole_until_it_is_cut_anywhere(written: Path, tmp_path: Path, kind: str) -> None:
    shutil.copytree(written, tmp_path, dirs_exist_ok=True)
    path = tmp_path / f"out{kind}"
    content = path.read_bytes()
    assert is_whole(path)
    # lines of text may end in nothing
    length = len(content.rstrip(b"\n")) if kind in (".usda", ".gltf") else len(content)
    for count in (0, 3, 8, 16, 30, 100, *range(200, length, max(1, length // 100)), length - 20, length - 1):
        path.write_bytes(content[:count])
        assert not is_whole(path), count


def test_the_numbers_of_a_gltf_file_count_with_it(written: Path, tmp_path: Path) -> None:
    shutil.copytree(written, tmp_path, dirs_exist_ok=True)
    path, numbers = tmp_path / "out.gltf", tmp_path / "out.bin"
    numbers.write_bytes(numbers.read_bytes()[:-1])
    assert not is_whole(path)
    numbers.unlink()
    assert not is_whole(path)


def test_a_package_of_usd_whose_layer_was_cut_before_is_not_whole(written: Path, tmp_path: Path) -> None:
    layer = (written / "out.usdc").read_bytes()
    for count, expected in ((len(layer), True), (len(layer) // 2, False)):
        path = tmp_path / f"{count}.usdz"
        with zipfile.ZipFile(path, "w") as package:
            package.writestr("layer.usdc", layer[:count])
        assert is_whole(path) == expected
