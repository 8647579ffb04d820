# SPDX-License-Identifier: GPL-3.0-or-later
"""What a command reads is never written over, whichever option names it, and whatever it is called by."""

from __future__ import annotations

import argparse
import functools
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inertia_addon.cli import options, program
from inertia_addon.motion.learned import engine_model, model_file
from inertia_addon.motion.steps import finish
from inertia_addon.tasks.every import TASKS
from inertia_addon.tasks.task import ClipTask
from tests.batch.small_rig import Run
from tests.cli import slip_table
from tests.cli.slip_table import table
from tests.motion import made_up_moves

__all__ = ["table"]

Inertia = Callable[..., Run]

PAIR = ("--source", "Walk", "--destination", "Run")


def of_one_action(task: type[ClipTask]) -> tuple[tuple[str, ...], dict[str, str]]:
    """What a command about one action is told, and its options for outputs."""
    endings = {file.flag: ".bvh" if file.is_baked else file.endings[0] for file in task.writes()}
    words = ("-o", "out.bvh") if task.BAKES else ()
    return ("--action", "Walk", *words), {flag: f"x{ending}" for flag, ending in endings.items()}


COMMANDS: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    **{task.COMMAND: of_one_action(task) for task in TASKS if issubclass(task, ClipTask)},
    "bake": (
        (*PAIR, "--cut", "20", "-o", "out.blend"),
        {"-o": "x.glb", "--report": "x.json", "--html": "x.html"},
    ),
    "complete": (("-o", "out.blend"), {"-o": "x.blend"}),
    "cost": (PAIR, {"--map": "x.png", "--csv": "x.csv"}),
    "fit": ((), {"--plot": "x.png", "--csv": "x.csv", "--modes": "m.csv", "--histogram": "h.png"}),
    "hop": ((*PAIR, "--trigger", "10"), {"--table": "x.npz", "--bake": "x.bvh"}),
    "loop": (("--action", "Walk", "-o", "out.bvh"), {"-o": "x.bvh", "--report": "x.json"}),
    "path": (
        ("--curve", "Street", "-o", "out.bvh"),
        {"-o": "x.bvh", "--report": "x.json", "--html": "x.html"},
    ),
    "steer": (
        ("--input", "wishes.csv"),
        {"-o": "x.bvh", "--report": "x.json", "--html": "x.html"},
    ),
    "fill": (
        (*PAIR, "--cut", "20", "--destination-frame", "10", "-o", "out.bvh"),
        {"-o": "x.bvh", "--report": "x.json", "--html": "x.html"},
    ),
    "database": (("-o", "out.npz"), {"-o": "x.npz", "--bin": "database.bin"}),
    "learn": (("-o", "out.npz"), {"-o": "x.npz", "--bin": "stepper.bin", "--onnx": "stepper.onnx"}),
    "pops": (("--action", "Walk", "--repair", "-o", "out.bvh"), {"-o": "x.bvh"}),
    "matrix": (("-o", "out"), {"-o": "matrix.json", "--spec": "x.json"}),
    "batch": (("-o", "out"), {"-o": "batch.json"}),
    "info": ((), {}),
}
"""What each command is told, and its options for outputs with names that fit; of folders a name within."""
FOLDERS = {"--bin", "--onnx", ("matrix", "-o"), ("batch", "-o")}
READ: dict[str, set[str]] = {
    "path": {"points", "model"},
    "steer": {"input", "model"},
    "learn": {"check", "networks"},
    "loop": {"library"},
    **{name: {"source_library", "destination_library"} for name in ("bake", "cost", "hop")},
}
"""Where each command has what it reads beside FILE, or SPEC."""


def actions_of(command: str) -> list[argparse.Action]:
    """The options of a command."""
    parser = program.build_parser([command])
    (commands,) = (each for each in parser._actions if isinstance(each, argparse._SubParsersAction))
    return list(commands.choices[command]._actions)


def test_commands_are_all_tried() -> None:
    assert set(COMMANDS) == set(program.COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_that_names_a_file_says_whether_it_is_read(command: str) -> None:
    written, read = set(), set()
    for action in actions_of(command):
        if getattr(action, options.READS, False):
            read.add(action.dest)
        elif action.type is Path:
            written.add(action.option_strings[0])
        else:
            # no other option takes a path
            assert str(action.metavar) not in {"FILE", "PATH", "DIR", "OUT", "OUTDIR", "MODEL", "SPEC"}
    assert written == set(COMMANDS[command][1])
    assert read - {"files", "spec"} == READ.get(command, set())
    assert read & {"files", "spec"} == {"spec" if command == "batch" else "files"}


@functools.cache
def model_bytes() -> bytes:
    """What is in the file of a model, which need not have learned anything."""
    return model_file.to_bytes(finish(made_up_moves.training(iterations=1).steps()))


class Files:
    """A folder with all that commands read."""

    def __init__(self, folder: Path, rig: bytes) -> None:
        self.folder = folder
        self.rig = self._write("rig.blend", rig)
        self.points = self._write("points.csv", b"x,y\n0,0\n1,0\n")
        self.wishes = self._write("wishes.csv", b"0,0,0\n1,0,0\n")
        self.model = self._write("model.npz", model_bytes())
        networks = folder / "networks"
        networks.mkdir()
        for name in engine_model.FILES:
            (networks / name).write_bytes(name.encode())
        self.networks = networks
        spec = {"files": ["rig.blend"], "transitions": [{"source": "Walk", "destination": "Run", "cut": 20}]}
        self.spec = self._write("spec.json", json.dumps(spec).encode())

    def _write(self, name: str, content: bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content)
        return path

    def inputs(self, command: str) -> Iterator[tuple[list[object], Path]]:
        """Words that name each kind of input of a command, and the file that must stay."""
        if command == "batch":
            yield [self.spec], self.spec
            yield [self.spec], self.rig
            return
        yield [self.rig], self.rig
        if command == "path":
            yield [self.rig, "--points", self.points], self.points
            yield [self.rig, "--model", self.model], self.model
            yield [self.rig, "--model", self.networks], self.networks / "stepper.bin"
        elif command == "steer":
            yield [self.rig, "--input", self.wishes], self.wishes
            yield [self.rig, "--model", self.model], self.model
            yield [self.rig, "--model", self.networks], self.networks / "stepper.bin"
        elif command == "learn":
            yield [self.rig, "--check", self.model], self.model
            yield [self.rig, "--check", self.networks], self.networks / "latent.bin"
        elif "source_library" in READ.get(command, ()):
            yield [self.rig, "--source-library", self.points], self.points


@pytest.fixture
def files(tmp_path: Path, small_rigs: tuple[bytes, bytes]) -> Files:
    return Files(tmp_path, small_rigs[1])


def direct(kept: Path, place: Path) -> Path:
    return kept


def through_a_link(kept: Path, place: Path) -> Path:
    place.symlink_to(kept)
    return place


def by_another_name(kept: Path, place: Path) -> Path:
    os.link(kept, place)
    return place


def around(kept: Path, place: Path) -> Path:
    return kept.parent / ".." / kept.parent.name / kept.name


@pytest.mark.variants(len(COMMANDS))
@pytest.mark.parametrize("way", [direct, through_a_link, by_another_name, around])
@pytest.mark.parametrize("command", [name for name, (_, outputs) in COMMANDS.items() if outputs])
def test_files_that_are_read_are_not_written_over(
    inertia: Inertia,
    files: Files,
    command: str,
    way: Callable[[Path, Path], Path],
    table: list[tuple[str, str, int, str]],
) -> None:
    known, outputs = COMMANDS[command]
    for number, (words, kept) in enumerate(files.inputs(command)):
        for flag, name in outputs.items():
            is_folder = bool({flag, (command, flag)} & FOLDERS)
            if is_folder and way in (direct, around):
                continue
            folder = files.folder / f"{number}{flag}"
            folder.mkdir()
            place = way(kept, folder / name)
            if is_folder:
                place = folder
            elif flag == "-o" and kept.suffix == place.suffix == ".blend" and not name.endswith(".npz"):
                # it may hold the result, too
                continue
            # what is followed is told once
            more = known[2:] if {"--points", "--input"} & {*map(str, words)} else known
            if "--check" in words:
                if flag == "-o":
                    continue
                more = ()
            content = kept.read_bytes()
            done = inertia(command, *words, *more, flag, place)
            slip = f"{flag} is {kept.name}, which is read, {way.__name__.replace('_', ' ')}"
            table.append((command, slip, done.code, slip_table.said(done, files.folder)))
            assert done.code == 2, (flag, words, done.err)
            assert "which is read" in done.err or "a folder holds such networks already" in done.err
            assert kept.read_bytes() == content


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "batch"])
def test_devices_and_pipes_are_not_read(inertia: Inertia, files: Files, command: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.blend"
    os.mkfifo(pipe)
    zero = tmp_path / "zero.bvh"
    zero.symlink_to("/dev/zero")
    for path in (pipe, zero):
        done = inertia(command, path, *COMMANDS[command][0])
        assert (done.code, "is a device or a pipe" in done.err) == (1, True), done.err


def test_no_other_input_is_a_device(inertia: Inertia, files: Files, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for ending, words in (
        ("csv", ("path", files.rig, "--points")),
        ("npz", ("path", files.rig, "--curve", "Street", "--model")),
        ("csv", ("steer", files.rig, "--input")),
        ("npz", ("learn", files.rig, "--check")),
        ("json", ("batch", "-o", tmp_path / "out")),
        ("toml", ("batch", "-o", tmp_path / "out")),
    ):
        place = pipe.rename(pipe.with_name(f"pipe.{ending}"))
        done = inertia(*words, place)
        assert (done.code, "is a device or a pipe" in done.err) == (1, True), done.err
        pipe = place


@pytest.mark.parametrize(
    ("command", "flag"),
    [(name, flag) for name, (_, outputs) in COMMANDS.items() for flag in outputs if name != "batch"],
)
def test_an_output_that_can_not_be_written_is_refused_before_any_work(
    inertia: Inertia, files: Files, command: str, flag: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inertia_addon.blender import files as loading

    def load(*_: object) -> None:
        raise AssertionError("it was read before it was known whether anything can be written")

    monkeypatch.setattr(loading, "load", load)
    known, outputs = COMMANDS[command]
    file = files.folder / "taken"
    file.write_bytes(b"a file")
    is_folder = bool({flag, (command, flag)} & FOLDERS)
    for place in (file / "below", file / "further" / "below"):
        at = place if is_folder else place / outputs[flag]
        done = inertia(command, files.rig, *known, flag, at)
        assert done.code == 1, done.err
        assert "folder" in done.err
        assert file.read_bytes() == b"a file"


@pytest.mark.parametrize(
    ("command", "flag"), [("learn", "--bin"), ("learn", "--onnx"), ("database", "--bin")]
)
def test_folders_are_looked_at_before_they_are_made(
    inertia: Inertia, files: Files, command: str, flag: str
) -> None:
    closed = files.folder / "closed"
    closed.mkdir()
    (closed / COMMANDS[command][1][flag]).write_bytes(b"old")
    (closed / COMMANDS[command][1][flag]).chmod(0o400)
    done = inertia(command, files.rig, *COMMANDS[command][0], flag, closed)
    assert (done.code, "is write-protected" in done.err) == (1, True), done.err


def missing(files: Files, words: list[object]) -> list[object]:
    return [files.folder / f"gone{Path(str(words[1])).suffix}" if i == 1 else w for i, w in enumerate(words)]


def a_folder(files: Files, words: list[object]) -> list[object]:
    place = files.folder / f"folder{Path(str(words[1])).suffix}"
    place.mkdir()
    return [words[0], place, *words[2:]]


def of_no_kind(files: Files, words: list[object]) -> list[object]:
    (files.folder / "notes.txt").write_text("notes")
    return [words[0], files.folder / "notes.txt", *words[2:]]


def empty(files: Files, words: list[object]) -> list[object]:
    place = files.folder / f"empty{Path(str(words[1])).suffix}"
    place.write_bytes(b"")
    return [words[0], place, *words[2:]]


def damaged(files: Files, words: list[object]) -> list[object]:
    place = Path(str(words[1]))
    half = files.folder / f"half{place.suffix}"
    half.write_bytes(place.read_bytes()[: place.stat().st_size // 2])
    return [words[0], half, *words[2:]]


def misspelt_option(files: Files, words: list[object]) -> list[object]:
    return [*words, "--hlaf-life", "0.1"]


def another_armature(files: Files, words: list[object]) -> list[object]:
    return [*words, "--armature", "Nobody"]


def two_kinds_of_file(files: Files, words: list[object]) -> list[object]:
    (files.folder / "walk.bvh").write_bytes(b"HIERARCHY")
    return [words[0], words[1], files.folder / "walk.bvh", *words[2:]]


SLIPS = (
    *(missing, a_folder, of_no_kind, empty, damaged, misspelt_option, another_armature),
    two_kinds_of_file,
)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.variants(len(COMMANDS))
@pytest.mark.parametrize("slip", SLIPS)
@pytest.mark.parametrize("command", COMMANDS)
def test_slips_end_in_a_sentence_and_change_nothing(
    inertia: Inertia,
    files: Files,
    command: str,
    slip: Callable[[Files, list[object]], list[object]],
    table: list[tuple[str, str, int, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(files.folder)
    first = files.spec if command == "batch" else files.rig
    words = slip(files, [command, first, *COMMANDS[command][0]])
    before = contents(files.folder)
    done = inertia(*words)
    table.append((command, slip.__name__.replace("_", " "), done.code, slip_table.said(done, files.folder)))
    assert done.code in (1, 2), done.err
    assert done.err.startswith("inertia: ")
    assert "Traceback" not in done.err
    assert contents(files.folder) == before


def contents(folder: Path) -> dict[str, bytes]:
    """What each file in a folder holds; a batch keeps its journal in its own folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".inertia" not in path.parts and path.parent.name != "out"
    }


def test_the_table_of_slips_has_all_commands() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "slips.md").read_text(
        encoding="utf-8"
    )
    told = {line.split(" | ")[0].removeprefix("| ") for line in text.splitlines() if line.startswith("| ")}
    assert told >= set(COMMANDS)
