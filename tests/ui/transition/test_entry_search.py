# SPDX-License-Identifier: GPL-3.0-or-later
"""In a window a preview doesn't wait for the entry: it is found in slices, and then shown."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.ui.judging import live
from inertia_addon.ui.shared import cache, slices
from inertia_addon.ui.transition import entry_search, outlook, previewing
from tests.blender import led_walker
from tests.ui.recorder import drawn, panel_named

Slice = Callable[[], float | None]
SAID = "First frame shown, looking for a better one"


@pytest.fixture
def led(fresh_file: None) -> Any:
    """Two walks on a control rig, which Blender has to play; the second is left open where it is entered."""
    armature = led_walker.led()
    own = armature.inertia
    own.source = led_walker.walk(armature, "Walk", frames=70)
    own.destination = led_walker.walk(armature, "Late", frames=70, late=0.5)
    own.cut, own.blend_frames, own.destination_cycle = 20.0, 10.0, "OFF"
    own.feet = "OFF"
    return armature


@pytest.fixture
def slicing(monkeypatch: pytest.MonkeyPatch, led: Any) -> Iterator[list[Slice]]:
    """What the window's loop would call: nothing is worked on at once."""
    waiting: list[Slice] = []
    app = types.SimpleNamespace(background=False)
    window = types.SimpleNamespace(app=app, data=bpy.data, context=bpy.context)
    monkeypatch.setattr(slices, "bpy", window)
    monkeypatch.setattr(cache, "call_later", lambda function, _seconds=0.0: waiting.append(function))
    monkeypatch.setattr(previewing, "REST", 0.0)
    # the verdict would find the entry, too
    monkeypatch.setattr(live, "current", lambda _armature: live.VerdictView(None, None, is_current=False))
    monkeypatch.setattr(entry_search._searches, "slice_seconds", 0.0)
    yield waiting
    previewing.end()


def poses(armature: Any) -> Any:
    """Where all bones are around the cut, and what is shown then."""
    found = []
    for frame in (15, 20, 23, 26, 40):
        bpy.context.scene.frame_set(frame)
        shown = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append([bone.matrix.copy() for bone in shown.pose.bones])
    return np.array(found)


def said() -> bool:
    """Whether the panel says that the first frame is shown."""
    return SAID in drawn(panel_named("transition")).texts


def test_a_preview_shows_the_first_frame_until_a_better_one_is_found(led: Any, slicing: list[Slice]) -> None:
    led.inertia.enter_at = "FIRST"
    previewing.begin(bpy.context.scene, led)
    first = poses(led)
    assert slicing == []
    previewing.end()
    led.inertia.enter_at = "AUTO"
    previewing.begin(bpy.context.scene, led)
    (work,) = slicing
    assert outlook.entry_of(led) is None
    assert said()
    count = 0
    while work() is not None:
        if count == 1:
            np.testing.assert_allclose(poses(led), first, atol=1e-6)
        previewing.watch()
        assert previewing.is_running(led)
        count += 1
    assert count > 5
    assert outlook.entry_of(led) not in (None, 1.0)
    previewing.watch()
    found = poses(led)
    assert np.abs(found - first).max() > 0.01
    assert not said()
    previewing.end()
    bpy.ops.inertia.bake_transition()
    np.testing.assert_allclose(poses(led), found, atol=1e-5)


def test_an_entry_is_looked_for_as_long_as_there_is_a_preview(led: Any, slicing: list[Slice]) -> None:
    previewing.begin(bpy.context.scene, led)
    slicing[0]()
    assert entry_search.is_running(led)
    led.inertia.cut += 1.0
    previewing.watch()
    assert entry_search.is_running(led), "of the new cut"
    previewing.end()
    assert not entry_search.is_running(led)
    assert outlook.entry_of(led) is None
