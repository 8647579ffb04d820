# SPDX-License-Identifier: GPL-3.0-or-later
"""Every command with each of its switches, on the clips of a biped.

Each ends with a result, or with a sentence that says why there is none, and leaves the files that it reads as
they were. The switches are the options of the commands' own parsers, and their values come from the settings,
so that a new command or switch is tried without a word here. Some switches are given together, so that many
pairs of them are tried; where they are refused together, each half is tried, down to one.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inertia_addon import api
from inertia_addon.cli import program
from inertia_addon.settings.fields import Setting
from tests.batch.small_rig import Run

Inertia = Callable[..., Run]
Words = tuple[str, ...]

FILE, SPEC, POINTS, WISHES, MODEL = "clips.blend", "spec.json", "points.csv", "wishes.csv", "model.npz"
READ = (FILE, SPEC, POINTS, WISHES, MODEL)
"""What lies in the folder in which commands are run."""
PAIR = ("--source", "Walk", "--destination", "Bend")
QUICK = ("--mirror", "--iterations", "1", "--windows", "8", "--hidden", "4", "--latent", "2")
GAP = ("--source", "Walk", "--destination", "Walk", "--cut", "10", "--destination-frame", "22")

NEEDED: dict[str, Words] = {
    "bake": (*PAIR, "--cut", "20", "-o", "out.blend"),
    "batch": (SPEC, "--check"),
    "check": (FILE, "--action", "Walk"),
    "cost": (*PAIR, "--by", "cost"),
    "complete": ("-o", "out.blend"),
    "database": ("-o", "out.npz"),
    "feet": ("--action", "Turn", "-o", "out.blend"),
    "fill": (*GAP, "--actions", "Walk", "-o", "out.blend"),
    "finish": ("--action", "Turn"),
    "hop": (*PAIR, "--clips", "Stand", "--trigger", "10", "--longest-stay", "2", "--bake", "out.blend"),
    "keys": ("--action", "Turn", "-o", "out.blend"),
    "learn": (*QUICK, "-o", "out.npz"),
    "loop": ("--action", "Walk", "--range", "5", "27", "-o", "out.blend"),
    "matrix": ("--clips", "Walk", "Bend", "--by", "cost", "-o", "out"),
    "path": ("--points", POINTS, "--actions", "Walk", "-o", "out.blend"),
    "pops": ("--action", "Turn"),
    "steer": ("--input", WISHES, "--actions", "Walk", "-o", "out.blend"),
    "travel": ("--action", "Walk", "--in-place", "-o", "out.blend"),
    "update": ("-o", "out.blend"),
}
"""What a command is given beside its switches; after these an option counts that is given again."""
TOGETHER = {"fill": 8, "hop": 8, "learn": 8, "matrix": 8, "path": 8, "steer": 8}
"""So many switches of a command are given together, four of all others: those are quick."""
NAMES: dict[str, list[Words]] = {
    **{"action": [("Walk",)], "actions": [("Walk", "Turn")], "clips": [("Walk", "Turn")]},
    **{"source": [("Stand",)], "destination": [("Turn",)], "moves": [("Walk",)]},
    **{"armature": [("Walker",)], "root": [("hips",)], "align_bone": [("hips",)], "bones": [("chest",)]},
    **{"locked_feet": [("foot.L",)], "blend_scales": [("chest=2", "head=0")], "weights": [("hips=0.5",)]},
    **{"curve": [("Street",)], "target": [("Walker",)], "obstacles": [("Things",)]},
    **{"ground_object": [("Floor",)], "points": [(POINTS,)], "input": [(WISHES,)], "model": [(MODEL,)]},
    **{"pins": [("Walk@10=1",)], "bans": [("Walk=1:1.2",)], "fixed": [("Walk@5=0.5",)]},
    **{"goals": [("1=1.5",)], "speeds": [("Walk=1.2",)], "at": [("0,-1,-20",)], "start": [("1,2,-90",)]},
    **{"forward": [("travel",)], "licence": [("CC0",)], "check": [(MODEL,)]},
}
"""What names and places stand for there, by the setting."""
UNKNOWN = "Nobody"
"""What is given for all others, and names nothing."""
REFUSED = {"--scale", "--fps", "--from-pose"}
"""What does not go with a .blend file, or with what the command needs."""
LONG = {"minutes", "iterations"}
"""What says how long a command may work."""


def parsers() -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of all commands by their names."""
    (commands,) = (each for each in program.build_parser()._actions if isinstance(each.choices, dict))
    return commands.choices


def settings_of(command: str) -> dict[str, Setting]:
    """Return a command's settings by where its parser puts them, {} for one that is made of no task."""
    task = getattr(program.COMMANDS[command], "task", None)
    asked = () if task is None else task.asks()
    return {setting.key: setting for each in asked for setting in each.settings()}


def values_of(option: argparse.Action, setting: Setting | None) -> Iterator[Words]:
    """Yield what an option is given, one by one: each of its choices, the least number, or a name."""
    if option.nargs == 0:
        yield ()
    elif option.choices:
        yield from ((str(choice),) for choice in option.choices if choice != option.default)
    elif setting is not None and setting.range is not None and not setting.has_pairs:
        yield (f"{setting.range.least:.10f}".rstrip("0").rstrip("."),) * (setting.count or 1)
    elif option.dest in NAMES:
        yield from NAMES[option.dest]
    elif option.type is not None and option.type is not Path:
        yield ("1",) * (option.nargs if isinstance(option.nargs, int) else 1)
    else:
        yield (UNKNOWN,)


def switches(command: str, parser: argparse.ArgumentParser) -> list[Words]:
    """Return each switch of a command with each of its values."""
    settings = settings_of(command)
    task = getattr(program.COMMANDS[command], "task", None)
    files = {} if task is None else {each.flag: f"again{each.endings[0]}" for each in task.writes()}
    options = [
        option
        for option in parser._actions
        if option.option_strings and option.dest not in {"help", *LONG} and option.help != argparse.SUPPRESS
    ]
    return [
        (option.option_strings[0], *words)
        for option in options
        for words in (
            [(files[option.option_strings[0]],)]
            if option.option_strings[0] in files
            else values_of(option, settings.get(option.dest))
        )
    ]


def groups(command: str, parser: argparse.ArgumentParser) -> list[tuple[Words, ...]]:
    """Return the switches of a command in groups that are given together, and by itself what it needs."""
    left = switches(command, parser)
    random.Random(command).shuffle(left)
    # the values of one switch lie apart: first one of each, then another one of those that have more
    given: Counter[str] = Counter()
    turns = []
    for words in left:
        turns.append(given[words[0]])
        given[words[0]] += 1
    left = [left[i] for i in sorted(range(len(left)), key=turns.__getitem__)]
    # what is refused anyhow comes last, so that it has no others tried once more
    left.sort(key=lambda words: UNKNOWN in words or words[0] in REFUSED)
    count = TOGETHER.get(command, 4)
    return [(), *(tuple(left[i : i + count]) for i in range(0, len(left), count))]


def tried() -> list[tuple[str, tuple[Words, ...]]]:
    """Return all commands with the groups of switches that each is given."""
    return [(command, group) for command, parser in parsers().items() for group in groups(command, parser)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the clips of a biped and what commands read beside them."""
    bpy = pytest.importorskip("bpy", reason="bpy is not installed here")
    from tests.blender import wanderer

    folder = tmp_path_factory.mktemp("switches")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    # with their mirror images as much as a model takes at least
    walker = wanderer.with_clips(frames=31)
    # what can be brought up to date
    api.bake(walker, source="Walk", destination="Bend", cut=20, result="Made", assign=False)
    for action in bpy.data.actions:
        action.use_fake_user = True
    floor = bpy.data.meshes.new("Floor")
    floor.from_pydata([(-9, -9, 0), (9, -9, 0), (9, 9, 0.1), (-9, 9, 0.1)], [], [(0, 1, 2, 3)])
    street = bpy.data.curves.new("Street", "CURVE")
    line = street.splines.new("POLY")
    line.points.add(1)
    line.points[1].co = (0.0, -0.9, 0.0, 1.0)
    for data in (floor, street):
        scene.collection.objects.link(bpy.data.objects.new(data.name, data))
    things = bpy.data.collections.new("Things")
    scene.collection.children.link(things)
    things.objects.link(bpy.data.objects.new("Thing", None))
    bpy.data.objects["Thing"].location = (3.0, -1.0, 0.0)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / FILE))
    (folder / POINTS).write_text("x,y\n0,0\n0,-0.9\n", encoding="utf-8")
    (folder / WISHES).write_text("seconds,x,y\n0,0,0\n0.3,0,-0.6\n1.0,0,0\n", encoding="utf-8")
    transition = {"source": "Walk", "destination": "Bend", "cut": 20}
    (folder / SPEC).write_text(json.dumps({"files": [FILE], "transitions": [transition]}), encoding="utf-8")
    return folder


def with_model(folder: Path) -> None:
    """Have a model in the folder, which takes longest of all that is read there."""
    if not (folder / MODEL).exists():
        assert program.main(["learn", str(folder / FILE), *QUICK, "-o", str(folder / MODEL)]) == program.DONE


def contents(folder: Path) -> dict[str, bytes]:
    """Return what is in the files of a folder that commands read."""
    return {name: (folder / name).read_bytes() for name in READ if (folder / name).exists()}


def try_line(inertia: Inertia, folder: Path, line: Words) -> int:
    """Run a command line, and assert that it ended well; return its exit code."""
    before = contents(folder)
    done = inertia(*line)
    said = f"{' '.join(line)}\n{done.err}"
    assert done.code in (program.DONE, program.FAILED, program.WRONG_USAGE), said
    assert "Traceback" not in said
    assert done.code == program.DONE or done.err or done.out, said
    assert contents(folder) == before, said
    written = [path for path in folder.iterdir() if path.name not in READ]
    assert done.code != program.WRONG_USAGE or not written, said
    for path in written:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return done.code


def try_all(inertia: Inertia, folder: Path, begin: Words, group: tuple[Words, ...]) -> bool:
    """Try switches together, and where they are refused each half of them; return whether they were not."""
    is_done = try_line(inertia, folder, (*begin, *(word for one in group for word in one))) == program.DONE
    if not is_done and len(group) > 1:
        half = len(group) // 2
        for part in (group[:half], group[half:]):
            try_all(inertia, folder, begin, part)
    return is_done


@pytest.mark.usefixtures("plain_letters")
@pytest.mark.variants(16)
@pytest.mark.parametrize(
    ("command", "group"),
    tried(),
    ids=lambda value: value if isinstance(value, str) else " ".join(word for one in value for word in one),
)
def test_a_command_does_or_says_why_not_with_each_of_its_switches(
    inertia: Inertia, folder: Path, monkeypatch: pytest.MonkeyPatch, command: str, group: tuple[Words, ...]
) -> None:
    monkeypatch.chdir(folder)
    if any(MODEL in words for words in group):
        with_model(folder)
    needed = NEEDED.get(command, ())
    begin = (command, *([] if {FILE, SPEC} & set(needed) else [FILE]), *needed)
    assert try_all(inertia, folder, begin, group) or group, f"{' '.join(begin)} is refused"
