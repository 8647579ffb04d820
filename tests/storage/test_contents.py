# SPDX-License-Identifier: GPL-3.0-or-later
"""A .blend file that lost anything is told from a whole one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from inertia_addon.storage.contents import is_whole


@pytest.mark.parametrize("compress", [False, True])
def test_a_file_is_whole_until_it_is_cut_anywhere(compress: bool, tmp_path: Path, fresh_file: None) -> None:
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
