# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators write takes the place of nothing that is open, and of nothing that is protected."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.ui import rooms
from inertia_addon.ui.shared.long_work import SavesFile

ENDINGS = {
    "INERTIA_OT_save_map": ".png",
    "INERTIA_OT_save_root_motion": ".json",
    "INERTIA_OT_save_hops": ".json",
    "INERTIA_OT_save_library": ".json",
}


def test_operators_that_save_files_are_all_tried() -> None:
    assert {cls.__name__ for cls in rooms.OPERATORS if issubclass(cls, SavesFile)} == {*ENDINGS}


@pytest.fixture
def scene(rig: Any, tmp_path: Path) -> Path:
    """A saved file with a library and a picture."""
    library, picture = tmp_path / "library.blend", tmp_path / "skin.png"
    bpy.data.libraries.write(str(library), {bpy.data.objects.new("Prop", None)})
    with bpy.data.libraries.load(str(library), link=True) as (_, wanted):
        wanted.objects = ["Prop"]
    bpy.context.scene.collection.objects.link(wanted.objects[0])
    image = bpy.data.images.new("skin", 4, 4)
    image.filepath_raw, image.file_format, image.use_fake_user = str(picture), "PNG", True
    image.save()
    bpy.ops.inertia.library_pairs(change="ADD")
    path = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


@pytest.mark.variants(4)
@pytest.mark.parametrize("name", ENDINGS)
@pytest.mark.parametrize("read", ["scene.blend", "library.blend", "skin.png"])
def test_a_file_that_is_open_is_not_replaced(scene: Path, name: str, read: str) -> None:
    ending = ENDINGS[name]
    path = scene.with_name(read)
    if path.suffix != ending:
        # operators add their ending to a name: only a link leads there
        path = scene.with_name(f"link{ending}")
        path.symlink_to(read)
    before = scene.with_name(read).read_bytes()
    save = getattr(bpy.ops.inertia, name.partition("_OT_")[2])
    with pytest.raises(RuntimeError, match="belongs to the open file; choose another name"):
        save("EXEC_DEFAULT", filepath=str(path))
    assert scene.with_name(read).read_bytes() == before


@pytest.mark.parametrize("name", ENDINGS)
def test_a_protected_file_stays(scene: Path, name: str) -> None:
    path = scene.with_name(f"old{ENDINGS[name]}")
    path.write_text("old")
    path.chmod(0o400)
    save = getattr(bpy.ops.inertia, name.partition("_OT_")[2])
    with pytest.raises(RuntimeError, match="is write-protected"):
        save("EXEC_DEFAULT", filepath=str(path))
    assert path.read_text() == "old"
