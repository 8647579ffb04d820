# SPDX-License-Identifier: GPL-3.0-or-later
"""How much memory and time a run took, its ended processes included, where the platform tells."""

from __future__ import annotations

import sys

try:
    import resource
except ImportError:  # there is none on Windows
    resource = None  # type: ignore[assignment]


def taken() -> dict[str, float]:
    """What was taken until now, {} where nobody tells.

    peak_mib: the most memory of this process or of one that it has started and that has ended, whichever is
    more. processor_seconds: of all of them together.
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


def spoken(taken: dict[str, float]) -> str:
    """The same as the end of a sentence, "" where nobody tells."""
    if not taken:
        return ""
    return (
        f", {taken['processor_seconds']:.1f} s of processor time, {taken['peak_mib']:.0f} MiB at most in a "
        "process"
    )
