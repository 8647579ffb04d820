# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a virtual environment for one Blender version, or renews it when its requirements changed.

Run it through ``tools/venv.sh``, which looks for the Pythons. Standard output gets the environment's folder
and nothing else; whatever goes wrong ends in one sentence on standard error and a non-zero exit.
"""

from __future__ import annotations

import argparse
import ast
import fcntl
import hashlib
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENTS = Path(".venv")
STAMP = "inertia-requirements"
TOOLS = ("lint", "site")
"""Groups of pyproject.toml whose environments need no Blender."""

DEBIAN_PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libICE.so.6": "libice6",
    "libSM.so.6": "libsm6",
    "libX11.so.6": "libx11-6",
    "libXext.so.6": "libxext6",
    "libXfixes.so.3": "libxfixes3",
    "libXi.so.6": "libxi6",
    "libXrender.so.1": "libxrender1",
    "libXxf86vm.so.1": "libxxf86vm1",
    "libgomp.so.1": "libgomp1",
    "libxcb.so.1": "libxcb1",
    "libxkbcommon.so.0": "libxkbcommon0",
}
"""Which Debian package has a shared library that bpy links to and does not bring itself."""


SOURCES = {
    "index-url": "--default-index",
    "extra-index-url": "--index",
    "find-links": "--find-links",
    "trusted-host": "--allow-insecure-host",
    "constraint": "--constraint",
}
"""uv's options for where pip looks, and which versions it takes, by the names of pip's settings."""
VARIABLES = {"cert": "SSL_CERT_FILE", "client-cert": "SSL_CLIENT_CERT", "proxy": "ALL_PROXY"}
"""Likewise what uv takes from variables alone."""
NOTHING_TO_UV = {
    *("cache-dir", "default-timeout", "disable-pip-version-check", "no-cache-dir", "no-color", "no-input"),
    *("progress-bar", "quiet", "require-virtualenv", "retries", "root-user-action", "timeout"),
}
"""Settings of pip that do not change what is installed."""


def main() -> None:
    """Print the folder of the environment that the arguments ask for, once it is ready."""
    options = parse_arguments()
    os.chdir(ROOT)
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
    blenders = project["tool"]["inertia"]["blender"]
    pythons = dict(pair.split("=", 1) for pair in options.python)
    newest_first = sorted(blenders, key=version_key, reverse=True)
    runnable = [name for name in newest_first if blenders[name]["python"] in pythons]
    if options.list:
        print("\n".join(runnable))
        return

    name = options.name or runnable[0]
    groups = project["dependency-groups"]
    if name in TOOLS:
        python, requirements = next(iter(pythons.values())), groups[name]
    else:
        python = python_for(name, blenders, pythons)
        requirements = blenders[name]["packages"] + groups["test"]
    venv = ENVIRONMENTS / name
    ENVIRONMENTS.mkdir(exist_ok=True)
    with (ENVIRONMENTS / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        prepare(venv, python, requirements, apt=options.apt)
    print(venv)


def parse_arguments() -> argparse.Namespace:
    """The command line of this script."""
    parser = argparse.ArgumentParser(prog="tools/venv.sh", description=__doc__)
    parser.add_argument("name", nargs="?", help=f"a Blender version of pyproject.toml, {' or '.join(TOOLS)}")
    parser.add_argument("--python", action="append", default=[], help="VERSION=PATH of a Python that runs")
    parser.add_argument("--list", action="store_true", help="print the Blender versions that can be run here")
    parser.add_argument(
        "--apt", action="store_true", help="as root on Debian: install the libraries bpy lacks"
    )
    return parser.parse_args()


def version_key(version: str) -> tuple[int, ...]:
    """``"4.10"`` comes after ``"4.9"``."""
    return tuple(int(part) for part in version.split("."))


def python_for(name: str, blenders: dict[str, dict[str, str]], pythons: dict[str, str]) -> str:
    """The Python that runs this Blender's module; exits with a sentence where there is none."""
    if name not in blenders:
        sys.exit(f"There is no environment {name}; choose one of {', '.join([*blenders, *TOOLS])}.")
    needed = blenders[name]["python"]
    if needed not in pythons:
        here = ", ".join(f"{version} ({path})" for version, path in pythons.items())
        sys.exit(
            f"Blender {name} as a module needs Python {needed}, and here is only {here}; "
            f"install it, or name it: PYTHON=/path/to/python{needed}."
        )
    return pythons[needed]


def prepare(venv: Path, python: str, requirements: list[str], *, apt: bool) -> None:
    """Create the environment and install into it, unless its stamp says that it is as it should be."""
    digest = hashlib.sha256(json.dumps(sorted(requirements)).encode()).hexdigest()
    stamp = venv / STAMP
    if stamp.exists() and stamp.read_text() == digest and runs(venv / "bin" / "python"):
        return
    stamp.unlink(missing_ok=True)
    print(f"Installing {', '.join(requirements)} into {venv} ...", file=sys.stderr)
    if not install_by_uv(venv, python, requirements):
        create(venv, python)
        # most of what is installed is never imported, and what is gets compiled then
        if not pip(venv, "install", "--no-compile", *requirements):
            sys.exit(f"pip could not install the requirements of {venv}; its own message is above.")
    if any(requirement.startswith("bpy") for requirement in requirements):
        check_bpy(venv, apt=apt)
    stamp.write_text(digest)


def pip(venv: Path, *arguments: str) -> bool:
    """Run an environment's pip; whether it did what it should."""
    command = [str(venv / "bin" / "python"), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    return subprocess.run([*command, *arguments], stdout=sys.stderr).returncode == 0


def install_by_uv(venv: Path, python: str, requirements: list[str]) -> bool:
    """Create the environment and install into it by uv, in a third of pip's time; False leaves it to pip.

    uv comes from where pip gets it, and takes all else from there too. An environment that has a pip of its
    own stays pip's.
    """
    if runs(venv / "bin" / "python", "import pip"):
        return False
    home = ENVIRONMENTS / "uv"
    with (ENVIRONMENTS / "uv.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        uv = home / "bin" / "uv"
        if not uv.exists():
            create(home, python)
            if not pip(home, "install", "--no-compile", "uv"):
                return False
    sources = sources_of_pip(home)
    if sources is None:
        return False
    options, environment = sources
    interpreter = ["--quiet", "--python", str(Path(python).absolute())]
    install = ["pip", "install", "--quiet", "--python", str(venv / "bin" / "python"), *options, *requirements]
    return all(
        subprocess.run([str(uv), *command], stdout=sys.stderr, env=environment).returncode == 0
        for command in (["venv", "--clear", *interpreter, str(venv)], install)
    )


def sources_of_pip(venv: Path) -> tuple[list[str], dict[str, str]] | None:
    """The options and the variables by which uv looks where pip would; None if pip was told more than that.

    uv reads neither pip's files nor its variables.
    """
    command = [str(venv / "bin" / "python"), "-m", "pip", "config", "list"]
    told = subprocess.run(command, capture_output=True, text=True)
    said: dict[str, str] = {}
    # a variable comes before what is said of installing, and that before what is said of all
    for place in ("global.", "install.", ":env:."):
        for line in told.stdout.splitlines():
            name, _, value = line.partition("=")
            if name.startswith(place):
                said[name.removeprefix(place)] = str(ast.literal_eval(value))
    if told.returncode != 0 or not set(said) <= {*SOURCES, *VARIABLES, *NOTHING_TO_UV}:
        return None
    # pip takes the best of all indexes
    options = ["--index-strategy", "unsafe-best-match"]
    for name, option in SOURCES.items():
        options += [word for value in said.get(name, "").split() for word in (option, value)]
    return options, {**os.environ, **{VARIABLES[name]: said[name] for name in VARIABLES if name in said}}


def runs(python: str | Path, code: str = "") -> bool:
    """Whether this interpreter starts (the Python below an environment may have gone) and runs the code."""
    try:
        return subprocess.run([python, "-c", code], capture_output=True).returncode == 0
    except OSError:
        return False


def create(venv: Path, python: str) -> None:
    """Create the environment, taking over one that works and clearing one that does not."""
    if runs(venv / "bin" / "python", "import pip"):
        return
    # Debian splits ensurepip off, and venv's own message about it is a paragraph.
    if not runs(python, "import ensurepip, venv"):
        sys.exit(
            f"{python} can't make virtual environments, as it lacks ensurepip; "
            "on Debian: apt-get install python3-venv."
        )
    if subprocess.run([python, "-m", "venv", "--clear", venv], stdout=sys.stderr).returncode != 0:
        sys.exit(f"{python} could not make the virtual environment {venv}; its own message is above.")


def check_bpy(venv: Path, *, apt: bool) -> None:
    """Import bpy once, and name what the machine lacks when that fails."""
    failure = import_failure(venv)
    packages = [DEBIAN_PACKAGES.get(library, library) for library in missing_libraries(venv)]
    if failure and packages and apt:
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        install = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages]
        for command in (["apt-get", "update", "-q"], install):
            subprocess.run(command, stdout=sys.stderr, env=environment)
        failure = import_failure(venv)
    if failure and packages:
        names = " ".join(packages)
        sys.exit(f"bpy needs shared libraries that this machine lacks; on Debian: apt-get install {names}.")
    if failure:
        sys.exit(f"bpy was installed into {venv} and can't be imported: {failure}")


def import_failure(venv: Path) -> str:
    """The last line that ``import bpy`` leaves, "" when it works."""
    result = subprocess.run([venv / "bin" / "python", "-c", "import bpy"], capture_output=True, text=True)
    if result.returncode == 0:
        return ""
    return (result.stderr.strip().splitlines() or [f"exit code {result.returncode}"])[-1]


def missing_libraries(venv: Path) -> list[str]:
    """The shared libraries that bpy links to and the machine does not have."""
    missing: set[str] = set()
    for module in venv.glob("lib/python3*/site-packages/bpy/__init__*.so"):
        listing = subprocess.run(["ldd", module], capture_output=True, text=True).stdout
        missing.update(line.split()[0] for line in listing.splitlines() if "not found" in line)
    return sorted(missing)


if __name__ == "__main__":
    main()
