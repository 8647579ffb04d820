# SPDX-License-Identifier: GPL-3.0-or-later
"""How good and how quick learned motion matching is on real motion, by goals, each met or not.

    python bench/learned.py --data DATA [--set NAME ...] [--minutes M | --iterations N]
        [--models FOLDER] [--timed | --checked | --write]

A model of each set of clips and their mirror images is trained for --minutes of processor time, or read from
--models if it is there, and else written there. Then it is checked on the clips; it follows the eight paths
of examples/paths beside the search of games over the clips, and is baked along them; and it is timed. Trained
and timed is with as many threads as OMP_NUM_THREADS says.
"""

from __future__ import annotations

import argparse
import copy
import dataclasses
import functools
import itertools
import operator
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import bpy
import measures
import numpy as np
import paths
from goals import whether
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inertia_addon.blender.data import clip_store, scene
from inertia_addon.blender.evaluation import joint_motion, joints
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.feet import legs as leg_list
from inertia_addon.blender.learned import bake, clips, files
from inertia_addon.blender.learned import follow as following
from inertia_addon.blender.matching.action_set import Stock
from inertia_addon.blender.matching.followed import Course
from inertia_addon.motion import quaternion
from inertia_addon.motion.learned import checking, follow, judging, networks, play, training, usability
from inertia_addon.motion.learned.follow import FollowedPath
from inertia_addon.motion.learned.material import Material, short_of_time
from inertia_addon.motion.learned.model import STAGES, Model
from inertia_addon.motion.learned.play import CharacterStates, Player
from inertia_addon.motion.learned.training import Training
from inertia_addon.motion.matching import search
from inertia_addon.motion.matching.clip_sequence import Route
from inertia_addon.motion.matching.engine import FPS
from inertia_addon.motion.matching.moves import SearchSettings
from inertia_addon.motion.matching.targets import Timed
from inertia_addon.motion.steps import finish
from inertia_addon.settings.learned import LearnSettings
from tools import tables

Array = NDArray[np.float64]

SETS = ("cmu127", "cmu131")
"""The sets of walks, runs and turns."""
SHORT = 120
"""So many frames of each path are followed to see how long decisions take."""
TOGETHER = 10
"""So many steps of training are measured, then so often what they are compared with, and so on."""


def judged(what: str, value: float, most: float, unit: str) -> str:
    """A row of the table: what was measured beside its goal."""
    return tables.row([what, whether(value, most, f" {unit}")])


# --- what it has learned


def learned(own: Training, path: Path | None) -> tuple[Model, float]:
    """The model, and how much processor time its training took, which is what minutes are counted by here."""
    own.clock = time.process_time
    began = time.process_time()
    model = finish(own.steps())
    if path is not None:
        files.save(path, model)
    return model, time.process_time() - began


def checked(model: Model, material: Material) -> Iterator[str]:
    """How far it is from the clips."""
    seen = checking.check(model, material)
    yield judged("Decompressor, joints, mean", seen.whole.joints_cm, 0.5, "cm")
    yield judged("Decompressor, joints, 99th percentile", seen.whole.joints_p99_cm, 2.0, "cm")
    yield judged("Decompressor, rotations, mean", seen.whole.rotations_deg, 1.0, "deg")
    yield judged("Decompressor, wrong contacts", 100.0 * (1.0 - seen.whole.contacts), 1.0, "%")
    assert seen.drift_cm is not None
    assert seen.projector_cm is not None
    yield judged("Stepper, joints after 20 frames", seen.drift_cm[20], 1.5, "cm")
    yield judged("Stepper, joints after 60 frames", seen.drift_cm[60], 3.0, "cm")
    yield judged("Projector, made-up queries", seen.projector_cm, 3.5, "cm")
    played = finish(judging.judge_steps(model, material))
    assert played is not None
    drift = played.drift_cm / played.random_cm
    yield judged(
        "Drift after 30 frames over how far random frames are apart", drift, usability.DRIFTS, "times"
    )
    yield judged("Toes on the ground over the clips' own", played.times, usability.SKATES, "times")


def asked_by(model: Model, material: Material, way: Route, aim: Timed) -> Any:
    """The queries of the search of games along a way, every tenth of a second."""
    frames = np.arange(0, way.frames, follow.EVERY)
    player = Player(model, way.ground[frames], way.heading[frames])
    player.features[:] = material.features[way.flat[frames]]
    standing = player.snapshot()
    wanted = [
        follow.wanted([aim], CharacterStates(standing.pose, ground[None], heading[None]), int(frame), pull)
        for pull in follow.PULLS
        for frame, ground, heading in zip(frames, standing.ground, standing.heading, strict=True)
    ]
    player = play.together([player] * len(follow.PULLS))
    return player.make_queries(*(np.concatenate(both) for both in zip(*wanted, strict=True)))


# --- along paths


def placed(material: Material, own: FollowedPath) -> Array:
    """Where all joints are (frames, bones, 3) along a path, metres, Y up."""
    return play.joints(material.tree, own.positions, own.rotations, own.ground, own.heading)


def own_changes(made: Stock, material: Material) -> float:
    """The largest change of joint velocity in the clips."""
    highest = 0.0
    base = made.database
    for a, b in zip(material.starts.tolist(), material.stops.tolist(), strict=True):
        part = slice(a, b)
        seen = checking.joints(material, material.values[part])
        facing = quaternion.exp((base.heading[part, None] + 0.5 * np.pi) * (0.0, 1.0, 0.0))[:, None]
        ground = np.column_stack([base.ground[part, 0], 0.0 * base.heading[part], -base.ground[part, 1]])
        order = quaternion.rotate(facing, seen) + ground[:, None]
        if b - a > 2:
            highest = max(highest, float(measures.velocity_changes(order, FPS).max()))
    return highest


def along(armature: Any, made: Stock, material: Material, model: Model, names: list[str]) -> Iterator[str]:
    """The whole loop beside the search of games."""
    own = paths.settings(paths.EXAMPLES / "line.csv", pose_weight=1.0)
    found = made.features(dataclasses.replace(own, features="POSITION_VELOCITY"))
    squares, theirs, spent, frames, largest, count = 0.0, 0.0, 0.0, 0, 0.0, 0
    queries, feet = [], []
    for name, course, aim in paths.targets_of(made.database, names):
        way = search.greedy(made.database, found, aim, SearchSettings())
        queries.append(asked_by(model, material, way, aim))
        began = time.process_time()
        (played,) = finish(follow.steps(model, [aim]))
        spent += time.process_time() - began
        away = np.sum((played.ground - aim.ground) ** 2, axis=1)
        squares += float(away.sum())
        theirs += float(np.sum((way.ground - aim.ground) ** 2))
        frames, count = frames + aim.frames, count + len(played.projected)
        changes = measures.velocity_changes(placed(material, played), FPS)
        for frame in played.projected.tolist():
            around = changes[max(frame - 2, 0) : frame + 2]
            largest = max(largest, float(around.max()) if len(around) else 0.0)
        feet.append(planted(armature, model, name, course))
        print(
            f"{name}: {100.0 * np.sqrt(away.mean()):.1f} cm, {len(played.projected)} projections; planted "
            f"feet, locked, {feet[-1]:.2g} cm/s",
            flush=True,
        )
    random = np.random.default_rng(1)
    near, any_frame = checking.measure_projected(model, material, np.concatenate(queries), random)
    rms, game = (100.0 * np.sqrt(each / frames) for each in (squares, theirs))
    yield judged(f"Projector, the search's queries (any frame: {any_frame:.1f} cm)", near, 3.5, "cm")
    yield judged(f"The loop along paths, rms; greedy search {game:.1f} cm", rms, 1.2 * game, "cm")
    highest = own_changes(made, material)
    yield judged(
        f"Change of velocity at {count} projections over the clips'", largest / highest, 1.2, "times"
    )
    yield judged("Planted feet, locked, on the worst of the paths", max(feet), 2.0, "cm/s")
    yield tables.row(["A frame along a path, with all that is tried", f"{1000.0 * spent / frames:.3g} ms"])


def planted(armature: Any, model: Model, name: str, course: Course) -> float:
    """How fast feet move, centimetres a second, that the model has on the ground, in what is baked of a path:
    their median."""
    found = finish(
        following.follow_course_steps(model, paths.settings(paths.EXAMPLES / f"{name}.csv"), course)
    )
    report = finish(bake.bake_path_steps(armature, found))
    made = bpy.data.actions[report.result]
    shown = bake.sampled(found.played, found.settings.first_frame, scene.fps())
    names = [bone.name for bone in armature.data.bones]
    legs = {names[leg.foot]: leg for leg in leg_list.of_armature(armature)}
    points = [(legs[foot].point, legs[foot].offset) for foot in model.skeleton.feet]
    clip = clip_store.read(armature, made, report.slot)
    places = finish(joint_motion.track_points_steps(read_character(armature), clip, points, shown.frames))
    speeds = 100.0 * np.linalg.norm(np.gradient(places, axis=0), axis=-1) * scene.fps()
    bpy.data.actions.remove(made)
    return float(np.median(speeds[shown.contacts]))


# --- how long it takes


def best_of(work: Callable[[], Any], times: int = 7) -> float:
    """The shortest processor time of some, milliseconds."""
    spent = []
    for _ in range(times):
        began = time.process_time()
        work()
        spent.append(time.process_time() - began)
    return 1000.0 * min(spent)


def running(model: Model, material: Material) -> Iterator[str]:
    """Decompressing and stepping."""
    for count, most in ((100, 5.0), (1, 0.1)):
        player = Player(model, np.zeros((count, 2)), np.zeros(count))
        player.features[:] = material.features[:count]
        # what a step goes by is decompressed already
        player.snapshot()
        # a clock of a process may stand still for as long as one character takes
        together = 100 // count
        stepping = best_of(functools.partial(go_on, player, together), 1000)
        yield judged(f"Decompress and step, {count} at once", stepping / together, most, "ms")
        shown = best_of(functools.partial(go_on, player, 1, Player.snapshot), 2000)
        yield tables.row([f"the same, as quaternions, {count} at once", f"{shown:.3g} ms"])


def deciding(model: Model, made: Stock) -> Iterator[str]:
    """What a decision takes along the paths, with the frames that are played until the next one."""
    aims = [aim for _, _, aim in paths.targets_of(made.database, [])]
    for count, most in ((1, 5.0), (100, 16.0)):
        several = [aims[i % len(aims)] for i in range(count)]
        several = [dataclasses.replace(a, ground=a.ground[:SHORT], facing=a.facing[:SHORT]) for a in several]
        spent = best_of(functools.partial(followed, model, several), 3)
        yield judged(f"A decision, {count} at once", spent * follow.EVERY / SHORT, most, "ms")


def followed(model: Model, aims: Sequence[Timed]) -> None:
    """Have characters follow targets."""
    finish(follow.steps(model, aims))


def go_on(player: Player, frames: int, read: Callable[[Player], Any] = operator.attrgetter("values")) -> None:
    """Go on by some frames, each of which is read."""
    # from the same pose each time: a Stepper that nothing corrects goes astray
    going = copy.copy(player)
    for _ in range(frames):
        going.step()
        read(going)


def trained(own: Training) -> Iterator[str]:
    """A step of each stage beside the matrix products that it is made of, which are measured in between, as
    other programs can slow a machine down for seconds."""
    bare = {stage: list(products(own, stage)) for stage in STAGES}
    steps, least = dict.fromkeys(STAGES, np.inf), dict.fromkeys(STAGES, np.inf)
    began = time.process_time()
    for _ in own.steps():
        ended = time.process_time()
        # the last step of a stage is over when the next one has begun
        if own.stage < len(STAGES):
            stage = tuple(STAGES)[own.stage]
            steps[stage] = min(steps[stage], 1000.0 * (ended - began))
            if own.state.steps % TOGETHER == 0:
                # all in turn, as a step takes them
                spent = best_of(lambda works=bare[stage]: [work() for work in works], TOGETHER)
                least[stage] = min(least[stage], spent)
        began = time.process_time()
    for stage in STAGES:
        of = ", with those that find the nearest frames" if stage == "projector" else ""
        yield judged(
            f"A step of the {stage} over {least[stage]:.2f} ms of matrix products{of}",
            steps[stage] / least[stage],
            1.5,
            "times",
        )


def products(own: Training, stage: str) -> Iterator[Callable[[], Any]]:
    """The matrix products of a stage's step."""
    model, names = own.model(), STAGES[stage]
    place = [*STAGES].index(stage)
    windows = training.WINDOWS[place] * own.settings.windows
    rows = (training.WINDOW, training.LONG - 1, training.QUERIES)[place] * windows
    # steps come one after the other, and each needs the one before
    together = windows if stage == "stepper" else rows
    for name in names:
        # nobody asks for the gradient by what a stage's first network is given, but of the Stepper, which is
        # given what it gave before
        yield from passes(model.sizes[name], rows, together, by_inputs=stage == "stepper" or name != names[0])
    if stage == "projector":
        features = own.material.features
        frames = np.ascontiguousarray(features.T)
        asked = np.ascontiguousarray(features[np.arange(together) % len(features)])
        yield functools.partial(np.matmul, asked, frames)


def passes(sizes: Sequence[int], rows: int, together: int, *, by_inputs: bool) -> Iterator[Callable[[], Any]]:
    """The matrix products of a network's layers, forth and back. together: rows at once. by_inputs: whether
    the gradient by what goes into the first layer is asked for, too."""
    random = np.random.default_rng(0)
    for i, (a, b) in enumerate(itertools.pairwise(sizes)):
        shapes = (together, a), (together, b), (rows, a), (rows, b), (a, b)
        x, y, whole, slope, weights = (random.normal(size=s).astype(np.float32) for s in shapes)
        both = [functools.partial(np.matmul, x, weights), functools.partial(np.matmul, y, weights.T)]
        asked = both if i or by_inputs else both[:1]
        yield from rows // together * asked
        yield functools.partial(np.matmul, whole.T, slope)


def sizes(model: Model, material: Material) -> Iterator[str]:
    """How large models of this skeleton are, and from how many frames on clips are larger."""
    frame = 4 * (4 * material.rows.bones + 7)
    whole = 4 * (material.rows.size + material.features.shape[1])
    yield from tables.heads(["hidden", "model", "frames of rotations and a root", "of a game's database"])
    for hidden in (64, 128, 256, 512):
        wanted = dataclasses.replace(model, settings=dataclasses.replace(model.settings, hidden=hidden))
        numbers = sum(networks.count(wanted.sizes[name]) for name in ("decompressor", "stepper", "projector"))
        size = 4 * numbers
        yield tables.row(
            [str(hidden), f"{size / 1e6:.1f} MB", f"{size / frame:,.0f}", f"{size / whole:,.0f}"]
        )


def judge(options: argparse.Namespace, name: str) -> tuple[list[str], Model, Material]:
    """What there is to say of a model of a set, the model, and what it has learned."""
    armature, made, _ = paths.read(options.data, name)
    wanted = LearnSettings(mirror=True, minutes=options.minutes, iterations=options.iterations)
    weights = joints.named_weights(armature, "stored")
    material, skeleton = finish(clips.read_material_steps(armature, wanted, weights))
    print(f"{name}: {material.frames} frames with mirror images", flush=True)
    if (said := short_of_time(material.frames, options.minutes)) is not None:
        print(f"said before: {said}", flush=True)
    kept = None if options.models is None else options.models / f"{name}.npz"
    if kept is not None and kept.exists():
        model = files.load(kept).model
        clips.check_fits(model, read_character(armature))
    else:
        model, spent = learned(Training(material, wanted, skeleton), kept)
        print(f"trained in {spent:.0f} s of processor time")
    print(
        "\n".join(
            [
                *tables.heads(["loss by term", ""]),
                *(tables.row([name, f"{value:.4f}"]) for name, value in model.terms.items()),
            ]
        )
    )
    if options.timed:
        return [*tables.heads(["what", "measured"]), *deciding(model, made)], model, material
    if options.checked:
        return [*tables.heads(["what", "measured"]), *checked(model, material)], model, material
    rows = [*checked(model, material), *along(armature, made, material, model, options.path)]
    rows += running(model, material)
    rows += deciding(model, made)
    rows += trained(Training(material, LearnSettings(iterations=300), skeleton))
    lasted = (
        f"{model.settings.iterations} steps"
        if model.settings.iterations
        else f"{model.settings.minutes:g} min"
    )
    lines = [
        f"{name}, {material.frames} frames with mirror images, learned for {lasted}:",
        "",
        *tables.heads(["what", "measured"]),
        *rows,
        "",
    ]
    print("\n".join(lines), flush=True)
    return lines, model, material


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--set", nargs="+", choices=paths.SETS | paths.OTHERS, default=SETS)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--iterations", type=int, default=0)
    parser.add_argument("--models", type=Path, help="a folder where models of sets are, or are to be kept")
    parser.add_argument(
        "--write", action="store_true", help="write the tables into docs/reference/measured.md, too"
    )
    parser.add_argument("--timed", action="store_true", help="only how long decisions take")
    parser.add_argument("--checked", action="store_true", help="only how near it is to the clips")
    parser.add_argument("--path", nargs="+", default=[], help="only these of the paths")
    options = parser.parse_args()
    said: list[str] = []
    for name in options.set:
        lines, model, material = judge(options, name)
        said += lines
    is_part = options.timed or options.checked
    large = [] if is_part else [*sizes(model, material)]
    print("\n".join(said if is_part else large))
    if options.write:
        tables.write("learned", said + large)
    sys.stdout.flush()
    # the bpy modules can hang at exit; everything is said
    os._exit(0)


if __name__ == "__main__":
    main()
