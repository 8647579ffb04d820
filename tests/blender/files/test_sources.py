# SPDX-License-Identifier: GPL-3.0-or-later
"""What transitions are made from is as it was read for each, and told by content."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from inertia_addon.blender import files
from inertia_addon.blender.files import OpenSources
from inertia_addon.errors import InertiaError
from inertia_addon.storage import contents

WALK = """HIERARCHY
ROOT Hips
{
 OFFSET 0 0 0
 CHANNELS 3 Zrotation Xrotation Yrotation
 End Site
 {
  OFFSET 0 1 0
 }
}
"""


@pytest.fixture(params=[".blend", ".bvh"])
def path(request: pytest.FixtureRequest, tmp_path: Path, fresh_file: None) -> Path:
    """A file with one clip of one bone, opened or imported."""
    walk = tmp_path / "walk.bvh"
    frames = "".join(f"{i} {2 * i} 0\n" for i in range(20))
    walk.write_text(WALK + f"MOTION\nFrames: 20\nFrame Time: 0.0333333\n{frames}")
    if request.param == ".bvh":
        return walk
    files.load([walk])
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "walk.blend"))
    return tmp_path / "walk.blend"


def test_changes_to_an_opened_file_are_undone(path: Path) -> None:
    sources = OpenSources([path])
    try:
        for _ in range(2):
            sources.renew()
            (action,) = bpy.data.actions
            assert action.name == "walk"
            assert len(bpy.data.objects) == 1
            action.name = "changed"
            bpy.data.objects.remove(bpy.data.objects[0])
    finally:
        sources.close()
    assert sources.contents == {str(path): contents.digest(path)}


def test_a_change_on_disk_is_said(path: Path) -> None:
    sources = OpenSources([path])
    try:
        path.write_bytes(path.read_bytes() + b" ")
        with pytest.raises(InertiaError, match="was changed in the meantime"):
            sources.renew()
    finally:
        sources.close()


def test_a_linked_library_is_part_of_the_contents(path: Path, tmp_path: Path) -> None:
    if path.suffix != ".blend":
        pytest.skip("only .blend files are linked from")
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(path), link=True) as (_, into):
        into.actions = ["walk"]
    bpy.data.actions["walk"].use_fake_user = True
    bpy.context.scene["holds"] = bpy.data.actions["walk"]
    user = tmp_path / "user.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(user))
    sources = OpenSources([user])
    sources.close()
    assert set(sources.contents) == {str(user), str(path)}


def test_a_file_that_is_none_is_said(tmp_path: Path) -> None:
    with pytest.raises(InertiaError, match="There is no file"):
        OpenSources([tmp_path / "none.bvh"])


def test_a_library_that_is_a_link_to_itself_is_one_that_is_missing(tmp_path: Path, fresh_file: None) -> None:
    library, path = tmp_path / "library.blend", tmp_path / "scene.blend"
    bpy.data.libraries.write(str(library), {bpy.data.objects.new("Prop", None)})
    with bpy.data.libraries.load(str(library), link=True) as (_, wanted):
        wanted.objects = ["Prop"]
    bpy.context.scene.collection.objects.link(wanted.objects[0])
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    library.unlink()
    library.symlink_to(library.name)
    sources = OpenSources([path])
    sources.renew()
    sources.close()
    assert sources.contents == {str(path): contents.digest(path), str(library): ""}
