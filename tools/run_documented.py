# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the commands of README, docs and the examples' pages as they are written, in a folder of their own.

    python tools/run_documented.py [--only PAGE ...] [--jobs 2]

A page's commands run in their order, after examples/files/make_files.py has made the files that they name.
What another page runs on these files alone, and nothing of this page goes on with, is not run twice. The
folder stands for the repository's root. What Blender's own program runs is left out, and named, where there
is none on the PATH. Training is cut short. Exits with 1 where any command failed, with the end of what it
said.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("README.md", "docs/*.md", "docs/guide/*.md", "docs/problems/*.md", "examples/*/README.md")
COMMAND = re.compile(r"^    ((?:python|blender) .*?)(?:\s+#.*)?$", re.MULTILINE)
CONTINUED = re.compile(r"\\\n +")
"""Where a command goes on in the next line."""
SHORTER = {"--minutes 10": "--minutes 0.1"}
"""What of a command is made shorter."""
STANDS_FOR = {"COMMAND", "DATA"}
"""Lines with one of these words say how commands are called, and are none."""
LONGEST_SECONDS = 600


def commands(page: Path) -> list[str]:
    """The commands of a page, in their order."""
    lines = COMMAND.findall(CONTINUED.sub(" ", page.read_text(encoding="utf-8")))
    return [line for line in lines if not STANDS_FOR.intersection(line.split())]


def expanded(word: str, folder: Path) -> list[str]:
    """The files in a folder that a word with a star stands for, as in a shell."""
    found = folder.glob(word) if "*" in word else ()
    return sorted(path.relative_to(folder).as_posix() for path in found) or [word]


def run(line: str, folder: Path) -> tuple[int, str]:
    """Run a command in a folder: its exit code, and the end of what it said."""
    for long, short in SHORTER.items():
        line = line.replace(long, short)
    program, *words = [name for word in shlex.split(line) for name in expanded(word, folder)]
    # commands run beside each other, so that more threads would only wait for one another
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable if program == "python" else program, *words],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LONGEST_SECONDS,
        check=False,
    )
    return done.returncode, "\n".join(done.stdout.splitlines()[-8:])


def stands_alone(line: str, page: Path, files: Path) -> bool:
    """Whether a command of a page reads only files that were made, and no other reads what it writes."""
    words = shlex.split(line)
    written = words[words.index("-o") + 1] if "-o" in words else ""
    read = [word for word in words if Path(word).suffix and word != written]
    others = [word for other in commands(page) if other != line for word in shlex.split(other)]
    return all((files / word).exists() for word in read) and written not in others


def try_page(page: Path, files: Path, done: set[str]) -> int:
    """Run the commands of a page; returns how many failed. done: what pages have run that stands alone."""
    failed = 0
    with tempfile.TemporaryDirectory(prefix="inertia-page-") as folder:
        shutil.copytree(files, folder, dirs_exist_ok=True)
        (Path(folder) / "examples").symlink_to(ROOT / "examples")
        for line in commands(page):
            if shutil.which(shlex.split(line)[0]) is None and line.startswith("blender"):
                print(f"left out     {page.relative_to(ROOT)}: {line}")
                continue
            if stands_alone(line, page, files):
                if line in done:
                    print(f"as before    {page.relative_to(ROOT)}: {line}")
                    continue
                done.add(line)
            began = time.monotonic()
            code, said = run(line, Path(folder))
            how = "ok" if code == 0 else f"FAILED ({code})"
            took = f"{time.monotonic() - began:.1f} s"
            print(
                f"{how:12} {page.relative_to(ROOT)}: {line}  {took}",
                *([said] if code else ()),
                sep="\n",
                flush=True,
            )
            failed += bool(code)
    return failed


def main() -> int:
    """Run them all; 1 where one failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", default=None, metavar="PAGE", help="pages whose path holds this")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    pages = [page for pattern in PAGES for page in sorted(ROOT.glob(pattern)) if commands(page)]
    pages = [page for page in pages if given.only is None or any(word in str(page) for word in given.only)]
    # the longest first, so that none is left when all the others have ended; examples make libraries
    pages.sort(key=lambda page: (ROOT / "examples" in page.parents, len(commands(page))), reverse=True)
    with tempfile.TemporaryDirectory(prefix="inertia-files-") as files:
        code, said = run(f"python {ROOT}/examples/files/make_files.py -o {files}", ROOT)
        if code:
            print(said)
            return 1
        spec = Path(files) / "library.toml"
        spec.write_text(
            spec.read_text(encoding="utf-8").replace("minutes = 10", "minutes = 0.1"), encoding="utf-8"
        )
        with ThreadPoolExecutor(given.jobs) as threads:
            done: set[str] = set()
            failed = sum(threads.map(lambda page: try_page(page, Path(files), done), pages))
    print(f"{sum(len(commands(page)) for page in pages)} commands on {len(pages)} pages, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
