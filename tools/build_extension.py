# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the extension's zip into build/ and validates it, with Blender's own tool and without Blender.

    python tools/build_extension.py [--output build] [--plain]

The deny list in ``blender_manifest.toml`` decides what is packed, so that Blender's own command packs the
same; this script then refuses a zip with a file too many or too few. --plain packs the same files by Python
alone, for those who have no environment yet and want only the zip; nothing validates it.
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLENDER_TOOL = "*/scripts/addons_core/bl_pkg/cli/blender_ext.py"
ROOT_FILES = ("LICENSE", "README.md", "__init__.py", "blender_manifest.toml")
PACKAGE = "inertia_addon"


class BuildError(Exception):
    """The zip could not be built, or is not what it should be."""


def main() -> None:
    """Build, check and validate; print the zip's path."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path, default=ROOT / "build", help="the folder the zip goes to")
    parser.add_argument("--plain", action="store_true", help="pack by Python alone, and validate nothing")
    given = parser.parse_args()
    try:
        print((pack if given.plain else build_extension)(given.output))
    except BuildError as error:
        sys.exit(str(error))


def build_extension(output: Path, root: Path = ROOT) -> Path:
    """Build the zip of the extension at ``root`` into the folder ``output`` and return its path.

    Raises BuildError where Blender's tool refuses, or the zip's files are not :func:`expected_files`.
    """
    output.mkdir(parents=True, exist_ok=True)
    for old in output.glob("inertia-*.zip"):
        old.unlink()
    blender_tool("build", "--source-dir", str(root), "--output-dir", str(output))
    (package,) = output.glob("inertia-*.zip")
    with zipfile.ZipFile(package) as archive:
        packed = set(archive.namelist())
    expected = expected_files(root)
    if packed != expected:
        extra, lacking = sorted(packed - expected), sorted(expected - packed)
        raise BuildError(
            f"{package.name} has {extra} too many and {lacking} too few; "
            "mend paths_exclude_pattern in blender_manifest.toml."
        )
    blender_tool("validate", str(package))
    return package


def pack(output: Path, root: Path = ROOT) -> Path:
    """Pack the zip of the extension at `root` into the folder `output` by Python alone, and return its path.

    It holds the same files as that of :func:`build_extension`, but nothing validates it.
    """
    output.mkdir(parents=True, exist_ok=True)
    manifest = tomllib.loads((root / "blender_manifest.toml").read_text(encoding="utf-8"))
    package = output / f"{manifest['id']}-{manifest['version']}.zip"
    with zipfile.ZipFile(package, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(expected_files(root)):
            archive.write(root / name, name)
    return package


def expected_files(root: Path = ROOT) -> set[str]:
    """What belongs into the zip: the root's four files, and the package without caches and hidden files."""
    inside = (path.relative_to(root) for path in (root / PACKAGE).rglob("*") if path.is_file())
    packed = {path.as_posix() for path in inside if not any(is_litter(part) for part in path.parts)}
    return packed | {name for name in ROOT_FILES if (root / name).is_file()}


def is_litter(name: str) -> bool:
    """Whether a file or folder of this name is a cache, a backup or hidden."""
    return name.startswith(".") or name == "__pycache__" or name.endswith((".pyc", "~"))


def blender_tool(*arguments: str) -> None:
    """Run Blender's extension tool, which lies in the bpy module's scripts and needs plain Python only."""
    specification = importlib.util.find_spec("bpy")
    folders = list(specification.submodule_search_locations or ()) if specification else []
    tools = [tool for folder in folders for tool in Path(folder).glob(BLENDER_TOOL)]
    if not tools:
        raise BuildError(
            "Blender's extension tool was not found; use a Python that has bpy, as make build does."
        )
    result = subprocess.run([sys.executable, str(tools[0]), *arguments], capture_output=True, text=True)
    # The tool reports some errors with exit code 0.
    if result.returncode != 0 or "error" in result.stderr.lower():
        raise BuildError(f"extension {arguments[0]} failed: {(result.stderr or result.stdout).strip()}")


if __name__ == "__main__":
    main()
