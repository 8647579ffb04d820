# SPDX-License-Identifier: GPL-3.0-or-later
"""What long commands say while they run: a progress bar on a terminal, lines elsewhere, or JSON events."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any, TypeVar

from . import output

try:
    import resource
except ImportError:  # there is none on Windows
    resource = None  # type: ignore[assignment]

Result = TypeVar("Result")

SECONDS_APART = 5.0
"""Lines that count come no faster than this."""
ALIKE = 2.0
"""A time is said when the whole work and its last part say the same, but for this factor."""


class Left:
    """How long a work still takes; nothing before it goes on as it began, as that is often slow or fast."""

    def __init__(self) -> None:
        self._began = self._last = time.monotonic()
        self._done = 0.0

    def is_time(self) -> bool:
        """Tell whether the last line was long enough ago for another one."""
        return time.monotonic() - self._last >= SECONDS_APART

    def line(self, progress: float) -> str:
        """Return the end of a line, such as ", about 3 min left", or "" where the time can't be told.

        progress: the part of all work that is done, 0 to 1. It is "" at the first call, if progress is 0 or
        has not grown since the last call, and if the times by the rate of all work and by the rate since the
        last call differ by more than the factor ALIKE; else the time is by the latter. The call counts as the
        last line in any case, so that is_time is False for SECONDS_APART from then on.
        """
        now = time.monotonic()
        since, more = now - self._last, progress - self._done
        is_first, self._last, self._done = self._last == self._began, now, progress
        if is_first or progress <= 0.0 or more <= 0.0:
            return ""
        by_all, by_last = ((now - self._began) / progress * (1.0 - progress), since / more * (1.0 - progress))
        if max(by_all, by_last) > ALIKE * min(by_all, by_last):
            return ""
        return f", about {_spoken(by_last)} left"


class Progress:
    """Says how far work has come. as_json: in events, one per line on standard output, and nothing else.

    results: where these go, or the lines that are a result.
    """

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        # later on, what Blender prints is kept from standard output
        self.results = output.Results(is_json=as_json)
        self._is_told = False
        self._is_terminal = sys.stderr.isatty() and not as_json
        self._bar: Any = None
        self._total = self._done = self._failed = 0
        self._begun = time.monotonic()
        self._left = Left()

    def start(self, total: int, label: str) -> None:
        """Begin to count up to a total; an earlier count ends, with its bar.

        label: what is counted, such as "transitions". On a terminal a bar is shown, unless events are JSON,
        total is 0 or tqdm is not there.
        """
        self.finish()
        self._total, self._done, self._failed, self._what = total, 0, 0, label
        self._left = Left()
        if self._is_terminal and total:
            # Blender does not bring it: then there are lines
            with contextlib.suppress(ImportError):
                from tqdm import tqdm

                self._bar = tqdm(total=total, unit="", desc=label, dynamic_ncols=True, file=sys.stderr)

    def step(self, *, failed: bool = False) -> None:
        """Count one more as done; failed: it counts as failed as well.

        If there is a bar, it advances, and shows how many failed. Without a bar, and unless events are JSON,
        a line such as "3 of 10 transitions, 1 failed, about 3 min left" goes to standard error if
        SECONDS_APART have passed since the last such line or the start; there is none for the last one.
        Failed ones and the time are left out where there are none or it can't be told.
        """
        self._done += 1
        self._failed += failed
        if self._bar is not None:
            self._bar.set_postfix_str(f"{self._failed} failed" if self._failed else "", refresh=False)
            self._bar.update()
        elif self._done < self._total and not self._as_json and self._left.is_time():
            line = f"{self._done} of {self._total} {self._what}"
            line += f", {self._failed} failed" if self._failed else ""
            output.say(f"{line}{self._left.line(self._done / self._total)}")

    def event(self, name: str, values: dict[str, Any], line: str = "") -> None:
        """Say that something happened: with JSON as one line with an object on standard output; else, if line
        is not empty, by :meth:`say`.

        values: the object's, JSON values, behind "event" with the name; they should not have a key "event",
        as it would replace the name. If standard output can't be written, that is said once by :meth:`say`,
        later events are dropped, and nothing is raised. Raise ValueError for a number that is not finite, and
        TypeError for a value that is none of JSON's; nothing is written then.
        """
        if self._as_json:
            self.results.write_json({"event": name, **values})
            self._tell_lost()
        elif line:
            self.say(line)

    def tell(self, lines: Iterable[str]) -> None:
        """Write lines that are a result."""
        self.results.write(lines)
        self._tell_lost()

    def _tell_lost(self) -> None:
        """Say, once, that nobody gets what is told."""
        if self.results.lost is not None and not self._is_told:
            self._is_told = True
            self.say(f"{output.not_written(self.results.lost)} The work goes on.")

    def summary(self, values: dict[str, Any], line: str, output: Path, path: Path) -> None:
        """Say what a run has come to, with the seconds, processor time and memory that it took, by
        :meth:`event`: with JSON as an event "summary", else as a line.

        The line is "LINE; 12.3 s, 10.1 s of processor time, 200 MiB at most in a process; PATH", without
        processor time and memory where the system does not tell them.

        values: the event's; the dict is changed: "seconds" (since the Progress was made, to a thousandth),
        "peak_mib" and "processor_seconds" (where the system tells) and "output", the absolute path as text,
        are added. line: begins the text, without a full stop. output: the folder that was written into. path:
        what of it a reader looks at, shown as it is given.
        """
        seconds, used = time.monotonic() - self._begun, _used()
        spent = f"{seconds:.1f} s"
        if used:
            spent += f", {used['processor_seconds']:.1f} s of processor time"
            spent += f", {used['peak_mib']:.0f} MiB at most in a process"
        values |= {"seconds": round(seconds, 3), **used, "output": str(output.absolute())}
        self.event("summary", values, f"{line}; {spent}; {path}")

    def say(self, line: str) -> None:
        """Write a message of one line to standard error, behind "inertia: ", above the bar if there is one;
        control characters are escaped.
        """
        if self._bar is not None:
            self._bar.clear()
        output.say(line)
        if self._bar is not None:
            self._bar.refresh()

    def finish(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def close(self) -> None:
        """End what is said."""
        self.finish()
        self.results.close()


def finish(steps: Generator[float, None, Result], label: str) -> Result:
    """Run steps to their end, and return their result; say on standard error now and then how far they are,
    as "searching: 40% done, about 3 min left."

    A line is said at a yield above 0, if SECONDS_APART have passed since the last line, or since the
    beginning; the time is left out where it can't be told, see :meth:`Left.line`. steps: yields the part that
    is done, 0 to 1. label: what is done, such as "searching". What the steps raise gets through.
    """
    left = Left()
    while True:
        try:
            done = next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result
        if done > 0.0 and left.is_time():
            output.say(f"{label}: {done:.0%} done{left.line(done)}.")


def _spoken(seconds: float) -> str:
    if seconds < 90.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 5400.0 else f"{seconds / 3600.0:.1f} h"


def _used() -> dict[str, float]:
    """Return the memory and processor time that the program took until now; {} where the system does not
    tell, as on Windows.

    peak_mib: the most memory, MiB, of this process or of one that it has started and that has ended,
    whichever is more. processor_seconds: of all of them together.
    """
    if resource is None:
        return {}
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    # macOS counts in bytes, others in kilobytes
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return {
        "peak_mib": round(max(usage.ru_maxrss for usage in both) / unit, 1),
        "processor_seconds": round(sum(usage.ru_utime + usage.ru_stime for usage in both), 3),
    }
