# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside of a Blender with a window: moves its mouse, presses its keys, takes pictures.

The scripts of steps import it.
"""

from __future__ import annotations

import contextlib
import enum
import importlib
import shutil
import subprocess
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import bpy

INERTIA = "bl_ext.user_default.inertia.inertia_addon"
MOST_TURNS, LONGEST_SECONDS = 5000, 90.0
"""What is waited for comes within so many turns of Blender's loop, or so long."""
BUTTON = 20
"""The height of a button, at a UI scale of 1."""


class Wait(enum.Enum):
    """How long a step takes.

    SOON: until Blender has handled the events, and has drawn. LATER: until what these set off is done too,
    such as a map that is computed between redraws. Their values are the least turns of Blender's loop.
    """

    SOON = 1
    LATER = 4


SOON, LATER = Wait.SOON, Wait.LATER
Steps = Iterator[Wait]

folder = Path()
"""Where pictures go."""
presses: list[str] = []
"""All clicks and keys of a part."""
state: dict[str, Any] = {}
"""What a script has seen; printed at the end."""


def window() -> Any:
    return bpy.context.window_manager.windows[0]


def view() -> Any:
    return max((a for a in window().screen.areas if a.type == "VIEW_3D"), key=lambda a: a.width * a.height)


def switches() -> Any:
    return bpy.context.scene.inertia_overlay


def region(kind: str) -> Any:
    return region_of(view(), kind)


def region_of(area: Any, kind: str = "WINDOW") -> Any:
    return next(r for r in area.regions if r.type == kind)


def inside(kind: str) -> Any:
    """A context in which operators find a region of the 3D View; timers come with none."""
    return within(view(), kind)


def within(area: Any, kind: str = "WINDOW") -> Any:
    """Likewise of any area."""
    return bpy.context.temp_override(
        window=window(), screen=window().screen, area=area, region=region_of(area, kind)
    )


def box(area: Any) -> list[int]:
    """An area's main region in a picture: left, top, right, bottom."""
    main = region_of(area)
    top = window().height - main.y - main.height
    return [main.x, top, main.x + main.width, top + main.height]


def inertia(module: str) -> Any:
    """A module of the installed extension."""
    return importlib.import_module(f"{INERTIA}.{module}")


def remember(message: str) -> None:
    """Make an undo step, as pressing a button would."""
    with bpy.context.temp_override(window=window()):
        bpy.ops.ed.undo_push(message=message)


def until(holds: Callable[[], bool]) -> Steps:
    """Wait until something holds, which is looked at after each turn of Blender's loop.

    A fast machine takes thousands of turns while a timer runs once, a slow one few in all that time.
    """
    turns, given_up = 0, time.monotonic() + LONGEST_SECONDS
    while turns < MOST_TURNS or time.monotonic() < given_up:
        if holds():
            return
        turns += 1
        yield SOON
    raise AssertionError("what was waited for did not come")


def frames_around(frame: float, behind: int = 0) -> Generator[Wait, None, list[int]]:
    """Wait until what plays was seen before a frame, and so far behind it; the frames that were."""
    seen: set[int] = set()

    def is_passed() -> bool:
        seen.add(bpy.context.scene.frame_current)
        return min(seen) < frame < max(seen) - behind

    yield from until(is_passed)
    return sorted(seen)


def until_worked(operator: str) -> Steps:
    """Wait until an operator that works in slices has ended, such as ``find_meeting``."""
    yield from until(lambda: not any(operator in each.bl_idname for each in window().modal_operators))
    yield LATER


def close_other_editors() -> Steps:
    """Only the 3D View stays, over the editor below it."""
    for kind in ("OUTLINER", "PROPERTIES"):
        area = next(a for a in window().screen.areas if a.type == kind)
        with bpy.context.temp_override(window=window(), screen=window().screen, area=area):
            bpy.ops.screen.area_close()
    yield LATER  # they must be gone before the view is changed


def prepare_view() -> Steps:
    """Look at everything from the left, with nothing around it that changes by itself."""
    space = view().spaces.active
    space.show_region_ui = False
    space.overlay.show_cursor = False
    with inside("WINDOW"):
        bpy.ops.view3d.view_axis(type="LEFT")
        bpy.ops.view3d.view_all()
    yield LATER
    hover(view().x + 5, view().y + 5)
    yield LATER


@contextlib.contextmanager
def only_open(*names: str, mode: str = "JOIN") -> Iterator[None]:
    """In the block only these panels of the tab are open, by the ends of their names, in one of its modes.

    Pipeline tools show if one of them is among these.
    """
    addon = bpy.context.preferences.addons[inertia("ui.shared.tab").ADDON]
    addon.preferences.pipeline_tools = any(
        panel.is_pipeline for panel in inertia("ui.panels").CLASSES if panel.bl_idname.endswith(names)
    )
    before = {panel: set(getattr(panel, "bl_options", ())) for panel in inertia("ui.panels").CLASSES}
    closed = {panel: {"DEFAULT_CLOSED"} for panel, options in before.items() if "HIDE_HEADER" not in options}
    opened: dict[Any, set[str]] = {panel: set() for panel in before if panel.bl_idname.endswith(names)}
    _register_panels(before | closed | opened)
    workspace = window().workspace
    mode_before, workspace.inertia_mode = workspace.inertia_mode, mode
    try:
        yield
    finally:
        workspace.inertia_mode = mode_before
        addon.preferences.pipeline_tools = False
        _register_panels(before)


def _register_panels(options: dict[Any, set[str]]) -> None:
    """Register the panels anew, with these options."""
    for panel in reversed(options):
        bpy.utils.unregister_class(panel)
    for panel, wanted in options.items():
        panel.bl_options = wanted
        bpy.utils.register_class(panel)


@contextlib.contextmanager
def lines_drawn() -> Iterator[list[str]]:
    """In the block all sentences and facts that panels draw are added to a list, facts as "label: value"."""
    drawing, lines = inertia("ui.shared.drawing"), list[str]()
    draw_sentence, draw_facts = drawing.sentence, drawing.facts

    def sentence(layout: Any, context: Any, line: Any, **options: Any) -> None:
        lines.append(str(inertia("ui.translations").sentence(line.text)))
        draw_sentence(layout, context, line, **options)

    def facts(layout: Any, context: Any, pairs: Iterable[tuple[str, str]]) -> None:
        known = list(pairs)
        lines.extend(f"{label}: {value}" for label, value in known)
        draw_facts(layout, context, known)

    drawing.sentence, drawing.facts = sentence, facts
    try:
        yield lines
    finally:
        drawing.sentence, drawing.facts = draw_sentence, draw_facts


def open_tab() -> Steps:
    """Show the sidebar with the Inertia tab."""
    view().spaces.active.show_region_ui = True
    yield LATER  # it must be drawn once before
    region("UI").active_panel_category = "Inertia"
    region("UI").tag_redraw()  # Blender itself waits until the mouse comes
    yield LATER


def picture(name: str) -> None:
    """The whole window as a PNG in the folder, where ImageMagick is there to take it."""
    if not shutil.which("import"):
        return
    with bpy.context.temp_override(window=window()):  # whatever editors there are
        bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=1)
    quick = ("-define", "png:compression-level=1")
    # Blender counts from the bottom of the screen
    size = ("-gravity", "SouthWest", "-crop", f"{window().width}x{window().height}+0+0")
    subprocess.run(["import", "-window", "root", *size, *quick, folder / f"{name}.png"], check=True)


def panels() -> dict[str, Any]:
    """Where the overlays' panels are in the 3D View in use, by their names: left, bottom, width, height."""
    build, overlay = inertia("ui.overlay.build"), inertia("ui.overlay.build").view3d_overlay(bpy.context)
    return {name: at for _, _, name, _, at in build.stacked(overlay, build.region_of(bpy.context))}


def bands() -> list[Any]:
    """Where the overlays' bands are in the time editor in use."""
    build, overlay = inertia("ui.overlay.build"), inertia("ui.overlay.build").time_overlay(bpy.context)
    cells = build.time_cells(overlay, build.RegionInfo.from_context(bpy.context))
    return [at for _, _, shown in cells for _, at in shown]


def spots(rects: Iterable[Any], step: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Places of rectangles, so many pixels apart."""
    for left, bottom, width, height in rects:
        for y in range(round(bottom), round(bottom + height), step[1]):
            for x in range(round(left), round(left + width), step[0]):
                yield x, y


def hover(x: int, y: int) -> None:
    window().event_simulate(type="MOUSEMOVE", value="NOTHING", x=x, y=y)


def button_under_mouse() -> str:
    """The operator of the button under the mouse, or its property, as Blender itself would copy it."""
    manager = bpy.context.window_manager
    manager.clipboard = ""
    with inside("UI"):
        if bpy.ops.ui.copy_python_command_button.poll():
            bpy.ops.ui.copy_python_command_button()
        elif bpy.ops.ui.copy_data_path_button.poll():
            bpy.ops.ui.copy_data_path_button(full_path=True)
    return str(manager.clipboard)


class Watch(bpy.types.Operator):
    """Notes the button at each place that the mouse passes, before the next movement reaches the buttons."""

    bl_idname = "window_tests.watch"
    bl_label = "Watch"
    places: tuple[tuple[int, int], ...] = ()
    seen: dict[tuple[int, int], str] = {}
    last = (0, 0)

    def invoke(self, context: Any, _event: Any) -> set[str]:
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, _context: Any, event: Any) -> set[str]:
        if event.type != "MOUSEMOVE":
            return {"PASS_THROUGH"}
        cls = type(self)
        if cls.last in cls.places:
            cls.seen[cls.last] = button_under_mouse()
        cls.last = (event.mouse_x, event.mouse_y)
        return {"PASS_THROUGH"} if len(cls.seen) < len(cls.places) else {"CANCELLED"}


def enter(x: int, y: int) -> None:
    """Move the mouse to a place, so that a button there notices."""
    hover(x, y + 1)  # the button that the mouse was over lets go,
    hover(x, y)  # and this one takes hold


def buttons_at(places: Sequence[tuple[int, int]]) -> Generator[Wait, None, list[str]]:
    """The buttons at places of the sidebar, as :func:`button_under_mouse` says it of each.

    The mouse goes over all of them in one turn, as what draws them anew in each is what takes long.
    """
    if not hasattr(bpy.types, "WINDOW_TESTS_OT_watch"):
        bpy.utils.register_class(Watch)
    region("UI").tag_redraw()  # buttons are where they were drawn, which may be long ago
    yield SOON
    Watch.places, Watch.seen, Watch.last = tuple(places), {}, (0, 0)
    with inside("UI"):
        bpy.ops.window_tests.watch("INVOKE_DEFAULT")
    for x, y in (*places, places[0]):
        enter(x, y)
    yield SOON
    assert len(Watch.seen) == len(places), "not every movement of the mouse was handled"
    return [Watch.seen[place] for place in places]


def find_button(wanted: str, *, right: bool = False, at: float = 0.5) -> Steps:
    """Move the mouse over the sidebar until it is over a wanted button; scroll where it is not in sight.

    right: look for a small button at the right, not for one that reaches over a place, a part of the width.
    """
    sidebar = region("UI")
    hovered: list[str] = []
    for wheel, turns in (("WHEELUPMOUSE", 0), ("WHEELUPMOUSE", 30), *[("WHEELDOWNMOUSE", 8)] * 3):
        for _ in range(turns):
            x, y = sidebar.x + sidebar.width // 2, sidebar.y + sidebar.height // 2
            window().event_simulate(type=wheel, value="PRESS", x=x, y=y)
        yield LATER
        yield from sweep(wanted, right=right, at=at, hovered=hovered)
        # a panel that has grown or shrunk may move what lies below once more
        if hovered[-1:] and wanted in hovered[-1] and wanted in button_under_mouse():
            return
    raise AssertionError(f"no button of {wanted} in the sidebar: {set(hovered)}")


def push(wanted: str, *, right: bool = False, at: float = 0.5) -> Steps:
    """Click a button of the sidebar, which :func:`find_button` finds."""
    yield from find_button(wanted, right=right, at=at)
    yield from click(*state["button"])


def push_through(wanted: str, *, right: bool = False, at: float = 0.5) -> Steps:
    """Click a button of the sidebar, and wait until all that it has set off is done."""
    yield from push(wanted, right=right, at=at)
    yield from worked()


def worked() -> Steps:
    """Wait until what goes on in slices is done."""
    yield LATER
    while any(running.bl_idname.startswith("INERTIA_OT_") for running in window().modal_operators):
        yield LATER


def choose(menu: str, wanted: str) -> Steps:
    """Open a menu or a popover below the mouse, and click an entry of it."""
    yield from find_entry(menu, wanted)
    yield from click(*state["button"])


def find_entry(menu: str, wanted: str) -> Steps:
    """Open a menu or a popover below the mouse, and move the mouse over an entry of it.

    That is found by what Ctrl+C copies of each: of a button what it runs, of a number its value. A menu opens
    with its first entry below the mouse; a popover with any, and it has two buttons in some rows.
    """
    x, top = middle()
    step = round(0.5 * BUTTON * bpy.context.preferences.view.ui_scale)
    downwards = [(x, top - i * step) for i in range(120)]
    ways = [downwards]
    if "_MT_" not in menu:
        upwards = [(x, top + i * step) for i in range(24)]
        left = [(x - 4 * step, top - i * step) for i in range(40)]
        ways += [upwards, left]
    for way in ways:
        yield from open_at(menu, x, top)
        for at in way:
            yield from copy_at(*at)
            if wanted in bpy.context.window_manager.clipboard:
                state["button"] = list(at)
                return
        yield from close_popover()
    raise AssertionError(f"no entry of {wanted} in {menu}")


def open_at(menu: str, x: int, y: int) -> Steps:
    """Open a menu or a popover with the mouse at a place."""
    hover(x, y)
    yield SOON
    with inside("WINDOW"):
        if "_MT_" in menu:
            bpy.ops.wm.call_menu(name=menu)
        else:
            bpy.ops.wm.call_panel(name=menu)
    yield LATER


def close_popover() -> Steps:
    """Have a popover close that was opened with the mouse in the middle, which takes ESC only over itself."""
    hover(*middle())
    yield SOON
    yield from key("ESC", *middle())


def copy_at(x: int, y: int) -> Steps:
    """Move the mouse to a place, and have Blender copy what is there with Ctrl+C."""
    hover(x, y)
    yield SOON
    bpy.context.window_manager.clipboard = ""
    for value in ("PRESS", "RELEASE"):
        window().event_simulate(type="C", value=value, ctrl=True, x=x, y=y)
        yield SOON


def sweep(wanted: str, *, right: bool, at: float, hovered: list[str]) -> Steps:
    """Move the mouse down the sidebar, and to a wanted button; hovered: all that it was over until there."""
    sidebar = region("UI")
    step = round(0.9 * BUTTON * bpy.context.preferences.view.ui_scale)
    end = sidebar.width - 2 * step
    columns = range(end, end - 4 * step, -step) if right else [round(at * sidebar.width)]
    rows = range(sidebar.y + sidebar.height - step // 2, sidebar.y + 2 * step, -step)
    places = [(sidebar.x + x, y) for y in rows for x in columns]
    for place, button in zip(places, (yield from buttons_at(places)), strict=True):
        hovered.append(button)
        if wanted in button:
            state["button"] = list(place)
            enter(*place)
            yield SOON
            return


def click(x: int, y: int) -> Steps:
    """Press and release the left button."""
    presses.append(f"click {x} {y}")
    for value in ("PRESS", "RELEASE"):
        window().event_simulate(type="LEFTMOUSE", value=value, x=x, y=y)
        yield SOON
    yield LATER


def drag(start: tuple[int, int], end: tuple[int, int], ending: str = "RELEASE", **held: bool) -> Steps:
    """Drag with the left mouse button from one place of the screen to another, and let go or press ESC."""
    (x, y), (to_x, to_y) = start, end
    for step in (2, 1, 0):
        hover(x, y + step)
        yield SOON
    yield LATER
    window().event_simulate(type="LEFTMOUSE", value="PRESS", x=x, y=y, **held)
    yield SOON
    for step in range(1, 6):
        hover(x + (to_x - x) * step // 5, y + (to_y - y) * step // 5)
        yield SOON
    yield LATER
    if ending == "ESC":
        yield from key("ESC", to_x, to_y)
    window().event_simulate(type="LEFTMOUSE", value="RELEASE", x=to_x, y=to_y)
    yield LATER


def middle() -> tuple[int, int]:
    """A place over the 3D View where nothing of Inertia is."""
    main = region("WINDOW")
    return main.x + main.width // 3, main.y + 2 * main.height // 3


def press(kind: str, **held: bool) -> Steps:
    """Press a key over the 3D View."""
    hover(*middle())
    yield SOON
    yield from key(kind, *middle(), **held)


def key(kind: str, x: int, y: int, **held: bool) -> Steps:
    """Press and release a key with the mouse at a place."""
    presses.append(kind)
    for value in ("PRESS", "RELEASE"):
        window().event_simulate(type=kind, value=value, x=x, y=y, **held)
        yield SOON
    yield LATER
