# SPDX-License-Identifier: GPL-3.0-or-later
"""Work that may take long: in slices, with progress, until it is done or ESC is pressed."""

from __future__ import annotations

import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ...blender import files
from ...errors import InertiaError
from ...storage import places
from ..translations import translated
from .common import Tool

AT_ONCE_SECONDS = 0.2
"""What may be done before a window shows progress."""
SLICE_SECONDS = 0.1
"""How long a slice takes about."""

_going: set[Generator[float, None, None]] = set()
"""The works that go on in slices now."""


@persistent
def give_up(*_: object) -> None:
    """A handler: undo, which another window lets through, must not take from works what they have begun."""
    while _going:
        _going.pop().close()


class LongWork(Tool):
    """An operator whose work is a generator: it yields the part that is done, 0 to 1.

    Whatever it has changed in the file must be back in place whenever it yields, but for new data, which
    must be gone when it is closed there. Called by a script, it runs to its end; pressed in a window, it
    lets the window breathe.
    """

    bl_label: str
    _steps: Generator[float, None, None] | None = None
    _timer: Any = None

    def work(self, context: Any) -> Generator[float, None, None]:
        """The work itself; the file is changed for good only after its last yield."""
        raise NotImplementedError

    def act(self, context: Any) -> None:
        """Run to the end."""
        for _ in self.work(context):
            pass

    def invoke(self, context: Any, _event: Any) -> set[str]:
        """Run, and go on in slices where it takes longer."""
        self._steps = self.work(context)
        done = self._slice(AT_ONCE_SECONDS)
        if done is not None:
            return done
        manager = context.window_manager
        manager.progress_begin(0.0, 1.0)
        self._timer = manager.event_timer_add(0.01, window=context.window)
        manager.modal_handler_add(self)
        _going.add(self._steps)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: Any) -> set[str]:
        """Do a slice at each tick of the timer, until the end, ESC or undo."""
        if self._steps not in _going or (event.type == "ESC" and event.value == "PRESS"):
            self._finish(context)
            self.say("{operator} was stopped; nothing was changed.", operator=translated(self.bl_label))
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        try:
            done = self._slice(SLICE_SECONDS, context)
        except BaseException:  # Blender ends the operator then, but not what it has begun
            self._finish(context)
            raise
        if done is None:
            return {"RUNNING_MODAL"}
        self._finish(context)
        return done

    def cancel(self, context: Any) -> None:
        """Blender itself ends the operator, as when its window closes."""
        self._finish(context)

    def _slice(self, seconds: float, context: Any | None = None) -> set[str] | None:
        """Work for a while; the operator's result when that was the end."""
        assert self._steps is not None
        until = time.monotonic() + seconds
        try:
            while True:
                done = next(self._steps)
                if time.monotonic() >= until:
                    break
        except StopIteration:
            return {"FINISHED"}
        except InertiaError as error:
            return self.refuse(error)
        if context is not None:
            context.window_manager.progress_update(done)
            text = translated("{0}: {1} done. ESC stops it.", translated(self.bl_label), f"{done:.0%}")
            context.workspace.status_text_set(text)
        return None

    def _finish(self, context: Any) -> None:
        if self._steps is not None:
            self._steps.close()
            _going.discard(self._steps)
        context.window_manager.event_timer_remove(self._timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)


class SavesFile(LongWork):
    """Long work that writes a file, which the file browser asks for where a script has not named it."""

    filepath: str

    def offered(self, context: Any) -> tuple[str, str]:
        """The name that is offered for the file, and its ending."""
        raise NotImplementedError

    def invoke(self, context: Any, _event: Any) -> set[str]:
        """Ask for the file; Blender goes on with :meth:`execute`."""
        if not self.filepath:
            name, ending = self.offered(context)
            self.filepath = bpy.path.clean_name(name) + ending
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def path(self, ending: str | None = None) -> Path:
        """The file that was named. Raises InertiaError where it can't be written, or is one that is open.

        ending: which its name gets unless it has it.
        """
        named = self.filepath if ending is None else bpy.path.ensure_ext(self.filepath, ending)
        path = Path(bpy.path.abspath(named))
        places.check(path)
        opened = [Path(bpy.data.filepath)] if bpy.data.filepath else []
        places.check_apart(path, [*opened, *files.beside()])
        return path

    def modal(self, context: Any, event: Any) -> set[str]:
        """While the file browser is open there is no work to go on with."""
        return super().modal(context, event) if self._steps is not None else {"PASS_THROUGH"}
