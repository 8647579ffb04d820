# SPDX-License-Identifier: GPL-3.0-or-later
"""``blender --command inertia`` in a real Blender."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.window.launcher import MODULE, RealBlender

pytestmark = pytest.mark.window

RIG = Path(__file__).parent.parent / "batch" / "small_rig.py"

SAVE_RIG = """
import bpy
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
make_rig().pose.bones["Head"].inertia.blend_scale = 0.0
bpy.ops.wm.save_as_mainfile(filepath={path!r})
"""

RUN_EACH = f"""
import importlib, bpy
program = importlib.import_module("{MODULE}.inertia_addon.cli.program")
for line in {{lines}}:
    bpy.ops.wm.open_mainfile(filepath={{file!r}})
    assert program.main(line) == 0, line
"""

SCRIPT = f"""
import bpy
from {MODULE}.inertia_addon import api
bpy.ops.wm.open_mainfile(filepath={{file!r}})
print("MADE", api.write({{out!r}}, api.bake(source="Walk", destination="Run", cut=20, result="Scripted")))
"""

WALK_TO_RUN = ("--source", "Walk", "--destination", "Run", "--cut", "20")


@pytest.fixture(scope="module")
def rig(installed_blender: RealBlender) -> Path:
    path = installed_blender.folder / "rig.blend"
    installed_blender.script(RIG.read_text(encoding="utf-8") + SAVE_RIG.format(path=str(path))).check()
    return path


def test_a_file_is_baked(installed_blender: RealBlender, rig: Path) -> None:
    out = rig.with_name("baked.blend")
    installed_blender.inertia("bake", rig, *WALK_TO_RUN, "-o", out).check()
    assert out.is_file()
    shown = installed_blender.inertia("info", out).check()
    assert "3 bones" in shown.output


def test_the_open_file_is_baked(installed_blender: RealBlender, rig: Path) -> None:
    out = rig.with_name("open.blend")
    run = installed_blender.inertia("bake", *WALK_TO_RUN, "-o", out, "--json", file=rig).check()
    assert f'"file": "{rig}"' in run.output
    assert out.is_file()


def test_files_of_all_kinds_are_written_and_read(installed_blender: RealBlender, rig: Path) -> None:
    """With what this Blender itself exports and imports by; in one process, as a start takes seconds."""
    kinds = ("glb", "gltf", "fbx", "bvh")
    baked, opened = ([rig.with_name(f"{name}.{kind}") for kind in kinds] for name in ("baked", "open"))
    lines = [["bake", *WALK_TO_RUN, "--json", "-o", out] for out in opened]
    lines += [["bake", rig, *WALK_TO_RUN, "-o", out] for out in baked]
    lines += [["info", out] for out in baked]
    words = [[str(word) for word in line] for line in lines]
    run = installed_blender.script(RUN_EACH.format(lines=words, file=str(rig))).check()
    assert all(out.is_file() for out in (*baked, *opened))
    assert run.output.count(f'"file": "{rig}"') == len(opened)
    assert run.output.count("3 bones") == len(lines)  # each says what it read


def test_a_script_calls_the_installed_extension(installed_blender: RealBlender, rig: Path) -> None:
    out = rig.with_name("scripted.blend")
    run = installed_blender.script(SCRIPT.format(file=str(rig), out=str(out))).check()
    assert f"MADE {out}" in run.output
    assert "Scripted" in installed_blender.inertia("info", out).check().output


@pytest.mark.newest
def test_exit_codes_tell_failures_from_wrong_usage(installed_blender: RealBlender, rig: Path) -> None:
    out = rig.with_name("none.glb")
    words = ("bake", rig, "--source", "Wolk", "--destination", "Run", "--cut", "20", "-o", out)
    failed = installed_blender.inertia(*words)
    assert failed.returncode == 1
    assert 'inertia: There is no action "Wolk"; the file has "Walk", "Run".' in failed.output
    wrong = installed_blender.inertia("bake", "--sauce", "Walk")
    assert wrong.returncode == 2
    assert "Traceback" not in failed.output + wrong.output
    assert "Inertia " in installed_blender.inertia("--version").check().output
    assert installed_blender.inertia("bake", "--help").returncode == 0
    assert not out.exists()


def test_the_open_file_is_not_replaced_but_by_a_bake_in_place(
    installed_blender: RealBlender, rig: Path, tmp_path: Path
) -> None:
    own, table = tmp_path / "own.blend", tmp_path / "costs.csv"
    own.write_bytes(rig.read_bytes())
    table.symlink_to(own.name)
    words = ("--source", "Walk", "--destination", "Run", "--csv", table)
    refused = installed_blender.inertia("cost", *words, file=own)
    assert refused.returncode == 2
    assert "which is read" in refused.output
    assert own.read_bytes() == rig.read_bytes()
    installed_blender.inertia("bake", *WALK_TO_RUN, "-o", own, file=own).check()
    assert "Walk to Run" in installed_blender.inertia("info", own).check().output


def test_a_library_is_baked_by_processes_of_its_own(installed_blender: RealBlender, rig: Path) -> None:
    folder = rig.parent
    spec, out = folder / "spec.json", folder / "library"
    walk = {"source": "Walk", "destination": "Run", "name": "{cut}"}
    transitions = [{**walk, "cut": 10 + i} for i in range(4)]
    spec.write_text(
        json.dumps({"files": [rig.name], "formats": ["blend", "bvh"], "transitions": transitions})
    )
    run = installed_blender.inertia("batch", spec, "-o", out, "--jobs", "2", "--resume").check()
    assert "4 jobs done" in run.output
    names = sorted(path.name for path in out.iterdir() if not path.name.startswith("."))
    assert names == sorted(
        [*(f"{10 + i}.{kind}" for i in range(4) for kind in ("blend", "bvh")), "batch.json"]
    )
    again = installed_blender.inertia("batch", spec, "-o", out, "--resume").check()
    assert "0 jobs done, 4 were there already" in again.output


@pytest.mark.newest
def test_a_matrix_is_drawn(installed_blender: RealBlender, rig: Path) -> None:
    out = rig.parent / "matrix"
    installed_blender.inertia("matrix", rig, "-o", out).check()
    assert sorted(path.suffix for path in out.iterdir()) == [".csv", ".html", ".json", ".png"]


@pytest.mark.newest
@pytest.mark.parametrize("redirected", ["| head -n 1", ">&- 2>&-", ">/dev/full"])
def test_streams_that_nobody_reads_do_no_harm(
    installed_blender: RealBlender, rig: Path, redirected: str
) -> None:
    launcher = installed_blender.folder / "redirected"
    script = f'"{installed_blender.launcher}" "$@" {redirected}; exit ${{PIPESTATUS[0]}}'
    launcher.write_text(f"#!/usr/bin/env bash\n{script}\n")
    launcher.chmod(0o755)
    out = rig.with_name("redirected.blend")
    blender = RealBlender(launcher, installed_blender.folder)
    blender.inertia("bake", rig, *WALK_TO_RUN, "-o", out).check()
    assert out.read_bytes().startswith(b"BLENDER")
    out.unlink()


@pytest.mark.newest
def test_a_scheduler_is_asked_only_where_blender_may_go_online(
    installed_blender: RealBlender, rig: Path
) -> None:
    spec = rig.with_name("scheduled.json")
    spec.write_text(
        json.dumps({"files": [rig.name], "transitions": [{"source": "Walk", "destination": "Run"}]})
    )
    words = (
        "--command",
        "inertia",
        "batch",
        spec,
        "-o",
        rig.parent / "scheduled",
        "--scheduler",
        "tcp://[::1]:1",
    )
    refused = installed_blender.run(*words)
    assert refused.returncode == 1
    assert "Blender allows no online access, which --scheduler needs" in refused.output
    allowed = installed_blender.run("--online-mode", *words)
    assert allowed.returncode == 1
    assert "online access" not in allowed.output
