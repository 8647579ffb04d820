# SPDX-License-Identifier: GPL-3.0-or-later
"""Good inputs to spoil, and commands to run on them."""

from __future__ import annotations

import json
import math
import os
import shutil
from pathlib import Path
from random import Random

NETWORKS, MODELS = "networks", ("walkers", "model", "points", "wishes", "learned")
"""The folder of a game's networks; and the inputs that lie beside it."""
LARGEST = 500_000
"""Files of real motion above this size say no more than the smaller ones, and take longer."""
KINDS = (".blend", ".bvh", ".glb", ".gltf", ".toml", ".json", ".npz", ".csv")
ROOT = Path(__file__).resolve().parent.parent.parent

SPEC = {
    "files": ["rig.blend"],
    "formats": ["blend", "bvh"],
    "defaults": {"blend_frames": 6},
    "transitions": [
        {"source": "Walk", "destination": "Run", "cut": 12, "blend_scales": {"Spine": 0.5}},
        {"source": "Run", "destination": "Walk", "cut": "best", "range": [2, 20], "half_life": 0.1},
    ],
    "state_machines": [{"clips": ["Walk", "Run"], "edges": [["Walk", "Run"]], "keep_frames": 8}],
    "hops": [{"source": "Walk", "destination": "Run", "trigger": [4], "longest_stay": 5, "name": "hop"}],
}
WALKS = {
    "files": ["feet.blend"],
    "formats": ["blend"],
    "checks": [{"action": "all"}],
    "feet": [
        {"action": "Walk", "foot_release": 0.2, "hips_drop": 0.05, "locked_feet": ["foot.L"]},
        {"action": "Walk", "ground": "OBJECT", "ground_object": "Floor", "name": "floor"},
    ],
    "loops": [{"action": "Walk", "range": [3, 20], "half_life": 0.2}],
    "pops": [{"action": "all", "strictness": 8}],
    "keys": [{"action": "Walk", "tolerance": 1.5}],
    "finishes": [{"action": "all", "formats": ["json"]}],
    "paths": [{"curve": "Street", "actions": ["Walk"], "facing_weight": 0, "blend_frames": 6}],
}
"""A spec of all that is done to one action, and of a path."""
QUICK = ["--iterations", "4", "--windows", "8", "--hidden", "4", "--latent", "2"]
LEARNED = {
    "files": ["walkers.blend"],
    "formats": ["blend"],
    "armature": "Walker",
    "learns": [{"iterations": 4, "windows": 8, "hidden": 4, "latent": 2, "name": "learned"}],
    "paths": [
        {"curve": "Street", "width": 2, "pins": ["Walk@20=0.2"], "bans": ["Turn=0:0.1"], "name": "searched"},
        {"curve": "Street", "model": "model.npz", "name": "by model"},
        {"curve": "Street", "model": "networks", "name": "by networks"},
    ],
    "crowds": [{"crowd": ["Walker=Street", "Walker.001=Way 1"], "model": "model.npz", "name": "crowd"}],
}
"""A spec of models, and of paths that clips or models follow."""
RESUMED = {
    "files": ["rig.blend"],
    "formats": ["bvh"],
    "transitions": [{"source": "Walk", "destination": "Run", "cut": 12, "blend_frames": 6}],
}
"""A spec of one job, which was done before ..."""
LIBRARY, RESUME = "library", "resume.json"
"""... into this folder; and its name."""
WISHES = "seconds,x,y,facing\n0,0,-0.4\n0.6,0.1,-0.4,-80\n1.2,0,-0.3,,Turn\n"
POINTS = "seconds,x,y\n0,0,0\n0.5,0,-0.2\n1,0.1,-0.4\n1.5,0.1,-0.6\n"
TOML = """# a spec
files = ["rig.blend"]
formats = ["bvh"]
[defaults]
blend_frames = 6
cycles = ["Walk"]
[[transitions]]
source = "Walk"
destination = "Run"
cut = 12
blend_scales = { "Spine" = 0.5 }
[[hop_tables]]
source = "Walk"
destination = "Run"
formats = ["json"]
"""


def make(folder: Path) -> None:
    """Write a small rig in every format, and specs that read it; in a worker, as bpy may crash at its end."""
    import bpy

    from inertia_addon.cli.program import main
    from tests.batch.small_rig import key, make_rig

    bpy.ops.wm.read_factory_settings(use_empty=True)
    armature = make_rig()
    key(armature, "Jog", 20, 0.09)
    rig = folder / "rig.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(rig), compress=False)
    how = ["--source", "Walk", "--destination", "Run", "--cut", "12"]
    for name in ("walk.bvh", "rig.glb", "rig.gltf", "rig.fbx"):
        assert main(["bake", str(rig), *how, "--result", "Walk", "-o", str(folder / name)]) == 0
    make_walks(folder)
    make_models(folder)
    make_library(folder)
    (folder / "spec.json").write_text(json.dumps(SPEC, indent=1), encoding="utf-8")
    (folder / "spec.toml").write_text(TOML, encoding="utf-8")


def make_library(folder: Path) -> None:
    """Write a spec, and what a batch of it leaves: its output, and records of that and of its input."""
    from inertia_addon.batch.jobs import requests
    from inertia_addon.batch.jobs.job import contents_of
    from inertia_addon.batch.jobs.opened import Opened
    from inertia_addon.batch.work import worker
    from inertia_addon.batch.work.journal import Journal

    spec, opened, journal = folder / RESUME, Opened(), Journal(folder / LIBRARY)
    spec.write_text(json.dumps(RESUMED, indent=1), encoding="utf-8")
    asked = requests.requests_of(requests.read_spec(spec))
    outlines = {request.inputs: worker.inspect(opened, request.inputs) for request in asked}
    for inputs, outline in outlines.items():
        journal.write_outline(inputs, outline)
    for job in requests.expand(asked, outlines).jobs:
        worker.make(opened, job, contents_of(outlines[job.inputs]["contents"]), journal.output)
    opened.close()


def make_walks(folder: Path) -> None:
    """Write a biped whose walk has contacts that were edited, with a floor and a street; and a spec of it."""
    import bpy

    from inertia_addon.blender.data import compat
    from inertia_addon.blender.feet import bake, contacts
    from inertia_addon.motion.feet.contacts import Span
    from inertia_addon.motion.steps import finish
    from inertia_addon.settings.feet import LockSettings
    from tests.blender import clips, stepper

    bpy.ops.wm.read_factory_settings(use_empty=True)
    armature = stepper.biped()
    walk = stepper.walk(armature, skate=0.1)
    for curve in compat.curves(walk, compat.slots(walk)[0].identifier):
        if curve.data_path.endswith('"hips"].location'):
            # a body that only glides tells no pose from another
            for point in curve.keyframe_points:
                point.co.y += 0.01 * math.sin(0.5 * point.co.x)
    contacts.store(walk, {"foot.L": (Span(1.0, 9.0), Span(25.0, 33.0))})
    clips.play(armature, walk)
    finish(bake.lock_action_steps(armature, LockSettings("Walk")))
    floor = bpy.data.meshes.new("Floor")
    floor.from_pydata(
        [(-9.0, -9.0, 0.1), (9.0, -9.0, 0.1), (9.0, 9.0, 0.2), (-9.0, 9.0, 0.2)], [], [(0, 1, 2, 3)]
    )
    street = bpy.data.curves.new("Street", "CURVE")
    line = street.splines.new("POLY")
    line.points.add(1)
    line.points[1].co = (0.0, -1.5, 0.0, 1.0)
    for data in (floor, street):
        bpy.context.collection.objects.link(bpy.data.objects.new(data.name, data))
    for action in bpy.data.actions:
        action.use_fake_user = True
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "feet.blend"), compress=False)
    (folder / "feet.json").write_text(json.dumps(WALKS, indent=1), encoding="utf-8")


def make_models(folder: Path) -> None:
    """Write a biped with clips, who is to follow paths, a model of it, its networks, points and a spec."""
    import bpy

    from inertia_addon.cli.program import main
    from tests.blender import wanderer

    bpy.ops.wm.read_factory_settings(use_empty=True)
    wanderer.with_clips()
    wanderer.crowd(1)
    wanderer.draw_curve("Street", 0.4)
    for action in bpy.data.actions:
        action.use_fake_user = True
    walkers, model = folder / "walkers.blend", folder / "model.npz"
    bpy.ops.wm.save_as_mainfile(filepath=str(walkers), compress=False)
    networks = str(folder / NETWORKS)
    whose = ["--armature", "Walker"]
    assert main(["learn", str(walkers), *whose, *QUICK, "-o", str(model), "--bin", networks]) == 0
    assert main(["database", str(walkers), *whose, "--bin", networks]) == 0
    (folder / "points.csv").write_text(POINTS, encoding="utf-8")
    (folder / "wishes.csv").write_text(WISHES, encoding="utf-8")
    (folder / "learned.json").write_text(json.dumps(LEARNED, indent=1), encoding="utf-8")


def gather(folder: Path, data: Path) -> list[Path]:
    """The inputs to spoil: those that were made, and small files of real motion where there are any."""
    made = [path for path in sorted(folder.iterdir()) if path.suffix in KINDS]
    made += sorted((folder / NETWORKS).glob("*.bin"))
    # some of each kind of record, as there is one of each
    made += 4 * sorted((folder / LIBRARY).rglob("*.json"))
    real = [path for path in sorted(data.rglob("*")) if path.suffix in (".bvh", ".glb", ".gltf")]
    return made + [path for path in real if path.stat().st_size < LARGEST][:12]


def data_folder() -> Path:
    """Where real motion may be."""
    return Path(os.environ.get("INERTIA_DATA") or ROOT.parent / "shared" / "data")


def stage(source: Path, folder: Path) -> Path:
    """Put an input, with what it needs, into a folder of its own; returns its path there."""
    folder.mkdir(parents=True)
    if LIBRARY in source.parts:
        return stage_library(source, folder)
    if source.parent.name == NETWORKS:
        shutil.copytree(source.parent, folder / NETWORKS)
        shutil.copy(source.parent.with_name("walkers.blend"), folder)
        return folder / NETWORKS / source.name
    if source.stem in MODELS:
        for name in ("walkers.blend", "model.npz", source.name):
            shutil.copy(source.with_name(name), folder)
        shutil.copytree(source.with_name(NETWORKS), folder / NETWORKS)
        return folder / source.name
    beside = {".toml": ("rig.blend",), ".json": (f"{rig_of(source)}.blend",), ".gltf": ("rig.bin",)}
    for name in beside.get(source.suffix, ()):
        shutil.copy(source.with_name(name), folder)
    return Path(shutil.copy(source, folder))


def stage_library(source: Path, folder: Path) -> Path:
    """Put a library, with what it was made of, into a folder, as if it had been made there.

    Returns the path of the same record in it.
    """
    from inertia_addon.batch.jobs.job import Inputs
    from inertia_addon.batch.work import journal
    from inertia_addon.storage import contents

    good = next(parent for parent in source.parents if parent.name == LIBRARY)
    for name in (RESUME, "rig.blend"):
        shutil.copy(good.with_name(name), folder)
    shutil.copytree(good, folder / LIBRARY)
    path = folder / LIBRARY / source.relative_to(good)
    if path.parent.name == "inputs":
        rig = (folder / "rig.blend").resolve()
        outline = json.loads(path.read_text(encoding="utf-8"))
        del outline[journal.DIGEST]
        path.unlink()
        library = journal.Journal(folder / LIBRARY)
        library.write_outline(Inputs((str(rig),)), {**outline, "contents": contents.digests([rig])})
        (path,) = path.parent.iterdir()
    return path


def rig_of(spec: Path) -> str:
    """The name of the .blend that a spec reads."""
    return "feet" if spec.stem == "feet" else "rig"


FRAMES = ("12", "1", "0", "-5", "1e9", "nan", "7.25", "inf", "x", "")
NAMES = ("Walk", "Run", "Jog", "walk", "Survey", "rig", "", "\x1b[2J", "../Walk")


def command(path: Path, chance: Random) -> list[str]:
    """A command on an input; most of its options are sensible, and some are not."""
    if path.name == RESUME or LIBRARY in path.parts:
        more = maybe(chance, ("--json",), ("--whole-file",), ("--check",))
        return ["batch", RESUME, "-o", chance.choice((LIBRARY, f"x/../{LIBRARY}")), "--resume", *more]
    if path.suffix in (".npz", ".csv", ".bin") or path.stem == "walkers":
        return follow(path, chance)
    if path.suffix in (".toml", ".json"):
        more = chance.choice(((), ("--check",), ("--json",), ("--whole-file",), ("--jobs", "1")))
        return ["batch", path.name, "-o", "out", *more]
    kind = chance.choice(("info", "info", "bake", "bake", "cost", "fit", "hop", "matrix"))
    if path.stem == "feet":
        kind = chance.choice(("info", "bake", "check", "check", "feet", "feet", "finish", "loop", "pops"))
    words = [kind, path.name]
    ends = (
        [path.stem, "other"]
        if path.suffix == ".bvh"
        else ["Walk", "Walk locked"]
        if path.stem == "feet"
        else ["Walk", "Run" if path.suffix != ".gltf" and path.name != "rig.glb" else "Walk"]
    )
    if chance.random() < 0.1:
        ends = chance.sample(NAMES, 2)
    frame = chance.choice(FRAMES) if chance.random() < 0.15 else "6"
    if kind in ("bake", "cost", "hop"):
        if path.suffix == ".bvh":
            words.append("other.bvh")
        words += ["--source", ends[0], "--destination", ends[1]]
    if kind == "bake":
        output = "out" + chance.choice((".blend", ".bvh", ".glb", ".gltf", ".fbx", ".png"))
        words += ["--cut", frame, "-o", output, *maybe(chance, ("--report", "report.json"))]
    elif kind == "cost":
        words += ["--cut", frame, *maybe(chance, ("--map", "out.png"), ("--csv", "out.csv"), ("--best", "3"))]
    elif kind == "fit":
        words += maybe(chance, ("--plot", "out.png"), ("--csv", "out.csv"), ("--action", ends[0]))
    elif kind == "hop":
        words += ["--trigger", frame, *maybe(chance, ("--bake", "out.blend"), ("--table", "out.json"))]
    elif kind == "matrix":
        words += ["-o", "out", *maybe(chance, ("--spec", "edges.json"), ("--best", frame))]
    elif kind in ("check", "feet", "finish", "loop", "pops"):
        words += ["--action", chance.choice(ends)]
        words += [] if kind == "check" else ["-o", "out.blend"]
        if kind == "feet":
            words += maybe(chance, ("--ground", "plane", "--ground-height", frame), ("--foot-release", frame))
            words += maybe(
                chance, ("--ground", "object", "--ground-object", chance.choice(("Floor", *NAMES)))
            )
    if kind in ("bake", "cost", "hop"):
        words += maybe(chance, ("--half-life", frame), ("--root", ends[0]), ("--alignment", "position"))
    return words + maybe(chance, ("--json",), ("--fps", frame), ("--scale", frame), ("--armature", "Rig"))


PLACES = (
    "Walk@20=0.2",
    "Turn@5=0.1",
    "Walk@1e9=0",
    "Walk@x=0.1",
    "@=",
    "Walk=0:0.1",
    "Turn=nan:1",
    "Run@2=0.3",
    "",
)


def follow(path: Path, chance: Random) -> list[str]:
    """What follows paths, with clips or models, and what makes these: on a model, its networks, points or
    clips."""
    words = ["walkers.blend", "--armature", "Walker"]
    model = NETWORKS if path.suffix == ".bin" else "model.npz"
    if path.stem == "wishes":
        begin = f"0,{chance.choice(FRAMES)},{chance.choice(('1e308', '90', '-720'))}"
        words = [
            "steer",
            *words,
            "--input",
            path.name,
            *maybe(chance, (f"--start={begin}",), ("--moves", "Turn")),
        ]
        words += maybe(chance, ("--model", model), ("--cycles", "Walk"), ("--json",))
        return words + ([] if chance.random() < 0.5 else ["-o", "out" + chance.choice((".blend", ".bvh"))])
    kinds = {".npz": ("path", "path", "learn", "check"), ".csv": ("path",), ".bin": ("path", "check")}
    kind = chance.choice(kinds.get(path.suffix, ("path", "path", "learn", "check", "complete", "database")))
    frame = chance.choice(FRAMES) if chance.random() < 0.15 else "6"
    if kind == "complete":
        return [kind, *words, "-o", "out.blend", *maybe(chance, ("--action", "Walk", "Nowhere"), ("--json",))]
    if kind == "database":
        more = maybe(chance, ("--mirror",), ("--bin", "out"), ("--actions", "Walk"), ("--cycles", "Walk"))
        return [kind, *words, "-o", "out.npz", *more]
    if kind == "check":
        return [
            "learn",
            *words,
            "--check",
            model,
            *maybe(chance, ("--json",), ("--mirror",), ("--bin", "out")),
        ]
    if kind == "learn":
        resume = ["-o", "model.npz", "--resume"] if chance.random() < 0.5 else ["-o", "out.npz"]
        return [
            kind,
            *words,
            *QUICK,
            *resume,
            *maybe(chance, ("--mirror",), ("--hidden", frame), ("--json",)),
        ]
    words = [kind, *words]
    if path.suffix == ".csv":
        words += ["--points", path.name]
    elif path.suffix == ".npz" and chance.random() < 0.2:
        words = [
            kind,
            "walkers.blend",
            "--crowd",
            "Walker=Street",
            chance.choice(("Walker.001=Way 1", "Walker=", "=")),
        ]
    else:
        words += ["--curve", chance.choice(("Street", "Street", "Street", *NAMES))]
    if path.suffix in (".npz", ".bin") or chance.random() < 0.2:
        words += ["--model", model]
    else:
        words += ["--width", "2", "--ahead-seconds", "1"]
        words += maybe(chance, ("--pins", *chance.sample(PLACES, 2)), ("--bans", *chance.sample(PLACES, 2)))
        words += maybe(chance, ("--fixed", *chance.sample(PLACES, 2)))
        words += maybe(chance, ("--mirror",), ("--strips",), ("--actions", "Walk", "Turn"), ("--greedy",))
    words += maybe(chance, ("--speed", "constant", frame), ("--first-frame", frame), ("--facing", "free"))
    output = "out" + chance.choice((".blend", ".blend", ".bvh", ".glb"))
    return words + ([] if chance.random() < 0.3 else ["-o", output]) + maybe(chance, ("--json",))


def maybe(chance: Random, *options: tuple[str, ...]) -> list[str]:
    """Each option, once in eight times."""
    return [word for option in options if chance.random() < 1 / 8 for word in option]
