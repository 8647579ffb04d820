# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of bakes, by the operators that make them."""

from __future__ import annotations

from typing import Any

from ...blender.transition.report import BakeReport
from ..shared.common import say
from . import summary


def tell(operator: Any, report: BakeReport, verb: str) -> None:
    """Report a bake: what was made, then what the animator should know of it."""
    say(operator, "INFO", summary.bake_sentence(report, verb))
    for text in summary.bake_warnings(report):
        say(operator, "WARNING", text)
