# SPDX-License-Identifier: GPL-3.0-or-later
"""Mutants of a module: its syntax tree with one small fault in it, of a kind that people make.

cosmic-ray and mutmut put in faults of other kinds, as neither swaps operands nor leaves out a call, and both
start a process for each mutant, which costs an import of bpy.
"""

from __future__ import annotations

import ast
import collections
import copy
import dataclasses
import math
import random
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "inertia_addon"
LAYERS = ("inertia_addon/motion/", "inertia_addon/blender/")
"""Where mutants are drawn from where nothing else is said."""

ARITHMETIC = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
SWAPPED = (ast.MatMult, ast.Sub)
"""The operators whose operands are swapped."""
COMPARISONS = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
SENTENCES = ("Sentence", "InertiaError", "warn")
"""Calls of these are messages."""


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One fault: in which module, from which line of it to which, and what became of what."""

    path: str
    first: int
    last: int
    change: str
    site: int
    variant: int
    inside: bool
    """Whether it is within a function that keeps no results, so that only who runs its lines notices it."""

    @property
    def module(self) -> str:
        """The module's name."""
        return self.path.removesuffix(".py").replace("/", ".")

    @property
    def room(self) -> str:
        """The folder of tests that has to notice it, such as tests/motion/feet."""
        return "/".join(("tests", *self.path.split("/")[1:-1]))

    def __str__(self) -> str:
        return f"{self.path}:{self.first}: {self.change}"


def sources(within: str = "") -> list[str]:
    """The modules that are mutated, by their paths in the repository: those whose path begins so."""
    paths = (str(path.relative_to(ROOT)) for path in PACKAGE.rglob("*.py") if path.name != "__init__.py")
    return sorted(path for path in paths if path.startswith(within or LAYERS))


def draw(seed: int, count: int, within: str = "") -> list[Mutant]:
    """Mutants by chance: as likely are those of a module as it has lines of code, and alike each of them.

    within: only of paths that begin so, in any layer. What a seed draws elsewhere stays when a module
    changes: each mutant has a number of its own, by Efraimidis and Spirakis, Weighted random sampling with a
    reservoir (2006), and those with the least are drawn.
    """
    waits: list[tuple[float, Mutant]] = []
    for path in sources(within):
        every = mutants(path)
        likely = code_lines(path) / max(len(every), 1)
        alike = collections.Counter[str]()
        for mutant in every:
            alike[mutant.change] += 1
            chance = random.Random(f"{seed} {path} {mutant.change} {alike[mutant.change]}").random()
            waits.append((-math.log(1.0 - chance) / likely, mutant))
    drawn = [mutant for _, mutant in sorted(waits, key=lambda wait: wait[0])[:count]]
    return sorted(
        drawn, key=lambda mutant: (mutant.room, mutant.path, mutant.first, mutant.site, mutant.variant)
    )


def code_lines(path: str) -> int:
    """How many lines begin a statement that does something."""
    return len(
        {node.lineno for node in ast.walk(parsed(path)) if isinstance(node, ast.stmt) and not _is_said(node)}
    )


def parsed(path: str) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse((ROOT / path).read_text(encoding="utf-8"), path)


def mutants(path: str) -> list[Mutant]:
    """All of a module."""
    made = []
    for site, (node, inside) in enumerate(_sites(parsed(path), inside=False)):
        for variant, other in enumerate(_variants(node)):
            change = f"{_short(node)} -> {_short(other)}"
            last = node.end_lineno or node.lineno
            made.append(Mutant(path, node.lineno, last, change, site, variant, inside))
    return made


def mutated(mutant: Mutant) -> ast.Module:
    """The module's tree with the fault in it."""
    tree = parsed(mutant.path)
    node, _ = list(_sites(tree, inside=False))[mutant.site]
    other = list(_variants(node))[mutant.variant]
    for above in ast.walk(tree):
        for name, value in ast.iter_fields(above):
            if value is node:
                setattr(above, name, other)
            elif isinstance(value, list):
                setattr(above, name, [other if item is node else item for item in value])
    return ast.fix_missing_locations(tree)


def _sites(node: ast.AST, *, inside: bool) -> Iterator[tuple[ast.expr | ast.stmt, bool]]:
    """The nodes that may be mutated, in order, and whether they are within a function."""
    if _is_said(node):
        return
    if isinstance(node, ast.expr | ast.stmt):
        yield node, inside
    keeps = isinstance(node, ast.FunctionDef) and any("cache" in ast.dump(by) for by in node.decorator_list)
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        begins = isinstance(node, ast.FunctionDef | ast.Lambda) and name == "body"
        deeper = (inside or begins) and not keeps
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, ast.AST):
                yield from _sites(item, inside=deeper)


def _is_said(node: ast.AST) -> bool:
    """Whether a node is words, for people or for types, and no behaviour."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Raise() | ast.Assert() | ast.JoinedStr():
            return True
        case ast.Import() | ast.ImportFrom():
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id="logging" | "logger"))):
            return True
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in SENTENCES
        case ast.Expr(value=value):
            return _is_said(value)
        # a type by another name
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Subscript() | ast.BinOp(op=ast.BitOr())):
            return name[0].isupper() and not name.isupper()
    return False


def _variants(node: ast.AST) -> Iterator[ast.AST]:
    """What may become of a node."""
    match node:
        case ast.BinOp(op=op, left=left, right=right):
            if isinstance(op, SWAPPED) and ast.dump(left) != ast.dump(right):
                yield _like(node, left=right, right=left)
            if type(op) in ARITHMETIC and not isinstance(
                left, ast.Constant | ast.JoinedStr | ast.List | ast.Tuple
            ):
                yield _like(node, op=ARITHMETIC[type(op)]())
        case ast.AugAssign(op=op) if type(op) in ARITHMETIC:
            yield _like(node, op=ARITHMETIC[type(op)]())
        case ast.Compare(ops=[op, *others]):
            for other in COMPARISONS[type(op)]:
                yield _like(node, ops=[other(), *others])
        case ast.BoolOp(op=op):
            yield _like(node, op=ast.Or() if isinstance(op, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield operand
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) if not _is_negated_anyway(test):
            yield _like(node, test=ast.UnaryOp(ast.Not(), test))
        case ast.Constant(value=bool()):
            return
        case ast.Constant(value=int(value)):
            yield _like(node, value=value + 1)
            # the first of all is also the last, often enough
            if value:
                yield _like(node, value=value - 1)
        case ast.Constant(value=float(value)):
            yield _like(node, value=value + 1.0)
        case ast.Expr(value=ast.Call()):
            yield ast.Pass()


def _is_negated_anyway(test: ast.expr) -> bool:
    """Whether another variant negates a condition as well."""
    return isinstance(test, ast.Compare | ast.UnaryOp)


def _like(node: ast.AST, **changes: object) -> ast.AST:
    """A copy of a node, with some of its fields changed."""
    other = copy.copy(node)
    for name, value in changes.items():
        setattr(other, name, value)
    return other


def _short(node: ast.AST) -> str:
    """A node in a line."""
    text = ast.unparse(node).strip().splitlines()[0]
    return text if len(text) <= 100 else f"{text[:97]}..."
