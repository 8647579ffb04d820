# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes docs/reference: a page for each panel, with what its settings and buttons do, as Blender tells it.

    python tools/make_reference.py [--check]

Each panel is drawn with the mannequin of examples/humanoid, two of its clips, a curve to follow, and a
transition. Whatever a switch or a choice brings forth is drawn, too. --check writes nothing, and exits with 1
where a page differs.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import re
import subprocess
import sys
import tempfile
import types
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))

import panels as drawn  # type: ignore[import-not-found]  # the path to it was added just now

from inertia_addon import registration
from inertia_addon.ui import panels
from inertia_addon.ui.shared import tab
from inertia_addon.ui.shared.drawing import PanelPart

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "reference"
WRITTEN_BY_OTHERS = {"measured.md", "slips.md"}
"""Pages of the folder that benchmarks and tests write."""
MORE = {
    "transition": "transition",
    "judging": "cost",
    "cost": "cost",
    "feet": "feet",
    "fewer_keys": "fewer_keys",
    "fill": "fill",
    "finish": "finish",
    "hops": "hops",
    "learned": "learned",
    "library": "batch",
    "loops": "loops",
    "matching": "matching",
    "nla": "nla",
    "pops": "pops",
    "root_motion": "root_motion",
    "steering": "steering",
    "travel": "travel",
}
"""Where more is told of what each room does."""
UNITS = {"TIME": "frames", "TIME_ABSOLUTE": "s", "LENGTH": "m", "ROTATION": "°", "VELOCITY": "m/s"}
UNTOLD = "(undocumented operator)"
"""What Blender says of an operator without a fixed description."""
HUGE = 1e4
"""What may be as much as this has no bound that anybody meets."""


@dataclasses.dataclass
class Page:
    """What there is to say of a panel: its settings by owner and name, and its buttons."""

    part: type[PanelPart]
    settings: dict[tuple[str, str], Any] = dataclasses.field(default_factory=dict)
    buttons: dict[str, str] = dataclasses.field(default_factory=dict)

    @property
    def name(self) -> str:
        """What its page is called."""
        return re.sub(r"\W+", "_", self.part.bl_label.lower())


class Seen(drawn.Seen):
    """What is drawn, with the data that it is of. context: what it is drawn with."""

    def __init__(self, context: Any) -> None:
        super().__init__()
        self.context = context
        self.owners: dict[tuple[str, str], Any] = {}


class Layout(drawn.Layout):
    """Keeps whose property is drawn, too."""

    def _below(self, *, is_row: bool, align: bool = False) -> Layout:
        made = Layout(self.seen, is_row=is_row, aligned=align)
        self.heights.append(made)
        return made

    def column(self, *, align: bool = False, **_options: Any) -> Layout:
        """A column below."""
        return self._below(is_row=False, align=align)

    box = column

    def popover(self, panel: str = "", **options: Any) -> None:
        """A button that shows a panel, whose settings count as this one's."""
        self.label(**options)
        cls = getattr(bpy.types, panel, None)
        if cls is not None and panel.startswith("VIEW3D_PT_inertia"):
            cls.draw(types.SimpleNamespace(layout=self._below(is_row=False)), self.seen.context)

    def prop(
        self, data: Any, name: str, text: str | None = None, *, expand: bool = False, **options: Any
    ) -> None:
        """A property."""
        super().prop(data, name, text, expand=expand, **options)
        self.seen.owners[data.bl_rna.identifier, name] = data


def open_example() -> None:
    """Open the mannequin, with all that panels show something of."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "clips.blend"
        made = [sys.executable, str(ROOT / "examples" / "humanoid" / "make_clips.py"), "--output", str(path)]
        subprocess.run(made, check=True, stdout=subprocess.DEVNULL)
        bpy.ops.wm.open_mainfile(filepath=str(path))

    registration.register()
    armature = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    bpy.context.view_layer.objects.active = armature
    armature.inertia.source, armature.inertia.destination = bpy.data.actions["Walk"], bpy.data.actions["Run"]
    armature.inertia.cut = 20.0
    curve = bpy.data.objects.new("Street", bpy.data.curves.new("Street", "CURVE"))
    spline = curve.data.splines.new("POLY")
    spline.points.add(1)
    spline.points[1].co = (0.0, -6.0, 0.0, 1.0)
    bpy.context.scene.collection.objects.link(curve)
    armature.inertia_path.followed = curve
    bpy.ops.inertia.bake_transition()


WORKSPACE = types.SimpleNamespace()
"""What it remembers, as Blender's own would."""


class Preferences:
    """Blender's own, with pipeline tools switched on in the extension's."""

    addons: ClassVar[dict[str, Any]] = {
        tab.ADDON: types.SimpleNamespace(
            preferences=types.SimpleNamespace(all_modes=False, pipeline_tools=True)
        )
    }

    def __getattr__(self, name: str) -> Any:
        """Return what Blender's own have."""
        return getattr(bpy.context.preferences, name)


def context_of(mode: str) -> Any:
    """What a panel is drawn with where a mode is chosen."""
    remembered = {name: items[0][0] for name, (_, _, items) in tab.CHOICES.items()}
    for name, first in {"bl_rna": bpy.types.WorkSpace.bl_rna, **remembered}.items():
        if not hasattr(WORKSPACE, name):
            setattr(WORKSPACE, name, first)
    setattr(WORKSPACE, tab.PROPERTY, mode)
    return types.SimpleNamespace(
        object=bpy.context.object,
        active_object=bpy.context.object,
        scene=bpy.context.scene,
        selected_objects=[bpy.context.object],
        preferences=Preferences(),
        workspace=WORKSPACE,
        region=types.SimpleNamespace(width=drawn.WIDTH),
        space_data=types.SimpleNamespace(mode="ACTION"),
    )


def panels_of(mode: str) -> Iterator[Any]:
    """The panels of the 3D View that a mode shows, the ones within others behind these."""
    opened, where = {""}, context_of(mode)
    classes: Iterable[Any] = panels.CLASSES
    for cls in classes:
        is_here = cls.bl_idname.startswith("VIEW3D") and getattr(cls, "bl_parent_id", "") in opened
        if is_here and cls.poll(where):
            opened.add(cls.bl_idname)
            yield cls


def draw(cls: Any, mode: str) -> Seen:
    """Draw a panel."""
    seen = Seen(context_of(mode))
    layout = types.SimpleNamespace(layout=Layout(seen), assigned=getattr(cls, "assigned", None))
    cls.draw(layout, seen.context)
    return seen


def look(cls: Any, mode: str) -> Page:
    """All that a panel shows, whatever its switches and choices are."""
    page = Page(next(base for base in cls.__mro__ if base in panels.PARTS))
    waiting = [draw(cls, mode)]
    tried: set[tuple[str, str]] = set()
    while waiting:
        seen = waiting.pop()
        for button in seen.buttons:
            page.buttons.setdefault(button, "")
        for key, owner in seen.owners.items():
            prop = owner.bl_rna.properties[key[1]]
            if key[0] != "WorkSpace":
                page.settings.setdefault(key, prop)
            if key in tried or prop.type not in ("BOOLEAN", "ENUM") or key[1] == tab.PROPERTY:
                continue
            tried.add(key)
            if prop.is_readonly or getattr(prop, "is_array", False) or getattr(prop, "is_enum_flag", False):
                continue
            before = getattr(owner, key[1])
            others = (
                (True, False) if prop.type == "BOOLEAN" else [item.identifier for item in prop.enum_items]
            )
            for other in others:
                if other != before:
                    setattr(owner, key[1], other)
                    waiting.append(draw(cls, mode))
            setattr(owner, key[1], before)
    return page


def sentence(text: str) -> str:
    """A description as a sentence."""
    text = " ".join(text.split())
    return text if not text or text[-1] in ".?!" else text + "."


def number(value: float, prop: Any) -> str:
    """A value of a property, with its unit."""
    unit = UNITS.get(prop.unit, "")
    if prop.unit == "ROTATION":
        value *= 57.29577951308232
    shown = f"{value:.4g}"
    return f"{shown}{unit}" if unit == "°" else f"{shown} {unit}".strip()


def values_of(prop: Any) -> str:
    """What a setting may be, and what it is at first."""
    if prop.type == "BOOLEAN" and not prop.is_array:
        return "On at first." if prop.default else "Off at first."
    if prop.type in ("INT", "FLOAT") and not prop.is_array:
        low, high, first = prop.hard_min, prop.hard_max, number(prop.default, prop)
        ends = [number(low, prop) if low > -HUGE else "", number(high, prop) if high < HUGE else ""]
        said = f"{ends[0]} to {ends[1]}" if all(ends) else f"{ends[0]} or more" if ends[0] else ""
        said = said or (f"{ends[1]} or less" if ends[1] else "")
        return f"{said}; {first} at first." if said else f"{first} at first."
    return ""


def settings_of(page: Page) -> Iterator[str]:
    """The lines on a panel's settings."""
    for prop in page.settings.values():
        said = " ".join(filter(None, [sentence(prop.description), values_of(prop)]))
        yield f"- **{prop.name}**: {said}" if said else f"- **{prop.name}**"
        if prop.type == "ENUM" and prop.enum_items:
            for item in prop.enum_items:
                if item.name:
                    first = " At first." if item.identifier == prop.default else ""
                    yield f"  - *{item.name}*: {sentence(item.description)}{first}".removesuffix(": ")


def buttons_of(page: Page) -> Iterator[str]:
    """The lines on a panel's buttons."""
    for name in page.buttons:
        module, _, function = name.partition(".")
        rna = getattr(getattr(bpy.ops, module), function).get_rna_type()
        # some are told anew wherever they stand
        said = "" if rna.description == UNTOLD else sentence(rna.description)
        yield f"- **{rna.name}**: {said}" if said else f"- **{rna.name}**"


def about(part: type[PanelPart]) -> str:
    """What a panel is for, in a sentence."""
    return sentence((part.__doc__ or "").split("\n\n")[0])


def text_of(page: Page, where: list[str]) -> str:
    """A panel's page. where: the modes that show it."""
    room = page.part.__module__.split(".ui.")[1].split(".")[0]
    named = "all modes" if len(where) == len(tab.ITEMS) else " and ".join(f"*{mode}*" for mode in where)
    more = f" [How it works](../{MORE[room]}.md)." if room in MORE else ""
    lines = [f"# {page.part.bl_label}", "", f"{about(page.part)} You find it in {named}.{more}"]
    for title, rows in (("Settings", [*settings_of(page)]), ("Buttons", [*buttons_of(page)])):
        if rows:
            lines += ["", f"## {title}", "", *rows]
    return "\n".join(lines) + "\n"


def pages() -> Iterator[tuple[str, str]]:
    """The pages' names and texts."""
    open_example()
    index = [
        "# Panels",
        "",
        "What each panel of the tab Inertia is for, and what its settings and buttons do, in the words of",
        "the tooltips. A page for each, written by `python tools/make_reference.py`.",
    ]
    found: dict[str, Page] = {}
    where: dict[str, list[str]] = {}
    for mode, label, description in tab.ITEMS:
        index += ["", f"## {label}", "", sentence(description), ""]
        shown = [*panels_of(mode)]
        below = {cls.bl_idname: getattr(cls, "bl_parent_id", "") for cls in shown}
        rows = {}
        for cls in shown:
            page = look(cls, mode)
            found.setdefault(page.name, page)
            where.setdefault(page.name, []).append(label)
            rows[cls.bl_idname] = f"[{page.part.bl_label}]({page.name}.md): {about(page.part)}"
        index += nested("", rows, below, 0)
    yield from ((f"{name}.md", text_of(page, where[name])) for name, page in found.items())
    yield "README.md", "\n".join(index) + "\n"


def nested(above: str, rows: dict[str, str], below: dict[str, str], depth: int) -> list[str]:
    """Rows by their panels' names, each with those within it."""
    found = []
    for name, row in rows.items():
        if below[name] == above:
            found += [f"{'  ' * depth}- {row}", *nested(name, rows, below, depth + 1)]
    return found


def main() -> int:
    """Write the pages, or compare them; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 where a page differs"
    )
    told = parser.parse_args()
    wanted = dict(pages())
    there = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}
    there = {name: text for name, text in there.items() if name not in WRITTEN_BY_OTHERS}
    differing = sorted(name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name))
    for name in differing:
        print(f"docs/reference/{name} {'differs' if told.check else 'is new'}")
    if not told.check:
        FOLDER.mkdir(exist_ok=True)
        for name in differing:
            if name in wanted:
                (FOLDER / name).write_text(wanted[name], encoding="utf-8")
            else:
                (FOLDER / name).unlink()
    print(f"{len(wanted)} pages")
    sys.stdout.flush()
    return 1 if differing and told.check else 0


if __name__ == "__main__":
    # the bpy modules can hang at exit; everything is said
    os._exit(main())
