# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a real Blender, with a user folder of its own, from a test."""

from __future__ import annotations

import dataclasses
import json
import os
import select
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

REPOSITORY = "user_default"
MODULE = f"bl_ext.{REPOSITORY}.inertia"
"""The installed extension's module, which is also the name of its preferences."""

INSIDE = ("session.py", "driver.py", "characters.py", "left_behind.py", "words_drawn.py")
"""What runs inside of a Blender beside the steps."""


class Look(NamedTuple):
    """How Blender's window is: the theme, the UI scale, and the size in pixels."""

    name: str
    theme: str
    scale: float
    width: int
    height: int


@dataclasses.dataclass(frozen=True)
class Run:
    """How a Blender ended: its exit code, and everything that it said."""

    returncode: int
    output: str

    def check(self) -> Run:
        """This run, if it went well; else AssertionError with what Blender said.

        The exit code alone does not tell: Blender ends with 0 after an add-on's traceback.
        """
        troubles = ("Traceback (most recent call last)", "\nERROR ")
        assert self.returncode == 0, f"exit code {self.returncode}:\n{self.output}"
        assert not any(trouble in f"\n{self.output}" for trouble in troubles), self.output
        return self


@dataclasses.dataclass(frozen=True)
class RealBlender:
    """A Blender and the folder it works in.

    launcher: the executable; it may run Blender in a file tree of its own that shares only /tmp with us.
    folder: below /tmp; the user folder (preferences, extensions) lies in it, and so must every file
        that Blender is to read or write.
    """

    launcher: Path
    folder: Path

    def run(self, *arguments: str | Path, silent_seconds: float = 180.0) -> Run:
        """Run Blender with these arguments, without a window if -b or --command is among them.

        silent_seconds: it is ended where it says nothing for so long, as one that hangs does; how long all
        takes depends on the machine, and on what else runs there.
        """
        user = self.folder / "user"
        user.mkdir(exist_ok=True)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        environment["BLENDER_USER_RESOURCES"] = str(user)
        # Mesa's software rasterizer draws faster in one thread where several Blenders share the cores
        environment["LP_NUM_THREADS"] = "0"
        process = subprocess.Popen(
            [self.launcher, *map(str, arguments)],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        said = b""
        while select.select([process.stdout], [], [], silent_seconds)[0]:
            if not (more := os.read(process.stdout.fileno(), 65536)):
                break
            said += more
        else:
            # Blender may sit below a launcher and a virtual screen: end them all.
            os.killpg(process.pid, signal.SIGKILL)
            said += f"\nended, as it said nothing for {silent_seconds:g} seconds".encode()
        process.stdout.close()
        process.wait()
        output = said.decode(errors="replace")
        return Run(process.returncode, output)

    def extension(self, *arguments: str | Path) -> Run:
        """Run ``blender --command extension ...``."""
        return self.run("--command", "extension", *arguments)

    def inertia(self, *arguments: str | Path, file: Path | None = None, silent_seconds: float = 180.0) -> Run:
        """Run ``blender [-b file] --command inertia ...``, the installed extension's command line."""
        opened = ["-b", file] if file else []
        return self.run(*opened, "--command", "inertia", *arguments, silent_seconds=silent_seconds)

    def script(
        self,
        code: str,
        *,
        window: bool = False,
        file: Path | None = None,
        arguments: Sequence[str | Path] = (),
        silent_seconds: float = 180.0,
    ) -> Run:
        """Run Python code in Blender, after opening a file if one is given; an exception gives exit code 1.

        code: finds ``arguments`` behind "--" in ``sys.argv``.
        window: with a window; the code must then end Blender itself (:data:`QUIT`), now or from a timer.
        """
        path = self.folder / "script.py"
        path.write_text(NO_SPLASH + code if window else code, encoding="utf-8")
        head = [] if window else ["-b"]
        opened = [file] if file else []
        # --python-exit-code counts for the scripts that stand behind it.
        return self.run(
            *head,
            *opened,
            "--python-exit-code",
            "1",
            "--python",
            path,
            "--",
            *arguments,
            silent_seconds=silent_seconds,
        )

    def session(self, scripts: Path, look: Look, parts: Sequence[str], silent_seconds: float = 300.0) -> Run:
        """Take the steps of parts (see session.py) in a Blender with a window whose events it can simulate.

        scripts: the folder of session.py and the steps.
        """
        for script in (*INSIDE, *scripts.glob("*_steps.py")):
            shutil.copy(scripts / script, self.folder)
        for pages in ("docs/guide", "docs/problems"):
            shutil.copytree(scripts.parents[1] / pages, self.folder / pages, dirs_exist_ok=True)
        return self.run(
            "--enable-event-simulate",
            *("--window-geometry", "0", "0", str(look.width), str(look.height)),
            *("--python-exit-code", "1", "--python", self.folder / "session.py"),
            *("--", self.folder, look.name, look.theme, str(look.scale), *parts),
            silent_seconds=silent_seconds,
        )

    def install(self, package: Path) -> None:
        """Install the extension's zip and enable it; AssertionError if Blender does not say that it did."""
        zip_in_sight = self.folder / package.name
        shutil.copy(package, zip_in_sight)
        # Blender's installer ends without a word at times, where other Blenders start beside it; the next one
        # then says "Reinstalled", and enables it as well
        for _ in range(3):
            run = self.extension("install-file", "-r", REPOSITORY, "--enable", zip_in_sight).check()
            if 'nstalled "inertia"' in run.output:
                return
        raise AssertionError(run.output)


NO_SPLASH = """
import bpy
bpy.context.preferences.view.show_splash = False
"""
"""The splash screen swallows the event on which a Blender that quits waits."""

QUIT = """
import bpy
bpy.ops.wm.quit_blender()
"""
"""Ends a Blender that has a window, without a question about unsaved changes."""


def report(name: str) -> str:
    """Code that prints a variable so that :func:`reported` finds it in Blender's output."""
    return f"\nimport json\nprint('REPORT ' + json.dumps({name}), flush=True)\n"


def reported(run: Run) -> object:
    """What the code printed by means of :func:`report`."""
    (line,) = [line for line in run.output.splitlines() if line.startswith("REPORT ")]
    return json.loads(line.removeprefix("REPORT "))
