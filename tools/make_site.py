# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a site of the pages in build/site: README, docs/, the examples' pages, by Sphinx.

    python tools/make_site.py [--output build/site]

Pages stay as they are read in the repository; here they get their places in a table of contents. A link that
leads nowhere, a picture that is not there, and a page without a place end it with exit code 1.
"""

from __future__ import annotations

import argparse
import functools
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONTENTS = {
    "Guide": [
        f"docs/guide/{page}"
        for page in (
            *("README", "first_transition", "judge_it", "loops", "feet", "clean", "path", "steer", "model"),
            *("library", "games"),
        )
    ],
    "Problems": [
        f"docs/problems/{page}"
        for page in (
            *("README", "feet_slide", "snaps_back", "root_motion_from_hips", "pop_between_takes"),
            *("key_on_every_frame", "loop_mocap", "gltf_two_files"),
        )
    ],
    "Reference": [
        *(
            f"docs/{page}"
            for page in (
                "transition",
                "cost",
                "hops",
                "fill",
                "loops",
                "feet",
                "pops",
                "finish",
                "fewer_keys",
                "travel",
            )
        ),
        *(f"docs/{page}" for page in ("matching", "steering", "learned", "root_motion", "nla", "files")),
        *(f"docs/{page}" for page in ("batch", "command_line", "python", "faults", "glossary", "limits")),
    ],
    "Panels": [
        "docs/reference/README",
        *(
            f"docs/reference/{page.stem}"
            for page in sorted((ROOT / "docs/reference").glob("[a-z]*.md"))
            if page.stem not in ("measured", "slips")
        ),
    ],
    "How it works": [
        *(f"docs/{page}" for page in ("figures", "rivals", "papers", "motion", "architecture", "code_words")),
        *("docs/reference/measured", "docs/reference/slips", "docs/good_first_issues"),
        *("CONTRIBUTING", "CODE_OF_CONDUCT", "SECURITY", "CHANGELOG"),
    ],
    "Examples": [
        f"examples/{folder}/README"
        for folder in (
            *("humanoid", "demo", "cost", "hop", "paths", "batch", "large_library", "farm", "learned"),
            "extend",
        )
    ],
}
"""What stands under which heading."""
FIRST = "index"
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
SETTINGS = """
project = "Inertia"
release = version = {version!r}
copyright = "the Inertia developers, GPL-3.0-or-later"
extensions = ["myst_parser"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = "Inertia {version}"
html_show_sourcelink = False
html_copy_source = False
"""


def main() -> None:
    """Make it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "site", help="the folder it goes to")
    output: Path = parser.parse_args().output
    with tempfile.TemporaryDirectory(prefix="inertia-site-") as folder:
        gather(Path(folder))
        shutil.rmtree(output, ignore_errors=True)
        command = ["-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", folder, str(output)]
        done = subprocess.run([sys.executable, *command], check=False)
    if done.returncode:
        sys.exit("The site has the faults that are named above.")
    shutil.rmtree(output / ".doctrees", ignore_errors=True)
    print(output / "index.html")


def pages() -> list[Path]:
    """All pages, from the repository's root."""
    listed = [Path(f"{page}.md") for group in CONTENTS.values() for page in group]
    return [Path("README.md"), *listed]


def gather(folder: Path) -> None:
    """Copy the pages, and the files that they name, into a folder with Sphinx's settings."""
    for page in pages():
        target = folder / (f"{FIRST}.md" if page == Path("README.md") else page)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = (ROOT / page).read_text(encoding="utf-8")
        put = functools.partial(linked, page=page, folder=folder)
        target.write_text(LINK.sub(put, text), encoding="utf-8")
    with (folder / f"{FIRST}.md").open("a", encoding="utf-8") as first:
        for heading, listed in CONTENTS.items():
            lines = "\n".join(listed)
            first.write(f"\n```{{toctree}}\n:hidden:\n:caption: {heading}\n\n{lines}\n```\n")
    version = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))["version"]
    (folder / "conf.py").write_text(SETTINGS.format(version=version), encoding="utf-8")


def linked(found: re.Match[str], page: Path, folder: Path) -> str:
    """A link as it is on the site: to the first page, to a file that is copied along, or its words alone
    where it leads to what only the repository has."""
    words, target, anchor = found[1], found[2], found[3] or ""
    if target.startswith(("http://", "https://")):
        return found[0]
    path = (ROOT / page).parent.joinpath(target).resolve().relative_to(ROOT)
    up = "../" * (len(page.parts) - 1)
    if path == Path("README.md"):
        return f"[{words}]({up}{FIRST}.md{anchor})"
    if path not in pages() and (path.suffix == ".md" or (ROOT / path).is_dir()):
        return words
    if path not in pages() and (ROOT / path).is_file():
        copy = folder / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, copy)
    return found[0]


if __name__ == "__main__":
    main()
