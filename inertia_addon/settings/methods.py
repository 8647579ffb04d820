# SPDX-License-Identifier: GPL-3.0-or-later
"""The ways in which a transition blends: one table, of which all choices, options and formulas are made.

A curve is a row of :class:`Method`; with its translation, a new one needs nothing else. See
:mod:`inertia_addon.motion.decay.decay` for what the numbers mean, and where they are from.
"""

from __future__ import annotations

import enum
from collections.abc import Collection
from typing import Any

from ..records import record


@record(frozen=True)
class Form:
    """A curve ``(1 - s)^power`` times a polynomial of s: ``of_x`` times x and ``of_v`` times V = v T. of_x,
    of_v: as many each, in rising powers of s; they start with 1, power and with 0, 1."""

    power: int
    of_x: tuple[float, ...]
    of_v: tuple[float, ...]

    @property
    def is_plain(self) -> bool:
        """Whether there is no more to it than its power, see :func:`make_plain_form`."""
        return len(self.of_x) == 2


def make_plain_form(n: int) -> Form:
    """Return ``(1 - s)^n (x + (V + n x) s)``: the least that starts as the offset does, of the degree n +
    1.
    """
    return Form(n, (1.0, float(n)), (0.0, 1.0))


def soft(fraction: float) -> Form:
    """Return the quintic that starts without acceleration, with a part of the cubic in its place."""
    rest = 1.0 - fraction
    return Form(2, (1.0, 2.0, 3.0 * rest, -6.0 * rest), (0.0, 1.0, 2.0 * rest, -3.0 * rest))


SOFTNESS = 1.0 / 3.0
"""How much of the cubic is in SOFT."""


@record(frozen=True)
class Curve:
    """A row of the table.

    number: what Blender's files store for it, which never changes: among the methods, or among the quintic's
    starts. label, description: as an animator reads them. form: None for the spring, which is none.
    is_start: whether it is one of the quintic's starts, not a method by itself.
    """

    number: int
    label: str
    description: str
    form: Form | None
    is_start: bool = False


class Method(enum.Enum):
    """Which curve an offset decays along."""

    SOFT = Curve(
        0,
        "Soft",
        "Start nearly without a jump in acceleration, and swing less: a third of it is cubic",
        soft(SOFTNESS),
        is_start=True,
    )
    SMOOTH = Curve(
        1,
        "Smooth",
        "Start without a jump in acceleration, unless one is needed to avoid overshoot",
        Form(3, (1.0, 3.0, 6.0), (0.0, 1.0, 3.0)),
        is_start=True,
    )
    ZERO_JERK = Curve(
        2,
        "Eager",
        "Start with a strong pull that eases out without jerk, as games do",
        make_plain_form(4),
        is_start=True,
    )
    CUBIC = Curve(
        1,
        "Cubic",
        "Leaves the source's pose faster, and ends exactly after the blend time",
        make_plain_form(2),
    )
    SPRING = Curve(
        2,
        "Spring",
        "A spring that never bounces (critically damped): fast at first, with a long soft end",
        None,
    )


Item = tuple[str, str, str, int]
"""A choice of a menu: value, label, tooltip, and what Blender's files store for it."""


def _items(*, starts: bool) -> tuple[Item, ...]:
    rows = ((method.name, method.value) for method in Method if method.value.is_start == starts)
    return tuple((name, row.label, row.description, row.number) for name, row in rows)


METHOD_ITEMS: tuple[Item, ...] = (
    ("QUINTIC", "Quintic", "Smooth in velocity and acceleration, and ends exactly after the blend time", 0),
    *_items(starts=False),
    (
        "DEAD_BLENDING",
        "Dead Blending",
        "The source goes on as it was going, ever more slowly, and fades out, as game engines do",
        3,
    ),
)
CURVE_ITEMS = tuple(item for item in METHOD_ITEMS if item[0] != "DEAD_BLENDING")
"""Within one action nothing goes on into another, as dead blending has it."""
QUINTIC_START_ITEMS = _items(starts=True)
METHODS, CURVES = (tuple(item[0] for item in items) for items in (METHOD_ITEMS, CURVE_ITEMS))
QUINTIC_STARTS = tuple(item[0] for item in QUINTIC_START_ITEMS)


def spoken(curve: str) -> str:
    """Return what a curve is called in a sentence: "quintic, zero jerk"."""
    words = curve.lower().replace("_", " ")
    return f"quintic, {words}" if curve in QUINTIC_STARTS else words


OWNERS = {"half_life": "SPRING", "extrapolation_half_life": "DEAD_BLENDING"}
"""The settings that one method alone takes: given without a method, they mean it."""


def completed(values: dict[str, Any]) -> dict[str, Any]:
    """Return settings with the method that they mean if they say none; the same object where none is
    meant.
    """
    implied = [{"method": owner} for name, owner in OWNERS.items() if name in values]
    return {**implied[0], **values} if implied else values


def foreign(names: Collection[str], method: str | None) -> list[str]:
    """Return those of the given settings that a method does not take: another's own, and blend_frames where a
    half-life says how long it blends. None stands for the default method.
    """
    owned = [name for name, owner in OWNERS.items() if name in names and method != owner]
    return [*owned, "blend_frames"] if "blend_frames" in names and length(method) != "blend_frames" else owned


def length(method: str | None) -> str:
    """Return the name of the setting that says how long a method blends."""
    return "half_life" if method == OWNERS["half_life"] else "blend_frames"


TIMED = tuple(method for method in METHODS if length(method) == "blend_frames")
"""The methods that blend for a time."""
HALF_LIVES = 6.0
"""A spring counts as a blend of so many half-lives: what is left then is 5 % of the offset, or less."""


def blend_seconds(decay: Method | None, seconds: float) -> float:
    """Return how long a blend lasts, in seconds. seconds: its blend time, or its spring's half-life."""
    return HALF_LIVES * seconds if decay is Method.SPRING else seconds
