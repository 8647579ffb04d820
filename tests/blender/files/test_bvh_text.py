# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH files as recorders write them show one motion, and what is cut off is said."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender import files
from inertia_addon.blender.files import bvh_text
from inertia_addon.errors import InertiaError

HEAD = """HIERARCHY
ROOT Hüfte
{
  OFFSET 0.5 95.25 0.0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Knie
  {
    OFFSET 0.0 -45.5 0.0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0.0 -40.0 0.0
    }
  }
}
MOTION
"""
ROWS = [f"0.0 95.0 {i}.5 {i}.25 -1.5e1 0.0 {2 * i}.5 0.0 0.0" for i in range(5)]
TEXT = HEAD + "Frames: 5\nFrame Time: 0.04\n" + "\n".join(ROWS) + "\n"


def broken(text: str) -> str:
    """The text with each frame on several lines."""
    return text.replace(" -1.5e1 ", "\n-1.5e1\n")


SPELLINGS: dict[str, Callable[[str], bytes]] = {
    "plain": lambda text: text.encode(),
    "mark": lambda text: codecs.BOM_UTF8 + text.encode(),
    "utf-16": lambda text: codecs.BOM_UTF16_LE + text.encode("utf-16-le"),
    "latin-1": lambda text: text.encode("latin-1"),
    "line ends of Windows": lambda text: text.replace("\n", "\r\n").encode(),
    "line ends of old": lambda text: text.replace("\n", "\r").encode(),
    "no blanks": lambda text: (
        text.replace("Frame Time: ", "Frame Time:").replace("Frames: ", "Frames:").encode()
    ),
    "capitals": lambda text: text.replace("Frame Time:", "FRAME TIME :").replace("Frames", "FRAMES").encode(),
    "decimal commas": lambda text: text.replace(".", ",").encode(),
    "decimal commas in frames": lambda text: (HEAD + text.removeprefix(HEAD).replace(".", ",")).encode(),
    "commas between": lambda text: text.replace(" 95.0 ", ", 95.0, ").replace("0.0 0.0", "0.0,0.0").encode(),
    "no line end": lambda text: text.rstrip().encode(),
    "empty lines": lambda text: (text.replace("MOTION", "\nMOTION\n") + "\n \n").encode(),
    "several lines": lambda text: broken(text).encode(),
    "more behind": lambda text: (text + "the end\n").encode(),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_bvh_file_is_one_motion_however_it_is_spelt(
    tmp_path: Path, fresh_file: None, spelling: str
) -> None:
    path = tmp_path / "Schritt.bvh"
    path.write_bytes(SPELLINGS[spelling](TEXT))
    files.load([path])
    assert bpy.context.scene.render.fps == 25
    (armature,) = (thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    assert (armature.name, [*armature.data.bones.keys()]) == ("Schritt", ["Hüfte", "Knie"])
    heads = []
    for frame in (1, 5):
        bpy.context.scene.frame_set(frame)
        heads.append(armature.matrix_world @ armature.pose.bones["Hüfte"].head)
    assert np.allclose(heads, [(0.0, -0.5, 95.0), (0.0, -4.5, 95.0)], atol=1e-4)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_bvh_file_that_is_cut_off_says_how_much_is_missing(tmp_path: Path, spelling: str) -> None:
    path = tmp_path / "Schritt.bvh"
    for left in range(5):
        for part in ("", " ".join(ROWS[left].split()[:4]), "0.0"):
            text = HEAD + "Frames: 5\nFrame Time: 0.04\n" + "\n".join([*ROWS[:left], part])
            if spelling == "more behind":
                continue
            path.write_bytes(SPELLINGS[spelling](text))
            with pytest.raises(InertiaError) as caught:
                bvh_text.read(path)
            if spelling != "several lines":
                missing = f'"Schritt.bvh" is cut off: {5 - left} of its 5 frames are missing.'
                assert str(caught.value) == missing


def test_a_damaged_row_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.bvh"
    path.write_text(TEXT.replace(ROWS[2], ROWS[2] + " 1"))
    with pytest.raises(InertiaError, match="its frame 3 has 10 numbers instead of 9"):
        bvh_text.read(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "HIERARCHY"),
        ("\ufeff", "HIERARCHY"),
        (HEAD, "Frame Time"),
        (HEAD + "Frames: 5\n", "Frame Time"),
        (HEAD + "Frame Time: 0.04\nFrames: 5\n", "Frame Time"),
        (HEAD + "Frames: 0\nFrame Time: 0.04\n", "no frames"),
        (HEAD + "Frames: ²\nFrame Time: 0.04\n", "no frames"),
        (HEAD + "Frames: 5\nFrame Time: soon\n", "soon"),
    ],
)
def test_a_bvh_file_without_motion_is_told(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "a.bvh"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InertiaError, match=said):
        bvh_text.frame_rate(path)


def test_frames_of_no_time_are_played_at_a_usual_rate(tmp_path: Path, fresh_file: None) -> None:
    path = tmp_path / "Schritt.bvh"
    path.write_text(TEXT.replace("0.04", "0.000"), encoding="utf-8")
    notes = files.load([path])
    assert '"Schritt.bvh" has frames of 0 seconds, and is played at 30 frames a second.' in notes
    assert bpy.context.scene.render.fps == 30
