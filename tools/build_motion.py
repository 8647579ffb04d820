# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the maths as a wheel of its own, inertia-motion, which needs numpy alone and no Blender.

    python tools/build_motion.py [--output build]

The wheel holds ``inertia_addon/motion`` as the package ``inertia_motion``, with the modules outside of it
that it imports. Nothing is copied into the repository: sources go straight into the wheel. There the rooms of
``motion`` lie right below the package, so that imports which leave ``motion`` have one dot less. Plain Python
is enough.
"""

from __future__ import annotations

import argparse
import ast
import base64
import hashlib
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "inertia_addon"
MOTION = "motion"
PACKAGE = "inertia_motion"
PAGE = ROOT / "docs" / "motion.md"
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of each file in the wheel, so that the same sources make the same wheel."""


def main() -> None:
    """Build it, and print its path."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path, default=ROOT / "build", help="the folder the wheel goes to")
    print(build_wheel(parser.parse_args().output))


def build_wheel(output: Path) -> Path:
    """Build the wheel into the folder `output`, in place of older ones, and return its path."""
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    version = str(manifest["version"])
    output.mkdir(parents=True, exist_ok=True)
    for old in output.glob(f"{PACKAGE}-*.whl"):
        old.unlink()
    information = f"{PACKAGE}-{version}.dist-info"
    files = dict(collect_sources())
    files[f"{PACKAGE}/py.typed"] = ""
    files[f"{information}/METADATA"] = make_metadata(version)
    files[f"{information}/WHEEL"] = (
        "Wheel-Version: 1.0\nGenerator: inertia\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    files[f"{information}/licenses/LICENSE"] = (ROOT / "LICENSE").read_text(encoding="utf-8")
    record = f"{information}/RECORD"
    rows = [f"{name},{hash_of(text)},{len(text.encode())}" for name, text in files.items()]
    files[record] = "\n".join([*rows, f"{record},,", ""])
    wheel = output / f"{PACKAGE}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, text.encode())
    return wheel


def hash_of(text: str) -> str:
    """Return the hash of a file as wheels note it."""
    digest = hashlib.sha256(text.encode()).digest()
    return "sha256=" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def make_metadata(version: str) -> str:
    """Return what an installer reads of the wheel, with its page as the description."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (numpy,) = project["dependencies"]
    heads = {
        "Metadata-Version": "2.4",
        "Name": PACKAGE.replace("_", "-"),
        "Version": version,
        "Summary": "Inertialization, transition costs, contacts, loops and learned motion, in numpy",
        "License-Expression": project["license"],
        "License-File": "LICENSE",
        "Requires-Python": project["requires-python"],
        "Requires-Dist": numpy,
        "Description-Content-Type": "text/markdown",
    }
    lines = [f"{name}: {value}" for name, value in heads.items()]
    return "\n".join([*lines, "", PAGE.read_text(encoding="utf-8")])


def collect_sources() -> Iterator[tuple[str, str]]:
    """Yield each module of the wheel: its name in there, and its text.

    These are all modules of motion, and those outside that they import, directly or not.
    """
    waiting = [path.relative_to(SOURCE) for path in sorted((SOURCE / MOTION).rglob("*.py"))]
    taken: set[Path] = set()
    while waiting:
        path = waiting.pop(0)
        if path in taken:
            continue
        taken.add(path)
        text = (SOURCE / path).read_text(encoding="utf-8")
        waiting += sorted(imported_modules(path, text) - taken)
        inside = path.relative_to(MOTION) if path.parts[0] == MOTION else path
        moved = lift_imports(path, text) if path.parts[0] == MOTION else text
        yield str(PurePosixPath(PACKAGE, *inside.parts)), moved


def relative_imports(path: Path, text: str) -> Iterator[tuple[ast.ImportFrom, Path]]:
    """Yield a module's relative imports, each with the folder that its dots lead to, below inertia_addon."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level:
            # a package's own __init__ lies in the folder that one dot means, as its modules do
            yield node, path.parents[node.level - 1]


def imported_modules(path: Path, text: str) -> set[Path]:
    """Return the files of the modules that a module imports by relative imports, with their packages'."""
    found: set[Path] = set()
    for node, folder in relative_imports(path, text):
        base = folder.joinpath(*(node.module or "").split(".")) if node.module else folder
        candidates = [base, *(base / alias.name for alias in node.names)]
        for candidate in candidates:
            if (SOURCE / candidate).with_suffix(".py").is_file():
                found.add(candidate.with_suffix(".py"))
            elif (SOURCE / candidate / "__init__.py").is_file() and candidate.parts:
                found.add(candidate / "__init__.py")
        if base.parts and (SOURCE / base.parts[0] / "__init__.py").is_file():
            found.add(Path(base.parts[0], "__init__.py"))
    return found


def lift_imports(path: Path, text: str) -> str:
    """Return a module of motion with one dot less in each import that leaves motion."""
    lines = text.splitlines(keepends=True)
    for node, folder in relative_imports(path, text):
        if folder.parts:
            continue
        first = lines[node.lineno - 1]
        dots = "." * node.level
        lines[node.lineno - 1] = first.replace(f"from {dots}", f"from {dots[1:]}", 1)
    return "".join(lines)


if __name__ == "__main__":
    main()
