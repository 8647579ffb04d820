# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work as a window does it, but a step at a time and without one: tests say what happens in between."""

from __future__ import annotations

import types
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any
from unittest import mock
from unittest.mock import MagicMock

import bpy

from inertia_addon.ui import rooms
from inertia_addon.ui.shared import long_work

TICK = SimpleNamespace(type="TIMER", value="NOTHING")
ESC = SimpleNamespace(type="ESC", value="PRESS")


class Given(dict[str, Any]):
    """The values that an operator was given, as Blender tells of them."""

    def is_property_set(self, name: str) -> bool:
        """Whether one is among them."""
        return name in self


class Window:
    """A context with a window, of which nothing must stay when the work has ended."""

    def __init__(self) -> None:
        self.window = MagicMock()
        self.workspace = MagicMock()
        self.window_manager = MagicMock()

    def __getattr__(self, name: str) -> Any:
        return getattr(bpy.context, name)

    def is_tidy(self) -> bool:
        """Whether all that was begun in the window has an end."""
        manager = self.window_manager
        timers = [call.args for call in manager.event_timer_remove.call_args_list]
        begun = manager.event_timer_add.call_count
        said = self.workspace.status_text_set.call_args_list
        return (
            timers == [(manager.event_timer_add.return_value,)] * begun
            and manager.progress_end.call_count >= manager.progress_begin.call_count
            and (not begun or said[-1].args == (None,))
        )


class Pressed:
    """An operator whose button is pressed in a window; each tick of its timer is a step of its work.

    said: what it has reported, with its kinds.
    """

    def __init__(self, name: str, **values: Any) -> None:
        self.said: list[tuple[str, str]] = []
        self.window = Window()
        self.operator = _made(name, values, self.said)
        self.state: set[str] = set()

    def press(self) -> bool:
        """Begin; whether it goes on."""
        with _by_steps():
            self.state = self.operator.invoke(self.window, None)
        return self.goes_on

    def tick(self, event: Any = TICK) -> bool:
        """Go on by a step; whether there are more."""
        with _by_steps():
            self.state = self.operator.modal(self.window, event)
        return self.goes_on

    @property
    def goes_on(self) -> bool:
        """Whether it has not ended."""
        return self.state == {"RUNNING_MODAL"}

    def finish(self) -> Pressed:
        """Go on to the end."""
        while self.goes_on:
            self.tick()
        return self

    @property
    def errors(self) -> list[str]:
        """The errors that it has reported."""
        return [text for kind, text in self.said if kind == "ERROR"]


def press(name: str, **values: Any) -> Pressed:
    """Press an operator's button, and do its first step."""
    pressed = Pressed(name, **values)
    pressed.press()
    return pressed


@contextmanager
def _by_steps() -> Iterator[None]:
    with mock.patch.multiple(long_work, AT_ONCE_SECONDS=0.0, SLICE_SECONDS=0.0):
        yield


def _within(function: types.FunctionType, owner: type) -> types.FunctionType:
    """A method as one of another class."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells["__class__"] = types.CellType(owner)
    given = function.__globals__, function.__name__, function.__defaults__, tuple(cells.values())
    return types.FunctionType(function.__code__, *given)


def _made(name: str, values: dict[str, Any], said: list[tuple[str, str]]) -> Any:
    """An operator that Blender does not know, which does what one that it knows does."""
    (known,) = (cls for cls in rooms.OPERATORS if cls.bl_idname == f"inertia.{name}")
    bases = tuple(base for base in known.__bases__ if base is not bpy.types.Operator)
    own = {key: value for key, value in vars(known).items() if key not in ("__dict__", "__weakref__")}
    copied: Any = types.new_class(known.__name__, bases, exec_body=lambda body: body.update(own))
    for key, value in own.items():
        if isinstance(value, types.FunctionType) and "__class__" in value.__code__.co_freevars:
            # what asks for its super class asks for that of the copy
            setattr(copied, key, _within(value, copied))
    made = copied()
    rna = getattr(bpy.ops.inertia, name).get_rna_type().properties
    for prop in rna:
        if prop.identifier != "rna_type" and prop.type not in ("POINTER", "COLLECTION"):
            setattr(made, prop.identifier, prop.default)
    for key, value in values.items():
        setattr(made, key, value)
    made.properties = Given(values)
    made.property_unset, made.is_property_set = lambda _name: None, values.__contains__
    made.options = SimpleNamespace(is_repeat=False)
    made.report = lambda kinds, text: said.append((*kinds, text))
    return made
