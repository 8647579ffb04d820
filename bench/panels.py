# SPDX-License-Identifier: GPL-3.0-or-later
"""What an animator has before them: panels, settings, buttons and height of the tab, mode by mode.

    python bench/panels.py [--words]

Each mode is drawn with a character and two clips, once as it opens first, folded, and once with every panel
open; and all of that once more when the two clips have a transition. Heights are of rows as Blender lays them
out at a UI scale of 1: a row of 20 pixels, a header of 26, and the space between. What opens from a button,
as popovers and menus do, takes no height. A word stands twice where two panels have the same title, or a
panel has two settings or buttons with the same label; --words says so, too, where none does. Exits with 1
where a mode is larger than it may be.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import os
import sys
import types
from pathlib import Path
from typing import Any

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import redraw

from inertia_addon.ui import panels
from inertia_addon.ui.shared import tab

ROW, HEADER, PADDING, BETWEEN, WIDTH = 20, 26, 8, 4, 280
MOST_PANELS = 5
"""So many headers may be in sight as a mode opens."""
MOST_PIXELS = {tab.JOIN: 330, tab.CLEAN: 400, tab.TRAVEL: 400, tab.MEASURE: 400}
"""So high may a mode be as it opens first; a result adds RESULT."""
RESULT = 52
MOST_UNFOLDED = {tab.JOIN: 1556, tab.CLEAN: 863, tab.TRAVEL: 1336, tab.MEASURE: 905}
"""So high may it be with all open."""


@dataclasses.dataclass
class Seen:
    """What is drawn: settings and buttons, by owner and name, with their labels."""

    settings: dict[tuple[str, str], str] = dataclasses.field(default_factory=dict)
    buttons: list[str] = dataclasses.field(default_factory=list)
    labels: list[str] = dataclasses.field(default_factory=list)


class Layout:
    """Takes a layout's calls, and knows how high it becomes."""

    def __init__(self, seen: Seen, *, is_row: bool = False, aligned: bool = False) -> None:
        self.seen, self.is_row, self.aligned = seen, is_row, aligned
        self.heights: list[float | Layout] = []
        self.scale_y = 1.0

    @property
    def height(self) -> float:
        own = [item.height if isinstance(item, Layout) else item for item in self.heights]
        own = [height for height in own if height]
        if self.is_row:
            return max(own, default=0.0) * self.scale_y
        return self.scale_y * sum(own) + max(len(own) - 1, 0) * (0 if self.aligned else BETWEEN)

    def _below(self, *, is_row: bool, align: bool = False) -> Layout:
        made = Layout(self.seen, is_row=is_row, aligned=align)
        self.heights.append(made)
        return made

    def row(self, *, align: bool = False, **_options: Any) -> Layout:
        return self._below(is_row=True, align=align)

    def split(self, *, align: bool = False, **_options: Any) -> Layout:
        return self._below(is_row=True, align=align)

    def column(self, *, align: bool = False, **_options: Any) -> Layout:
        return self._below(is_row=False, align=align)

    box = column

    def separator(self, **_options: Any) -> None:
        self.heights.append(0.5 * ROW)

    def label(self, **_options: Any) -> None:
        self.heights.append(ROW)

    progress = popover = label

    def menu(self, _name: str, **_options: Any) -> None:
        self.heights.append(ROW)

    def prop(
        self, data: Any, name: str, text: str | None = None, *, expand: bool = False, **_options: Any
    ) -> None:
        self.heights.append(ROW)
        shown = data.bl_rna.properties[name].name if text is None else text
        self.seen.settings[data.bl_rna.identifier, name] = shown
        self.seen.labels.append(shown)

    def prop_enum(self, data: Any, name: str, _value: str, **_options: Any) -> None:
        self.prop(data, name, "")

    def prop_menu_enum(self, data: Any, name: str, text: str | None = None, **_options: Any) -> None:
        self.prop(data, name, text)

    def prop_search(
        self, data: Any, name: str, *_where: Any, text: str | None = None, **_options: Any
    ) -> None:
        self.prop(data, name, text)

    def operator(self, name: str, text: str | None = None, **_options: Any) -> Any:
        self.heights.append(ROW)
        module, _, function = name.partition(".")
        shown = getattr(getattr(bpy.ops, module), function).get_rna_type().name if text is None else text
        self.seen.buttons.append(name)
        self.seen.labels.append(shown)
        return types.SimpleNamespace()

    def template_list(self, *_what: Any, rows: int = 5, **_options: Any) -> None:
        self.heights.append(rows * ROW + 10)

    def panel(self, _name: str, *, default_closed: bool = False) -> tuple[Layout, Layout | None]:
        return self._below(is_row=True), None if default_closed else self._below(is_row=False)


@dataclasses.dataclass
class Mode:
    """What a mode shows: how many panels, settings and buttons, how high it is, and the words that stand
    twice."""

    panels: int
    settings: int
    buttons: int
    pixels: int
    twice: list[str]


def look(mode: str, *, unfolded: bool) -> Mode:
    """Draw a mode's panels in the 3D View, and count."""
    where = types.SimpleNamespace(
        object=bpy.context.object,
        scene=bpy.context.scene,
        selected_objects=[bpy.context.object],
        preferences=bpy.context.preferences,
        workspace=types.SimpleNamespace(bl_rna=bpy.types.WorkSpace.bl_rna, **{tab.PROPERTY: mode}),
        region=types.SimpleNamespace(width=WIDTH),
        space_data=types.SimpleNamespace(mode="ACTION"),
    )
    opened = {""}
    (named,) = (label for name, label, _ in tab.ITEMS if name == mode)
    titles, height, settings, buttons, twice = [], 0.0, set(), 0, []
    for cls in panels.CLASSES:
        is_here = cls.bl_idname.startswith("VIEW3D") and getattr(cls, "bl_parent_id", "") in opened
        if not is_here or not cls.poll(where):
            continue
        has_header = "HIDE_HEADER" not in cls.bl_options
        if has_header:
            titles.append(cls.bl_label)
            height += HEADER
        if "DEFAULT_CLOSED" in cls.bl_options and not unfolded:
            continue
        opened.add(cls.bl_idname)
        seen = Seen()
        layout = Layout(seen)
        cls.draw(types.SimpleNamespace(layout=layout, assigned=getattr(cls, "assigned", None)), where)
        height += layout.height + PADDING
        settings |= set(seen.settings)
        buttons += len(seen.buttons)
        counted = collections.Counter(filter(None, seen.labels))
        # the switch at the top says how the mode is called
        twice += [f"{cls.bl_label}: {word}" for word, count in counted.items() if count > 1 or word == named]
    twice += [word for word, count in collections.Counter([named, *titles]).items() if count > 1]
    return Mode(len(titles), len(settings), buttons, round(height), twice)


def tell(title: str, beyond: int, *, words: bool) -> list[str]:
    """Print a table of the modes, and return what is too much. beyond: pixels that a result may add."""
    print(f"{title}:")
    print(
        "  mode      as it opens: panels settings buttons pixels    all open: panels settings buttons pixels"
    )
    faults = []
    for mode, label, _ in tab.ITEMS:
        folded, unfolded = look(mode, unfolded=False), look(mode, unfolded=True)
        rows = [(each.panels, each.settings, each.buttons, each.pixels) for each in (folded, unfolded)]
        first, second = (f"{row[0]:6}{row[1]:9}{row[2]:8}{row[3]:7}" for row in rows)
        print(f"  {label:10}{first:>42}{second:>42}")
        if words or unfolded.twice:
            print(f"    stands twice: {', '.join(unfolded.twice) or 'nothing'}")
        faults += [f"{label} opens with {folded.panels} panels"] * (folded.panels > MOST_PANELS)
        faults += [f"{label} opens at {folded.pixels} pixels"] * (folded.pixels > MOST_PIXELS[mode] + beyond)
        faults += [f"{label} unfolds to {unfolded.pixels} pixels"] * (unfolded.pixels > MOST_UNFOLDED[mode])
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", action="store_true", help="name the words that stand twice")
    told = parser.parse_args()
    redraw.make_rig(redraw.PREVIEWED_BONES, 2, 60)
    print(f"Blender {bpy.app.version_string}: what the tab shows of a character")
    faults = tell("with two clips", 0, words=told.words)
    bpy.ops.inertia.bake_transition()
    faults += tell("with a transition of them", RESULT, words=told.words)
    for fault in faults:
        print(f"  too much: {fault}")
    sys.stdout.flush()
    return 1 if faults else 0


if __name__ == "__main__":
    # the bpy modules can hang at exit; everything is said
    os._exit(main())
