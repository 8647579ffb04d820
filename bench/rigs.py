# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether transitions on real rigs are right in every frame outside of their window, judged by the files.

    python bench/rigs.py --data DATA [--pairs 60] [--seed 1] [--rig NAME ...] [--heuristic NAME ...]

Every rig below DATA, read as the commands read it: random pairs of its clips are baked at random meetings,
and Blender plays the result before the cut and after the window, on whole frames and half ones. That is
compared with the file itself: .glb files are played node by node by a reader that knows nothing of Blender,
.bvh files joint by joint on whole frames, and what is left by Blender's own playing of one action alone.
After the window the alignment's rigid motion is taken into account. Printed are the largest distances of
any joint, as parts of the character's size, with what Blender's import itself is off (it plays rotations
along the chord between keys, where a .glb file means the arc), which is not counted; and whether all keys
are finite, the clips unchanged, and the best pair and a hop found or refused in a sentence. Exits with 1
when anything is wrong.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import io
import math
import os
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inertia_addon.blender import files
from inertia_addon.blender.cost import costing, meetings
from inertia_addon.blender.data import actions, clip_store, compat, scene
from inertia_addon.blender.data.rig import armatures
from inertia_addon.blender.evaluation import joints
from inertia_addon.blender.files import importing
from inertia_addon.blender.hops import search as hops
from inertia_addon.blender.transition import bake
from inertia_addon.blender.transition.report import BakeReport
from inertia_addon.errors import InertiaError
from inertia_addon.motion.steps import finish
from inertia_addon.settings.cost import Search
from inertia_addon.settings.hops import HopSettings
from inertia_addon.settings.transition import TransitionSettings
from tests.players import bvh, gltf

Array = NDArray[np.float64]

HEURISTICS = ("BLENDER", "TEMPERANCE", "FORTUNE")
EXACT = 1e-4
"""A joint is right within this part of the character's size."""
SEARCHED = 5
"""Best pairs and hops are searched for so many pairs of a rig."""
FRAMES = 5
"""Frames that are looked at on either side, and as many halves."""


@dataclasses.dataclass(frozen=True)
class Judge:
    """Says where joints are.

    joints: of which bones. at: (clip, frame) to positions (joints, 3), or None. lost: (clip, frame) to how
    far Blender's import itself is off there, as a part of the character's size.
    """

    joints: list[str]
    at: Callable[[str, float], Array | None]
    lost: Callable[[str, float], float] = lambda _clip, _frame: 0.0


@dataclasses.dataclass(frozen=True)
class Rig:
    """A set of clips on one skeleton: load opens it, judge reads the files themselves."""

    name: str
    load: Callable[[], None]
    judge: Callable[[Any], Judge | None]


@dataclasses.dataclass
class Row:
    """What became of a rig's transitions; errors as parts of the character's size, against the file and
    against Blender's own playing of one action."""

    rig: str
    clips: int = 0
    bones: int = 0
    baked: int = 0
    refused: int = 0
    before: float = 0.0
    after: float = 0.0
    own: float = 0.0
    lost: float = 0.0
    finite: bool = True
    unchanged: bool = True
    pairs: int = 0
    hops: int = 0
    worst: str = ""

    @property
    def right(self) -> bool:
        """Whether nothing is wrong."""
        exact = max(self.before, self.after, self.own) <= EXACT
        return exact and self.finite and self.unchanged and self.pairs == self.hops == self.searched

    @property
    def searched(self) -> int:
        """How many pairs were searched."""
        return min(SEARCHED, self.baked + self.refused)

    def line(self) -> str:
        """The row of the table."""
        flags = f"{'yes' if self.finite else 'NO'} | {'yes' if self.unchanged else 'NO'}"
        return (
            f"| {self.rig} | {self.clips} | {self.bones} | {self.baked} | {self.refused} | {self.before:.1e} "
            f"| {self.after:.1e} | {self.own:.1e} | {self.lost:.1e} | {flags} "
            f"| {self.pairs} of {self.searched} | {self.hops} of {self.searched} "
            f"| {'' if self.right else self.worst} |"
        )


COLUMNS = (
    *("rig", "clips", "bones", "baked", "refused", "before", "after", "own playing", "import"),
    *("finite", "unchanged", "best pair", "hop", "wrong"),
)


def rigs(data: Path, heuristics: Sequence[str]) -> Iterator[Rig]:
    """All rigs below a folder."""
    for path in sorted(data.glob("glb/**/*.glb")):
        for heuristic in heuristics:
            yield Rig(
                f"{path.stem} {heuristic}" if heuristic != "BLENDER" else path.stem,
                lambda path=path, heuristic=heuristic: importing.import_gltf(
                    [path.resolve()], None, bone_heuristic=heuristic
                ),
                lambda armature, path=path: gltf_judge(armature, path),
            )
    for path in sorted(data.glob("fbx/*.fbx")):
        yield Rig(path.stem, lambda path=path: files.load([path]), lambda _: None)
    for folder in sorted(data.glob("bvh/*")):
        metres = sorted(folder.glob("*_metres.bvh"))
        plain = [path for path in sorted(folder.glob("*.bvh")) if path not in metres]
        for paths, scale in ((plain, 0.01), (metres, 1.0)):
            if paths:
                yield Rig(
                    folder.name + ("_metres" if paths is metres else ""),
                    lambda paths=paths, scale=scale: files.load(paths, scale),
                    lambda _, paths=paths, scale=scale: bvh_judge(paths, scale),
                )


def gltf_judge(armature: Any, path: Path) -> Judge:
    """The nodes of a .glb file.

    Between keys Blender plays what it imports along the chord of a rotation; the specification has the arc.
    """
    player = gltf.Player(path)
    fps = scene.fps()
    bones = [b.name for b in armature.data.bones if player.names.count(b.name) == 1]
    nodes = [player.names.index(bone) for bone in bones]
    clips = {name if name in bpy.data.actions else f"{name}_{armature.name}": name for name in player.clips}

    def at(clip: str, frame: float, *, spherical: bool = False) -> Array | None:
        worlds = player.worlds(clips[clip], frame / fps, spherical=spherical) if clip in clips else None
        return None if worlds is None else worlds[nodes, :3, 3]

    def lost(clip: str, frame: float) -> float:
        chord, arc = at(clip, frame), at(clip, frame, spherical=True)
        assert chord is not None
        assert arc is not None
        return float(np.linalg.norm(chord - arc, axis=1).max() / np.ptp(arc, axis=0).max())

    return Judge(bones, at, lost)


def bvh_judge(paths: Sequence[Path], scale: float) -> Judge:
    """The joints of .bvh files on whole frames, which count from 1."""
    players = {path.stem: bvh.Player(path) for path in paths}

    def at(clip: str, frame: float) -> Array | None:
        return players[clip].positions(round(frame) - 1, scale) if frame == round(frame) else None

    return Judge(next(iter(players.values())).names, at)


class Playing:
    """What Blender shows of an armature, one action alone at a time."""

    def __init__(self, armature: Any) -> None:
        self.armature = armature
        self.names = list(armature.pose.bones.keys())
        self._known: dict[tuple[str, float], Array] = {}

    def shown(self, frame: float) -> Array:
        """Where the bones' heads are now (bones, 3), at a frame."""
        whole = math.floor(frame)
        bpy.context.scene.frame_set(whole, subframe=frame - whole)
        shown = self.armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        heads = np.empty(3 * len(self.names), np.float32)
        shown.pose.bones.foreach_get("head", heads)
        world = np.array(shown.matrix_world, float)
        return heads.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]

    def alone(self, action: str, slot: str, frames: Sequence[float]) -> dict[float, Array]:
        """Where they are in an action alone, at frames."""
        missing = [frame for frame in frames if (action, frame) not in self._known]
        if missing:
            compat.assign(self.armature, bpy.data.actions[action], slot)
            for frame in missing:
                self._known[action, frame] = self.shown(frame)
        return {frame: self._known[action, frame] for frame in frames}


def character(found: Sequence[Any]) -> Any:
    """The armature that the most actions fit."""
    return max(found, key=lambda armature: len(clip_store.find_fitting(armature)))


def examine(rig: Rig, pairs: int, seed: int) -> Row:
    """Bake random pairs of a rig's clips and compare what Blender plays with the judge."""
    with quiet():
        rig.load()
    for thing in [thing for thing in bpy.data.objects if thing.type == "MESH"]:
        bpy.data.objects.remove(thing)  # what hangs on the bones takes most of the time to play
    armature = character(armatures())
    judge, playing = rig.judge(armature), Playing(armature)
    chance = random.Random(seed)
    clips = {}
    for action in clip_store.find_fitting(armature):
        with contextlib.suppress(InertiaError):
            clip = actions.read(action, actions.choose_slot(action, armature))
            if any(path.startswith("pose.bones") for path, _ in clip.curves):
                clips[action.name] = clip
    prints = {name: actions.fingerprint([clip]) for name, clip in clips.items()}
    row = Row(rig.name, len(clips), len(armature.data.bones))
    chosen = [(a, b) for a in clips for b in clips if a != b] or [(a, a) for a in clips]
    chance.shuffle(chosen)
    for source, destination in chosen[:pairs]:
        settings = TransitionSettings(
            source,
            destination,
            float(chance.randint(math.ceil(clips[source].start), math.floor(clips[source].end))),
            float(chance.randint(math.ceil(clips[destination].start), math.floor(clips[destination].end))),
            # feet that are held are held for longer than the window
            feet="OFF",
            # behind their ends clips are held to be as they were animated
            source_cycle="OFF",
            destination_cycle="OFF",
        )
        try:
            report = bake.bake_transition(armature, settings)
        except InertiaError as error:
            row.refused, row.worst = row.refused + 1, str(error)
            continue
        row.baked += 1
        compare(row, playing, judge, clips, settings, report, chance)
        result = bpy.data.actions[report.result]
        curves = compat.curves(result, report.slot)
        row.finite &= all(np.isfinite(actions.read_keys(curve).co).all() for curve in curves)
        compat.assign(armature, clips[source].action, clips[source].slot.identifier)
        bpy.data.actions.remove(result)
    for name, clip in clips.items():
        row.unchanged &= prints[name] == actions.fingerprint([actions.read(clip.action, clip.slot)])
    for source, destination in chosen[: row.searched]:
        search(row, armature, clips, source, destination)
    return row


def compare(
    row: Row,
    playing: Playing,
    judge: Judge | None,
    clips: dict[str, Any],
    settings: TransitionSettings,
    report: BakeReport,
    chance: random.Random,
) -> None:
    """Compare a result with its clips, before the cut and after the window."""
    source, destination = clips[settings.source], clips[settings.destination]
    later = settings.cut - (settings.destination_frame or 0.0)
    end = max(destination.end + later + 1.0, report.window[1])
    before = looked_at(source.start, settings.cut, chance)
    after = looked_at(report.window[1], end, chance)
    shown = {frame: playing.shown(frame) for frame in [*before, *after]}
    motion = rigid(report)
    above = playing.armature.data.bones[report.root].parent_recursive if report.root else []
    # what is above the root stays where it is, when the root is moved
    still = {bone.name for bone in above} if report.alignment != "NONE" else set()
    for clip, frames, shift, moved, side in (
        (source, before, 0.0, np.eye(4), "before"),
        (destination, after, later, motion, "after"),
    ):
        kept = [i for i, name in enumerate(playing.names) if side == "before" or name not in still]
        own: list[float] = []
        for frame in frames:
            label = f"{settings.source} at {settings.cut:g} to {settings.destination} at {frame:g}"
            wanted = None if judge is None else judge.at(clip.action.name, frame - shift)
            if judge is None or wanted is None:
                own.append(frame)
                continue
            both = [i for i, name in enumerate(judge.joints) if name in playing.names]
            both = [i for i in both if side == "before" or judge.joints[i] not in still]
            here = [playing.names.index(judge.joints[i]) for i in both]
            note(row, side, shown[frame][here], place(wanted, moved)[both], label)
            row.lost = max(row.lost, judge.lost(clip.action.name, frame - shift))
        known = playing.alone(clip.action.name, clip.slot.identifier, [frame - shift for frame in own])
        for frame in own:
            label = f"{settings.source} at {settings.cut:g} to {settings.destination} at {frame:g}"
            note(row, "own", shown[frame][kept], place(known[frame - shift], moved)[kept], label)


def note(row: Row, what: str, shown: Array, wanted: Array, label: str) -> None:
    """Note the largest distance of any joint."""
    size = float(np.ptp(wanted, axis=0).max())
    away = float(np.linalg.norm(shown - wanted, axis=1).max()) / size
    if away > max(row.before, row.after, row.own, EXACT):
        row.worst = label
    setattr(row, what, max(getattr(row, what), away))


def looked_at(first: float, last: float, chance: random.Random) -> list[float]:
    """Some whole frames and some half ones of a span, its ends with them."""
    whole = list(range(math.ceil(first), math.floor(last) + 1))
    halves = [frame + 0.5 for frame in whole if frame + 0.5 <= last]
    some = [float(f) for f in chance.sample(whole, min(FRAMES, len(whole)))]
    some += chance.sample(halves, min(FRAMES, len(halves)))
    return sorted({first, last, *some, *([first + 0.5] if first + 0.5 <= last else [])})


def rigid(report: BakeReport) -> Array:
    """The motion that a transition gave to its destination (4, 4)."""
    turn = math.radians(report.heading_degrees)
    motion = np.eye(4)
    motion[:2, :2] = [[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]]
    motion[:3, 3] = np.array(report.translation)
    return motion


def place(points: Array, motion: Array) -> Array:
    """Points (n, 3), moved."""
    return np.asarray(points @ motion[:3, :3].T + motion[:3, 3])


def search(row: Row, armature: Any, clips: dict[str, Any], source: str, destination: str) -> None:
    """Search for the best pair and for a hop; an answer is one that is found, or refused in a sentence."""
    settings = TransitionSettings(source, destination, float(math.ceil(clips[source].start)))
    weights = {joint.bone: 1.0 for joint in joints.default_joints(armature)}
    weights = weights or dict.fromkeys(armature.data.bones.keys(), 1.0)
    try:
        pair = costing.read_pair(armature, settings)
        motions = finish(costing.motions(armature, pair))
        compared = costing.compare(settings, pair.alignment, weights, motions, scene.fps())
        best = finish(meetings.best_pairs(compared, 1, Search(), exact=False))
        row.pairs += bool(best) and math.isfinite(best[0].cost)
    except InertiaError:
        row.pairs += 1
    others = tuple(name for name in list(clips)[:6] if name not in (source, destination))
    try:
        found = finish(
            hops.prepare(armature, HopSettings(settings, clips=others, find_cycles=False), weights)
        )
        ways, direct = finish(hops.ranked(finish(hops.weighed(found)), 1))
        row.hops += bool(ways) or math.isfinite(direct)
    except InertiaError:
        row.hops += 1


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep what importers print from the table."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rig", nargs="+", help="only rigs whose names begin like one of these")
    parser.add_argument("--heuristic", nargs="+", choices=HEURISTICS, default=list(HEURISTICS))
    arguments = parser.parse_args()
    print(f"| {' | '.join(COLUMNS)} |\n|{' --- |' * len(COLUMNS)}")
    wrong = 0
    for rig in rigs(arguments.data, arguments.heuristic):
        if arguments.rig is None or rig.name.startswith(tuple(arguments.rig)):
            row = examine(rig, arguments.pairs, arguments.seed)
            wrong += not row.right
            print(row.line(), flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    # bpy 4.2 may crash at the interpreter's end
    os._exit(code)
