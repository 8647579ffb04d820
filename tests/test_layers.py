# SPDX-License-Identifier: GPL-3.0-or-later
"""The house's rules, read from the sources: who imports whom, and where Blender's version may matter.

Imports run one way: ui, cli and batch reach tasks and blender, tasks blender, and that motion; within a layer
one room reaches another only where that is said here. plots is a leaf beside motion, which draws charts for
any of them and knows nothing of what they show, and pages one that plays them; storage is one for files, and
console one for what is said without a window. settings says what may be asked for, to all of them.
"""

from __future__ import annotations

import ast
import functools
import graphlib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "inertia_addon"
SPDX = "# SPDX-License-Identifier: GPL-3.0-or-later"

BLENDER_DATA = {"bpy", "bpy_extras", "idprop", "mathutils", "pxr"}
BLENDER_DRAWING = {"blf", "gpu", "gpu_extras"}
BLENDER_INTERFACE = {"bl_operators", "bl_ui", "rna_keymap_ui"}

MAY_IMPORT = {
    "settings": set(),
    "storage": set(),
    "console": {"tqdm"},
    "motion": {"numpy"},
    "plots": {"numpy"},
    "pages": {"numpy"},
    "blender": {"numpy", "onnx"} | BLENDER_DATA,
    "ui": {"numpy"} | BLENDER_DATA | BLENDER_DRAWING | BLENDER_INTERFACE,
    "tasks": {"numpy"},
    "batch": {"numpy", "distributed"} | BLENDER_DATA,
    "cli": {"numpy"} | BLENDER_DATA,
    "api": set(),
}
"""What each layer may import from outside, beside the standard library."""

COMMON = {"errors", "escapes", "lazy_modules", "records"}
GROUND = {*COMMON, "settings", "motion", "plots", "pages", "storage"}
MAY_REACH = {
    "settings": COMMON,
    "motion": {*COMMON, "settings"},
    "plots": {"records"},
    "pages": COMMON,
    "storage": COMMON,
    "console": {*COMMON, "settings", "storage"},
    "blender": GROUND,
    "tasks": {*GROUND, "console", "blender"},
    "ui": {*GROUND, "console", "blender", "tasks"},
    "batch": {*GROUND, "console", "blender", "tasks"},
    "cli": {*GROUND, "console", "blender", "tasks", "batch"},
    "api": {*GROUND, "console", "blender", "tasks"},
}
"""Which other layers each layer may import."""

ROOMS_REACH = {
    "motion": {
        "curves": set(),
        "decay": set(),
        "skeleton": set(),
        "judging": set(),
        "cycles": {"curves", "skeleton"},
        "cost": {"decay", "judging", "skeleton"},
        "hops": {"cost", "decay"},
        "root_motion": {"pops", "skeleton"},
        "feet": {"skeleton", "judging"},
        "matching": {"decay", "feet", "skeleton"},
        "steering": {"decay", "feet", "matching", "root_motion", "skeleton"},
        "fill": {"decay", "matching"},
        "learned": {"decay", "judging", "matching", "steering"},
        "loops": {"decay", "judging"},
        "pops": {"decay"},
        "fewer_keys": {"curves", "skeleton"},
        "finish": {"decay", "feet", "pops"},
        "travel": {"feet", "judging", "skeleton"},
    },
    "blender": {
        "data": set(),
        "evaluation": {"data"},
        "nla": {"data"},
        "feet": {"data", "evaluation"},
        "judging": {"data", "evaluation", "feet"},
        "transition": {"data", "evaluation", "nla", "feet", "judging"},
        "cost": {"data", "evaluation", "transition", "feet", "judging"},
        "hops": {"data", "evaluation", "transition", "cost", "judging"},
        "root_motion": {"data", "evaluation"},
        "loops": {"data", "evaluation", "feet", "transition", "judging"},
        "pops": {"data", "evaluation", "transition", "judging"},
        "fewer_keys": {"data", "evaluation", "feet"},
        "finish": {"cost", "data", "evaluation", "feet", "hops", "judging", "pops", "transition"},
        "travel": {"data", "evaluation", "feet", "transition"},
        "matching": {"data", "evaluation", "feet", "nla", "transition", "judging", "travel"},
        "learned": {"data", "evaluation", "feet", "matching", "transition", "judging"},
        "fill": {"data", "evaluation", "feet", "matching", "nla", "transition", "judging", "travel"},
        "checking": {
            *("data", "evaluation", "feet", "judging", "transition", "hops", "loops", "matching", "learned"),
            *("fill", "travel", "pops"),
        },
        "results": {
            *("data", "evaluation", "feet", "fewer_keys", "fill", "finish", "hops", "learned", "loops"),
            *("matching", "nla", "pops", "transition", "travel"),
        },
        "files": {"data", "evaluation", "nla", "transition"},
        "mannequin": {"data"},
    },
    "ui": {
        "translations": set(),
        "shared": {"translations"},
        "overlay": {"shared", "translations"},
        "transition": {"shared", "overlay", "translations"},
        "nla": {"shared", "transition", "translations"},
        "judging": {"shared", "transition", "translations"},
        "cost": {"shared", "overlay", "transition", "judging", "translations"},
        "hops": {"shared", "overlay", "transition", "cost", "translations"},
        "root_motion": {"shared", "overlay", "transition", "translations"},
        "loops": {"shared", "overlay", "transition", "cost", "translations"},
        "matching": {"shared", "overlay", "transition", "cost", "feet", "translations"},
        "learned": {"shared", "overlay", "transition", "cost", "matching", "translations"},
        "steering": {"shared", "overlay", "transition", "cost", "matching", "learned", "translations"},
        "fill": {"shared", "overlay", "transition", "cost", "translations"},
        "library": {"shared", "transition", "cost", "translations"},
        "pops": {"shared", "overlay", "transition", "cost", "translations"},
        "fewer_keys": {"shared", "transition", "translations"},
        "finish": {"hops", "shared", "transition", "translations"},
        "travel": {"shared", "overlay", "transition", "translations"},
        "feet": {"shared", "overlay", "transition", "cost", "translations"},
        "join": {"shared", "transition", "cost", "feet", "fill", "hops", "translations"},
        "examples": {"shared", "transition", "translations"},
    },
    "batch": {
        "spec": set(),
        "jobs": {"spec"},
        "work": {"spec", "jobs"},
    },
}
"""Which other rooms of its layer each room may import; what lies beside the rooms is for all of them."""

COMPAT = f"{PACKAGE}/blender/data/compat.py"
VERSION_ATTRIBUTES = {"version", "version_string", "version_file", "version_cycle"}
COMES_AND_GOES = {
    "action_slot",
    "action_slot_handle",
    "action_suitable_slots",
    "channelbag",
    "channelbags",
    "fcurve_ensure_for_datablock",
    "fcurves",
    "groups",
    "id_root",
    "is_action_layered",
    "is_action_legacy",
    "layers",
    "slots",
    "strips",
}
"""Names that some supported Blenders have and others lack: probing for one is a branch on the version."""


def sources(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@functools.cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def imports(path: Path) -> list[ast.Import | ast.ImportFrom]:
    """What a file imports, wherever in the file it does."""
    return [node for node in statements(parsed(path)) if isinstance(node, ast.Import | ast.ImportFrom)]


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """A tree's statements with those inside of them, but no expressions, of which there are many more."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        within = getattr(tree, name, ())
        for node in within if isinstance(within, list) else ():
            yield node
            yield from statements(node)


def imported_modules(path: Path) -> Iterator[tuple[int, str]]:
    """Line and absolute dotted name of every module that a file imports."""
    own_package = path.relative_to(ROOT).parent.parts
    for node in imports(path):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        else:
            above = own_package[: len(own_package) - node.level + 1] if node.level else ()
            module = ".".join([*above, *filter(None, [node.module])])
            # `from ..motion import decay` and `from .. import motion` both name a module in their last part.
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)


@pytest.mark.parametrize("layer", MAY_IMPORT)
def test_imports_run_one_way(layer: str) -> None:
    wrong = []
    for path in sources(f"{PACKAGE}/{layer}"):
        for line, module in imported_modules(path):
            top, *rest = module.split(".")
            if top == PACKAGE:
                allowed = bool(rest) and rest[0] in MAY_REACH[layer] | {layer}
            else:
                allowed = top in MAY_IMPORT[layer] or top in sys.stdlib_module_names
            if not allowed:
                wrong.append(f"{relative(path)}:{line} imports {module}")
    assert wrong == []


@pytest.mark.parametrize("layer", ROOMS_REACH)
def test_rooms_reach_each_other_one_way(layer: str) -> None:
    reach = ROOMS_REACH[layer]
    rooms = {path.parent.name for path in (ROOT / PACKAGE / layer).glob("*/__init__.py")}
    assert rooms == set(reach)
    assert list(graphlib.TopologicalSorter(reach).static_order())
    wrong = []
    for room, others in reach.items():
        for path in sources(f"{PACKAGE}/{layer}/{room}"):
            for line, module in imported_modules(path):
                parts = module.split(".")
                reached = parts[2] if parts[:2] == [PACKAGE, layer] and len(parts) > 2 else room
                if reached in rooms - others - {room}:
                    wrong.append(f"{relative(path)}:{line} imports {module}")
    assert wrong == []


def import_circle(graph: Mapping[str, Iterable[str]]) -> list[str]:
    """Modules that import each other in a circle, the first of them once more at its end; [] without any."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_import_each_other() -> None:
    # An import inside a function counts: it would hide that neither of two can be read without the other.
    names = {dotted_name(path): path for path in sources(PACKAGE)}
    graph = {
        name: {
            module if module in names else module.rpartition(".")[0] for _, module in imported_modules(path)
        }
        & names.keys()
        for name, path in names.items()
    }
    assert import_circle(graph) == []


def test_a_circle_of_imports_is_seen() -> None:
    assert set(import_circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})) == {"a", "b", "c"}


def dotted_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_the_skate_of_feet_has_one_definition() -> None:
    """The judge's, by the weights of heights that it has alone; what a search predicts is called that."""
    texts = {relative(path): path.read_text(encoding="utf-8") for path in sources(PACKAGE)}
    weighing = [name for name, text in texts.items() if "exp2" in text]
    # what a ground that passes is fitted by is none
    assert weighing == [f"{PACKAGE}/motion/{name}.py" for name in ("judging/evidence", "travel/ground")]
    assert [
        name for name, text in texts.items() if re.search(r"\bslid(e|es|ing)?\b|planted_speed", text)
    ] == []


def test_the_package_itself_imports_nothing() -> None:
    # Importing inertia_addon.motion runs the package's __init__: it must not draw bpy in.
    assert list(imported_modules(ROOT / PACKAGE / "__init__.py")) == []


def test_modules_reach_each_other_relatively() -> None:
    # An installed extension is bl_ext.<repository>.inertia: there is no top-level inertia_addon there.
    wrong = []
    for path in [ROOT / "__init__.py", *sources(PACKAGE)]:
        for node in imports(path):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            wrong += [f"{relative(path)}:{node.lineno}" for name in names if name.split(".")[0] == PACKAGE]
    assert wrong == []


def test_the_root_imports_no_bpy_at_import_time() -> None:
    # pytest imports a root __init__.py, and so does anything that reads the extension without Blender.
    tree = parsed(ROOT / "__init__.py")
    assert [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)] == []


def version_branches(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and text of what asks which Blender this is, or whether it has a name that comes and goes."""
    for node in ast.walk(tree):
        if (
            asks_for_version(node)
            or asks_for_property(node)
            or asks_for_attribute(node)
            or (isinstance(node, ast.ImportFrom) and node.module == "bpy.app" and imports_version(node))
        ):
            yield node.lineno, ast.unparse(node)


MAY_BRANCH = re.compile(r"\bversion|bl_rna|\bhasattr\b|\bgetattr\b")
"""What stands in every branch on the version."""


def asks_for_version(node: ast.AST) -> bool:
    """``bpy.app.version`` and its sisters."""
    return (
        isinstance(node, ast.Attribute)
        and node.attr in VERSION_ATTRIBUTES
        and ast.unparse(node.value).endswith("app")
    )


def imports_version(node: ast.ImportFrom) -> bool:
    """``from bpy.app import version``."""
    return any(alias.name in VERSION_ATTRIBUTES for alias in node.names)


def asks_for_property(node: ast.AST) -> bool:
    """``'slots' in action.bl_rna.properties``."""
    return (
        isinstance(node, ast.Compare)
        and any(isinstance(operator, ast.In | ast.NotIn) for operator in node.ops)
        and any(".bl_rna." in ast.unparse(comparator) for comparator in node.comparators)
    )


def asks_for_attribute(node: ast.AST) -> bool:
    """``hasattr(x, 'action_slot')``, ``getattr(x, 'layers', None)``, ``hasattr(bpy.types, ...)``."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) >= 2):
        return False
    probes = node.func.id == "hasattr" or (node.func.id == "getattr" and len(node.args) == 3)
    subject, name = node.args[:2]
    from_bpy = ast.unparse(subject).split(".")[0] == "bpy"
    return probes and (from_bpy or (isinstance(name, ast.Constant) and name.value in COMES_AND_GOES))


def test_the_version_is_branched_on_by_compat_alone() -> None:
    wrong = [
        f"{relative(path)}:{line} {text}"
        for path in [ROOT / "__init__.py", *sources(PACKAGE)]
        if relative(path) != COMPAT and MAY_BRANCH.search(path.read_text(encoding="utf-8"))
        for line, text in version_branches(parsed(path))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "line",
    [
        "x = bpy.app.version >= (4, 4, 0)",
        "from bpy.app import version",
        "if 'slots' in action.bl_rna.properties: pass",
        "if hasattr(animation_data, 'action_slot'): pass",
        "bag = getattr(action, 'layers', None)",
        "if hasattr(bpy.types, 'ActionSlot'): pass",
    ],
)
def test_a_branch_on_the_version_is_seen(line: str) -> None:
    assert len(list(version_branches(ast.parse(line)))) == 1
    assert MAY_BRANCH.search(line)


@pytest.mark.parametrize(
    "line", ["hasattr(settings, 'bones')", "getattr(self, name)", "key in settings.fields"]
)
def test_an_ordinary_probe_is_not_one(line: str) -> None:
    assert list(version_branches(ast.parse(line))) == []


ASKED_AT_MOST = {
    # who poses a character, its rig, and the rate of its scene are asked of a Character
    r"\bwhy_not_plain\(": ("influence.why_not_plain", 1),
    r"\brigs\.read\(": ("rigs.read", 5),
    r"\bscene\.fps\(\)": ("scene.fps()", 13),
    r"poser\b.*\.is_played": ("whether Blender plays a clip", 35),
}
"""What is called in so many places at most, by the pattern of a call; a number here may only be lowered."""


@pytest.mark.parametrize("pattern", ASKED_AT_MOST)
def test_characters_are_asked_for_what_they_know(pattern: str) -> None:
    what, most = ASKED_AT_MOST[pattern]
    places = [
        f"{relative(path)}:{number} {line.strip()}"
        for path in sources(PACKAGE)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(pattern, line) and not line.lstrip().startswith(("def ", ":"))
    ]
    assert len(places) <= most, f"{what} is asked in {len(places)} places: {places}"


def test_every_file_names_its_licence() -> None:
    files = [ROOT / "__init__.py", *sources(PACKAGE, "tests", "examples", "tools", "bench")]
    assert [relative(path) for path in files if not path.read_text(encoding="utf-8").startswith(SPDX)] == []


def public_functions(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions of a module and the methods of its classes whose names don't begin with an underscore."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            if isinstance(node, ast.FunctionDef):
                yield prefix + node.name, node
            else:
                yield from public_functions(node.body, f"{prefix}{node.name}.")


def test_every_public_function_of_motion_has_a_docstring() -> None:
    wrong = [
        f"{relative(path)}:{function.lineno} {name}"
        for path in sources(f"{PACKAGE}/motion")
        for name, function in public_functions(parsed(path).body)
        if not ast.get_docstring(function)
    ]
    assert wrong == []


def test_every_docstring_stands_by_itself() -> None:
    """None tells of what stands above it in the file."""
    wrong = [
        f"{relative(path)}: {text.splitlines()[0]}"
        for path in sources(PACKAGE)
        for text in re.findall(r'"""(The same\b.*)', path.read_text(encoding="utf-8"))
    ]
    assert wrong == []
