# SPDX-License-Identifier: GPL-3.0-or-later
"""How much each method pops, skates and holds away: real transitions, as a table.

    python bench/methods.py --data DATA [--cuts 60] [--seed 1] [--brief] [--write]

Reads the BVH sets cmu127 and cmu131 below DATA, resamples them to 30 frames a second, bakes
random transitions between their clips and measures, at frame k, the change of joint velocity
|p[k+1] - 2 p[k] + p[k-1]| / dt: rms over the joints, medians over the cuts, in m/s. A curve that lost the
motion in the window would be the smoothest of all; so beside it stand how far the foot that skates most does
so (cm), and how far, and how long, the joints are held away from the aligned destination (their mean, cm s).
"""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import os
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import bpy
import measures
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inertia_addon.blender.data import actions, clip_store, compat, rigs
from inertia_addon.blender.data.channels import transform
from inertia_addon.blender.evaluation import joint_motion, joints
from inertia_addon.blender.transition import bake
from inertia_addon.motion import quaternion
from inertia_addon.motion.curves import keys as keylib
from inertia_addon.motion.decay import decay
from inertia_addon.motion.decay.decay import Method
from inertia_addon.motion.skeleton import naming
from inertia_addon.motion.skeleton.kinematics import BoneMoves
from inertia_addon.settings import fields, methods
from inertia_addon.settings.transition import TransitionSettings
from tools import tables

Array = NDArray[np.float64]

FPS = 30
WINDOW = 12
CURVES = [("QUINTIC", method.name) if method.value.is_start else (method.name, "SOFT") for method in Method]
DECOMPOSITIONS, VELOCITIES, GUARDS = (
    fields.settings(TransitionSettings)[name].choices for name in ("decomposition", "velocity", "guard")
)
SOFTNESS = {"no cubic": 0.0, "a fifth": 0.2, "a half": 0.5}
"""How much of the cubic is mixed into SOFT, besides the third that it has."""
FIGURES = ("cut", "highest", "end", "skate", "displacement")
SETS = {"cmu127": ("cmu127", "", 0.01), "cmu131": ("cmu131", "_metres", 1.0)}


def import_set(folder: Path, suffix: str, scale: float) -> tuple[bpy.types.Object, list[str]]:
    """One armature with an action per file, resampled to 30 frames a second."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = FPS
    armature = None
    names = []
    for path in sorted(folder.glob(f"*{suffix}.bvh")):
        bpy.ops.import_anim.bvh(filepath=str(path), global_scale=scale)
        imported = bpy.context.object
        step = FPS * _frame_time(path)
        names.append(_resample(imported.animation_data.action, path.stem, step).name)
        if armature is None:
            armature = imported
        else:
            bpy.data.objects.remove(imported)
    return armature, names


def _frame_time(path: Path) -> float:
    for line in path.open():
        if line.startswith("Frame Time:"):
            return float(line.split(":")[1])
    raise ValueError(path)


def _resample(old: bpy.types.Action, name: str, step: float) -> bpy.types.Action:
    """An action with a linear key on every frame; ``step`` is new frames per old one."""
    new = bpy.data.actions.new(name)
    slot = compat.slots(old)[0]
    bag = compat.new_bag(new, slot)
    for address, curve in actions.read(old, slot).curves.items():
        count = int((curve.keys.co[-1, 0] - 1.0) * step) + 1
        frames = np.arange(count)
        values = [curve.value(1.0 + frame / step) for frame in frames]
        keys = keylib.sampled(frames + 1.0, values, keylib.LINEAR)
        actions.write(bag, address, keys, None)
    return new


def second_difference(positions: Array) -> Array:
    """The change of joint velocity (frames - 2,) in m/s, rms over joints, from positions."""
    return measures.velocity_changes(positions, FPS)


class Scene:
    """An armature with its clips read once."""

    def __init__(self, armature: bpy.types.Object, names: list[str]) -> None:
        self.armature = armature
        self.rig = rigs.read(armature)
        self.clips = {}
        for name in names:
            action = bpy.data.actions[name]
            self.clips[name] = clip_store.read(armature, action)
        place = {name: i for i, name in enumerate(self.rig.bones.names)}
        self.feet = [place[j.bone] for j in joints.default_joints(armature) if j.role == naming.FOOT]
        self.contact = measures.CONTACT_HEIGHT * self.rig.size
        self.ground = {name: self._ground(clip) for name, clip in self.clips.items()}

    def _ground(self, clip: actions.Clip) -> Array:
        """How high each foot (feet,) is where it is lowest in a clip."""
        frames = np.arange(clip.start, clip.end + 1.0)
        positions = joint_motion.joint_positions(self.rig, clip.curves, frames, clip.unkeyed)
        return np.asarray(positions[:, self.feet, 2].min(axis=0))

    def skate(self, positions: Array, source: str, destination: str) -> float:
        """How far the foot that skates most does so, cm."""
        ground = np.minimum(self.ground[source], self.ground[destination])
        return 100.0 * float(measures.foot_skates(positions[:, self.feet], ground, self.contact).max())

    def figures(self, cut: tuple[str, str, int, int], positions: Array) -> tuple[float, ...]:
        """What FIGURES name, of joints from two frames before the cut to two after the window's end."""
        change = second_difference(positions)
        alone = self.reference(cut, np.ones_like)
        # a spring goes on after the others' window; what is left of it counts
        count = min(len(positions), len(alone)) - 2
        away = np.linalg.norm(positions[2:][:count] - alone[2:][:count], axis=-1)
        skated = self.skate(positions[2:-2], *cut[:2])
        # frame 1 of a change is the cut's, the last but one the end's
        return change[1], change[1:-1].max(), change[-2], skated, 100.0 * away.mean(axis=1).sum() / FPS

    def cuts(self, count: int, seed: int) -> Iterator[tuple[str, str, int, int]]:
        """Random (source, destination, cut, destination frame) with room for the window."""
        chance = random.Random(seed)
        for _ in range(count):
            while True:
                source, destination = chance.sample(list(self.clips), 2)
                here, there = self.clips[source], self.clips[destination]
                if min(here.end - here.start, there.end - there.start) > WINDOW + 8:
                    break
            cut = chance.randint(int(here.start) + 3, int(here.end) - WINDOW - 4)
            yield source, destination, cut, chance.randint(int(there.start) + 3, int(there.end) - WINDOW - 4)

    def result(self, settings: TransitionSettings) -> tuple[Array, Array]:
        """Joint positions of a baked transition from two frames before the cut to two after its window."""
        report = bake.bake_transition(self.armature, settings)
        action = bpy.data.actions[report.result]
        clip = clip_store.read(self.armature, action)
        last = report.window[1] if settings.method == "SPRING" else settings.cut + WINDOW
        frames = np.arange(settings.cut - 2, last + 3)
        positions = joint_motion.joint_positions(self.rig, clip.curves, frames, clip.unkeyed)
        bpy.data.actions.remove(action)
        return positions, frames

    def reference(self, cut: tuple[str, str, int, int], weight: Callable[[Array], Array]) -> Array:
        """Joint positions of a mix of both clips, the destination aligned as in a bake.

        weight: of the destination, from frames since the cut; 0 and 1 make a plain cut.
        """
        source, destination, at, start = cut
        settings = TransitionSettings(source, destination, at, start)
        root = bake.plan_transition(self.armature, settings).root
        here, there = self.clips[source], self.clips[destination]
        since = np.arange(-2, WINDOW + 3)
        w = weight(since.astype(float))
        moved = self._aligned_locals(here, there, root, at, start, since)
        own = self._locals(here, np.minimum(at + since, here.end))
        location = own[0] + w[:, None, None] * (moved[0] - own[0])
        turn = quaternion.log(quaternion.multiply(moved[1], quaternion.conjugate(own[1])))
        rotation = quaternion.multiply(quaternion.exp(w[:, None, None] * turn), own[1])
        locations = dict(enumerate(location.transpose(1, 2, 0)))
        moves = BoneMoves(np.arange(location.shape[1]), rotation.transpose(1, 2, 0), locations)
        world = np.array(self.armature.matrix_world, float)
        heads, _ = self.rig.bones.follow(moves, np.repeat(world[..., None], len(location), axis=-1))
        return heads.transpose(2, 0, 1)

    def _locals(self, clip: actions.Clip, frames: Array) -> tuple[Array, Array]:
        location = np.zeros((len(frames), len(self.rig.bones.names), 3))
        rotation = np.tile(quaternion.IDENTITY, (len(frames), len(self.rig.bones.names), 1))
        for i, name in enumerate(self.rig.bones.names):
            prefix, mode = self.rig.paths[i], self.rig.modes[i]
            if not self.armature.data.bones[name].use_connect:
                location[:, i] = transform(clip, prefix, "location").raw(frames)
            turns = transform(clip, prefix, "rotation", mode)
            rotation[:, i] = turns.decode(turns.raw(frames))
        return location, rotation

    def _aligned_locals(self, here, there, root, at, start, since) -> tuple[Array, Array]:
        from inertia_addon.blender.transition.alignment import CutAndEntry, align

        alignment = align(self.rig, root, root, "POSITION_HEADING", CutAndEntry(here, at, there, start))
        location, rotation = self._locals(there, start + since)
        for bone, carrier in alignment.carriers.items():
            i = self.rig.bones.names.index(bone)
            location[:, i] = location[:, i] @ carrier.matrix.T + carrier.shift
            rotation[:, i] = quaternion.multiply(carrier.turn, rotation[:, i])
        return location, rotation


def measure(scene: Scene, cuts: list[tuple[str, str, int, int]], *, full: bool) -> list[tuple[str, Array]]:
    """Rows of a label and the medians of FIGURES."""
    rows = [("the clips' own", _own(scene, cuts))]
    for label, weight in (
        ("plain cut", lambda f: (f >= 0.0).astype(float)),
        ("cross-fade, linear as the NLA's", lambda f: np.clip(f / WINDOW, 0.0, 1.0)),
        ("cross-fade, eased", _eased),
    ):
        rows.append((label, _medians([scene.figures(cut, scene.reference(cut, weight)) for cut in cuts])))
    for label, settings, softness in _variants(full=full):
        decay.FORMS[Method.SOFT] = methods.soft(softness)
        found = []
        for cut in cuts:
            positions, _ = scene.result(TransitionSettings(*cut, **settings))
            found.append(scene.figures(cut, positions))
        rows.append((label, _medians(found)))
    decay.FORMS[Method.SOFT] = methods.soft(methods.SOFTNESS)
    return rows


def _own(scene: Scene, cuts: list[tuple[str, str, int, int]]) -> Array:
    """What the clips do by themselves at those frames: rms over the joints of both."""
    found = []
    for source, destination, at, start in cuts:
        parts = []
        for name, frame in ((source, at), (destination, start)):
            frames = np.arange(frame - 1, frame + WINDOW + 2)
            parts.append(
                joint_motion.joint_positions(
                    scene.rig, scene.clips[name].curves, frames, scene.clips[name].unkeyed
                )
            )
        changes = [second_difference(part) for part in parts]
        at_cut = np.sqrt(np.mean([change[0] ** 2 for change in changes]))
        skated = scene.skate(parts[1][1:-1], source, destination)
        found.append((at_cut, changes[1].max(), changes[1][-1], skated, 0.0))
    return _medians(found)


def _eased(frames: Array) -> Array:
    """The weight of an eased cross-fade: a smooth step over the window."""
    s = np.clip(frames / WINDOW, 0.0, 1.0)
    return np.asarray(s * s * (3.0 - 2.0 * s))


def _medians(found: list[tuple[float, ...]]) -> Array:
    return np.asarray(np.median(found, axis=0))


def _variants(*, full: bool) -> Iterator[tuple[str, dict[str, object], float]]:
    """Labels, settings, and how soft the soft quintic is: methods, guards, the curve, and all else."""
    plain = (DECOMPOSITIONS[0], VELOCITIES[0], "OFF")
    third = methods.SOFTNESS
    for curve in CURVES:
        yield (*_variant(*plain, curve), third)
    yield (*_variant(*plain, ("DEAD_BLENDING", "SOFT")), third)
    for guard in ("LIMIT", "STRICT"):
        yield (*_variant(*plain[:2], guard, CURVES[0]), third)
    for name, softness in SOFTNESS.items():
        label, settings = _variant(*plain, CURVES[0])
        yield label.replace("soft", f"soft by {name}"), settings, softness
    for *how, curve in itertools.product(DECOMPOSITIONS, VELOCITIES, GUARDS, CURVES):
        said = tuple(how) == plain or (tuple(how[:2]) == plain[:2] and curve == CURVES[0])
        if full and not said:
            yield (*_variant(*how, curve), third)


def _variant(
    decomposition: str, velocity: str, guard: str, curve: tuple[str, str]
) -> tuple[str, dict[str, object]]:
    method, start = curve
    name = f"{method}, {start}" if method == "QUINTIC" else method
    label = " | ".join(
        (name, decomposition, velocity, guard) if method != "DEAD_BLENDING" else (name, *"   ")
    )
    settings = {
        "method": method,
        "quintic_start": start,
        "decomposition": decomposition,
        "velocity": velocity,
        "guard": guard,
        "blend_frames": float(WINDOW),
        "half_life": 0.1,
        "feet": "OFF",
        "assign": False,
    }
    return label.lower().replace("_", " "), settings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cuts", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--brief", action="store_true", help="only the methods, the guards and the curve")
    parser.add_argument(
        "--write", action="store_true", help="write the table into docs/reference/measured.md, too"
    )
    arguments = parser.parse_args()
    table: dict[str, list[float]] = {}
    for folder, suffix, scale in SETS.values():
        with contextlib.redirect_stdout(io.StringIO()):
            scene = Scene(*import_set(arguments.data / "bvh" / folder, suffix, scale))
            rows = measure(scene, list(scene.cuts(arguments.cuts, arguments.seed)), full=not arguments.brief)
        for label, figures in rows:
            table.setdefault(label, []).extend(figures)
    heads = [f"{name}: {what}" for name in SETS for what in FIGURES]
    lines = tables.heads(["method", "decomposition", "velocity", "guard", *heads])
    for label, figures in table.items():
        label = label if "|" in label else f"*{label}* | | |"
        texts = [
            f"{figure:.2f}" if what in FIGURES[:3] else f"{figure:.1f}"
            for figure, what in zip(figures, itertools.cycle(FIGURES), strict=False)
        ]
        lines.append(tables.row([label, *texts]))
    lines += _ratios(table)
    print("\n".join(lines))
    if arguments.write:
        tables.write("methods", lines)
    sys.stdout.flush()
    # the bpy modules can hang at exit; everything is said
    os._exit(0)


def _ratios(table: dict[str, list[float]]) -> Iterator[str]:
    """How the defaults compare, set by set."""
    default = table["quintic, soft | rotation vector | relative | off"]
    width = len(FIGURES)
    for i, name in enumerate(SETS):
        cut, highest, *_ = default[width * i : width * (i + 1)]
        own, linear, eased = (
            table[row][width * i : width * (i + 1)]
            for row in ("the clips' own", "cross-fade, linear as the NLA's", "cross-fade, eased")
        )
        yield ""
        yield (
            f"{name}, the defaults: across the cut {cut / own[0]:.2f} times the clips' own, "
            f"{cut / linear[0]:.2f} times a linear cross-fade's, {cut / eased[0]:.2f} times an eased one's; "
            f"highest {highest / linear[1]:.2f} and {highest / eased[1]:.2f} times the cross-fades'."
        )


if __name__ == "__main__":
    main()
