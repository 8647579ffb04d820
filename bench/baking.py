# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake takes by the shell once Blender runs, whatever its verdict is, and what a batch job takes.

    python bench/baking.py [--cuts 24]

The file of examples/humanoid is read, two of its clips are joined at random cuts, and the result is judged
and written, each by the command ``bake`` in this process: once at an entry that is named, and once where it
is left to the judge. Printed is the processor time of a command by the word of its verdict: the median and
the highest. Then the same transitions are the jobs of one ``batch``, and what a job takes is the processor
time of its worker beyond that of a batch with one job. Then comes the best pair of frames of each two clips,
found as Best Pair finds it. Last come pairs of clips of 65 bones with 100 and 1000 frames each, judged to the
end: of two walks, and of a walk and a sway of all bones, whose blend of two frames is poor wherever it is, so
that four times as many are judged.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import io
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bpy
import locking
import numpy as np
from goals import whether

from inertia_addon.blender.cost import candidates, costing
from inertia_addon.blender.data import clip_store, scene
from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.judging.verdict import Verdict
from inertia_addon.cli import program
from inertia_addon.motion.steps import finish
from inertia_addon.settings.cost import Search
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, stepper

ROOT = Path(__file__).resolve().parents[1]
MOST_SECONDS, MOST_PAIR_SECONDS = 0.3, 1.0
MOST_OF_FRAMES = {100: 1.0, 1000: 3.0}
"""How many seconds the best pair of two clips of so many frames may take."""
BONES = 65
PAIRS = (("Walk", "Run"), ("Run", "Walk"), ("Idle", "Run"), ("Walk", "Turn"))
SEED = 1


def draw_transitions(count: int) -> list[dict[str, Any]]:
    """Draw transitions at cuts and entries within half a second of their clips' beginnings, as in specs."""
    drawn = random.Random(SEED)
    return [
        {
            **dict(zip(("source", "destination"), PAIRS[i % len(PAIRS)], strict=True)),
            "cut": float(drawn.randrange(8, 24)),
            "destination_frame": float(drawn.randrange(1, 16)),
            "feet": drawn.choice(("auto", "lock", "off")),
            "name": f"made{i:03}",
        }
        for i in range(count)
    ]


def bake(file: Path, transition: dict[str, Any]) -> tuple[str, float]:
    """Bake a transition by its command, here; return its verdict's word and the processor seconds it took."""
    options = ((f"--{name.replace('_', '-')}", f"{value}") for name, value in transition.items())
    given = [word for option in options if option[0] != "--name" for word in option]
    out, report = file.with_name("out.blend"), file.with_name("report.json")
    begun = time.process_time()
    with contextlib.redirect_stderr(io.StringIO()):
        code = program.main(["bake", str(file), *given, "-o", str(out), "--report", str(report)])
    took = time.process_time() - begun
    if code != program.DONE:
        sys.exit(f"bake {' '.join(given)} ended with {code}")
    return json.loads(report.read_text(encoding="utf-8"))["verdict"]["rating"].title(), took


def tell_by_rating(heading: str, file: Path, transitions: list[dict[str, Any]]) -> None:
    """Bake transitions, and print what that takes by the word of their verdicts."""
    took = collections.defaultdict(list)
    for transition in transitions:
        rating, seconds = bake(file, transition)
        took[rating].append(seconds)
    print(f"bake by the shell, without the start of Blender, {len(transitions)} transitions, {heading}:")
    for rating in ("Good", "Fair", "Poor"):
        if seconds := took[rating]:
            median = f"{statistics.median(seconds):.2f} s the median of {len(seconds)}"
            print(
                f"  {rating}, {heading}, {median}; the highest: {whether(max(seconds), MOST_SECONDS, ' s')}"
            )
        else:
            print(f"  {rating}, {heading}: none")


def find_pair(armature: Any, settings: TransitionSettings) -> tuple[Verdict, float]:
    """Find the best pair of frames of two clips, which are read and evaluated for that; return the verdict on
    it, and the processor seconds that it took."""
    begun = time.process_time()
    pair = costing.read_pair(armature, settings)
    motions = finish(costing.motions(armature, pair))
    weights = joints.named_weights(armature, "found")
    compared = costing.compare(settings, pair.alignment, weights, motions, scene.fps())
    clips = finish(clip_store.read_named_steps(armature, settings.ends()))
    (best,) = finish(candidates.best(read_character(armature), settings, clips, compared, Search()))
    assert best.verdict is not None
    return best.verdict, time.process_time() - begun


def tell_pairs(file: Path) -> None:
    """Find the best pair of each two clips, and print what that takes."""
    bpy.ops.wm.open_mainfile(filepath=str(file))
    (armature,) = (thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    # the first one imports what it needs
    find_pair(armature, TransitionSettings(*PAIRS[0], 1.0))
    seconds = [find_pair(armature, TransitionSettings(*pair, 1.0))[1] for pair in PAIRS]
    median = f"{statistics.median(seconds):.2f} s the median of {len(seconds)} pairs of clips"
    print(f"Best Pair, {median}; the highest: {whether(max(seconds), MOST_PAIR_SECONDS, ' s')}")


def tell_pairs_of_frames(rounds: int = 3) -> None:
    """Find the best pair of clips of so many frames, and print the least that it takes."""
    for frames, most in MOST_OF_FRAMES.items():
        armature = locking.make(BONES, frames)
        stepper.walk(armature, "Late", frames=frames, late=0.2)
        sway(armature, frames)
        for other, blend_frames in (("Late", None), ("Sway", 2.0)):
            settings = TransitionSettings("Walk", other, 0.0, blend_frames=blend_frames)
            found = [find_pair(armature, settings) for _ in range(rounds)]
            least = min(seconds for _, seconds in found)
            said = f"Best Pair, {frames} x {frames} frames, {found[0][0].rating.title()}"
            print(f"{said}: {whether(least, most, ' s')}", flush=True)


def sway(armature: Any, frames: int) -> None:
    """Make an action "Sway" in which each bone swings about an axis at a pace of its own."""
    chance = np.random.default_rng(SEED)
    action = builders.action("Sway", slot=armature.name)
    at = np.arange(1.0, frames + 0.5)
    for bone in armature.data.bones:
        axis = chance.normal(size=3)
        half = chance.uniform(0.25, 0.75) * np.sin(chance.uniform(0.05, 0.2) * at + chance.uniform(0.0, 6.0))
        turns = np.column_stack([np.cos(half), np.sin(half)[:, None] * axis / np.linalg.norm(axis)])
        path = builders.bone_path(bone.name, "rotation_quaternion")
        rows = [*zip(at.tolist(), turns.tolist(), strict=True)]
        builders.curves(action, path, rows, interpolation="LINEAR", slot="OB" + armature.name)


def run_batch(file: Path, transitions: list[dict[str, Any]]) -> float:
    """Bake transitions as jobs of a batch with one worker; return the processor seconds of both processes."""
    folder = file.with_name(f"library{len(transitions)}")
    spec = folder.with_suffix(".json")
    spec.write_text(json.dumps({"files": [str(file)], "transitions": transitions}), encoding="utf-8")
    begun = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "inertia_addon", "batch", str(spec), "-o", str(folder), "--jobs", "1"]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime - begun.ru_utime - begun.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cuts", type=int, default=24)
    transitions = draw_transitions(parser.parse_args().cuts)
    with tempfile.TemporaryDirectory(prefix="inertia-bench-") as folder:
        file = Path(folder) / "clips.blend"
        script = ROOT / "examples" / "humanoid" / "make_clips.py"
        subprocess.run([sys.executable, str(script), "-o", str(file)], check=True, capture_output=True)
        # the first one imports what it needs
        bake(file, transitions[0])
        tell_by_rating("entry named", file, transitions)
        found = [
            {name: value for name, value in transition.items() if name != "destination_frame"}
            for transition in transitions
        ]
        tell_by_rating("entry found", file, found)
        each = (run_batch(file, transitions) - run_batch(file, transitions[:1])) / (len(transitions) - 1)
        print(f"a job of a batch: {whether(each, MOST_SECONDS, ' s')}")
        tell_pairs(file)
    tell_pairs_of_frames()


if __name__ == "__main__":
    main()
