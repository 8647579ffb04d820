# SPDX-License-Identifier: GPL-3.0-or-later
"""How well characters are steered on real motion: how soon they answer, and how smooth their takes are.

    python bench/steering.py --data DATA [--set NAME ...] [--baked N] [--models FOLDER] [--timed | --write]

What is wished is scripted: stand, walk ahead, to the left, stop, run, back, along a circle, stop; and at
random, by a seed that no constant was chosen by. *50 %* and *90 %* are how much later than the fitted spring
the character has so much of the change of velocity that is wished, the mean over the wishes and the most, in
seconds; its velocity is smoothed over 0.3 s, as walkers sway. *apart* is the distance from the point that
goes as it is wished, rms; *aside* how far the character faces away from where it is wished to, over a
stride, from a second behind each wish on. *displacement* is what the joins of a second displace, in mm s,
beside that of the search of games along the point's own way. *change* is the largest change of joint velocity
at a join of the baked take over the clips' own, and *skate* how far its feet skate over what the clips' own
do on the same frames, on the floor on which the clips' feet stand; *skate while steered* how far they do in
what a window shows. Goals stand behind the figures, with
whether they are met. With --models the models of sets that bench/learned.py has left in a folder are
steered, too: their joins are measured as it measures them, and a frame is all that a window does in one.
With --timed only how long a frame takes is measured, in processor time. With --write
the table goes into docs/reference/measured.md.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import bpy
import learned as learning
import measures
import numpy as np
import paths
from goals import whether
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inertia_addon.blender.data import actions, clip_store, compat, scene
from inertia_addon.blender.evaluation import joint_motion
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.learned import clips, files, follow
from inertia_addon.blender.learned import posing as played
from inertia_addon.blender.matching import action_set, bake, posing, quality, search
from inertia_addon.blender.matching.action_set import Stock
from inertia_addon.blender.matching.search import PathPlan
from inertia_addon.motion.arrays import smooth
from inertia_addon.motion.feet import going
from inertia_addon.motion.learned import steered
from inertia_addon.motion.matching import features
from inertia_addon.motion.matching.database import Database
from inertia_addon.motion.matching.engine import FPS
from inertia_addon.motion.matching.search import greedy
from inertia_addon.motion.matching.targets import Timed, wrapped
from inertia_addon.motion.steering import fitted, session
from inertia_addon.motion.steering.feet import PosedMoments
from inertia_addon.motion.steering.fitted import FittedGait
from inertia_addon.motion.steering.steering import Steering
from inertia_addon.motion.steps import finish
from inertia_addon.settings.learned import LearnSettings
from inertia_addon.settings.matching import PathSettings
from inertia_addon.settings.steering import Wish
from tools import tables

Array = NDArray[np.float64]

KNIGHT = ("Idle", "Running_A", "Running_B", "Walking_A", "Walking_B", "Walking_C", "Walking_Backwards")
SETS: dict[str, tuple[str, list[str], float, tuple[str, ...]]] = {
    "cmu127": (*paths.SETS["cmu127"][:3], ()),
    "cmu127, all": (*paths.SETS["cmu127, all"][:3], ()),
    "cmu131": (*paths.SETS["cmu131"][:3], ()),
    "Knight, in place": ("glb", ["KayKit_Knight.glb"], 1.0, KNIGHT),
}
"""By name: where its files are, their scale, and which actions are steered with, all without any."""
SEED = 7
"""Of what is wished at random; constants were chosen with others."""
SWAY = 0.15
"""The standard deviation, in seconds, by which the character's velocity is smoothed."""
STRIDE = 1.0
"""Hips turn to and fro with each step: which way a character faces is told over so many seconds."""
SPRING = {0.5: 1.6783, 0.9: 3.8897}
"""When a critically damped spring has gone so much of its way, in 1/y."""
LATE = {0.5: 0.12, 0.9: 0.25}
"""By how much later than that the character may have it, seconds."""
BONES = 65
"""The character that is posed has so many."""
HEADS = ("set", "wished", "figure", "measured")


def scripted(gait: FittedGait) -> list[Wish]:
    """Stand, ahead, left, stop, run, back, a circle, stop."""
    walk, run = min(1.3, 0.7 * gait.top), min(3.2, 0.9 * gait.top)
    found = [Wish(0.0, 0.0, 0.0), Wish(1.5, walk, 0.0), Wish(4.5, 0.0, walk), Wish(7.5, 0.0, 0.0)]
    found += [Wish(9.5, 0.0, run), Wish(12.5, 0.0, -walk)]
    for i, angle in enumerate(np.radians(np.arange(-75.0, 286.0, 15.0)).tolist()):
        found.append(Wish(15.5 + 0.4 * i, walk * np.cos(angle), walk * np.sin(angle)))
    end = found[-1].seconds + 1.0
    return [wish.rounded for wish in (*found, Wish(end, 0.0, 0.0), Wish(end + 2.0, 0.0, 0.0))]


def random(gait: FittedGait, seed: int) -> list[Wish]:
    """Half a minute of whatever comes to mind, each for one and a half to three and a half seconds."""
    chance = np.random.default_rng(seed)
    walk, run, angle, at = min(1.3, 0.7 * gait.top), min(3.2, 0.9 * gait.top), 0.0, 1.5
    found = [Wish(0.0, 0.0, 0.0)]
    while at < 28.0:
        angle += float(np.radians(chance.choice([-135.0, -90.0, -45.0, 0.0, 45.0, 90.0, 135.0, 180.0])))
        speed = float(chance.choice([0.0, walk, walk, walk, run, run]))
        found.append(Wish(at, speed * np.cos(angle), speed * np.sin(angle)))
        at += float(chance.uniform(1.5, 3.5))
    return [wish.rounded for wish in (*found, Wish(30.0, 0.0, 0.0))]


def settings(names: Sequence[str], rows: Sequence[Wish]) -> PathSettings:
    own = paths.settings(Path("none.csv"), actions=tuple(names)).transition
    return PathSettings(own, tuple(names), mirror=True, wishes=tuple(map(str, rows)))


def read(data: Path, name: str) -> tuple[Any, Stock, PathSettings]:
    """The armature of a set, the set analysed, and how it is steered."""
    folder, patterns, scale, names = SETS[name]
    paths.SETS[name] = (folder, patterns, scale, (1.0, 1.0))
    own = settings(names, [Wish(0.0, 0.0, 0.0), Wish(1.0, 0.0, 0.0)])
    paths_settings, paths.settings = paths.settings, lambda path, **values: own
    try:
        armature, made, _ = paths.read(data, name)
    finally:
        paths.settings = paths_settings
    return armature, made, own


def answered(
    led: Steering | steered.Steered, asked: session.Wishes, moments: Sequence[Any], ground: Array
) -> dict[float, list[float]]:
    """By which part of a change of velocity, how much later than the spring the character has it: a time for
    each wish that changes it by more than a third of a metre a second, and stands as long as it takes."""
    fps, y = led.lead.fps, 2.0 * np.log(2.0) / led.gait.speed_seconds
    going = smooth(np.gradient(ground, axis=0) * fps, SWAY * fps)
    guided = np.array([moment.point.velocity for moment in moments])
    late: dict[float, list[float]] = {part: [] for part in SPRING}
    for first, last, wish in zip(asked.starts, (*asked.starts[1:], asked.frames), asked.each, strict=True):
        change = led.gait.attainable(np.array([wish.x, wish.y])) - guided[first]
        size = float(np.linalg.norm(change))
        if size < 1.0 / 3.0 or (last - first) / fps < 1.4:
            continue
        gone = (going[first:last] - guided[first]) @ change / size**2
        for part, at in SPRING.items():
            reached = np.flatnonzero(gone >= part)
            when = reached[0] if len(reached) else last - first
            late[part].append(float(when / fps - at / y))
    return late


def aside(
    asked: session.Wishes, moments: Sequence[Any], heading: Array, fps: float
) -> Iterator[tuple[str, str]]:
    """How far the character faces away from where it is wished to, degrees, when that has stood a second."""
    strides, sways = [], []
    for first, last in zip(asked.starts, (*asked.starts[1:], asked.frames), strict=True):
        stood = np.arange(min(first + round(fps), last), last)
        if not len(stood):
            continue
        off = wrapped(heading[stood] - np.array([moments[i].point.goal for i in stood]))
        stride = np.full(min(round(STRIDE * fps), len(off)), 1.0)
        strides.append(np.abs(np.convolve(off, stride / len(stride), mode="valid")))
        sways.append(np.abs(off))
    over, each = (float(np.degrees(np.concatenate(found).mean())) for found in (strides, sways))
    yield "aside", f"{whether(over, 5.0, ' degrees')}; {each:.1f} degrees with each step's sway"


def displaced(led: Steering, joins: Sequence[Any], seconds: float) -> float:
    """mm s a second."""
    if len(joins) < 2:
        return 0.0
    left, entered = (np.array([getattr(join, name) for join in joins[1:]]) for name in ("left", "entered"))
    return float(1000.0 * led.moves.displacements(left, entered).sum() / seconds)


def led_to(
    led: Steering | steered.Steered, asked: session.Wishes, moments: Sequence[Any], ground: Array, way: Array
) -> Iterator[tuple[str, str]]:
    """How soon and how near a character comes to what is wished. ground, way: (n, 2) where it is, and its
    point."""
    for part, late in answered(led, asked, moments, ground).items():
        said = whether(float(np.mean(late)), LATE[part], " s")
        yield f"{100.0 * part:.0f} % behind the spring", f"{said}; {max(late):.2f} s at most, of {len(late)}"
    away = np.linalg.norm(ground - way, axis=1)
    rms = float(np.sqrt(np.mean(away**2)))
    yield "apart", f"{whether(rms, 0.10, ' m')}; {away.max():.2f} m at most"


def by_model(armature: Any, made: Stock, folder: Path, name: str) -> Iterator[tuple[str, str, str]]:
    """The figures of takes that a model of the set plays."""
    model = files.load(folder / f"{name}.npz").model
    material, _ = finish(clips.read_material_steps(armature, LearnSettings(mirror=True), made.weights))
    highest = learning.own_changes(made, material)
    written = posing.PosedArmature.of(armature, made.rig)
    own = settings((), [Wish(0.0, 0.0, 0.0), Wish(1.0, 0.0, 0.0)])
    led = follow.make_steering(model, own)
    pose = played.make_poser(read_character(armature), model, own)
    for label, rows in (("scripted", scripted(led.gait)), ("random", random(led.gait, SEED))):
        asked = session.Wishes.of(rows, FPS)
        moments, spent = [led.begin(np.zeros(2), 0.0, asked.at(0))], []
        for frame in range(1, asked.frames):
            began = time.process_time()
            moments.append(led.step(moments[-1], asked.at(frame)))
            written.write(armature, pose(moments[-1]))
            spent.append(1000.0 * (time.process_time() - began))
        found = follow.taken(own, led, moments)
        for cells in led_to(led, asked, moments, found.played.ground, found.target.ground):
            yield label, *cells
        for cells in aside(asked, moments, found.played.heading, FPS):
            yield label, *cells
        yield label, "joins a second", whether(len(found.played.projected) * FPS / asked.frames, 2.0)
        changes = measures.velocity_changes(learning.placed(material, found.played), FPS)
        largest = max(float(changes[max(f - 2, 0) : f + 2].max()) for f in found.played.projected.tolist())
        yield label, "change", whether(largest / highest, 1.2)
        yield label, "a frame, median", whether(float(np.median(spent)), 8.0, " ms")
        yield label, "a frame, 99th percentile", whether(float(np.quantile(spent, 0.99)), 16.0, " ms")


def skated(armature: Any, found: PathPlan, result: str, slot: str) -> float | None:
    """How far feet skate in a take over how far the clips' own do on the same frames; None without legs."""
    base, made = found.stock.database, found.stock
    if not made.legs:
        return None
    placed = [(leg.point, leg.offset) for leg in made.legs]
    height = measures.CONTACT_HEIGHT * paths_size(base)

    def points(clip: Any, frames: Array) -> Array:
        return finish(joint_motion.track_points_steps(read_character(armature), clip, placed, frames))

    ways = {}
    for clip in made.clips:
        part = next(i for i, s in enumerate(base.sources) if s.name == clip.action.name)
        source, count = base.sources[part], int(base.stops[part] - base.starts[part])
        ways[clip.action.name] = points(clip, source.first + source.step * np.arange(count))
    # one floor for all, which no frame that lies deepest moves
    ground = np.quantile(np.concatenate([*ways.values()])[..., 2], 0.02, axis=0)

    def steps(way: Array) -> Array:
        pairs = range(len(way) - 1)
        return np.array([measures.foot_skates(way[i : i + 2], ground, height).sum() for i in pairs])

    own = {(name, False): steps(way) for name, way in ways.items()}
    if made.partners is not None:
        # of a mirror image each foot goes as the other one does
        feet = [leg.foot for leg in made.legs]
        others = [feet.index(made.partners[foot]) for foot in feet]
        own |= {(name, True): steps(way[:, others]) for name, way in ways.items()}
    clips = 0.0
    for flat in found.way.flat[:-1].tolist():
        part = int(base.part[flat])
        each = own[base.sources[part].name, base.sources[part].mirrored]
        clips += float(each[min(flat - int(base.starts[part]), len(each) - 1)])
    baked = clip_store.read(armature, actions.find(result), slot)
    frames = found.settings.first_frame + np.arange(found.way.frames, dtype=float) * made.step
    return float(steps(points(baked, frames)).sum() / max(clips, 1e-9))


def from_shown(
    armature: Any, made: Stock, own: PathSettings, moments: Sequence[Any], report: Any
) -> Iterator[tuple[str, str]]:
    """How far bones of the take are from what a window shows while one steers, by where Blender has them."""
    poser = finish(posing.read_poser_steps(read_character(armature), made, own))
    pose, written = (
        posing.make_poser(read_character(armature), made, own, poser),
        posing.PosedArmature.of(armature, made.rig),
    )

    def heads() -> Array:
        bpy.context.view_layer.update()
        world = np.array(armature.matrix_world)
        return np.array([(world @ np.array(bone.matrix))[:3, 3] for bone in armature.pose.bones])

    before, shown = compat.assigned(armature), []
    compat.assign(armature, None)
    for moment in moments:
        written.write(armature, pose(moment))
        shown.append(heads())
    compat.assign(armature, actions.find(report.result), report.slot)
    away = 0.0
    for moment, seen in zip(moments, shown, strict=True):
        bpy.context.scene.frame_set(round(own.first_frame) + moment.frame * made.step)
        away = max(away, float(np.linalg.norm(heads() - seen, axis=1).max()))
    compat.assign(armature, *before)
    yield "joints, from what was shown", whether(1000.0 * away * scene.metres_per_unit(), 1.0, " mm")


def paths_size(base: Database) -> float:
    """The character's height, metres."""
    return base.size * 1.6


def judged(
    armature: Any, made: Stock, own: PathSettings, rows: Sequence[Wish], *, bakes: bool
) -> Iterator[tuple[str, str]]:
    """The figures of a take, each with its goal."""
    own = dataclasses.replace(own, wishes=tuple(map(str, rows)))
    led = search.make_steering(made, own)
    asked, fps = session.Wishes.of(rows, made.database.fps), made.database.fps
    moments = finish(session.steps(led, asked, np.zeros(2), 0.0))
    found = search.taken(made, own, led, moments)
    assert isinstance(found.target, Timed)
    ground, seconds = found.warped.ground, asked.frames / fps
    yield from led_to(led, asked, moments, ground, found.target.ground)
    yield from aside(asked, moments, found.warped.heading, fps)
    yield "joins a second", whether((len(found.way.joins) - 1) / seconds, 2.0)
    games = greedy(
        made.database,
        made.features(dataclasses.replace(own, features="POSITION_VELOCITY")),
        found.target,
        search.how_of(own, scene.fps()),
    )
    each, least = (displaced(led, way.joins, seconds) for way in (found.way, games))
    yield "displacement", f"{each:.1f}, games {least:.1f}: {whether(each / least, 1.1)}"
    if bakes:
        report = finish(bake.bake_way_steps(armature, found))
        seen = finish(quality.measure_path_steps(armature, found, report))
        yield "change", whether(seen.velocity_change, 1.2)
        skate = skated(armature, found, report.result, report.slot)
        yield "skate", "no legs" if skate is None else whether(skate, 1.2)
        yield from from_shown(armature, made, own, moments, report)
        bpy.data.actions.remove(bpy.data.actions[report.result])


def with_bones(armature: Any, count: int) -> None:
    """Give an armature small bones until it has so many."""
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    bones = armature.data.edit_bones
    holder = max(bones, key=lambda bone: bone.head.z)
    for i in range(count - len(bones)):
        bone = bones.new(f"small.{i}")
        bone.head, bone.tail = holder.head, holder.head + 0.2 * (holder.tail - holder.head)
        bone.parent = holder
    bpy.ops.object.mode_set(mode="OBJECT")


def timed(armature: Any, own: PathSettings, weights: Any) -> Iterator[tuple[str, str]]:
    """How long a query takes, and a frame: to go on, to pose the character and to write that; over 14,000
    frames at 65 bones, processor time."""
    with_bones(armature, BONES)
    made = finish(action_set.analyse_steps(read_character(armature), own, weights))
    base = paths.as_long(made.database, 14_000)
    decay = action_set.choose_decay(own, scene.fps())
    found = features.compute(base, made.posed, *decay)
    gait = fitted.gait_of(made.database)
    led = Steering(base, found, search.how_of(own, scene.fps()), gait)
    poser = finish(posing.read_poser_steps(read_character(armature), made, own))
    sheet = poser.sheet
    # what is repeated is posed as it is
    poser.sheet = lambda flat: sheet(flat % made.database.frames)
    planted = going.early(made.database.contacts, made.database.starts.tolist(), base.fps)
    said = [poser.sheet(i)[0].poses.at(0) for i in made.database.starts.tolist()]
    feet = posing.feet_of(
        read_character(armature),
        own,
        made.legs,
        PosedMoments(poser, lambda now: planted[now.flat % len(planted)], base.fps, said),
    )
    assert feet is not None
    pose = feet.pose
    written = posing.PosedArmature.of(armature, made.rig)
    asked = session.Wishes.of(scripted(gait), base.fps)
    now, spent = led.begin(np.zeros(2), 0.0, asked.at(0)), []
    for frame in range(1, asked.frames):
        began = time.process_time()
        now = led.step(now, asked.at(frame))
        written.write(armature, pose(now))
        spent.append(1000.0 * (time.process_time() - began))
    one = found.values[[base.frames // 3]].astype(float)
    around = np.array([base.frames // 3])
    query = (
        paths.best_of(lambda: [led.moves.index.nearest(one, 8, around, 10) for _ in range(20)], 5)
        * 1000.0
        / 20
    )
    yield "a query", whether(query, 0.5, " ms")
    yield "a frame, median", whether(float(np.median(spent)), 8.0, " ms")
    yield "a frame, 99th percentile", whether(float(np.quantile(spent, 0.99)), 16.0, " ms")
    yield "a frame, most", f"{max(spent):.3g} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--set", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--baked", type=int, default=2, help="how many takes of each set are baked")
    parser.add_argument("--wished", nargs="+", choices=("scripted", "random"), default=["scripted", "random"])
    parser.add_argument("--models", type=Path, help="the folder of bench/learned.py: steer with models, too")
    parser.add_argument("--timed", action="store_true", help="only measure how long a frame takes")
    parser.add_argument(
        "--write", action="store_true", help="write the table into docs/reference/measured.md, too"
    )
    options = parser.parse_args()
    lines = tables.heads(HEADS)
    print("\n".join(lines), flush=True)
    for name in options.set:
        armature, made, own = read(options.data, name)
        gait = fitted.gait_of(made.database)
        rows = [("", "half-lives", f"{gait.speed_seconds:g} s of speeds, {gait.turn_seconds:g} s of turns")]
        if not options.timed:
            inputs = {"scripted": scripted(gait), "random": random(gait, SEED)}
            for i, label in enumerate(options.wished):
                told = judged(armature, made, own, inputs[label], bakes=i < options.baked)
                rows += [(label, *cells) for cells in told]
        for cells in rows:
            lines.append(tables.row([name, *cells]))
            print(lines[-1], flush=True)
        if options.models is not None and (options.models / f"{name}.npz").exists():
            for cells in by_model(armature, made, options.models, name):
                lines.append(tables.row([f"{name}, by its model", *cells]))
                print(lines[-1], flush=True)
        if name == options.set[0]:
            for cells in timed(armature, own, made.weights):
                print(tables.row([name, "timed", *cells]), flush=True)
    if options.write:
        tables.write("steering", lines)
    sys.stdout.flush()
    # the bpy modules can hang at exit; everything is said
    os._exit(0)


if __name__ == "__main__":
    main()
