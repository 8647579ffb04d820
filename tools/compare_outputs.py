# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether two checkouts make the same things of the same inputs.

    python tools/compare_outputs.py BEFORE AFTER [--data DATA] [--keep FOLDER]

In each checkout the examples are made and the command line is run as its users run it: tables, JSON, CSV,
the schema, specs, reports and the keys of what is baked are compared value by value, numbers included.
Pictures are compared by their pixels. What differs by nature is left out: how long things took, where they
were written, addresses in .blend files. Needs a Python that has bpy; exits with 1 where anything differs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SCRIPTS = {
    "humanoid.blend": ("examples/humanoid/make_clips.py", "--output"),
    "demo": ("examples/demo/make_demo.py", "--output"),
    "library": ("examples/batch/make_library.py", "-o"),
    "hop": ("examples/hop/make_table.py", "-o"),
    "cost": ("examples/cost/make_pictures.py", "-o"),
    "learned": ("examples/learned/make_pictures.py", "-o"),
}
"""The examples, and what says where each writes."""

CLIP = ("--source", "Walk", "--destination", "Run")
PATH = ("--points", "{checkout}/examples/paths/s.csv", "--actions", "Walk", "Run", "Turn", "--mirror")
NAMES = (
    *(
        "bake",
        "complete",
        "cost",
        "check",
        "feet",
        "travel",
        "fit",
        "hop",
        "loop",
        "path",
        "database",
        "learn",
    ),
    *("finish", "pops", "keys", "steer", "matrix", "batch", "info"),
)
COMMANDS = {
    "info.json": ("info", "{clips}", "--json"),
    "schema.json": ("batch", "--schema"),
    "cost.json": ("cost", "{clips}", *CLIP, "--best", "20", "--map", "{out}/map.png", "--json"),
    "curve.json": ("cost", "{clips}", *CLIP, "--cut", "20", "--method", "cubic", "--json"),
    "hop.json": ("hop", "{clips}", *CLIP, "--trigger", "12", "--table", "{out}/hops.json", "--json"),
    "hop.txt": ("hop", "{clips}", *CLIP, "--trigger", "12", "--bake", "{out}/hop.blend"),
    "pairs.txt": ("hop", "{clips}", "--all-pairs", "Walk", "Run", "Idle", "--table", "{out}/pairs.npz"),
    "cost.txt": ("cost", "{clips}", *CLIP, "--cut", "20", "--csv", "{out}/cost.csv"),
    "fit.json": ("fit", "{clips}", "--csv", "{out}/fit.csv", "--plot", "{out}/fit.png", "--json"),
    "fit.txt": ("fit", "{clips}", "--action", "walk", "--root", "root", "--forward", "y"),
    "info.txt": ("info", "{clips}"),
    "check.json": ("check", "{clips}", "--action", "Walk", "--json"),
    "feet.txt": ("feet", "{clips}", "--action", "Walk", "-o", "{out}/feet.blend"),
    "travel.txt": ("travel", "{clips}", "--action", "Walk", "--in-place", "-o", "{out}/travel.blend"),
    "pops.txt": ("pops", "{clips}", "--action", "Run", "-o", "{out}/pops.blend"),
    "keys.txt": ("keys", "{clips}", "--action", "Run", "-o", "{out}/keys.blend"),
    "finish.json": ("finish", "{clips}", "--action", "Run", "--json"),
    "loop.txt": ("loop", "{clips}", "--action", "Run", "--find", "3", "-o", "{out}/loop.blend"),
    "complete.txt": ("complete", "{clips}", "--action", "Walk", "Run", "-o", "{out}/complete.blend"),
    "database.json": (
        *("database", "{clips}", "--actions", "Walk", "Run", "--mirror", "--facing-weight", "0"),
        *("-o", "{out}/set.npz", "--bin", "{out}/bin", "--json"),
    ),
    "path.json": ("path", "{clips}", *PATH, "-o", "{out}/path.blend", "--json"),
    "path.txt": ("path", "{clips}", *PATH),
    "bake.txt": ("bake", "{clips}", *CLIP, "--cut", "20", "--feet", "auto", "-o", "{out}/bake.glb"),
    "pose.txt": (
        *("bake", "{clips}", "--from-pose", "motion", "--destination", "run", "--cut", "7.5"),
        *("-o", "{out}/pose.blend", "--report", "{out}/pose-report.json"),
    ),
    "matrix-of-clips.json": (
        "matrix",
        "{clips}",
        "-o",
        "{out}/matrix-of-clips",
        "--spec",
        "{out}/edges.json",
    ),
    "transitions.json": (
        "batch",
        "{out}/library/transitions.toml",
        "-o",
        "{out}/transitions",
        "--jobs",
        "1",
        "--json",
    ),
    "hops.json": ("batch", "{out}/library/hops.toml", "-o", "{out}/hops", "--json"),
    **{
        f"wrong-{place}.txt": words
        for place, words in enumerate(
            (
                ("bake", "{clips}", "--destination", "Run", "-o", "{out}/no.blend"),
                ("bake", "{clips}", *CLIP, "--cut", "20", "--from-pose", "rest", "-o", "{out}/no.blend"),
                ("bake", "{clips}", *CLIP, "--cut", "20", "--strips", "-o", "{out}/no.glb"),
                ("bake", "{clips}", *CLIP, "--cut", "20", "--half-life", "0.1", "--method", "cubic"),
                (
                    "bake",
                    "{clips}",
                    "--source",
                    "Walq",
                    "--destination",
                    "Run",
                    "--cut",
                    "2",
                    "-o",
                    "x.blend",
                ),
                ("cost", "{clips}", *CLIP, "--suggest-blend-time"),
                ("hop", "{clips}", *CLIP, "--bake", "{out}/no.blend"),
                ("hop", "{clips}", "--source", "Walk"),
                ("hop", "{clips}", "--all-pairs", "Walk"),
                ("hop", "{clips}", *CLIP, "--all-pairs", "Walk", "Run"),
                ("hop", "{clips}", *CLIP, "--trigger", "12", "--rank", "9000", "--bake", "{out}/no.blend"),
                ("learn", "{clips}"),
                ("learn", "{clips}", "--resume", "--check", "model.npz"),
                ("learn", "{clips}", "--check", "{clips}"),
                ("path", "{clips}", "--crowd", "Mannequin=Curve"),
                ("path", "{clips}", "--points", "no.csv", "--speed", "constant"),
                ("path", "{clips}", "--points", "no.csv", "--model", "no.npz", "--mirror"),
                ("path", "{clips}", "-o", "{out}/no.blend"),
                ("database", "{clips}"),
                ("database", "{clips}", "-o", "{clips}"),
                ("fit", "{clips}", "--forward", "w"),
                ("fit", "{clips}", "--action", "None"),
                ("complete", "{clips}", "-o", "{out}/no.glb"),
                ("info", "{clips}", "--armature", "Nobody"),
                ("matrix", "-o", "{out}/no"),
                ("matrix", "{clips}", "-o", "{out}/no", "--best", "2"),
            )
        )
    },
    **{f"help-{name}.txt": (name, "--help") for name in NAMES},
    **{
        f"{method}.json": (
            *("bake", "{clips}", *CLIP, "--cut", "20", "--method", method),
            *("-o", f"{{out}}/{method}.blend", "--report", f"{{out}}/{method}-report.json", "--json"),
        )
        for method in ("quintic", "cubic", "spring", "dead-blending")
    },
}
"""What the command line is asked on the clips of the mannequin, by the file that takes what it says."""

REAL = {
    "matrix.json": (
        *("matrix", "{data}/bvh/cmu127", "--scale", "0.01", "--by", "cost", "-o", "{out}/matrix", "--json"),
    ),
    "real-path.json": (
        *("path", "{data}/bvh/cmu127", "--scale", "0.01", "--points", "{checkout}/examples/paths/s.csv"),
        *("--mirror", "-o", "{out}/real-path.blend", "--json"),
    ),
    "real-fit.json": ("fit", "{data}/bvh/cmu127", "--scale", "0.01", "--json"),
}
"""The same on real motion, if there is any."""

PASSING = re.compile(r" \d+ ?%|\d+ of \d+|left$")
"""A line of how far something is, which comes when it comes."""

LEFT_OUT = {"seconds", "processor_seconds", "peak_mib", "output"}
"""Fields that say how long something took, or how much memory."""

KEYS = """
import bpy, json, sys
path, out = sys.argv[1:]
bpy.ops.wm.open_mainfile(filepath=path)
held = {}
for action in bpy.data.actions:
    strips = [strip for layer in getattr(action, "layers", ()) for strip in layer.strips]
    bags = [(bag.slot.identifier, bag.fcurves) for strip in strips for bag in strip.channelbags]
    for slot, curves in bags or [("", getattr(action, "fcurves", ()))]:
        for c in curves:
            held[f"{action.name} {slot} {c.data_path} {c.array_index}"] = [
                [*k.co, *k.handle_left, *k.handle_right, k.handle_left_type, k.handle_right_type]
                + [k.interpolation, k.easing]
                for k in c.keyframe_points
            ]
    held[action.name] = [action.use_cyclic, *action.frame_range]
    for key, value in action.items():
        held[f"{action.name} says {key}"] = getattr(value, "name", str(value))
for thing in bpy.data.objects:
    if thing.animation_data is not None:
        assigned, tracks = thing.animation_data.action, thing.animation_data.nla_tracks
        strips = [[track.name, s.name, s.frame_start, s.frame_end] for track in tracks for s in track.strips]
        held[f"{thing.name} plays"] = [assigned and assigned.name, strips]
json.dump(held, open(out, "w"))
"""


def run(checkout: Path, words: list[str], cwd: Path, *, tells_all: bool = False) -> str:
    """Run Python in a checkout; returns what it prints. Raises SystemExit when it fails.

    tells_all: whether messages and the exit code count, too, whatever that is.
    """
    environment = {**os.environ, "PYTHONPATH": str(checkout), "PYTHONHASHSEED": "0"}
    done = subprocess.run(
        [sys.executable, *words], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    if tells_all:
        said = [line for line in done.stderr.splitlines() if not PASSING.search(line)]
        return "\n".join([done.stdout, *said, f"exit code {done.returncode}"])
    if done.returncode:
        raise SystemExit(f"{' '.join(words)} failed in {checkout}:\n{done.stderr[-2000:]}")
    return done.stdout


def make(checkout: Path, out: Path, data: Path | None) -> None:
    """Make all there is to compare in a folder."""
    out.mkdir(parents=True)
    for name, (script, flag) in SCRIPTS.items():
        run(checkout, [str(checkout / script), flag, str(out / name)], out)
    clips = out / "humanoid.blend"
    commands = {**COMMANDS, **(REAL if data is not None else {})}
    for name, words in commands.items():
        filled: list[str] = []
        for word in words:
            text = word.format(clips=clips, out=out, data=data, checkout=checkout)
            # a folder of motion stands for the files in it
            filled += map(str, sorted(Path(text).glob("*.bvh"))) if "{data}" in word else [text]
        said = run(checkout, ["-m", "inertia_addon", *filled], out, tells_all=name.endswith(".txt"))
        (out / name).write_text(said.replace(str(checkout), "CHECKOUT"), encoding="utf-8")
    for path in sorted(out.rglob("*.blend")):
        keys = path.with_suffix(".keys.json")
        run(checkout, ["-c", KEYS, str(path), str(keys)], out)
        # recipes name files of the checkout
        keys.write_text(keys.read_text(encoding="utf-8").replace(str(checkout), "CHECKOUT"), encoding="utf-8")


def values(path: Path, out: Path) -> Any:
    """What a file says, as far as it has to be the same."""
    if path.suffix in (".json", ".csv", ".html", ".toml", ".txt"):
        text = path.read_text(encoding="utf-8").replace(str(out), "OUT")
        if path.suffix != ".json":
            return re.sub(r"[0-9a-f]{64}", "", text)
        try:
            return stripped(json.loads(text))
        except json.JSONDecodeError:
            # events, one a line
            return [stripped(json.loads(line)) for line in text.splitlines()]
    if path.suffix == ".npz":
        import numpy as np

        with np.load(path) as held:
            return {name: held[name].tolist() for name in held.files}
    return path.read_bytes()


def stripped(value: Any) -> Any:
    """A JSON value without what differs by nature."""
    if isinstance(value, dict):
        return {key: stripped(held) for key, held in value.items() if key not in LEFT_OUT}
    if isinstance(value, list):
        return [stripped(held) for held in value]
    # digests of files that hold addresses
    return "" if isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) else value


def differences(before: Path, after: Path) -> Iterator[str]:
    """The files that differ, with the kind of the difference."""
    kinds = (".json", ".csv", ".html", ".toml", ".txt", ".bin", ".npz", ".png", ".bvh", ".svg")
    names = [
        {p.relative_to(folder) for p in folder.rglob("*") if p.suffix in kinds and ".inertia" not in p.parts}
        for folder in (before, after)
    ]
    for name in sorted(names[0] | names[1]):
        if not (name in names[0] and name in names[1]):
            yield f"{name}: only {'before' if name in names[0] else 'after'}"
        elif values(before / name, before) != values(after / name, after):
            yield f"{name}: differs"
    print(f"{len(names[0] & names[1])} files compared")


def main() -> None:
    """Compare two checkouts."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--data", type=Path, help="the folder of real motion")
    parser.add_argument("--keep", type=Path, help="where to leave what was made")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        for name in ("before", "after"):
            make(getattr(arguments, name).resolve(), folder.resolve() / name, arguments.data)
        found = list(differences(folder.resolve() / "before", folder.resolve() / "after"))
    for line in found:
        print(line)
    print("the same" if not found else f"{len(found)} differ")
    raise SystemExit(bool(found))


if __name__ == "__main__":
    main()
