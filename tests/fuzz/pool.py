# SPDX-License-Identifier: GPL-3.0-or-later
"""A Blender in a process of its own, which tells apart how a job ended: said, faulty, hung or crashed."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
PATHS = (str(ROOT),)
"""Where a worker's Python finds modules."""
LONGEST_SECONDS = 30.0
"""Of its processors' time, a job that goes on for longer without a word hangs ..."""
PATIENCE_SECONDS = 240.0
"""... or of any time, as a machine may be busy with other things ..."""
TOLD_SECONDS = 900.0
"""... and one that says how far it is may take so long."""
START_SECONDS = 300.0


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a job ended.

    kind: "done", "fault" (an exception that nobody caught), "hang" or "crash" (of Blender itself). code: the
    exit code of a command. said: all that was printed. at: what was being done last.
    """

    kind: str
    code: int
    said: str
    at: str


class Worker:
    """A process that does jobs one after the other; after a crash or a hang it is another one."""

    def __init__(self) -> None:
        self._open = contextlib.ExitStack()
        self._log = self._open.enter_context(tempfile.TemporaryFile("w+b"))  # noqa: SIM115
        self._process: subprocess.Popen[bytes] | None = None
        self._answers = -1
        self._rest = b""

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self._open.close()

    def do(self, job: dict[str, Any]) -> Outcome:
        """Do a job, and wait for it."""
        if self._process is None:
            self._start()
        self._log.seek(0)
        self._log.truncate()
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(job).encode() + b"\n")
        self._process.stdin.flush()
        at = ""
        while True:
            answer = self._answer(LONGEST_SECONDS)
            if answer is None or isinstance(answer, str):
                self._end()
                return Outcome(answer or "crash", -1, self._said(), at)
            if "at" in answer:
                at = answer["at"]
                continue
            fault = answer.get("fault", "")
            return Outcome("fault" if fault else "done", answer.get("code", -1), self._said() + fault, at)

    def _said(self) -> str:
        self._log.seek(0)
        return self._log.read().decode("utf-8", "replace")

    def _told(self) -> int:
        """How much has been printed."""
        return os.fstat(self._log.fileno()).st_size

    def _start(self) -> None:
        self._answers, to = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.worker", str(to)],
            stdin=subprocess.PIPE,
            stdout=self._log,
            stderr=self._log,
            pass_fds=[to],
            start_new_session=True,  # so that what it starts ends with it
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(PATHS)},
        )
        os.close(to)
        self._rest = b""
        if not isinstance(self._answer(START_SECONDS), dict):
            raise RuntimeError(f"No Blender could be started: {self._said()}")

    def _answer(self, seconds: float) -> dict[str, Any] | str | None:
        """The next answer; "hang" where none comes, None where the process has ended."""
        began = heard = time.monotonic()
        used, told = self._used(), self._told()
        while b"\n" not in self._rest:
            if select.select([self._answers], [], [], 0.5)[0]:
                more = os.read(self._answers, 65536)
                if not more:
                    return None
                self._rest += more
            elif self._told() > told and time.monotonic() - began < TOLD_SECONDS:
                heard, used, told = time.monotonic(), self._used(), self._told()
            elif self._used() - used > seconds or time.monotonic() - heard > PATIENCE_SECONDS:
                return "hang"
        line, _, self._rest = self._rest.partition(b"\n")
        return json.loads(line)

    def _used(self) -> float:
        """The seconds of processors' time of the process and those that it has waited for."""
        assert self._process is not None
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return time.monotonic()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def _end(self) -> None:
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        assert self._process.stdin is not None
        self._process.stdin.close()
        os.close(self._answers)
        self._process = None
