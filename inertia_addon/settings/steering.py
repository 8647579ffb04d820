# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wished of a character that is steered, as text: a row of a file, or of a recipe."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..errors import InertiaError
from ..records import record
from .fields import IN_TENTHS, Range, Record, setting

LONGEST_SECONDS = 600.0
"""A take lasts no longer."""
FARTHEST = 1e5
"""A take begins no further from the origin, in metres."""
FASTEST, MOST_DEGREES, LATEST_SECONDS = 1e4, 1e5, 1e7
"""No velocity that is wished is higher, in metres a second, no facing further round, and no time later."""
SPEED, ANGLE = 64.0, 8.0
"""Velocities are kept to such parts of a metre a second, and angles to such parts of a degree."""


WAYS = (
    ("KEYS", "Keys", "By keys: W, A, S and D, or the arrows, as the view is turned"),
    ("MOUSE", "Mouse", "Towards the mouse on the ground: the further away, the faster"),
)
PACE = Range(0, 100, "metres per second", soft_most=10, shown=IN_TENTHS)
_pace = functools.partial(setting, takes=PACE)


@record(frozen=True)
class Hand(Record):
    """How an animator's hand says what is wished, and what answers."""

    use_model: bool = setting(
        False,
        help="whether a model plays in place of the clips",
        name="Use Model",
        tip="Steer with a model that has learned the clips, in place of these. It begins by standing, and "
        "has no moves",
    )
    by: str = setting(
        "KEYS", WAYS, "what is steered with", name="Steer With", tip="What says where the character goes"
    )
    walk: float = _pace(
        1.3,
        help="how fast it goes, in metres per second",
        name="Walk (m/s)",
        tip="How fast the character goes by keys, in metres per second; or the nearest speed of its clips",
    )
    run: float = _pace(
        3.2,
        help="how fast it goes with Shift, and by the mouse at most, in metres per second",
        name="Run (m/s)",
        tip="How fast the character goes while Shift is held, and by the mouse at most, in metres per second",
    )
    slow: float = _pace(
        0.7,
        help="how fast it goes with Ctrl, in metres per second",
        name="Slow (m/s)",
        tip="How fast the character goes while Ctrl is held, in metres per second",
    )
    follow: bool = setting(
        True,
        help="whether the view goes along with the character",
        name="View Follows",
        tip="Have the 3D View go along with the character while it is steered",
    )


@record(frozen=True)
class Wish:
    """From a time on, a velocity on the ground (x and y, metres per second) and a facing are wished.

    facing: degrees about the vertical from the x axis; None to face where it goes. move: the clip that is
    played then, once; "" for none.
    """

    seconds: float
    x: float
    y: float
    facing: float | None = None
    move: str = ""

    def __str__(self) -> str:
        row = f"{self.seconds:.10g},{self.x:.10g},{self.y:.10g}"
        if self.facing is not None or self.move:
            row += "," if self.facing is None else f",{self.facing:.10g}"
        return f"{row},{self.move}" if self.move else row

    @property
    def rounded(self) -> Wish:
        """As it is kept: what differs by less is the same wish."""
        facing = None if self.facing is None else round(self.facing * ANGLE) / ANGLE
        x, y = (round(each * SPEED) / SPEED for each in (self.x, self.y))
        return Wish(self.seconds, x, y, facing, self.move)

    @classmethod
    def of(cls, text: str) -> Wish:
        """Return the wish that a text holds, the inverse of ``str``. Raise InertiaError for another text."""
        cells = [cell.strip() for cell in text.split(",", 4)]
        move = cells.pop() if len(cells) == 5 else ""
        cells = cells[:3] if cells[3:] == [""] else cells
        try:
            numbers = [float(cell) for cell in cells]
        except ValueError:
            numbers = []
        if len(numbers) not in (3, 4) or not all(map(math.isfinite, numbers)):
            raise InertiaError(
                '"{text}" is not a wish; write the seconds, the velocity along x and y in metres per '
                "second, and where to face in degrees, or nothing, such as 1.5,0,1.3,90; behind that, a clip "
                "that is played once, such as 1.5,0,1.3,,Jump.",
                text=text,
            )
        seconds, x, y, *facing = numbers
        limits = (LATEST_SECONDS, FASTEST, FASTEST, MOST_DEGREES)
        if any(abs(number) > most for number, most in zip(numbers, limits, strict=False)):
            raise InertiaError(
                '"{text}" is beyond what can be wished: times to {seconds:g} s, velocities to {speed:g} m/s, '
                "facings to {degrees:g} degrees.",
                text=text,
                seconds=LATEST_SECONDS,
                speed=FASTEST,
                degrees=MOST_DEGREES,
            )
        return cls(seconds, x, y, facing[0] if facing else None, move).rounded


def start(text: str) -> tuple[float, float, float]:
    """Read where a take begins: x and y, metres, and the facing, degrees. Raise InertiaError."""
    try:
        x, y, facing = map(float, text.split(","))
    except ValueError:
        x = y = facing = math.nan
    if not (abs(x) <= FARTHEST and abs(y) <= FARTHEST and abs(facing) <= MOST_DEGREES):
        raise InertiaError(
            '"{text}" is not a place to begin at; write x and y in metres and the facing in degrees, such '
            "as 1.5,0,90.",
            text=text,
        )
    return x, y, facing


def rows(texts: Iterable[str]) -> tuple[Wish, ...]:
    """Wishes of texts, one after the other. Raises InertiaError for what is none, and for what is no take."""
    return check([Wish.of(text) for text in texts])


def check(wishes: Sequence[Wish]) -> tuple[Wish, ...]:
    """Return the wishes of a take. Raise InertiaError if there are too few, or they are out of order.

    A take needs two rows; it may be neither too short nor too long.
    """
    times = [wish.seconds for wish in wishes]
    if len(wishes) < 2:
        raise InertiaError(
            "A take needs at least two rows: a wish, and the time at which it ends; {count} given.",
            count=len(wishes),
        )
    if times != sorted(times):
        raise InertiaError("The seconds of the wishes have to rise from row to row; put them in order.")
    if not 1.0 <= times[-1] - times[0] <= LONGEST_SECONDS:
        raise InertiaError(
            "The wishes last for {seconds:.3g} s; a take lasts from 1 s to {most:.0f} s.",
            seconds=times[-1] - times[0],
            most=LONGEST_SECONDS,
        )
    return tuple(wishes)


def read(file: Path) -> tuple[Wish, ...]:
    """Read the wishes of a .csv file, with or without a heading. Raise InertiaError, naming the line."""
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InertiaError('"{file}" can\'t be read as a .csv file of wishes.', file=file.name) from error
    wishes: list[Wish] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            wishes.append(Wish.of(line))
        except InertiaError as error:
            # a heading says what stands in the columns
            if not wishes and not any(character.isdigit() for character in line):
                continue
            raise InertiaError(
                'Line {line} of "{file}": {reason}', line=number, file=file.name, reason=error.sentence
            ) from error
    return check(wishes)
