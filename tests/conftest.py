# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures for all tests. Nothing here imports bpy until a test asks for it: tests/motion runs without."""

from __future__ import annotations

import collections
import contextlib
import gc
import importlib
import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

ROOT = Path(__file__).resolve().parent.parent

# There is a process of tests for each core: threads of BLAS would only wait for each other there.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

SHARED = "INERTIA_TESTS_SHARED"
"""The variable that tells the processes of one run of the tests which folder they share."""

# The same examples on every run, so that a failure is never a matter of luck.
settings.register_profile(
    "inertia",
    deadline=None,
    max_examples=60,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.register_profile("ring", settings.get_profile("inertia"), max_examples=12)
settings.register_profile("brief", settings.get_profile("inertia"), max_examples=8)
# `pytest --hypothesis-profile=search` looks for new examples instead.
settings.register_profile("search", settings.get_profile("inertia"), derandomize=False, max_examples=1000)
settings.load_profile("inertia")
# Nor do they depend on which modules are loaded: hypothesis would draw from the numbers and words in all of
# them, too, and parse them for that in each process.
providers._get_local_constants = lambda: providers._local_constants


def pytest_addoption(parser: pytest.Parser) -> None:
    """The long and the short version of the tests."""
    parser.addoption("--all-pairs", action="store_true", help="bake every pair of clips, not a sample")
    parser.addoption(
        "--all-variants",
        action="store_true",
        help="run the variants, too, that a test leaves out by its mark, and all random examples",
    )
    parser.addoption(
        "--brief",
        action="store_true",
        help="an eighth of the random examples, a quarter of the clips and springs",
    )
    parser.addoption("--share", help="of each test's variants one share: 1/3 takes the first of three")
    parser.addoption("--tests", help="of the tests themselves one share: 1/2 takes the first half, by chance")


def pytest_configure(config: pytest.Config) -> None:
    """Fewer examples, unless others are asked for, and a folder that xdist's processes share."""
    if not config.getoption("--hypothesis-profile"):
        is_whole = config.getoption("--all-variants")
        settings.load_profile("brief" if config.getoption("--brief") else "inertia" if is_whole else "ring")
    config.pluginmanager.register(Rings(config))
    if not hasattr(config, "workerinput") and SHARED not in os.environ:
        folder = tempfile.TemporaryDirectory(prefix="inertia-tests-")
        config.add_cleanup(folder.cleanup)
        os.environ[SHARED] = folder.name


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what the options leave out.

    In brief only those values of a parameter run that a marker names: ``brief(kind=("a", "b"))``. Without
    ``--all-variants``, and where no share is asked for, only so many variants of a test run as its marker
    says: ``variants(1)``.
    """
    is_taken = is_brief if config.getoption("--brief") else lambda item: True
    taken = {item.nodeid for item in items if is_taken(item)}
    share = config.getoption("--share")
    ring = first_ring(items)
    if not share and not config.getoption("--all-variants"):
        taken &= ring
    config.stash[RINGS] = (len(ring), len(items))
    if share:
        taken = one_share(sorted(taken), *map(int, share.split("/")))
    if share := config.getoption("--tests"):
        taken = some_tests(sorted(taken), *map(int, share.split("/")))
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in taken])
    items[:] = [item for item in items if item.nodeid in taken]


RINGS = pytest.StashKey[tuple[int, int]]()
"""How many tests the first ring has of those that this run has found, and how many there are."""


class Rings:
    """Says at the end of a run how many tests the other ring has."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    def pytest_sessionfinish(self) -> None:
        """Tell the process that spreads the tests."""
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["rings"] = self.config.stash.get(RINGS, (0, 0))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take what a worker of xdist tells; all have found the same."""
        self.config.stash[RINGS] = tuple(getattr(node, "workeroutput", {}).get("rings", (0, 0)))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say it before the last line."""
        first, all_of_them = self.config.stash.get(RINGS, (0, 0))
        if hasattr(self.config, "workerinput") or self.config.getoption("--share") or first == all_of_them:
            return
        if self.config.getoption("--all-variants"):
            said = f"All {all_of_them} tests; without ALL=1 (--all-variants) {first} of them run."
        else:
            said = f"{first} tests, each in one variant at least; with ALL=1 (--all-variants) {all_of_them}."
        terminalreporter.write_line(said)


def first_ring(items: Iterable[pytest.Item]) -> set[str]:
    """Return the ids of the tests that `make test` runs.

    Of those marked ``variants(n)`` n variants; none of those marked ``variant_of("tests/file.py::test")``,
    which ask of another rig or file what that test asks.
    """
    tests: dict[str, list[pytest.Item]] = collections.defaultdict(list)
    for item in items:
        tests[item.nodeid.partition("[")[0]].append(item)
    taken: set[str] = set()
    for name, variants in tests.items():
        mark = variants[0].get_closest_marker("variants")
        if variants[0].get_closest_marker("variant_of"):
            continue
        if mark is None:
            taken.update(item.nodeid for item in variants)
        else:
            values = {item.nodeid: values_of(item) for item in variants}
            taken.update(most_varied(values, mark.args[0], name))
    return taken


def values_of(item: pytest.Item) -> frozenset[tuple[str, object]]:
    """Return which value of each parameter a test is given, in words, as not all values can be compared."""
    given = item.callspec.params if hasattr(item, "callspec") else {}
    return frozenset((name, repr(value)) for name, value in given.items())


def most_varied(values: dict[str, frozenset[tuple[str, object]]], count: int, seed: str) -> list[str]:
    """Return the ids of `count` variants that have the most values of parameters together, chosen by chance.

    values: of each variant's id the values that it is given. seed: the same one chooses the same variants.
    """
    left = sorted(values)
    random.Random(seed).shuffle(left)
    taken: list[str] = []
    seen: set[tuple[str, object]] = set()
    while left and len(taken) < count:
        best = max(left, key=lambda variant: len(values[variant] - seen))
        left.remove(best)
        taken.append(best)
        seen |= values[best]
    return taken


def pytest_collection(session: pytest.Session) -> None:
    """Collect no garbage while tests are collected: nearly all that is made then stays.

    Of the processes of a whole run each second one imports the second half of the test files first, from
    the end: what one process has compiled, the others read, so that a fresh checkout compiles each file once.
    """
    gc.disable()
    worker = getattr(session.config, "workerinput", {}).get("workerid", "gw0")
    if int(worker.removeprefix("gw")) % 2 and session.config.args == session.config.getini("testpaths"):
        import_from_the_end(session.config.rootpath)


def import_from_the_end(root: Path) -> None:
    """Import the second half of the test files; what can't be imported now says why when it is collected."""
    files = sorted((root / "tests").rglob("test_*.py"))
    for file in reversed(files[len(files) // 2 :]):
        with contextlib.suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(file.relative_to(root).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """Leave all that was collected out of the garbage collection: it stays, and to look at it takes long."""
    gc.freeze()
    gc.set_threshold(1_000_000, 20, 20)
    gc.enable()


def is_brief(item: pytest.Item) -> bool:
    """Whether a test's parameters are among those that are tried in brief."""
    given = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    tried = [pair for mark in item.iter_markers("brief") for pair in mark.kwargs.items()]
    return all(given[name] in values for name, values in tried if name in given)


def one_share(ids: Iterable[str], which: int, count: int) -> set[str]:
    """Of the variants of each test those of one share, chosen by chance; never none.

    All shares together have all variants, and each has all tests.
    """
    tests = collections.defaultdict(list)
    for variant in ids:
        tests[variant.partition("[")[0]].append(variant)
    taken = set()
    for name, variants in tests.items():
        random.Random(name).shuffle(variants)
        taken.update(variants[(which - 1) % len(variants) :: count])
    return taken


def some_tests(ids: Iterable[str], which: int, count: int) -> set[str]:
    """All variants of one share of the tests, each of which is in one share, whatever else is collected."""

    def share(test: str) -> int:
        return random.Random(test).randrange(count) + 1

    return {variant for variant in ids if share(variant.partition("[")[0]) == which}


@pytest.fixture(scope="session")
def some(request: pytest.FixtureRequest) -> Callable[[int], int]:
    """How many of so many examples to take."""
    return lambda count: -(-count // 4) if request.config.getoption("--brief") else count


@pytest.fixture(scope="session")
def shared_folder() -> Path:
    """A folder that all processes of this run of the tests share, and that goes when it ends."""
    return Path(os.environ[SHARED])


@pytest.fixture(scope="session")
def rigify(shared_folder: Path) -> Callable[..., Path]:
    """The file of a kind of Rigify character, see rigify_character.py: made once for all who read it."""
    from tests.rigify_character import generate

    def file(*kind: str, along: Iterable[str] = ()) -> Path:
        """along: metarigs to make bare characters of by the way, as a process takes a second to start."""
        kinds = [kind, *((metarig, "bare") for metarig in along)]
        paths = {shared_folder / f"{'-'.join(('rigify', *one))}.blend": one for one in kinds}
        path = next(iter(paths))
        if not path.exists():
            made = {one.with_suffix(f".{os.getpid()}"): one for one in paths if not one.exists()}
            generate({own: paths[one] for own, one in made.items()})
            for own, one in made.items():
                own.replace(one)
        return path

    return file


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder with real motion, which is too large for the repository."""
    folder = Path(os.environ.get("INERTIA_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"there is no real motion at {folder}; set INERTIA_DATA to the folder that has it")
    return folder


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty file with factory settings, which is read in half the time that Blender makes one in."""
    bpy = pytest.importorskip("bpy", reason="bpy is not installed here")
    path = tmp_path_factory.mktemp("empty") / "empty.blend"
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    # to read the workspaces that are not shown takes as long again
    for hidden in set(bpy.data.workspaces) - {bpy.context.window.workspace}:
        bpy.data.batch_remove([*hidden.screens, hidden])
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True, compress=False)
    return path


@pytest.fixture
def fresh_file(empty_file: Path) -> None:
    """An empty file with factory settings, which has no path."""
    import bpy

    bpy.ops.wm.read_homefile(filepath=str(empty_file))


@pytest.fixture(scope="session", autouse=True)
def leave_no_classes_behind() -> Iterator[None]:
    """Unregister what a test left registered.

    The bpy modules 4.2 and 4.5 crash or hang at the interpreter's exit while an operator, panel, handler or
    timer is registered, or a driver with a Python expression exists.
    """
    yield
    bpy = sys.modules.get("bpy")
    if bpy is None:
        return
    registration = sys.modules.get("inertia_addon.registration")
    if registration is not None and (registered_classes(bpy) or registered_handlers(bpy)):
        registration.unregister()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    # What unregister() forgot: said aloud, as the exit may hang on it without a word.
    assert registered_classes(bpy) == []
    assert registered_handlers(bpy) == []


def registered_classes(bpy: Any) -> list[str]:
    """The add-on's classes that Blender knows now."""
    kinds = ("Operator", "Panel", "Menu", "UIList", "PropertyGroup", "AddonPreferences", "Header", "Gizmo")
    classes = [cls for kind in kinds for cls in subclasses(getattr(bpy.types, kind))]
    return [cls.__name__ for cls in classes if from_addon(cls) and getattr(cls, "is_registered", False)]


def registered_handlers(bpy: Any) -> list[str]:
    """The add-on's functions in Blender's handler lists."""
    lists = [getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers)]
    return [
        function.__name__
        for functions in lists
        if isinstance(functions, list)
        for function in functions
        if from_addon(function)
    ]


def subclasses(cls: type) -> Iterator[type]:
    """All classes below this one."""
    for child in cls.__subclasses__():
        yield child
        yield from subclasses(child)


def from_addon(thing: object) -> bool:
    """Whether a class or function was defined by the add-on."""
    return getattr(thing, "__module__", "").split(".")[0] == "inertia_addon"
