# SPDX-License-Identifier: GPL-3.0-or-later
"""Every text that an animator may read: what Blender knows of the extension, and strings of the sources."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import bpy

from inertia_addon.ui import rooms
from tests.ui.registered_rna import properties

PACKAGE = Path(__file__).resolve().parent.parent.parent / "inertia_addon"
UNREACHED = (
    *("blender/files/", "blender/cost/library.py", "blender/data/names.py", "blender/data/named.py"),
    "storage/contents.py",
)
"""What only the command line uses."""


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

    every: all but docstrings. marked: those given to what shows or raises them. counted: nouns.
    """

    MARKING = (
        "InertiaError",
        "Sentence",
        "NotEvaluated",
        "NotMeasured",
        "Line",
        "translated",
        "sentence",
        "say",
        "unavailable",
        "tip",
    )

    def __init__(self, path: Path) -> None:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        self.constants = dict(_constants(tree))
        self.every: set[str] = set()
        self.marked: set[str] = set()
        self.counted: set[str] = set()
        self.visit(tree)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self.every.add(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        self.every.add(template(node, self.constants))
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.visit(part.value)

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in self.MARKING:
            for argument in node.args[:3]:
                self.marked |= set(self._texts(argument))
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
