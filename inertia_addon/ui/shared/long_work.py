# SPDX-License-Identifier: GPL-3.0-or-later
"""Work that may take long: in slices, with progress, until it is done or ESC is pressed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
from bpy.app.handlers import persistent

from ...blender import files
from ...console import progress
from ...storage import places
from ..translations import translated
from . import cache
from .slices import Slices
from .tool import Tool
from .work_inputs import Footing

if TYPE_CHECKING:
    from ...motion.steps import Steps

AT_ONCE_SECONDS = 0.2
"""What may be done before a window shows progress."""
SLICE_SECONDS = 0.1
"""How long a slice takes about."""

_going: dict[Slices[None], str] = {}
"""The works that go on in slices now, with the label of what does each."""


@persistent
def give_up(*_: object) -> None:
    """Close all works, as a handler: undo, or another file, must not take from them what they have begun."""
    while _going:
        _going.popitem()[0].close()


def find_going() -> tuple[str, float] | None:
    """Return the label of the work that goes on in slices now, and the part of it that is done; None for
    none. It is what the status bar tells."""
    return next(((label, slices.done) for slices, label in _going.items()), None)


def describe_part(progress: float) -> str:
    """Return the part of a work that is done, 0 to 1, as text in whole percent, the same in the status bar
    and in the panel.
    """
    return f"{progress:.0%}"


class LongWork(Tool):
    """An operator whose work is a generator: it yields the part that is done, 0 to 1.

    Whatever it has changed in the file must be back in place whenever it yields, but for new actions, which
    are gone when it is closed there. Called by a script, it runs to its end; pressed in a window, it lets the
    window breathe. What is active in the context is the same in each slice.
    """

    if TYPE_CHECKING:
        bl_label: str
        _footing: Footing
        _slices: Slices[None] | None
        _timer: Any
    _slices = _timer = None
    _hears = False

    def work(self, context: Any) -> Steps[None]:
        """Do the work in steps; the file is changed for good only after the last yield."""
        raise NotImplementedError

    def stands_on(self, *parts: Any) -> None:
        """Have data-blocks and files be there, as they are, for as long as the work goes on; see
        :class:`Footing`. The active object is among them."""
        self._footing.add(*parts)

    def has_changed(self, uid: int) -> None:
        """Go on though a data-block that this stands on is another one, or gone, as it was made anew."""
        self._footing.renew(uid)

    def describe_progress(self, _context: Any, progress: float) -> str:
        """Return the status bar's text while a part of the work is done."""
        return translated("{0}: {1} done. ESC stops it.", translated(self.bl_label), describe_part(progress))

    def act(self, context: Any) -> None:
        """Do all of the work at once, as for a script, and say on standard error how far it is, where that
        takes longer than a few seconds.

        Raise InertiaError if it failed; what it had begun is taken back then.
        """
        slices = self._begin(context)
        progress.finish(self._parts(slices), self.bl_label)
        if slices.error is not None:
            raise slices.error

    def invoke(self, context: Any, _event: Any) -> set[str]:
        """Run, and go on in slices where it takes longer."""
        return self.in_slices(context)

    def in_slices(self, context: Any) -> set[str]:
        """Do the work, and if it is not done after AT_ONCE_SECONDS go on with it in slices between the
        window's events.

        Return what Blender's invoke does: FINISHED; CANCELLED, if it failed, which is reported; or
        RUNNING_MODAL. A progress cursor and a timer run until it ends.
        """
        slices = self._slices = self._begin(context)
        self._go_on(slices, AT_ONCE_SECONDS)
        if slices.is_over:
            return self._result(slices)
        manager = context.window_manager
        manager.progress_begin(0.0, 1.0)
        self._timer = manager.event_timer_add(0.01, window=context.window)
        self._hear_of_events(context)
        _going[slices] = self.bl_label
        return {"RUNNING_MODAL"}

    def _hear_of_events(self, context: Any) -> None:
        if not self._hears:
            context.window_manager.modal_handler_add(self)
            self._hears = True

    def modal(self, context: Any, event: Any) -> set[str]:
        """Do a slice of the work at each tick of the timer, and show its progress in the status bar; return
        what Blender's modal does.

        FINISHED at the end; CANCELLED if the work failed, which is reported, or was given up by undo or
        another file; at ESC what :meth:`stopped` returns, which says that nothing was changed, unless the
        operator keeps something. Any of these ends timer and progress. Other events do nothing.
        """
        slices = self._slices
        if slices not in _going:
            self._finish(context)
            return self._given_up()
        if event.type == "ESC" and event.value == "PRESS":
            self._finish(context)
            return self.stopped(context)
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        try:
            self._go_on(slices, SLICE_SECONDS)
        except BaseException:  # Blender ends the operator then, but not what it has begun
            self._finish(context)
            raise
        if slices.is_over:
            self._finish(context)
            return self._result(slices)
        context.window_manager.progress_update(slices.done)
        cache.redraw()
        context.workspace.status_text_set(self.describe_progress(context, slices.done))
        return {"RUNNING_MODAL"}

    def stopped(self, _context: Any) -> set[str]:
        """Say what came of work that ESC has ended, and return what the operator returns.

        An operator that can keep what it has found so far puts that into the file here.
        """
        return self._given_up()

    def _given_up(self) -> set[str]:
        self.say("{operator} was stopped; nothing was changed.", operator=translated(self.bl_label))
        return {"CANCELLED"}

    def cancel(self, context: Any) -> None:
        """Finish where Blender itself ends the operator, as when its window closes."""
        self._finish(context)

    def _begin(self, context: Any) -> Slices[None]:
        self._footing = Footing(context.object)
        return Slices(self.bl_label, self.work(context), self._footing)

    def _go_on(self, slices: Slices[None], seconds: float) -> None:
        with self._footing.active():
            slices.go_on(seconds)

    def _parts(self, slices: Slices[None]) -> Steps[None]:
        """Do slices to the end; yields the part that is done after each."""
        while not slices.is_over:
            self._go_on(slices, SLICE_SECONDS)
            yield slices.done

    def _result(self, slices: Slices[None]) -> set[str]:
        return {"FINISHED"} if slices.error is None else self.refuse(slices.error)

    def _finish(self, context: Any) -> None:
        if self._slices is not None:
            self._slices.close()
            _going.pop(self._slices, None)
            cache.redraw()
        if self._timer is not None:
            context.window_manager.event_timer_remove(self._timer)
        context.window_manager.progress_end()
        if context.workspace is not None:
            context.workspace.status_text_set(None)


class SavesFile(LongWork):
    """Long work that writes a file, which the file browser asks for where a script has not named it."""

    filepath: str

    def offered(self, context: Any) -> tuple[str, str]:
        """Return the name that is offered for the file, and its ending."""
        raise NotImplementedError

    def invoke(self, context: Any, _event: Any) -> set[str]:
        """Ask for the file; Blender goes on with :meth:`execute`."""
        if not self.filepath:
            name, ending = self.offered(context)
            self.filepath = bpy.path.clean_name(name) + ending
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def path(self, ending: str | None = None) -> Path:
        """Return the path of the file that was named (``filepath``), where // at the beginning stands for the
        folder of the open file; any other relative one, or // in a file that was never saved, gives a path
        relative to the working directory.

        ending: such as ".json", put behind the name unless it ends so, whatever the letters' case; another
        ending stays before it. None leaves the name as it is.

        Raise InertiaError where no file can be written, as where the folder is missing, or for the open file
        and what is read with it, such as its libraries. A file that is there already is no error. Nothing is
        written.
        """
        named = self.filepath if ending is None else bpy.path.ensure_ext(self.filepath, ending)
        path = Path(bpy.path.abspath(named))
        places.check(path)
        opened = [Path(bpy.data.filepath)] if bpy.data.filepath else []
        places.check_apart(path, [*opened, *files.beside()])
        return path

    def modal(self, context: Any, event: Any) -> set[str]:
        """Go on with the work; while the file browser is open there is none, and events pass through."""
        return super().modal(context, event) if self._slices is not None else {"PASS_THROUGH"}
