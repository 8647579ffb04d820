# SPDX-License-Identifier: GPL-3.0-or-later
"""How much each method pops: joint velocity changes of real transitions, as a table.

    python bench/methods.py --data DATA [--cuts 60] [--seed 1] [--brief]

Reads the BVH sets cmu127 and cmu131 below DATA, resamples them to 30 frames a second, bakes
random transitions between their clips and measures, at frame k, the change of joint velocity
|p[k+1] - 2 p[k] + p[k-1]| / dt: rms over the joints, medians over the cuts, in m/s.
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
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inertia_addon.blender import actions, bake, compat, sampling
from inertia_addon.blender.settings import DECOMPOSITIONS, GUARDS, VELOCITIES, TransitionSettings
from inertia_addon.motion import quality, quaternion, skeleton

Array = NDArray[np.float64]

FPS = 30
WINDOW = 12
CURVES = (("QUINTIC", "SMOOTH"), ("QUINTIC", "ZERO_JERK"), ("CUBIC", "SMOOTH"), ("SPRING", "SMOOTH"))
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
        keys = actions.keylib.sampled(frames + 1.0, values, actions.keylib.LINEAR)
        actions.write(bag, address, keys, None)
    return new


def second_difference(positions: Array) -> Array:
    """The change of joint velocity (frames - 2,) in m/s, rms over joints, from positions."""
    return quality.velocity_changes(positions, FPS)


class Scene:
    """An armature with its clips read once."""

    def __init__(self, armature: bpy.types.Object, names: list[str]) -> None:
        self.armature = armature
        self.bones = sampling.skeleton_of(armature)
        self.clips = {}
        for name in names:
            action = bpy.data.actions[name]
            self.clips[name] = actions.read(action, actions.choose_slot(action, armature))

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
        clip = actions.read(action, actions.choose_slot(action, self.armature))
        last = report.window[1] if settings.method == "SPRING" else settings.cut + WINDOW
        frames = np.arange(settings.cut - 2, last + 3)
        positions = sampling.joint_positions(self.armature, self.bones, clip, frames)
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
        pose = self.bones.pose(skeleton.basis(location, rotation, np.ones_like(location)))
        world = np.array(self.armature.matrix_world)
        return np.asarray((pose[..., :3, 3] @ world[:3, :3].T) + world[:3, 3])

    def _locals(self, clip: actions.Clip, frames: Array) -> tuple[Array, Array]:
        from inertia_addon.blender import rig

        location = np.zeros((len(frames), len(self.bones.names), 3))
        rotation = np.tile(quaternion.IDENTITY, (len(frames), len(self.bones.names), 1))
        for i, name in enumerate(self.bones.names):
            prefix = rig.bone_path(name, "")
            if not self.armature.data.bones[name].use_connect:
                location[:, i] = rig.location_track(clip, prefix, frames)
            track = rig.rotation_track(clip, prefix, rig.rotation_mode(self.armature, name), frames)
            if track is not None:
                rotation[:, i] = track
        return location, rotation

    def _aligned_locals(self, here, there, root, at, start, since) -> tuple[Array, Array]:
        from inertia_addon.blender.alignment import align

        alignment = align(self.armature, root, "POSITION_HEADING", here, at, there, start)
        location, rotation = self._locals(there, start + since)
        for bone, carrier in alignment.carriers.items():
            i = self.bones.names.index(bone)
            location[:, i] = location[:, i] @ carrier.matrix.T + carrier.shift
            rotation[:, i] = quaternion.multiply(carrier.turn, rotation[:, i])
        return location, rotation


def measure(
    scene: Scene, cuts: list[tuple[str, str, int, int]], full: bool
) -> list[tuple[str, float, float, float]]:
    """Rows of (label, across the cut, highest in the window, across the end)."""
    rows = [("the clips' own", *_own(scene, cuts))]
    for label, weight in (
        ("plain cut", lambda f: (f >= 0.0).astype(float)),
        ("cross-fade, linear as the NLA's", lambda f: np.clip(f / WINDOW, 0.0, 1.0)),
        ("cross-fade, eased", _eased),
    ):
        rows.append((label, *_medians([second_difference(scene.reference(cut, weight)) for cut in cuts])))
    for label, settings in _variants(full):
        changes = []
        for source, destination, at, start in cuts:
            positions, _ = scene.result(TransitionSettings(source, destination, at, start, **settings))
            changes.append(second_difference(positions))
        rows.append((label, *_medians(changes)))
    return rows


def _own(scene: Scene, cuts: list[tuple[str, str, int, int]]) -> tuple[float, float, float]:
    """What the clips do by themselves at those frames: rms over the joints of both."""
    at_cut, inside, at_end = [], [], []
    for source, destination, at, start in cuts:
        parts = []
        for name, frame in ((source, at), (destination, start)):
            frames = np.arange(frame - 1, frame + WINDOW + 2)
            clip = scene.clips[name]
            parts.append(
                second_difference(sampling.joint_positions(scene.armature, scene.bones, clip, frames))
            )
        at_cut.append(np.sqrt(np.mean([part[0] ** 2 for part in parts])))
        inside.append(parts[1].max())
        at_end.append(parts[1][-1])
    cut, highest, end = (float(np.median(part)) for part in (at_cut, inside, at_end))
    return cut, highest, end


def _eased(frames: Array) -> Array:
    """The weight of an eased cross-fade: a smooth step over the window."""
    s = np.clip(frames / WINDOW, 0.0, 1.0)
    return np.asarray(s * s * (3.0 - 2.0 * s))


def _medians(changes: list[Array]) -> tuple[float, float, float]:
    """Frame 1 of a change is the cut's, the last but one the end's."""
    cut = np.median([change[1] for change in changes])
    highest = np.median([change[1:-1].max() for change in changes])
    end = np.median([change[-2] for change in changes])
    return float(cut), float(highest), float(end)


def _variants(full: bool) -> Iterator[tuple[str, dict[str, object]]]:
    for decomposition, velocity, guard, (method, start) in itertools.product(
        DECOMPOSITIONS, VELOCITIES, GUARDS, CURVES
    ):
        if not full and (decomposition, velocity) != (DECOMPOSITIONS[0], VELOCITIES[0]):
            continue
        name = f"{method}, {start}" if method == "QUINTIC" else method
        yield (
            " | ".join((name, decomposition, velocity, guard)).lower().replace("_", " "),
            {
                "method": method,
                "quintic_start": start,
                "decomposition": decomposition,
                "velocity": velocity,
                "guard": guard,
                "blend_frames": float(WINDOW),
                "half_life": 0.1,
                "assign": False,
            },
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cuts", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--brief", action="store_true", help="only the default decomposition and velocity")
    arguments = parser.parse_args()
    table: dict[str, list[float]] = {}
    for folder, suffix, scale in SETS.values():
        with contextlib.redirect_stdout(io.StringIO()):
            scene = Scene(*import_set(arguments.data / "bvh" / folder, suffix, scale))
            rows = measure(scene, list(scene.cuts(arguments.cuts, arguments.seed)), not arguments.brief)
        for label, *figures in rows:
            table.setdefault(label, []).extend(figures)
    heads = [f"{name}: {what}" for name in SETS for what in ("cut", "highest", "end")]
    print("| method | decomposition | velocity | guard | " + " | ".join(heads) + " |")
    print("| --- " * (4 + len(heads)) + "|")
    for label, figures in table.items():
        label = label if "|" in label else f"*{label}* | | |"
        print(f"| {label} | " + " | ".join(f"{figure:.2f}" for figure in figures) + " |")
    _print_ratios(table)
    sys.stdout.flush()
    # the bpy modules can hang at exit; everything is said
    os._exit(0)


def _print_ratios(table: dict[str, list[float]]) -> None:
    """How the defaults compare, set by set."""
    default = table["quintic, smooth | rotation vector | relative | limit"]
    for i, name in enumerate(SETS):
        cut, highest, _ = default[3 * i : 3 * i + 3]
        own, linear, eased = (
            table[row][3 * i : 3 * i + 3]
            for row in ("the clips' own", "cross-fade, linear as the NLA's", "cross-fade, eased")
        )
        print(
            f"\n{name}, the defaults: across the cut {cut / own[0]:.2f} times the clips' own, "
            f"{cut / linear[0]:.2f} times a linear cross-fade's, {cut / eased[0]:.2f} times an eased one's; "
            f"highest {highest / linear[1]:.2f} and {highest / eased[1]:.2f} times the cross-fades'."
        )


if __name__ == "__main__":
    main()
