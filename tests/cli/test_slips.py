# SPDX-License-Identifier: GPL-3.0-or-later
"""Slips at the command line: what each command with outputs says, and that no file is lost by it.

``make slips`` writes the exit codes and sentences as a table.
"""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

try:
    import resource
except ImportError:
    resource = None  # type: ignore[assignment]

from inertia_addon.console import interrupts
from inertia_addon.storage import places, safe_write
from inertia_addon.storage.file_kinds import WRITABLE
from tests.batch.full_disk import KIB, fill, small_disk
from tests.batch.library_files import ENVIRONMENT
from tests.batch.small_rig import Run
from tests.cli import slip_table
from tests.cli.slip_table import table

__all__ = ["table"]

Inertia = Callable[..., Run]
pytestmark = pytest.mark.usefixtures("plain_letters")
PAIR = ("--source", "Walk", "--destination", "Run")

COMMANDS: dict[str, tuple[tuple[object, ...], dict[str, str]]] = {
    "bake": ((*PAIR, "--cut", 20, "--enter-at", "first"), {"-o": "out.glb", "--report": "report.json"}),
    "cost": ((*PAIR, "--by", "cost"), {"--map": "map.png", "--csv": "costs.csv"}),
    "fit": ((), {"--plot": "plot.png", "--csv": "fit.csv"}),
    "hop": (
        (*PAIR, "--trigger", 10, "--longest-stay", 2, "--wait-weight", 0, "--blend-frames", 4),
        {"--table": "hops.npz", "--bake": "hop.blend"},
    ),
    "matrix": (("--clips", "Walk", "Run", "--by", "cost"), {"-o": "matrix", "--spec": "edges.json"}),
    "batch": ((), {"-o": "library"}),
}
"""What each command is told beside a file, and its options for outputs with names that fit them."""

FILES = [(command, flag) for command, (_, flags) in COMMANDS.items() for flag in flags if command != "batch"]
FILES.remove(("matrix", "-o"))
"""The options that name a file, by their commands."""


class Slips:
    """A folder with a rig, and the commands' outputs in another one."""

    def __init__(self, inertia: Inertia, rig: Path, table: list[tuple[str, str, int, str]]) -> None:
        self.inertia, self.rig, self.table = inertia, rig, table
        self.out = rig.parent / "out"
        self.out.mkdir()

    def words(self, command: str, **changed: object) -> list[object]:
        """A command line that is in order, but for options that are changed."""
        more, flags = COMMANDS[command]
        at = {flag: self.out / name for flag, name in flags.items()} | changed
        first = self.spec() if command == "batch" else self.rig
        return [command, first, *more, *(word for pair in at.items() for word in pair)]

    def spec(self, **changed: object) -> Path:
        """A spec of one transition."""
        transition = {"source": "Walk", "destination": "Run", "cut": 20, "formats": ["bvh"]}
        transition |= {"enter_at": "first", **changed}
        path = self.rig.parent / "spec.json"
        path.write_text(json.dumps({"files": [self.rig.name], "transitions": [transition]}))
        return path

    def run(self, slip: str, words: list[object]) -> Run:
        """Run it, for the table too; all is said in a sentence."""
        done = self.inertia(*words)
        self.tell(slip, words, done)
        return done

    def tell(self, slip: str, words: list[object], done: Run) -> None:
        """Take note of a run."""
        self.table.append((str(words[0]), slip, done.code, slip_table.said(done, self.rig.parent)))
        assert "Traceback" not in done.err
        # the names that files have until they are complete
        assert not re.search(r"\.[0-9a-f]{8}-", done.err)

    def refused(self, slip: str, words: list[object], code: int, said: str) -> None:
        """Assert that it is refused in a sentence, and that no file is other than before."""
        before = everything(self.rig.parent)
        done = self.run(slip, words)
        assert (done.code, done.out) == (code, "")
        assert said in done.err
        assert done.err.startswith("inertia: ")
        assert everything(self.rig.parent) == before


def everything(folder: Path) -> dict[str, tuple[int, bytes | str]]:
    """All that is in a folder: modes, and contents or where links lead. A journal is the run's own."""
    found: dict[str, tuple[int, bytes | str]] = {}
    for path in sorted(folder.rglob("*")):
        if ".inertia" in path.parts or path.name == "library" or path.is_dir():
            continue
        content = str(path.readlink()) if path.is_symlink() else path.read_bytes()
        found[str(path.relative_to(folder))] = (path.lstat().st_mode, content)
    return found


@pytest.fixture
def slips(
    inertia: Inertia, small_rigs: tuple[bytes, bytes], tmp_path: Path, table: list[tuple[str, str, int, str]]
) -> Slips:
    path = tmp_path / "rig.blend"
    path.write_bytes(small_rigs[1])
    return Slips(inertia, path, table)


def direct(rig: Path, ending: str) -> Path:
    return rig


def through_a_link(rig: Path, ending: str) -> Path:
    link = rig.with_name(f"link{ending}")
    link.symlink_to(rig.name)
    return link


def by_another_name(rig: Path, ending: str) -> Path:
    other = rig.with_name(f"other{ending}")
    other.hardlink_to(rig)
    return other


def around(rig: Path, ending: str) -> Path:
    return rig.parent / "out" / ".." / rig.name


WAYS = (direct, through_a_link, by_another_name, around)


@pytest.mark.parametrize(("command", "flag"), [pair for pair in FILES if pair != ("bake", "-o")])
def test_no_output_is_the_input(slips: Slips, command: str, flag: str) -> None:
    for way in WAYS:
        path = way(slips.rig, Path(COMMANDS[command][1][flag]).suffix)
        words = slips.words(command, **{flag: path})
        slips.refused(f"{flag} is the input, {way.__name__.replace('_', ' ')}", words, 2, "which is read")


def test_a_capture_is_not_replaced_by_what_is_made_of_it(slips: Slips) -> None:
    for kind in ("bvh", "glb", "gltf", "fbx"):
        file = slips.rig.with_name(f"walk.{kind}")
        assert (
            slips.inertia("bake", slips.rig, *PAIR, "--cut", 20, "--enter-at", "first", "-o", file).code == 0
        )
        slips.rig = file
        slips.refused("-o is the input", slips.words("bake", **{"-o": file}), 2, "which is read")
        slips.rig = file.with_name("rig.blend")


@pytest.mark.parametrize("name", ["numbers.bin", "out_textures/skin.png"])
def test_files_that_a_gltf_file_names_are_not_replaced(slips: Slips, name: str) -> None:
    # the numbers or a picture of the input are where those of the output would go
    file, companion = slips.rig.with_name("walk.gltf"), slips.rig.parent / name
    assert slips.inertia("bake", slips.rig, *PAIR, "--cut", 20, "--enter-at", "first", "-o", file).code == 0
    companion.parent.mkdir(exist_ok=True)
    file.with_suffix(".bin").rename(companion)
    file.write_text(file.read_text().replace("walk.bin", name))
    out = file.with_name("numbers.gltf" if name.endswith(".bin") else "out.gltf")
    words = ["bake", file, "--source", "walk", "--destination", "walk", "--cut", 20, "-o", out]
    slips.refused("-o brings what the input names", words, 2, "which is read")


def test_files_that_a_blend_file_names_are_not_replaced(slips: Slips, fresh_file: None) -> None:
    import bpy

    library, picture = slips.rig.with_name("library.blend"), slips.rig.with_name("skin.png")
    slips.rig.rename(library)
    with bpy.data.libraries.load(str(library), link=True) as (_, wanted):
        wanted.objects, wanted.actions = ["Rig"], ["Walk", "Run"]
    bpy.context.scene.collection.objects.link(bpy.data.objects["Rig"])
    bpy.context.scene["used"] = list(bpy.data.actions)
    image = bpy.data.images.new("skin", 4, 4)
    image.filepath_raw, image.file_format, image.use_fake_user = str(picture), "PNG", True
    image.save()
    bpy.ops.wm.save_as_mainfile(filepath=str(slips.rig))
    slips.refused("-o is a linked file", slips.words("bake", **{"-o": library}), 2, "which is read")
    slips.refused("--map is a texture", slips.words("cost", **{"--map": picture}), 2, "which is read")


def test_the_file_behind_the_command_is_an_input(slips: Slips) -> None:
    import bpy

    bpy.ops.wm.open_mainfile(filepath=str(slips.rig))
    table = through_a_link(slips.rig, ".csv")
    slips.refused("--csv is what is open", ["fit", "--csv", table], 2, "which is read")
    assert slips.inertia("bake", *PAIR, "--cut", 20, "-o", slips.rig).code == 0


@pytest.mark.parametrize(
    ("command", "one", "other", "name"),
    [
        ("bake", "-o", "--report", "same.blend"),
        ("cost", "--map", "--csv", "same.png"),
        ("fit", "--plot", "--csv", "same.png"),
        ("hop", "--table", "--bake", "same.npz"),
        ("matrix", "-o", "--spec", "matrix.json"),
    ],
)
def test_no_output_is_another_one(slips: Slips, command: str, one: str, other: str, name: str) -> None:
    at = slips.out / "new" / name if command == "matrix" else slips.out / name
    again = at.with_name(name.upper())
    if command == "matrix":
        at = at.parent
    words = slips.words(command, **{one: at, other: again})
    slips.refused(f"{one} and {other} are the same", words, 2, f"{one} and {other} write the same file")


@pytest.mark.parametrize(("command", "flag"), FILES)
def test_endings_fit_their_options(slips: Slips, command: str, flag: str) -> None:
    words = slips.words(command, **{flag: slips.out / "name.txt"})
    slips.refused(f"{flag} ends in .txt", words, 2, f"{flag} takes a name that ends in .")


@pytest.mark.parametrize(("command", "flag"), FILES)
def test_a_protected_file_stays(slips: Slips, command: str, flag: str) -> None:
    old = slips.out / COMMANDS[command][1][flag]
    old.write_text("old")
    old.chmod(0o400)
    slips.refused(f"{flag} is write-protected", slips.words(command), 1, f'"{old}" is write-protected')


def test_numbers_of_a_gltf_file_that_are_protected_stay(slips: Slips) -> None:
    for name in ("out.gltf", "out.bin"):
        (slips.out / name).write_text("old")
    (slips.out / "out.bin").chmod(0o400)
    words = slips.words("bake", **{"-o": slips.out / "out.gltf"})
    slips.refused("-o brings numbers that are protected", words, 1, 'out.bin" is write-protected')


# the glTF add-on leaves its file to be closed by nobody
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.variants(3)
@pytest.mark.parametrize(("command", "flag"), FILES)
def test_a_full_disk_is_called_by_its_name(slips: Slips, command: str, flag: str) -> None:
    with small_disk(slips.rig.parent / "disk") as disk:
        path = disk / COMMANDS[command][1][flag]
        path.write_text("old")
        fill(disk)
        done = slips.run(f"{flag} on a full disk", slips.words(command, **{flag: path}))
        assert (done.code, path.read_text()) == (1, "old")
        assert path.name in done.err
        assert done.err.endswith(": No space left on device.\n")
        assert sorted(entry.name for entry in disk.iterdir()) == sorted(["filling", path.name])


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.variants(2)
@pytest.mark.parametrize(
    ("kind", "free"), [("blend", 0), ("blend", 64 * KIB), ("gltf", 0), ("fbx", 0), ("bvh", 0)]
)
def test_a_full_disk_keeps_the_old_file_of_every_kind(slips: Slips, kind: str, free: int) -> None:
    with small_disk(slips.rig.parent / "disk") as disk:
        path = disk / f"out.{kind}"
        path.write_text("old")
        fill(disk, but=free)
        done = slips.run(f"-o .{kind}, {free} bytes free", slips.words("bake", **{"-o": path}))
        assert (done.code, path.read_text()) == (1, "old")
        assert f'{path.name}" could not be written: No space left on device.' in done.err
        assert sorted(entry.name for entry in disk.iterdir()) == sorted(["filling", path.name])


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.skipif(resource is None, reason="Windows has no limit on the size of files")
@pytest.mark.variants(3)
@pytest.mark.parametrize("kind", [kind.removeprefix(".") for kind in WRITABLE])
def test_a_file_that_is_cut_off_while_it_is_written_replaces_none(slips: Slips, kind: str) -> None:
    path = slips.out / f"out.{kind}"
    path.write_text("old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # less than any of them takes
    resource.setrlimit(resource.RLIMIT_FSIZE, (4 * KIB, hard))
    try:
        done = slips.inertia(*slips.words("bake", **{"-o": path}))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (done.code, path.read_text()) == (1, "old")
    assert f'{path.name}" could not be written: File too large.' in done.err
    assert [entry.name for entry in slips.out.iterdir()] == [path.name]


def test_a_matrix_and_a_library_on_a_full_disk(slips: Slips) -> None:
    with small_disk(slips.rig.parent / "disk") as disk:
        fill(disk)
        for command in ("matrix", "batch"):
            done = slips.run("-o on a full disk", slips.words(command, **{"-o": disk / command}))
            assert done.code == 1
            assert "No space left on device." in done.err


def test_old_files_stay_together_where_not_all_can_be_written(slips: Slips) -> None:
    # there is room for some of the files, but not for all
    for command in ("matrix", "hop"):
        with small_disk(slips.rig.parent / command) as disk:
            at = {flag: disk / name for flag, name in COMMANDS[command][1].items()}
            at |= {"-o": disk} if command == "matrix" else {}
            old = [disk / f"matrix.{kind}" for kind in ("json", "csv", "png", "html")]
            for path in old if command == "matrix" else at.values():
                path.write_text("old")
            fill(disk, but=16 * KIB)
            before = everything(disk)
            done = slips.run("the disk is full in the midst of it", slips.words(command, **at))
            assert (done.code, done.err.endswith(": No space left on device.\n")) == (1, True)
            assert everything(disk) == before


@pytest.mark.parametrize("flag", ["-o", "--report"])
def test_a_link_is_followed_if_it_leads_somewhere(slips: Slips, flag: str) -> None:
    name = COMMANDS["bake"][1][flag]
    loop, lost, far = (slips.out / f"{i}{Path(name).suffix}" for i in ("loop", "lost", "far"))
    loop.symlink_to(loop.name)
    lost.symlink_to(f"nowhere/{name}")
    far.symlink_to(f"../{name}")
    said = f'"{loop}" is a link to itself'
    slips.refused(f"{flag} is a link to itself", slips.words("bake", **{flag: loop}), 1, said)
    said = f'"{lost}" is a link to "{slips.out / "nowhere" / name}", whose folder does not exist'
    slips.refused(f"{flag} is a link to nowhere", slips.words("bake", **{flag: lost}), 1, said)
    assert slips.inertia(*slips.words("bake", **{flag: far})).code == 0
    assert far.is_symlink()
    assert (slips.rig.parent / name).is_file()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
@pytest.mark.parametrize(("command", "flag"), FILES)
def test_a_device_is_no_file(slips: Slips, command: str, flag: str) -> None:
    pipe = slips.out / COMMANDS[command][1][flag]
    os.mkfifo(pipe)
    done = slips.run(f"{flag} is a pipe", slips.words(command))
    assert (done.code, f'"{pipe}" is a device or a pipe' in done.err) == (1, True)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    pipe.unlink()
    done = slips.run(f"{flag} is /dev/null", slips.words(command, **{flag: "/dev/null"}))
    assert (done.code, "is a device or a pipe" in done.err) == (1, True)


@pytest.mark.variants(2)
@pytest.mark.parametrize("kind", ["blend", "glb", "gltf", "fbx", "bvh"])
def test_modes_and_owners_are_kept(slips: Slips, kind: str) -> None:
    files = [slips.out / f"out.{kind}", slips.out / "report.json"]
    files += [slips.out / "out.bin"] if kind == "gltf" else []
    for file in files:
        file.write_text("old")
        file.chmod(0o600)
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            os.chown(file, 12345, 12345)
    before = [file.stat() for file in files]
    assert slips.inertia(*slips.words("bake", **{"-o": files[0]})).code == 0
    for file, old in zip(files, before, strict=True):
        new = file.stat()
        assert file.read_bytes() != b"old"
        assert (new.st_mode, new.st_uid, new.st_gid) == (old.st_mode, old.st_uid, old.st_gid)


def test_an_owner_who_can_not_be_kept_is_not_missed(slips: Slips, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "chown", refuse, raising=False)
    old = slips.out / "report.json"
    old.write_text("old")
    old.chmod(0o640)
    assert slips.inertia(*slips.words("bake")).code == 0
    assert (old.read_text() != "old", stat.S_IMODE(old.stat().st_mode)) == (True, 0o640)


@pytest.mark.variants(3)
@pytest.mark.parametrize("kind", ["blend", "glb", "gltf", "fbx", "bvh"])
@pytest.mark.parametrize("length", [245, 255])
def test_names_may_be_as_long_as_the_system_takes(slips: Slips, kind: str, length: int) -> None:
    name = "é" * ((length - len(kind) - 1) // 2)
    name += "x" * (length - len(kind) - 1 - len(name.encode())) + f".{kind}"
    assert len(name.encode()) == length
    out, report = slips.out / name, slips.out / ("r" * (length - 5) + ".json")
    assert slips.inertia(*slips.words("bake", **{"-o": out, "--report": report})).code == 0
    beside = [out.with_suffix(".bin")] if kind == "gltf" else []
    assert sorted(slips.out.iterdir()) == sorted([out, report, *beside])
    words = slips.words("bake", **{"-o": slips.out / f"x{name}"})
    if length == 255:
        slips.refused("-o has 256 bytes", words, 1, "File name too long.")


def test_a_new_folder_takes_the_spec_too(slips: Slips) -> None:
    folder = slips.out / "above" / "new"
    for spec in (folder / "spec.json", folder.parent / "spec.json"):
        done = slips.inertia(*slips.words("matrix", **{"-o": folder, "--spec": spec}))
        assert (done.code, spec.is_file()) == (0, True), done.err
    far = folder / "further" / "spec.json"
    slips.refused("--spec in no folder", slips.words("matrix", **{"--spec": far}), 1, "There is no folder")


def batched(slips: Slips, folder: Path, **changed: object) -> list[object]:
    return ["batch", slips.spec(**changed), "-o", folder]


def test_no_job_takes_the_place_of_what_is_read_or_said(slips: Slips) -> None:
    folder, spec = slips.rig.parent, slips.spec()
    (folder / "link.blend").symlink_to(slips.rig)
    pair = {"source": "Walk", "destination": "Run"}
    tables = [{**pair, "name": name, "formats": ["json"]} for name in ("batch", "spec")]
    jobs = [{**pair, "cut": 20, "name": name} for name in ("rig", "link")]
    spec.write_text(json.dumps({"files": [slips.rig.name], "transitions": jobs, "hop_tables": tables}))
    before = everything(folder)
    done = slips.run("jobs are named like inputs", ["batch", spec, "-o", folder])
    assert (done.code, done.out) == (2, "")
    for said in (
        f'found "rig.blend", which would take the place of the input "{slips.rig}"',
        'found "link.blend", which would take the place of the input',
        'found "spec.json", which would take the place of the input',
        'found "batch.json", which the run writes itself',
    ):
        assert said in done.err
    assert everything(folder) == before


def test_a_spec_is_not_the_summary(slips: Slips) -> None:
    own = slips.rig.with_name("batch.json")
    slips.spec().rename(own)
    words: list[object] = ["batch", own, "-o", own.parent]
    slips.refused("the spec is batch.json of -o", words, 2, "which is read")


@pytest.mark.parametrize("name", ["con", "Nul", "com1.walk", "LPT9"])
def test_names_of_devices_are_none_for_outputs(slips: Slips, name: str) -> None:
    said = "this one is a device's on Windows"
    slips.refused(f"a job is named {name}", batched(slips, slips.out, name=name), 2, said)


def test_a_name_that_is_put_together_is_none_of_a_device(slips: Slips) -> None:
    slips.rig = slips.rig.rename(slips.rig.with_name("aux.blend"))
    done = slips.inertia(*batched(slips, slips.out, name="{file}"))
    assert done.code == 0, done.err
    assert (slips.out / "_aux.bvh").is_file()


def test_a_protected_output_fails_its_job_alone(slips: Slips) -> None:
    old = slips.out / "Walk_to_Run.bvh"
    old.write_text("old")
    old.chmod(0o400)
    done = slips.run("an output is write-protected", batched(slips, slips.out))
    assert (done.code, old.read_text()) == (1, "old")
    assert "is write-protected" in done.err


def test_the_command_line_on_windows_takes_no_names_of_devices(
    slips: Slips, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = slips.out / "NUL.glb"
    assert slips.inertia(*slips.words("bake", **{"-o": out})).code == 0
    monkeypatch.setattr(places, "IS_WINDOWS", True)
    words = slips.words("bake", **{"-o": out})
    slips.refused("-o is a device's name", words, 1, '"NUL.glb" is a name that Windows reserves for a device')


@pytest.mark.variants(2)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_reader_that_is_gone_costs_no_file(slips: Slips, command: str) -> None:
    ready, write = os.pipe()
    os.close(ready)
    kept = os.dup(1)
    os.dup2(write, 1)
    try:
        done = slips.run("nobody reads its output", [*slips.words(command), "--json"])
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(write)
    assert done.code == 0, done.err
    for name in COMMANDS[command][1].values():
        assert (slips.out / name).exists()


INTERRUPTED = """
import importlib, signal, sys
from inertia_addon.cli import program
module, name = sys.argv.pop(1).rsplit(".", 1)
module = importlib.import_module(f"inertia_addon.{module}")
setattr(module, name, lambda *_: signal.raise_signal(signal.SIGINT))
program.run_as_program()
"""


def old_outputs(slips: Slips, command: str) -> None:
    for name in COMMANDS[command][1].values():
        if "." in name:
            (slips.out / name).write_text("old")


class Ended(BaseException):
    """In place of the end of the process."""


@pytest.mark.skipif(sys.platform == "win32", reason="no process can interrupt itself there")
@pytest.mark.variants(1)
@pytest.mark.parametrize("command", ["cost", "fit", "hop"])
def test_an_interrupt_in_the_midst_of_outputs_leaves_all_as_it_was(
    slips: Slips, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    old_outputs(slips, command)
    before = everything(slips.rig.parent)
    left: list[tuple[int, bool]] = []

    def end(code: int) -> NoReturn:
        # what comes after would never run
        left.append((code, everything(slips.rig.parent) == before))
        raise Ended

    monkeypatch.setattr(os, "_exit", end)
    monkeypatch.setattr(interrupts, "clear_up", lambda: None)
    # the workers of other tests go on, and so do their folders
    monkeypatch.setattr(safe_write, "_begun", set())
    monkeypatch.setattr(safe_write, "_check_written", lambda *_: signal.raise_signal(signal.SIGINT))
    with pytest.raises(Ended):
        slips.inertia(*slips.words(command))
    assert left == [(130, True)]


@pytest.mark.skipif(sys.platform == "win32", reason="no process can interrupt itself there")
@pytest.mark.variant_of(
    "tests/batch/test_temporary_files.py::test_a_command_that_is_stopped_leaves_no_temporary_file"
)
@pytest.mark.parametrize("command", ["bake", "matrix", "batch"])
def test_an_interrupt_leaves_all_as_it_was(slips: Slips, command: str) -> None:
    old_outputs(slips, command)
    words = slips.words(command)
    before = everything(slips.rig.parent)
    # all is written but has not taken its place; of a matrix nothing is, as it would come to its end then
    where = "cli.matrix_report.html" if command == "matrix" else "storage.safe_write._check_written"
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, where, *map(str, words)],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=180,
        check=False,
    )
    slips.tell("an interrupt while it is written", words, Run(done.returncode, done.stdout, done.stderr))
    assert (done.returncode, done.stdout) == (130, "")
    assert "topped" in done.stderr
    assert everything(slips.rig.parent) == before
