# SPDX-License-Identifier: GPL-3.0-or-later
"""Count what makes the product hard to read, and fail where a count rises.

    python tools/readability.py              print the table; exit with 1 where a row is above its ceiling
    python tools/readability.py --places 10  name the first ten places of each row, too
    python tools/readability.py --row verb   name all places of the rows whose title holds a word
    python tools/readability.py --lower      set each ceiling to today's count; a ceiling never rises

The ceilings are in ``tools/readability.json``. A row is a mirror and not a goal: code that is packed, or
renamed to another vague word, makes a row fall and gains nothing.
"""

from __future__ import annotations

import argparse
import ast
import collections
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CEILINGS = ROOT / "tools" / "readability.json"

VAGUE_PARAMETER = re.compile(
    r"done|each|found|given|held|here|how|kept|known|left|made|moved|one|ones|other|others|own|"
    r"part|parts|place|rest|said|seen|shown|still|taken|there|thing|things|told|way|ways|what|"
    r"where|which|whose"
)
"""Names of parameters that tell a reader nothing."""
PARTICIPLE = re.compile(r"asked|baked|found|held|judged|kept|known|made|moved|played|said|seen|shown|told")
GERUND = re.compile(r"[a-z]+ing")
NOUN_IN_ING = re.compile(
    r"heading|heel_string|mapping|padding|ping|rating|reading|ring|setting|spacing|spring|"
    r"string|timing|warning|writing"
)
NOT_AN_ORDER = re.compile(
    r"a|all|an|as|both|each|how|of|that|the|those|what|when|where|whether|which|who|whose"
)
"""First words of docstrings that do not say what a call does."""
BLENDERS_OWN_NAME = re.compile(
    r"act|as_dict|draw|execute|from_dict|invoke|make|messages|poll|register|unregister"
)
"""Names that Blender or the tasks prescribe, and that many modules therefore share."""
MOST_PARAMETERS = 6
MOST_MODULES = 3
MOST_TYPES = 4

VAGUE = "parameters whose name says nothing"
NO_VERB = "functions that are not named by a verb"
NO_ORDERS = "docstrings that do not say what a call does"
LONG = "functions of more than six parameters"
SPREAD = "calls that spread a variable over parameters"
LITERAL = "calls that spread a literal tuple"
TWICE = "class names that stand for several things"
COMMON = "function names in four modules or more"
MANY_TYPES = "parameter names of five types or more"
PASS_ON = "generators that only pass progress on"
ROWS = (NO_ORDERS, VAGUE, NO_VERB, SPREAD, COMMON, PASS_ON, MANY_TYPES, TWICE, LONG, LITERAL)


@dataclass(frozen=True)
class Place:
    """Where something stands, and what it is."""

    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.text}"


class Reader:
    """Reads modules one by one, and knows the rows of all of them."""

    def __init__(self) -> None:
        """Begin with empty rows."""
        self.places: dict[str, list[Place]] = {row: [] for row in ROWS}
        self._classes: dict[str, list[Place]] = collections.defaultdict(list)
        self._functions: dict[str, list[Place]] = collections.defaultdict(list)
        self._types: dict[str, dict[str, Place]] = collections.defaultdict(dict)

    def read(self, source: str, path: str) -> None:
        """Add what a module holds. source: its text. path: what its places are called by."""
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ClassDef):
                self._classes[node.name].append(Place(path, node.lineno, node.name))
            elif isinstance(node, ast.FunctionDef):
                self._read_function(node, path)
            elif isinstance(node, ast.Call):
                self._read_call(node, path)

    def rows(self) -> dict[str, list[Place]]:
        """Return the places of each row, those that only all modules together tell included."""
        rows = {row: list(places) for row, places in self.places.items()}
        rows[TWICE] = [places[0] for places in self._classes.values() if len(places) > 1]
        for name, places in self._functions.items():
            modules = {place.path for place in places}
            if len(modules) > MOST_MODULES and not is_prescribed(name):
                rows[COMMON].append(places[0])
        rows[MANY_TYPES] = [
            next(iter(types.values())) for types in self._types.values() if len(types) > MOST_TYPES
        ]
        return rows

    def _read_function(self, node: ast.FunctionDef, path: str) -> None:
        name = node.name
        here = Place(path, node.lineno, name)
        self._functions[name].append(here)
        parameters = parameters_of(node)
        if len(parameters) > MOST_PARAMETERS:
            self.places[LONG].append(Place(path, node.lineno, f"{name} ({len(parameters)})"))
        for parameter in parameters:
            self._types[parameter.arg].setdefault(unparsed(parameter.annotation), here)
            if VAGUE_PARAMETER.fullmatch(parameter.arg):
                self.places[VAGUE].append(Place(path, node.lineno, f"{name}({parameter.arg})"))
        if is_no_verb(name):
            self.places[NO_VERB].append(here)
        docstring = ast.get_docstring(node)
        if docstring and not is_property(node) and NOT_AN_ORDER.fullmatch(first_word(docstring)):
            self.places[NO_ORDERS].append(Place(path, node.lineno, f"{name}: {docstring.splitlines()[0]}"))
        if only_passes_on(node):
            self.places[PASS_ON].append(here)

    def _read_call(self, node: ast.Call, path: str) -> None:
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                place = Place(path, node.lineno, ast.unparse(argument))
                if isinstance(argument.value, ast.Tuple | ast.List):
                    self.places[LITERAL].append(place)
                elif isinstance(argument.value, ast.Name):
                    self.places[SPREAD].append(place)


def parameters_of(node: ast.FunctionDef) -> list[ast.arg]:
    """Return a function's parameters but for self and cls."""
    declared = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return [parameter for parameter in declared if parameter.arg not in ("self", "cls")]


def unparsed(annotation: ast.expr | None) -> str:
    """Return an annotation as it is written, or an empty text without one."""
    return "" if annotation is None else ast.unparse(annotation)


def is_prescribed(name: str) -> bool:
    """Tell whether Python, Blender or the tasks say what a function is called."""
    return name.startswith("__") or BLENDERS_OWN_NAME.fullmatch(name) is not None


def is_no_verb(name: str) -> bool:
    """Tell whether a function's name begins with a participle or a gerund."""
    bare = name.strip("_")
    first = bare.split("_")[0]
    if NOUN_IN_ING.fullmatch(bare) or name.startswith("is_"):
        return False
    return bool(PARTICIPLE.fullmatch(first) or GERUND.fullmatch(first))


def is_property(node: ast.FunctionDef) -> bool:
    """Tell whether a method is read as a value, whose docstring may be a noun."""
    return any(ast.unparse(decorator).endswith("property") for decorator in node.decorator_list)


def first_word(docstring: str) -> str:
    """Return the first word of a docstring, in small letters."""
    word = re.match(r"\w+", docstring.strip())
    return word[0].lower() if word else ""


def only_passes_on(node: ast.FunctionDef) -> bool:
    """Tell whether a function is one of Steps without a loop that yields."""
    if not unparsed(node.returns).startswith(("Steps", "Verdicts")):
        return False
    loops = [each for each in ast.walk(node) if isinstance(each, ast.For | ast.While)]
    return yields(node) and not any(yields(loop) for loop in loops)


def yields(node: ast.AST) -> bool:
    """Tell whether anything in a piece of code yields."""
    return any(isinstance(each, ast.Yield | ast.YieldFrom) for each in ast.walk(node))


def read_product(root: Path) -> dict[str, list[Place]]:
    """Return the rows of all modules of `inertia_addon` below a folder."""
    reader = Reader()
    for path in sorted((root / "inertia_addon").rglob("*.py")):
        reader.read(path.read_text(encoding="utf-8"), str(path.relative_to(root)))
    return reader.rows()


def earlier_ceilings() -> dict[str, int]:
    """Return the ceilings of the commit before this one, or none without a history that holds them."""
    shown = subprocess.run(
        ["git", "show", f"HEAD^:{CEILINGS.relative_to(ROOT)}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return json.loads(shown.stdout) if shown.returncode == 0 else {}


def faults(counts: dict[str, int], ceilings: dict[str, int], earlier: dict[str, int]) -> Iterator[str]:
    """Yield a sentence for each row above its ceiling, and for each ceiling that was raised.

    counts: today's. ceilings: those to keep. earlier: the ceilings of the commit before.
    """
    for row, count in counts.items():
        ceiling = ceilings.get(row, 0)
        if count > ceiling:
            yield f"There are {count} {row}, and {ceiling} at most are allowed: see CONTRIBUTING.md."
        if ceiling > earlier.get(row, ceiling):
            yield f"The ceiling of {row} was raised from {earlier[row]} to {ceiling}: put it back."


def lowered(counts: dict[str, int], ceilings: dict[str, int]) -> dict[str, int]:
    """Return the ceilings, each lowered to its count where that is less; a row without one gets its count."""
    return {row: min(count, ceilings.get(row, count)) for row, count in counts.items()}


def main() -> int:
    """Print the table, and return 1 where a row is above its ceiling."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--places", type=int, default=0, metavar="N", help="name the first N places of each row"
    )
    parser.add_argument("--row", metavar="WORD", help="name all places of the rows whose title holds WORD")
    parser.add_argument("--lower", action="store_true", help="lower the ceilings to today's counts")
    arguments = parser.parse_args()
    rows = read_product(ROOT)
    counts = {row: len(rows[row]) for row in ROWS}
    ceilings = json.loads(CEILINGS.read_text(encoding="utf-8")) if CEILINGS.exists() else {}
    if arguments.lower:
        ceilings = lowered(counts, ceilings)
        CEILINGS.write_text(json.dumps(ceilings, indent=2) + "\n", encoding="utf-8")
    for row in ROWS:
        print(f"{counts[row]:6d} of {ceilings.get(row, 0):5d}  {row}")
        everything = arguments.row is not None and arguments.row in row
        for place in rows[row] if everything else rows[row][: arguments.places]:
            print(f"                 {place}")
    found = list(faults(counts, ceilings, earlier_ceilings()))
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
