# SPDX-License-Identifier: GPL-3.0-or-later
"""``--html``: a page of one file that plays what was judged, and the names of faults that ``check`` lists."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inertia_addon.motion.judging.fault_ids import BY_NAME
from inertia_addon.pages.tracks import decode_points
from tests.batch.small_rig import Run

Inertia = Callable[..., Run]
EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture
def walks(tmp_path: Path, fresh_file: None) -> Path:
    """A file with a walk, and one whose feet skate at 0.3 m/s."""
    from tests.blender import stepper

    return stepper.save_walks(tmp_path)


def held_by(page: Path) -> dict[str, Any]:
    """Return what a page holds as JSON."""
    text = page.read_text(encoding="utf-8")
    (held,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    values: dict[str, Any] = json.loads(held)
    return values


def points_of(held: dict[str, Any], track: dict[str, Any]) -> np.ndarray:
    return decode_points(track["points"], held["skeleton"]["points"], held["grain"])


def bake(inertia: Inertia, walks: Path, page: Path, *more: object) -> Run:
    """Bake the walk into the one that skates, with a page."""
    how = ("--cut", 20, "--destination-frame", 31, "--blend-frames", 8, "--feet", "off")
    names = ("--source", "Walk", "--destination", "Skating", "--html", page)
    return inertia("bake", walks, *names, *how, *more)


def test_check_plays_a_clip_where_blender_shows_it(inertia: Inertia, walks: Path, tmp_path: Path) -> None:
    import bpy

    from inertia_addon.blender.data import compat

    page = tmp_path / "walk.html"
    done = inertia("check", walks, "--action", "Walk", "--html", page, "--json")
    assert done.code == 0
    assert done.json["html"] == str(page)
    held = held_by(page)
    assert (held["own"], held["result"]["count"]) == ([], 55)
    bpy.ops.wm.open_mainfile(filepath=str(walks))
    (armature,) = (obj for obj in bpy.data.objects if obj.type == "ARMATURE")
    (slot, *_) = compat.slots(bpy.data.actions["Walk"])
    compat.assign(armature, bpy.data.actions["Walk"], slot.identifier)
    places = points_of(held, held["result"])
    for frame in (1, 30, 55):
        bpy.context.scene.frame_set(frame)
        for name, point in held["skeleton"]["joints"]:
            shown = armature.matrix_world @ armature.pose.bones[name].head
            assert places[frame - 1, point] == pytest.approx(tuple(shown), abs=held["grain"])


def test_bake_plays_its_clips_beside_the_result(inertia: Inertia, walks: Path, tmp_path: Path) -> None:
    page = tmp_path / "bake.html"
    assert bake(inertia, walks, page, "-o", tmp_path / "out.blend").code == 0
    held = held_by(page)
    source, destination = held["own"]
    assert (source["label"], source["first"], source["count"]) == ("Walk", 1.0, 19)
    assert (destination["label"], destination["first"]) == ("Skating", 20.0)
    shown = points_of(held, held["result"])
    # before the cut, and where the blend is over, the result does what its clips do, and shows them there
    assert np.abs(points_of(held, source) - shown[:19]).max() < 0.01
    assert np.abs(points_of(held, destination)[-10:] - shown[-10:]).max() < 0.01
    assert held["check"]["verdict"]["words"]


def test_check_names_faults_and_what_it_could_not_judge(
    inertia: Inertia, walks: Path, tmp_path: Path
) -> None:
    page, out = tmp_path / "bake.html", tmp_path / "out.blend"
    assert bake(inertia, walks, page, "-o", out).code == 0
    told = inertia("check", out, "--action", "Walk to Skating", "--json").json
    assert told["version"] == 1
    seen = [fault for one in told["verdicts"] for fault in one["faults"]]
    assert {fault["kind"] for fault in seen} <= {fault["kind"] for fault in told["faults"]}
    for fault in told["faults"]:
        assert fault["docs"] == BY_NAME[fault["id"]].page
        assert fault["level"] in ("fair", "poor")
        assert fault["severity"] > 1.0
        assert fault["first"] <= fault["frame"] <= fault["last"]
    assert {each["id"] for each in told["could_not_judge"]} == {"seam", "jitter"}
    alone = inertia("check", walks, "--action", "Walk", "--json").json
    missing = {each["id"]: each["reason"] for each in alone["could_not_judge"]}
    assert set(BY_NAME) - set(missing) == {"pop", "stop"}
    assert "not a result of Inertia" in missing["float"]


def test_check_lists_a_bone_that_jumps(inertia: Inertia, walks: Path, tmp_path: Path) -> None:
    import bpy

    from inertia_addon.blender.data import compat

    bpy.ops.wm.open_mainfile(filepath=str(walks))
    action = bpy.data.actions["Walk"]
    (slot, *_) = compat.slots(action)
    (curve, *_) = (
        each
        for each in compat.curves(action, slot.identifier)
        if "shin.L" in each.data_path and each.array_index
    )
    for key in curve.keyframe_points:
        if key.co.x == 30.0:
            key.co.y += 0.6
            key.handle_left.y += 0.6
            key.handle_right.y += 0.6
    bpy.ops.wm.save_mainfile()
    done = inertia("check", walks, "--action", "Walk", "--json")
    assert done.code == 0
    (fault, *_) = done.json["faults"]
    assert (fault["id"], fault["frame"], fault["unit"]) == ("pop", 30.0, "degrees")
    assert fault["bone"] in fault["words"]
    assert f"pop: {fault['words']}" in inertia("check", walks, "--action", "Walk").out


def test_names_of_anybody_are_no_markup(inertia: Inertia, walks: Path, tmp_path: Path) -> None:
    import bpy

    bpy.ops.wm.open_mainfile(filepath=str(walks))
    (armature,) = (obj for obj in bpy.data.objects if obj.type == "ARMATURE")
    armature.name = armature.data.bones["foot.L"].name = bpy.data.actions["Walk"].name = EVIL
    bpy.ops.wm.save_mainfile()
    page = tmp_path / "evil.html"
    assert inertia("check", walks, "--action", EVIL, "--html", page).code == 0
    assert "<img" not in page.read_text(encoding="utf-8")
    held = held_by(page)
    assert (held["armature"], held["result"]["label"]) == (EVIL, EVIL)
    assert EVIL in dict(held["skeleton"]["joints"])


@pytest.mark.parametrize(
    ("more", "said"),
    [(("--strips",), "leave --strips out"), (("--html", "walk.txt"), "--html")],
)
def test_a_page_that_cannot_be_is_refused_before_anything_is_made(
    inertia: Inertia, walks: Path, tmp_path: Path, more: tuple[str, ...], said: str
) -> None:
    out = tmp_path / "out.blend"
    done = bake(inertia, walks, tmp_path / "bake.html", "-o", out, *more)
    assert (done.code, said in done.err) == (2, True)
    assert not out.exists()


def test_a_page_of_what_is_not_baked_is_refused(inertia: Inertia, walks: Path, tmp_path: Path) -> None:
    ends = ("--source", "Walk", "--destination", "Skating", "--cut", 20)
    done = inertia("fill", walks, *ends, "--html", tmp_path / "fill.html")
    assert (done.code, "give -o" in done.err) == (2, True)


def test_a_spec_asks_for_pages(inertia: Inertia, walks: Path, tmp_path: Path) -> None:
    spec, out = tmp_path / "spec.json", tmp_path / "out"
    checks = [{"action": "Walk", "formats": ["json", "html"]}]
    spec.write_text(json.dumps({"files": [walks.name], "checks": checks}))
    assert inertia("batch", spec, "-o", out).code == 0
    told = json.loads((out / "Walk_check.json").read_text())
    assert held_by(out / "Walk_check.html")["check"]["faults"] == told["faults"]


def test_a_script_asks_for_a_page(walks: Path, tmp_path: Path) -> None:
    from inertia_addon import api

    api.read(walks)
    page = tmp_path / "walk.html"
    made = api.run("check", action="Walk", html=page)
    assert made.values["html"] == [str(page)]
    assert held_by(page)["result"]["label"] == "Walk"
