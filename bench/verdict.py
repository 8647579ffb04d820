# SPDX-License-Identifier: GPL-3.0-or-later
"""What the verdict takes that a change of a setting asks for, in slices as in the window.

    python bench/verdict.py [--bones 65] [--rounds 20]

A biped of so many bones walks, with a key on every frame of all of them. The blend time, the cut and the
frame at which the destination is entered are changed in turns, with the feet left to the blend, and
automatic. Printed is the processor time of a verdict, and of its longest slice: the median, and the least,
which other work on the machine does not add to; the median over all changes; and what it takes the panel that
asks for it to see whether an action was changed. Then, of the same walks on a rig that Blender has to play,
how many frames that shows at first, and after a change of the blend time, of the cut, and of the frame at
which the destination is entered, and what its longest slice takes.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import statistics
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bpy
import locking
from goals import whether

from inertia_addon import registration
from inertia_addon.blender.evaluation import joint_motion
from inertia_addon.blender.judging import verdict
from inertia_addon.blender.judging.played import Footage
from inertia_addon.blender.transition import bake
from inertia_addon.blender.transition.meeting import PlanOptions
from inertia_addon.settings.transition import TransitionSettings
from inertia_addon.ui.judging import live
from inertia_addon.ui.shared import cache
from tests.blender import builders, led_walker

FRAMES, CUT, ENTRY = 120, 50.0, 31.0
CHANGED = ("blend_time", "cut", "destination_frame")
PLAYED_CHANGES: tuple[dict[str, float], ...] = (
    {"blend_frames": 8.0},
    {"blend_frames": 12.0},
    {"blend_frames": 20.0},
    {"cut": CUT + 1.0},
    {"destination_frame": ENTRY - 1.0},
)
"""What is changed of settings for a rig that Blender has to play."""
MOST_MILLISECONDS, MEDIAN_MILLISECONDS, LONGEST_MILLISECONDS, MOST_SHOWN = 150.0, 30.0, 30.0, 20


@dataclasses.dataclass
class Spent:
    """What verdicts took: the processor time of each, and of its longest slice, milliseconds."""

    whole: list[float] = dataclasses.field(default_factory=list)
    longest: list[float] = dataclasses.field(default_factory=list)

    def judge(self, job: live.VerdictJob, armature: Any) -> None:
        """Judge what has changed, as the window's timer does."""
        job.change(None)
        slices = []
        while not job.is_done:
            begun = time.process_time()
            job.work_on(armature, live.SLICE_SECONDS)
            slices.append(1e3 * (time.process_time() - begun))
        if job.fault:
            sys.exit(job.fault)
        self.whole.append(sum(slices))
        self.longest.append(max(slices))

    def __str__(self) -> str:
        said = [
            f"{statistics.median(each):.0f} ms (least {min(each):.0f})" for each in (self.whole, self.longest)
        ]
        return f"{said[0]}, its longest slice {said[1]}"


def measure(bones: int, rounds: int) -> None:
    """Print what verdicts take on a rig that numpy poses."""
    armature = locking.make(bones, FRAMES)
    registration.register()
    own = armature.inertia
    own.source = bpy.data.actions["Walk"]
    own.destination = own.source.copy()
    own.cut, own.destination_frame, own.use_destination_frame = CUT, ENTRY, True
    every, medians = Spent(), list[str]()
    for feet in ("OFF", "AUTO"):
        own.feet = feet
        job, first = live.VerdictJob(None, 0.0), Spent()
        first.judge(job, armature)
        print(f"  feet {feet.lower()}, the first: {first}")
        every.longest += first.longest
        changes: list[float] = []
        for name in CHANGED:
            spent = Spent()
            for i in range(rounds):
                setattr(own, name, getattr(own, name) + (1.0 if i % 2 else -1.0))
                spent.judge(job, armature)
            print(f"    another {name.replace('_', ' ')}: {spent}")
            changes += spent.whole
            every.whole.append(statistics.median(spent.whole))
            every.longest.append(statistics.median(spent.longest))
        median = whether(statistics.median(changes), MEDIAN_MILLISECONDS, " ms")
        medians.append(f"  a verdict after a change, feet {feet.lower()}, median: {median}")
    looks = [looked(armature) for _ in range(rounds)]
    said = f"{statistics.median(looks):.0f} ms (least {min(looks):.0f})"
    print(f"  the panel, after any action was changed: {said}")
    every.longest.append(statistics.median(looks))
    print(*medians, sep="\n")
    print(f"  a verdict after a change, at most: {whether(max(every.whole), MOST_MILLISECONDS, ' ms')}")
    print(f"  its longest slice: {whether(max(every.longest), LONGEST_MILLISECONDS, ' ms')}")
    registration.unregister()


def looked(armature: Any) -> float:
    """What it takes to look at both actions anew, milliseconds."""
    cache.look_again()
    begun = time.process_time()
    cache.action_states(armature)
    return 1e3 * (time.process_time() - begun)


def measure_played() -> None:
    """Print how many frames Blender shows for a verdict on a rig that it has to play."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    joint_motion.SLICE_SECONDS = joint_motion.WINDOW_SECONDS
    armature = led_walker.led()
    led_walker.walk(armature, "Walk", frames=FRAMES)
    led_walker.walk(armature, "Late", frames=FRAMES, late=0.2)
    for feet in ("OFF", "AUTO", "LOCK"):
        footage, counts, longest = Footage(), [], 0.0
        for changed in ({}, *PLAYED_CHANGES):
            values: dict[str, Any] = {"cut": CUT, "destination_frame": ENTRY, "blend_frames": 10.0, **changed}
            asked = TransitionSettings("Walk", "Late", feet=feet, **values)
            with builders.frames_shown() as shown:
                slices = judging(armature, asked, footage)
            counts.append(len(shown))
            longest = max([longest, *slices] if len(counts) > 1 else [0.0])
        first, *others = counts
        said = ", ".join(
            f"{count} with {' '.join(map(str, *change.items()))}"
            for count, change in zip(others, PLAYED_CHANGES, strict=True)
        )
        print(
            f"  played, feet {feet.lower()}: {first} frames at first, {said}; longest slice {longest:.0f} ms"
        )
        print(
            f"    played, feet {feet.lower()}, after a change: {whether(max(others), MOST_SHOWN, ' frames')}"
        )
        print(f"    its longest slice: {whether(longest, LONGEST_MILLISECONDS, ' ms')}")


def judging(armature: Any, asked: TransitionSettings, footage: Footage) -> list[float]:
    """Judge settings; returns what each slice takes, milliseconds."""

    def work() -> Generator[float, None, None]:
        plan = yield from bake.plan_transition_steps(
            armature, asked, PlanOptions(footage=footage, constants={})
        )
        yield from verdict.of_played(plan.evidence)

    slices, begun = [], time.process_time()
    for _ in work():
        slices.append(1e3 * (time.process_time() - begun))
        begun = time.process_time()
    return slices


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--bones", type=int, default=65)
    parser.add_argument("--rounds", type=int, default=20)
    given = parser.parse_args()
    print(f"Blender {bpy.app.version_string}: verdicts of {given.bones} bones, {given.rounds} of each")
    measure(given.bones, given.rounds)
    measure_played()
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
