# SPDX-License-Identifier: GPL-3.0-or-later
"""Every text that an animator may read: what Blender knows of the extension, and strings of the sources."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import bpy

from inertia_addon.settings import fields
from inertia_addon.settings.cost import Search
from inertia_addon.settings.feet import ContactSettings
from inertia_addon.settings.fewer_keys import FewerKeysSettings
from inertia_addon.settings.fill import FillSettings
from inertia_addon.settings.finish import FinishSettings
from inertia_addon.settings.hops import HopSettings
from inertia_addon.settings.loops import LoopSearch, LoopSettings
from inertia_addon.settings.matching import PathSettings
from inertia_addon.settings.pops import PopSettings
from inertia_addon.settings.root_motion import Settings
from inertia_addon.settings.steering import Hand, SteerSettings
from inertia_addon.settings.transition import TransitionSettings
from inertia_addon.settings.travel import TravelSettings
from inertia_addon.ui import rooms
from tools.registered_rna import properties

PACKAGE = Path(__file__).resolve().parent.parent / "inertia_addon"
UNREACHED = (
    *("blender/files/", "blender/cost/library.py", "blender/data/names.py"),
    *("blender/checking/fault_list.py", "blender/checking/played_page.py"),
    "storage/contents.py",
)
"""What only the command line uses."""


WORDS = re.compile(r"[a-z]{2}")
PLACE = re.compile(r"\{[^{}]*\}")
"""Where a template takes a value, with the value's format."""

NAMES_OF_DATA = {"{} root motion", "Cost of {} to {}", "... along {}"}
"""Of files and images, which stay what they are when Blender's language changes."""
NOT_SHOWN = NAMES_OF_DATA | {
    *("by bone", "over cut", "over destination", "root motion ", "root motion {}", "time overlay"),
    *(
        "hop curves",
        "root histograms",
        "root modes",
        "root plots",
        "root springs",
        "contact bars",
        "fitting actions",
        "shown contacts {}",
    ),  # what is kept in the cache
    *(
        "SpaceDopeSheetEditor",
        "SpaceGraphEditor",
        "SpaceView3D",
        "RegionInfo",
        "Fill",
        "RootMotion",
    ),  # classes
    *("Scene", "PoseBone"),  # what has properties
    *(
        "Inertia Plots",
        "Inertia Plots in Time",
        "Inertia Ramps",
        "Inertia Ramps in Time",
        "Inertia Contacts",
    ),  # groups of gizmos
    *("Pose", "Object Mode", "Dopesheet", "Frames"),  # Blender's keymaps
    *("how it blends", "own = bpy.context.object.inertia"),  # which settings presets hold, and of what
    *("Baked", "Rebaked", "Smoothed", "measured action", "single-frame jump"),  # by which a text is chosen
    "Savitzky-Golay, degree {}",  # written into files
}
COMPLETED = {
    "The root's own {} axis",
}
"""Templates of texts that are registered, and so looked for, when they are complete."""
RECORDS = (
    *(TransitionSettings, HopSettings, LoopSearch, LoopSettings, Search, Settings, ContactSettings),
    *(PathSettings, Hand, SteerSettings, FewerKeysSettings, FillSettings, FinishSettings, PopSettings),
    TravelSettings,
)
"""The settings that the interface has."""
DOMAIN = (
    *("preflight", "transition/misplaced", "plain", "alignment", "judging/verdict"),
    "blender/root_motion/measure",
)
"""The modules below the interface whose sentences it shows, beside their errors."""


@functools.cache
def errors() -> frozenset[str]:
    """The classes of errors, which say sentences, but for those of the command line."""
    found = {"InertiaError"}
    sources = "\n".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    classes = re.findall(r"^class (\w+)\((\w+)\):", sources, re.MULTILINE)
    while more := {name for name, base in classes if base in found and name != "UsageError"} - found:
        found |= more
    return frozenset(found)


def is_for_reading(text: str) -> bool:
    """Whether a string looks like words for an animator."""
    bare = PLACE.sub("", text)
    return bool(WORDS.search(bare)) and (" " in bare.strip() or re.match(r"[A-Z][a-z]", bare) is not None)


def registered() -> tuple[set[str], set[str]]:
    """The labels and the tooltips of all that is registered."""
    labels, tips = set(), set()
    for _, prop in properties():
        for named in (prop, *getattr(prop, "enum_items", ())):
            labels.add(named.name)
            tips.add(named.description)
    shown = [
        getattr(bpy.types, name) for name in dir(bpy.types) if re.search("_(PT|MT)_inertia|INERTIA_MT", name)
    ]
    for cls in [*shown, *rooms.OPERATORS]:
        labels.add(cls.bl_label)
        tips.add(getattr(cls, "bl_description", ""))
    return labels - {""}, tips - {""}


def template(node: ast.JoinedStr, constants: dict[str, str]) -> str:
    """An f-string with its values as ``{}``, so no template; names of constants stand for these."""
    found = ""
    for part in node.values:
        if isinstance(part, ast.Constant):
            found += str(part.value)
        elif isinstance(part, ast.FormattedValue):
            if isinstance(part.value, ast.Name) and part.value.id in constants:
                found += constants[part.value.id]
            else:
                found += "{}"
    return found


class Strings(ast.NodeVisitor):
    """The strings of a module, f-strings with ``{}`` for their values.

    every: all but docstrings. marked: those given to what shows or raises them. alone: of these, what is no
    sentence. counted: nouns.
    """

    LABELLED = ("translated", "Step", "Kind")
    MARKING = (
        "Sentence",
        "Line",
        "sentence",
        "say",
        "unavailable",
        "tip",
        *LABELLED,
    )

    def __init__(self, path: Path) -> None:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        self.constants = dict(_constants(tree))
        self.every: set[str] = set()
        self.marked: set[str] = set()
        self.alone: set[str] = set()
        self.counted: set[str] = set()
        self.visit(tree)

    def numbered(self) -> set[str]:
        """The templates of numbers of things."""
        return {f"{{0}} {noun}{end}" for noun in self.counted for end in ("", "s")}

    def visit_Expr(self, node: ast.Expr) -> None:
        """Pass by docstrings."""
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Take a string."""
        if isinstance(node.value, str):
            self.every.add(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Take an f-string, and what is in its values."""
        self.every.add(template(node, self.constants))
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.visit(part.value)

    def visit_Call(self, node: ast.Call) -> None:
        """Mark what is given to what shows it."""
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in self.MARKING or name in errors():
            texts = {text for argument in node.args[:3] for text in self._texts(argument)}
            self.marked |= texts
            if name in self.LABELLED:
                self.alone |= texts
        if name == "count" and len(node.args) == 2 and isinstance(node.args[1], ast.Constant):
            self.counted.add(str(node.args[1].value))
        self.generic_visit(node)

    def _texts(self, node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield template(node, self.constants)
        elif isinstance(node, ast.IfExp):
            yield from self._texts(node.body)
            yield from self._texts(node.orelse)


def _constants(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(text))):
                yield name, text


strings = functools.cache(Strings)


def modules(*folders: str) -> list[tuple[str, Strings]]:
    """The strings of the modules that the interface reaches, by path."""
    found = []
    for folder in folders:
        for path in sorted((PACKAGE / folder).rglob("*.py")):
            name = path.relative_to(PACKAGE).as_posix()
            if not name.startswith((*UNREACHED, "ui/translations/")):
                found.append((name, strings(path)))
    return found


def below() -> list[tuple[str, Strings]]:
    """The strings of the modules below the interface whose errors and warnings it shows, by path."""
    return modules("blender", "motion", "settings", "storage")


def needed() -> dict[str, bool]:
    """The texts that each language has to have, and whether each is a label, as what stands alone is."""
    labels, tips = registered()
    labels |= {each.unset for record in RECORDS for each in fields.settings(record).values() if each.unset}
    found: dict[str, bool] = {}
    for record in RECORDS:
        for setting in fields.settings(record).values():
            # where there is one for each bone, what says whose it is has the label in it
            if setting.range and not setting.has_pairs:
                found |= dict.fromkeys({setting.label, setting.range.unit} - {""}, False)
    for name, strings in below():
        shown = strings.every if any(part in name for part in DOMAIN) else strings.marked
        found |= dict.fromkeys((text for text in shown if is_for_reading(text) and " " in text), False)
    for _, strings in modules("ui"):
        shown = strings.every | strings.marked
        found |= {text: text in strings.alone for text in shown if is_for_reading(text)}
        found |= dict.fromkeys(strings.numbered(), True)
    found = {text: label for text, label in found.items() if text not in NOT_SHOWN | COMPLETED}
    return found | dict.fromkeys(tips, False) | dict.fromkeys(labels, True)


def places() -> dict[str, list[str]]:
    """The modules in which each text stands, also of those that do not look like words for an animator."""
    found: dict[str, list[str]] = {}
    for name, strings in [*modules("ui"), *below()]:
        derived = {fields.tip_of(text) for text in strings.every} if name.startswith("settings/") else set()
        for text in strings.every | strings.numbered() | derived:
            found.setdefault(text, []).append(f"inertia_addon/{name}")
    return found
