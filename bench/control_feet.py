# SPDX-License-Identifier: GPL-3.0-or-later
"""How still feet stand on control rigs that are locked, as Blender plays them, and how long that takes.

    python bench/control_feet.py [--rig NAME ...] [--write]

A small rig made by hand and those that Rigify generates walk with feet that skate, by IK and by FK, in two
spaces. Lock Feet makes a new action of that; of two walks a transition is baked. Printed is by how much the
point of any foot leaves its place while it is held, on frames and on half frames with them, how many frames
Blender shows for it and how long that takes, by what one of its frames does. Exits with 1 where a foot leaves
its place by more than a millimetre: one that is pinned between frames, too.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inertia_addon.blender.data import actions, clip_store
from inertia_addon.blender.evaluation import joint_motion
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.feet import bake as feet_bake
from inertia_addon.blender.feet import contacts, legs
from inertia_addon.blender.transition import bake
from inertia_addon.motion.feet.contacts import Span
from inertia_addon.motion.steps import finish
from inertia_addon.settings.feet import LockSettings
from inertia_addon.settings.transition import TransitionSettings
from tests import rigify_character
from tests.blender import builders, clips, control_clips, led_walker
from tools import tables

PEOPLE, ANIMALS = ("human", "basic_human"), ("cat", "horse", "basic_quadruped")
MADE = "made by hand"
BOUND = 1.0
"""A foot that is held leaves its place by at most so many millimetres."""
FRAMES = 55
COLUMNS = (
    "rig",
    "case",
    "off on frames, mm",
    "between",
    "frames shown",
    "of a clip's",
    "time, frames",
    "controls",
)
Held = Mapping[str, Sequence[tuple[float, float]]]


def walks(armature: Any) -> None:
    """Two walks of a person's controls."""
    names = {} if armature.name == "Led" else {"hips": "torso", "step": "foot_ik"}
    led_walker.walk(armature, "Walk", frames=FRAMES, skate=0.1, **names)
    led_walker.walk(armature, "Late", frames=FRAMES, late=0.2, **names)


def told_otherwise(armature: Any, name: str, *, fk: bool) -> Any:
    """The walk as FK tells it, or as IK does whose controls go along with the torso."""
    for holder in ("thigh_parent.L", "thigh_parent.R"):
        armature.pose.bones[holder]["IK_FK"], armature.pose.bones[holder]["IK_parent"] = 0.0, 1
    armature.update_tag()
    chain = ("thigh", "shin", "foot", "toe") if fk else ("foot",)
    names = [f"{part}_{'fk' if fk else 'ik'}{side}" for part in chain for side in (".L", ".R")]
    action = bpy.data.actions["Walk"].copy()
    action.name = name
    shown = [bone.replace("_fk", "").replace("_ik", "") for bone in names]
    sources = [f"ORG-{bone}" for bone in shown] if fk else names
    frames = np.arange(1.0, FRAMES + 0.5)
    found = builders.played(armature, action, frames)
    places = [armature.pose.bones.find(bone) for bone in sources]
    for holder in ("thigh_parent.L", "thigh_parent.R"):
        switch = "IK_FK" if fk else "IK_parent"
        armature.pose.bones[holder][switch] = 1.0 if fk else 2
        armature.pose.bones[holder].keyframe_insert(f'["{switch}"]', frame=1)
    back = armature.matrix_world.inverted()
    for frame, posed in zip(frames.tolist(), found, strict=True):
        bpy.context.scene.frame_set(int(frame))
        wanted = {bone: back @ Matrix(posed[at].tolist()) for bone, at in zip(names, places, strict=True)}
        if not fk:
            control_clips.put(armature, wanted, int(frame))
            continue
        for bone, matrix in wanted.items():
            armature.pose.bones[bone].matrix = matrix
            bpy.context.view_layer.update()
            armature.pose.bones[bone].keyframe_insert("rotation_quaternion", frame=frame)
    return action


def off(armature: Any, name: str, held: Held) -> tuple[float, float]:
    """How far feet leave their places in an action, millimetres: on frames, and with those between them."""
    clip = clip_store.read(armature, actions.find(name))
    known = legs.of_armature(armature)
    on = between = 0.0
    for k, leg in enumerate(known):
        for first, last in held.get(leg.name, ()):
            frames = builders.sub_frames(first, last, 0.5)
            points = finish(
                joint_motion.track_points_steps(
                    read_character(armature), clip, [(one.point, one.offset) for one in known], frames
                )
            )
            away = 1000.0 * np.linalg.norm(points[:, k] - points[0, k], axis=1)
            on, between = max(on, float(away[::2].max())), max(between, float(away.max()))
    return on, between


def locked(armature: Any, name: str) -> tuple[str, Held, str]:
    """Lock the feet of an action; the result, when its feet are held, and by which controls."""
    report = finish(feet_bake.lock_action_steps(armature, LockSettings(name)))
    held = {foot.foot: [(span.start, span.end) for span in foot.spans] for foot in report.before}
    return report.result, held, ", ".join(report.pinned)


def crossed(armature: Any) -> tuple[str, Held, str]:
    """The same of a transition."""
    once = {"source_cycle": "OFF", "destination_cycle": "OFF", "blend_frames": 10.0, "assign": False}
    plan = bake.plan_transition(armature, TransitionSettings("Walk", "Late", 20.0, 9.0, feet="LOCK", **once))
    return bake.write_plan(plan).result, plan.feet.holds, ", ".join(plan.feet.pinned)


def cases(armature: Any, kind: str) -> Iterator[tuple[str, Callable[[], tuple[str, Held, str]]]]:
    """What is done with a rig."""
    if kind in ANIMALS:
        for fk in (False, True) if kind == "horse" else (False,):
            action = control_clips.animate(
                armature, f"Skates {fk}", control_clips.Look(fk=fk), is_source=True
            )
            spans = {leg.name: (Span(5.0, 9.0), Span(20.0, 23.0)) for leg in legs.of_armature(armature)}
            contacts.store(action, spans)
            yield f"Lock Feet, {'FK' if fk else 'IK'}", lambda name=action.name: locked(armature, name)
        return
    walks(armature)
    clips.play(armature, bpy.data.actions["Walk"])
    yield "Lock Feet, IK", lambda: locked(armature, "Walk")
    yield "transition, IK", lambda: crossed(armature)
    if kind != MADE:
        for fk in (False, True):
            name = "FK" if fk else "IK along with the torso"
            told_otherwise(armature, name, fk=fk)
            yield f"Lock Feet, {name}", lambda name=name: locked(armature, name)


def rows(kind: str, folder: Path) -> Iterator[tuple[str, bool]]:
    """A rig's rows of the table, and whether its feet stand still."""
    with contextlib.redirect_stdout(io.StringIO()):
        if kind == MADE:
            bpy.ops.wm.read_factory_settings(use_empty=True)
            armature = led_walker.led()
        else:
            path = rigify_character.generated(folder / f"{kind}.blend", kind, "bare")
            bpy.ops.wm.open_mainfile(filepath=str(path))
            armature = bpy.data.objects["rig"]
    for case, work in cases(armature, kind):
        began = time.process_time()
        for frame in range(1, FRAMES + 1):
            bpy.context.scene.frame_set(frame)
        one = (time.process_time() - began) / FRAMES
        with builders.frames_shown() as shown:
            began = time.process_time()
            name, held, controls = work()
            spent = time.process_time() - began
        away = off(armature, name, held)
        figures = [
            *(f"{one:.3f}" for one in away),
            str(len(shown)),
            f"{len(shown) / FRAMES:.1f}",
            f"{spent / one:.0f}",
        ]
        yield tables.row([kind, case, *figures, controls]), bool(held) and away[bool(controls)] <= BOUND


def main() -> int:
    """Print the table and a verdict."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    every = (MADE, *PEOPLE, *ANIMALS)
    parser.add_argument("--rig", nargs="+", choices=every, default=list(every))
    parser.add_argument(
        "--write", action="store_true", help="write the table into docs/reference/measured.md, too"
    )
    arguments = parser.parse_args()
    said = tables.heads(COLUMNS)
    print("\n".join(said), flush=True)
    stand = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in arguments.rig:
            for row, stands in rows(kind, Path(folder)):
                print(row, flush=True)
                said.append(row)
                stand.append(stands)
    passed = all(stand)
    print(f"\n  {'pass' if passed else 'FAIL'}  IK control rigs: targets pinned to 1 mm")
    if arguments.write:
        tables.write("control-feet", said)
    return 0 if passed else 1


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    # the bpy modules can hang at exit; everything is said
    os._exit(code)
