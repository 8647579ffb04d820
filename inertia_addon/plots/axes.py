# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers on axes: where ticks are and what they say."""

from __future__ import annotations

import math

Range = tuple[float, float]
Ticks = tuple[list[float], list[str]]
"""The numbers at ticks, and what is written there."""

CLOSEST = 0.8
"""So much nearer than usual ticks may come where there would be a single one."""
MOST = 12
"""No axis needs more ticks than that, however long it is."""


def spaced(low: float, high: float, pixels: float, room: float, least_step: float = 0.0) -> Ticks:
    """Ticks that leave room for their labels, and these; two if at all possible, as one tells of no scale.

    least_step: they lie no nearer than that, where they count things that have no halves.
    """
    most = min(max(2, int(pixels / room)), MOST)
    values = ticks(low, high, most, least_step)
    for more in range(most + 1, most + 4):
        closer = ticks(low, high, more, least_step)
        if len(values) > 1 or len(closer) < 2:
            continue
        if (closer[1] - closer[0]) * pixels >= CLOSEST * room * (high - low):
            values = closer
    return values, tick_labels(values)


def ticks(low: float, high: float, most: int, least_step: float = 0.0) -> list[float]:
    """At most ``most`` numbers from low to high, multiples of 1, 2 or 5 times a power of ten.

    least_step: they lie no nearer than that, where they count things that have no halves.
    """
    wanted = max((high - low) / max(most, 1), least_step, 1e-300)
    power = 10.0 ** math.floor(math.log10(wanted))
    for step in (power * factor for factor in (1.0, 2.0, 5.0, 10.0, 20.0)):
        first = math.ceil(low / step - 1e-9)
        last = math.floor(high / step + 1e-9)
        if step >= wanted * (1.0 - 1e-9) and last - first < max(most, 1):
            break
    return [index * step for index in range(first, last + 1)]


def decades(low: float, high: float, most: int) -> Ticks:
    """At most ``most`` ticks of an axis of logarithms to the base of ten: powers of ten, where these are few
    with what is two and five times them, and else every second power, or third."""
    powers = range(math.floor(low), math.ceil(high) + 1)
    for steps in ((1, 2, 5), (1,)):
        values = [power + math.log10(step) for power in powers for step in steps]
        values = [value for value in values if low - 1e-9 <= value <= high + 1e-9]
        if len(values) <= most:
            break
    values = values[:: -(-len(values) // most)] if values else []
    return values, [number(10.0**value) for value in values]


def tick_labels(values: list[float]) -> list[str]:
    """The numbers of ticks as text, with as many decimals as tell them apart."""
    if not values:
        return []
    if len(values) == 1:
        return [number(values[0])]
    step = values[1] - values[0]
    greatest = max(map(abs, values))
    if greatest >= 1e6 or step < 1e-4:
        texts = [f"{value:.3g}" for value in values]
    else:
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))
        texts = [f"{value:.{decimals}f}" for value in values]
    # a zero that rounding made negative is none, and a minus is as wide as a plus
    return [text.lstrip("-") if not text.strip("-0.") else text.replace("-", "\u2013") for text in texts]


def number(value: float, digits: int = 3) -> str:
    """A number for reading, to so many digits, but whole up to a million."""
    if 10.0**digits <= abs(value) < 1e6:
        text = f"{value:.0f}"
    else:
        text = f"{value:.{digits}g}"
    return text.replace("-", "\u2013", 1) if text.startswith("-") else text
