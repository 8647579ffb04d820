# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes what a release consists of: the extension's zip with its checksum, a repository that Blender can be
pointed at, the maths as a wheel, the site, and the notes.

    python tools/release.py [--site build/site] [--output build/release] [--tag]

The version is that of blender_manifest.toml; pyproject.toml and CHANGELOG.md have to say the same. --tag
names the commit, which then holds all that is released. Exits with one sentence where anything is not ready.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools import build_extension, build_motion

ROOT = build_extension.ROOT
TAGS = frozenset(
    {
        *("3D View", "Add Curve", "Add Mesh", "Animation", "Bake"),
        *("Camera", "Compositing", "Development", "Game Engine", "Geometry Nodes"),
        *("Grease Pencil", "Import-Export", "Lighting", "Material", "Modeling"),
        *("Mesh", "Node", "Object", "Paint", "Pipeline"),
        *("Physics", "Render", "Rigging", "Scene", "Sculpt"),
        *("Sequencer", "System", "Text Editor", "Tracking", "User Interface"),
    }
)
"""What an add-on may be found by on the platform."""
PERMISSIONS = frozenset({"files", "network", "clipboard", "camera", "microphone"})
MOST_LETTERS = 64
"""So long a tagline or a reason may be there."""
MOST_BYTES = 10 * 2**20
"""A zip this large holds something that does not belong to an add-on without data."""
NAMES_ITSELF = re.compile(r"blender|add-?on|extension", re.IGNORECASE)


class ReleaseError(Exception):
    """What is to be released is not ready."""


def main() -> None:
    """Make it all, and print the files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--output", type=Path, default=ROOT / "build" / "release", help="the folder it goes to"
    )
    parser.add_argument("--site", type=Path, help="the folder of the site, as make site leaves it")
    parser.add_argument("--tag", action="store_true", help="name the commit by the version, too")
    given = parser.parse_args()
    try:
        for path in release(given.output, given.site, tag=given.tag):
            print(path)
    except (ReleaseError, build_extension.BuildError) as error:
        sys.exit(str(error))


def release(output: Path, site: Path | None = None, *, tag: bool = False) -> list[Path]:
    """Make what is released in a folder; returns the files. Raises ReleaseError and BuildError."""
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    version = str(manifest["version"])
    check_version(version)
    notes = notes_of((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    if tag:
        check_committed()
    if site is not None and not (site / "index.html").is_file():
        raise ReleaseError(f'There is no site in "{site}"; make it by make site.')
    shutil.rmtree(output, ignore_errors=True)
    package = build_extension.build_extension(output)
    faults = faults_of(manifest, package.stat().st_size)
    if faults:
        raise ReleaseError("The manifest is not what the platform takes: " + "; ".join(faults) + ".")
    digest = hashlib.sha256(package.read_bytes()).hexdigest()
    listing = listed(output, package, digest)
    checksum = output / f"{package.name}.sha256"
    checksum.write_text(f"{digest}  {package.name}\n", encoding="utf-8")
    told = output / "NOTES.md"
    told.write_text(notes + "\n", encoding="utf-8")
    found = [package, checksum, listing, told, build_motion.build_wheel(output)]
    if site is not None:
        packed = shutil.make_archive(str(output / f"inertia-{version}-site"), "zip", site)
        found.append(Path(packed))
    if tag:
        git("tag", "--annotate", f"v{version}", "--message", f"Inertia {version}")
    return found


def check_version(version: str) -> None:
    """Raise ReleaseError where a version is none, or pyproject.toml says another."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise ReleaseError(f'"{version}" is no version such as 1.0.0; put blender_manifest.toml right.')
    other = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    if other != version:
        raise ReleaseError(
            f"pyproject.toml says {other}, blender_manifest.toml {version}; let both say the same."
        )


def notes_of(changelog: str, version: str) -> str:
    """What a changelog says of a version. Raises ReleaseError where it says nothing."""
    section = re.search(
        rf"^## {re.escape(version)} - \d{{4}}-\d\d-\d\d\n(.*?)(?=^## |\Z)",
        changelog,
        re.DOTALL | re.MULTILINE,
    )
    if section is None or not section[1].strip():
        raise ReleaseError(f'CHANGELOG.md has no section "## {version} - DATE"; write what is new.')
    return section[1].strip()


def faults_of(manifest: dict[str, Any], size: int) -> list[str]:
    """What Blender's extension platform would refuse or ask about, beyond what Blender's own tool sees.

    size: the zip's, bytes.
    """
    found = []
    tagline, reasons = manifest["tagline"], manifest.get("permissions", {})
    if len(tagline) > MOST_LETTERS or not tagline[-1].isalnum():
        found.append(f"the tagline has more than {MOST_LETTERS} letters, or ends in a mark")
    if NAMES_ITSELF.search(manifest["name"]):
        found.append("the name says that it is an add-on for Blender")
    if not set(manifest.get("tags", ())) <= TAGS or not manifest.get("tags"):
        found.append("tags are none of the platform's")
    if not set(reasons) <= PERMISSIONS:
        found.append("there are no such permissions")
    found += [
        f'the reason for "{name}" has more than {MOST_LETTERS} letters, or ends in a mark'
        for name, reason in reasons.items()
        if len(reason) > MOST_LETTERS or not reason[-1].isalnum()
    ]
    if not str(manifest.get("website", "")).startswith("https://"):
        found.append("no website is named")
    if not manifest.get("maintainer"):
        found.append("no maintainer is named")
    if tuple(map(int, manifest["blender_version_min"].split("."))) < (4, 2, 0):
        found.append("extensions begin with Blender 4.2")
    if "SPDX:GPL-3.0-or-later" not in manifest["license"]:
        found.append("the licence is none of the platform's")
    if size > MOST_BYTES:
        found.append(f"the zip has {size / 2**20:.1f} MB")
    return found


def listed(folder: Path, package: Path, digest: str) -> Path:
    """Make a folder a repository that Blender installs and updates from, by Blender's own tool; returns its
    listing. Raises ReleaseError where that says anything else of the zip than it is."""
    build_extension.blender_tool("server-generate", "--repo-dir", str(folder))
    listing = folder / "index.json"
    (only,) = json.loads(listing.read_text(encoding="utf-8"))["data"]
    if (only["archive_size"], only["archive_hash"]) != (package.stat().st_size, f"sha256:{digest}"):
        raise ReleaseError(f"{listing.name} does not tell of {package.name} as it is; make it again.")
    return listing


def check_committed() -> None:
    """Raise ReleaseError where the folder holds what no commit does."""
    if git("status", "--porcelain"):
        raise ReleaseError("There are changes that are not committed; commit them before you tag a release.")


def git(*arguments: str) -> str:
    """What git says. Raises ReleaseError with its own words where it fails."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise ReleaseError(f"git {arguments[0]} failed: {done.stderr.strip()}")
    return done.stdout.strip()


if __name__ == "__main__":
    main()
