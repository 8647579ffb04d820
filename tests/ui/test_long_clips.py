# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips that take a while are not read while a panel is drawn: a button does it, with progress and ESC."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.cost import meetings
from inertia_addon.blender.data import actions
from inertia_addon.blender.evaluation import joint_motion
from inertia_addon.blender.transition import bake
from inertia_addon.errors import InertiaError
from inertia_addon.ui.cost import costs
from inertia_addon.ui.hops import finding
from inertia_addon.ui.root_motion import measured as root_motion
from inertia_addon.ui.shared.tool import Tool
from inertia_addon.ui.transition.properties import settings_from
from tests.ui.rigs import take_snapshot


@pytest.fixture(autouse=True)
def little_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if these clips had a hundred thousand frames."""
    monkeypatch.setattr(joint_motion, "QUICK", 20)
    monkeypatch.setattr(actions, "LONG", 1)


WORK: dict[str, Callable[[Any], Generator[float, None, Any]]] = {
    "evaluate": costs.evaluate_steps,
    "measure": root_motion.measure_steps,
    "hops": finding.search_steps,
    "bake": lambda rig: bake.plan_transition_steps(rig, settings_from(rig)),
}


class Watched:
    """An F-curve, or its keys, that notes when these are read."""

    def __init__(self, watched: Any, read: set[int], curve: int) -> None:
        self.watched, self.read, self.curve = watched, read, curve

    def __len__(self) -> int:
        return len(self.watched)

    def __getattr__(self, name: str) -> Any:
        if name == "keyframe_points":
            return Watched(self.watched.keyframe_points, self.read, self.curve)
        if name == "foreach_get":
            self.read.add(self.curve)
        return getattr(self.watched, name)


@pytest.mark.parametrize("name", WORK)
def test_esc_can_stop_it_after_each_curve_that_is_read(
    rig: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.inertia_hops.choose_clips = True
    rig.inertia_hops.clips.add().action = bpy.data.actions["Idle"]
    rig.inertia_root.scope = "ALL"
    read: set[int] = set()
    read_keys = actions._read_keys_steps

    def watched(curves: list[Any]) -> Generator[float, None, Any]:
        # what is shown now is looked at, too, a curve at a time
        many = len(curves) > 1
        return read_keys([Watched(curve, read, n) if many else curve for n, curve in enumerate(curves)])

    monkeypatch.setattr(actions, "_read_keys_steps", watched)
    steps, before = WORK[name](rig), take_snapshot()
    for count in range(5):
        assert 0.0 <= next(steps) < 0.5
        assert len(read) == count
    steps.close()
    assert take_snapshot() == before


def test_costs_wait_for_the_button(rig: Any) -> None:
    with pytest.raises(InertiaError, match=r'^Press Evaluate Clips .* "Walk" is so long'):
        costs.costs_of(rig)
    assert bpy.ops.inertia.evaluate_clips() == {"FINISHED"}
    assert costs.costs_of(rig).compared.names


def test_root_motion_waits_for_the_button(rig: Any) -> None:
    with pytest.raises(InertiaError, match=r'^Press Measure Actions .* "Idle" is so long'):
        root_motion.read_view(rig)
    assert bpy.ops.inertia.measure_actions() == {"FINISHED"}
    assert root_motion.read_view(rig).read.motion.frames.size > 20


@pytest.mark.variants(2)
@pytest.mark.parametrize("goal", ["PAIR", "PAIRS", "CUT", "DESTINATION"])
def test_a_search_for_pairs_says_what_it_was_searched_in(
    rig: Any, goal: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports: list[str] = []
    monkeypatch.setattr(Tool, "say", lambda operator, text, *kind, **values: reports.append(str(text)))
    monkeypatch.setattr(meetings, "coarseness", lambda frames, cells=20: -(-frames // 20))
    bpy.ops.inertia.find_meeting(goal=goal)
    said = (
        '"{}" is so long that the search took only one frame in 2, and then every frame around the best ones.'
    )
    # and at the end which is the best, and what it looks like
    *before, best, _verdict = reports
    assert before == ([said.format(name) for name in ("Walk", "Run")] if "PAIR" in goal else [])
    assert best.startswith("Cut ")


def test_frames_that_were_not_looked_at_are_told(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joint_motion, "MOST_FRAMES", 10)
    bpy.ops.inertia.evaluate_clips()
    assert costs.notes(costs.costs_of(rig).evaluated) == [
        '"Walk" is so long that only one frame in 4 was checked.',
        '"Run" is so long that only one frame in 5 was checked.',
    ]
