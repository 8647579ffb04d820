# SPDX-License-Identifier: GPL-3.0-or-later
"""What the rooms of all features say alike: lines, numbers with their nouns, and what is active."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...blender.data import scene
from ...errors import Sentence
from ...records import record
from ..translations import translated


@record(frozen=True)
class PanelLine:
    """A sentence with its icon; ``alert`` draws it red."""

    text: str
    icon: str = "INFO"
    alert: bool = False


def line(template: str, icon: str = "INFO", /, **values: object) -> PanelLine:
    """Return a sentence, made of a template and its values, with its icon."""
    return PanelLine(Sentence(template, **values), icon)


def number(value: float) -> str:
    """Format a frame or length without needless zeros: 24, 24.5, 0.33."""
    return f"{round(value, 2):g}"


def cost_text(cost: float) -> str:
    """Format a cost with its unit, to three figures: 0.0432 m·s."""
    return f"{cost:.3g} m·s"


def displacement(metre_seconds: float) -> str:
    """Format what a join displaces, with its unit: 7 mm·s."""
    return f"{1000.0 * metre_seconds:.0f} mm·s"


def count(amount: int, noun: str) -> str:
    """Count things in words: ``1 bone``, ``2 bones``; the noun is an English one."""
    return translated(f"{{0}} {noun}" if amount == 1 else f"{{0}} {noun}s", amount)


def listed(names: Sequence[str]) -> str:
    """Join names to ``a``, ``a and b``, ``a and b and c``, in Blender's language. Raise IndexError without
    names.
    """
    text = names[0]
    for name in names[1:]:
        text = translated("{0} and {1}", text, name)
    return text


def frames_text(first: float, last: float) -> str:
    """Describe a range: ``Frames 1 to 40``, or ``Frame 1`` for a single pose."""
    if math.isclose(first, last):
        return translated("Frame {0}", number(first))
    return translated("Frames {0} to {1}", number(first), number(last))


def duration_text(frames: float) -> str:
    """Describe a duration in the scene: ``12 frames, 0.4 s``."""
    text = "{0} frame, {1} s" if math.isclose(frames, 1.0) else "{0} frames, {1} s"
    return translated(text, number(frames), number(scene.to_seconds(frames)))


def outside(frame: float, span: tuple[float, float] | None) -> bool:
    return span is not None and not span[0] - 1e-3 <= frame <= span[1] + 1e-3
