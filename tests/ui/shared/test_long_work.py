# SPDX-License-Identifier: GPL-3.0-or-later
"""However long work in a window ends, it leaves no timer, no progress and no text in the status bar."""

from __future__ import annotations

from collections.abc import Generator
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.errors import InertiaError
from inertia_addon.ui.join import panels
from inertia_addon.ui.shared import long_work, slices, tab
from tests.ui.recorder import drawn_by

ENDINGS: dict[str, BaseException | None] = {
    "done": None,
    "refused": InertiaError("No."),
    "a fault": KeyError("of ours"),
}


class Work(long_work.LongWork):
    """An operator that Blender does not know."""

    bl_label = "Work"

    def __init__(self, ending: BaseException | None) -> None:
        self.ending = ending
        self.closed = False
        self.said: list[tuple[str, str]] = []

    def report(self, kind: set[str], text: str) -> None:
        self.said.append((*kind, text))

    def work(self, _context: Any) -> Generator[float, None, None]:
        try:
            yield 0.5
            yield 0.6
            if self.ending is not None:
                raise self.ending
        finally:
            self.closed = True


def pressed(operator: Work, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The context of an operator that goes on in slices of a step each."""
    monkeypatch.setattr(slices.time, "monotonic", iter([i * 0.15 for i in range(99)]).__next__)
    context = SimpleNamespace(
        view_layer=bpy.context.view_layer,
        window_manager=MagicMock(),
        workspace=MagicMock(),
        window=None,
        object=bpy.context.object,
    )
    assert operator.invoke(context, None) == {"RUNNING_MODAL"}
    return context


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("last", ["TIMER", "ESC", "undo"])
def test_long_work_leaves_nothing_in_the_window(
    ending: str, last: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    operator = Work(ENDINGS[ending])
    context = pressed(operator, monkeypatch)
    tick = SimpleNamespace(type="TIMER", value="NOTHING")
    if last == "ESC":
        operator.modal(context, SimpleNamespace(type="ESC", value="PRESS"))
    elif last == "undo":
        # what it has begun is gone before Blender takes it away
        long_work.give_up()
        assert operator.closed
        assert operator.modal(context, tick) == {"CANCELLED"}
    else:
        assert operator.modal(context, tick) == {"FINISHED" if ending == "done" else "CANCELLED"}
        errors = [text for kind, text in operator.said if kind == "ERROR"]
        said = {"done": [], "refused": ["No."]}.get(ending)
        if said is None:
            # what nobody foresaw is told in a sentence, and whence it came in the console
            assert len(errors) == 1
            assert errors[0].startswith("Work failed: KeyError")
            assert "raise self.ending" in capsys.readouterr().err
        else:
            assert errors == said
    assert operator.closed
    context.window_manager.event_timer_remove.assert_called_with(operator._timer)
    context.window_manager.progress_end.assert_called()
    assert context.workspace.status_text_set.call_args.args == (None,)


def draw_modes(layout: Any, context: Any) -> None:
    """Draw the first row of the tab in a workspace."""
    context.workspace = bpy.data.workspaces[0]
    panels.draw_modes(layout, context)


class Slow(Work):
    """Work of many steps."""

    def work(self, _context: Any) -> Generator[float, None, None]:
        yield from (i / 40 for i in range(40))


def test_panel_and_status_bar_show_one_figure_while_work_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    operator = Slow(None)
    context = pressed(operator, monkeypatch)
    operator.modal(context, SimpleNamespace(type="TIMER", value="NOTHING"))
    told = context.workspace.status_text_set.call_args.args[0]
    shown = drawn_by(draw_modes)
    (text,) = shown.texts
    assert text.startswith("Work: ")
    assert text.removeprefix("Work: ") in told
    assert not shown.shown
    operator.modal(context, SimpleNamespace(type="ESC", value="PRESS"))
    assert tab.PROPERTY in drawn_by(draw_modes).shown


def test_a_script_is_told_how_far_long_work_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seconds = iter([i * 2.0 for i in range(99)])
    monkeypatch.setattr(slices.time, "monotonic", seconds.__next__)
    Work(None).act(SimpleNamespace(object=bpy.context.object))
    assert "Work: 60% done" in capsys.readouterr().err
