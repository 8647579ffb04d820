# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: presses what a page of the guide says, in its order; see
test_guide.py."""

from __future__ import annotations

import contextlib
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
from driver import (
    LATER,
    Steps,
    close_other_editors,
    inertia,
    inside,
    key,
    middle,
    only_open,
    open_tab,
    picture,
    prepare_view,
    push,
    remember,
    state,
    until,
    window,
    worked,
)
from steering_steps import for_seconds, hold, live

HERE = Path(__file__).parent

PANELS = {
    "loops": ("_loop",),
    "feet": ("_feet", "_lockfeet"),
    "clean": ("_pops",),
    "path": ("_path",),
    "steer": ("_steer",),
}
"""The panels of a page, which it tells to unfold; the others are folded, so that all fits in."""
BUTTONS = {"Best Pair": "goal='PAIR'", "As Destination": "inertia.use_assigned_action"}
"""Buttons that have other words than what they run."""
PLACES = {"Best Pair": 0.25}
"""Where buttons are that share their row, as a part of the sidebar's width."""
ASKED = re.compile(r"<!-- guide: (.*) -->")
MADE = re.compile(r"Make the example \*(\w+)\*")
PRESSED = re.compile(r"[Pp]ress \*\*(.+?)\*\*")


def steps(page: str) -> Steps:
    """What a page says."""
    text = (HERE / "docs" / "guide" / f"{page}.md").read_text(encoding="utf-8")
    (line,) = ASKED.findall(text)
    asked = dict(word.split("=", 1) for word in shlex.split(line))
    bpy.context.preferences.view.ui_scale = 0.6
    panels = PANELS.get(page)
    with only_open(*panels, mode=asked["mode"]) if panels else contextlib.nullcontext():
        (example,) = MADE.findall(text)
        rig = make(example, asked["mode"])
        yield from close_other_editors()
        yield from prepare_view()
        yield from open_tab()
        for name, value in asked.items():
            take(rig, name, value)
        remember("As the page says")
        yield LATER
        for label in PRESSED.findall(text):
            # what is found is the same however busy the machine is
            with both_cores_busy() if label == "Best Pair" else contextlib.nullcontext():
                yield from press_label(label)
            if label == "Best Pair":
                state["pair"] = [rig.inertia.cut, rig.inertia.destination_frame]
        if page == "steer":
            yield from steered()
        picture("after")
        action = rig.animation_data.action
        state["wanted"], state["assigned"] = asked["result"], action.name
        yield from until(lambda: seen_of(rig, action) is not None)
        seen = seen_of(rig, action)
        state["rating"] = seen.rating
        state["said"] = [str(said) for said in inertia("blender.judging.verdict").sentences(seen)]
        state["pressed"] = PRESSED.findall(text)
        state["errors"] = [each.name for each in bpy.data.actions if each.name.endswith(".001")]


@contextlib.contextmanager
def both_cores_busy() -> Iterator[None]:
    """Have two other processes take all that they can get."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def make(example: str, mode: str) -> bpy.types.Object:
    """The figure of an example, which is in hand, in the mode that its page is about."""
    window().workspace.inertia_mode = "MEASURE"
    remember("Before the example")
    with inside("WINDOW"):
        assert bpy.ops.inertia.make_example(example=example.upper()) == {"FINISHED"}
    rig = bpy.context.view_layer.objects.active
    assert bpy.context.selected_objects == [rig]
    assert window().workspace.inertia_mode == mode
    return rig


def take(rig: bpy.types.Object, name: str, value: str) -> None:
    """Set what a page tells to pick."""
    if name in ("source", "destination"):
        setattr(rig.inertia, name, bpy.data.actions[value])
    elif name == "cut":
        bpy.context.scene.frame_set(int(value))
        rig.inertia.cut = float(value)
    elif name == "action":
        assert rig.animation_data.action.name == value
    elif name == "curve":
        rig.inertia_path.followed = bpy.data.objects[value]


def seen_of(rig: bpy.types.Object, action: bpy.types.Action) -> Any:
    """The verdict on a result, None before it is judged."""
    return inertia("ui.transition.results").kind_of(action).verdict(rig, action)


def operators() -> dict[str, str]:
    """What runs which of Inertia's labels, as a script calls it."""
    found: dict[str, str] = {}
    waiting = list(bpy.types.Operator.__subclasses__())
    while waiting:
        each = waiting.pop()
        waiting += each.__subclasses__()
        if str(getattr(each, "bl_idname", "")).startswith("inertia."):
            found[each.bl_label] = each.bl_idname
    return found


def press_label(label: str) -> Steps:
    """Press the button of these words, and wait until all that it sets off is done."""
    yield from push(BUTTONS.get(label) or operators()[label], at=PLACES.get(label, 0.5))
    if label != "Steer":
        yield from worked()


def steered() -> Steps:
    """Hold W and let it go, go back, go on, and keep the take, as the page says."""
    while live() is None:
        yield LATER
    yield from hold("W", "PRESS")
    yield from for_seconds(2.5)
    yield from hold("W", "RELEASE")
    yield from key("BACK_SPACE", *middle())
    yield from for_seconds(1.0)
    yield from key("RET", *middle())
    while any("steer" in each.bl_idname for each in window().modal_operators):
        yield LATER
