# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wished of a character that is steered, as text: a row of a file, or of a recipe."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..errors import InertiaError
from ..records import record
from .fields import HALF_LIFE, IN_HUNDREDTHS, IN_TENTHS, SHOWN_TIME, Range, Record, setting

LONGEST_SECONDS = 600.0
"""A take lasts no longer."""
FARTHEST = 1e5
"""A take begins no further from the origin, in metres."""
FASTEST, MOST_DEGREES, LATEST_SECONDS = 1e4, 1e5, 1e7
"""No velocity that is wished is higher, in metres a second, no facing further round, and no time later."""
PARTS_OF_SPEED, PARTS_OF_ANGLE = 64.0, 8.0
"""Velocities are kept to such parts of a metre a second, and angles to such parts of a degree."""
WALKS, RUNS = 1.0, 2.0
"""A stick of this length walks, or runs; one between them is in between."""


WAYS = (
    ("KEYS", "Keys", "By keys: W, A, S and D, or the arrows, as the view is turned"),
    ("MOUSE", "Mouse", "Towards the mouse on the ground: the further away, the faster"),
)
PACE = Range(0, 100, "metres per second", soft_most=10, shown=IN_TENTHS)
_pace = functools.partial(setting, takes=PACE)
STICK = "STICK"
BY_SPEEDS, BY_STICK = ("wished_as", "SPEEDS"), ("wished_as", STICK)
"""With what goes what belongs to one kind of wishes. A stick has the speeds of its gait."""


@record(frozen=True)
class Hand(Record):
    """How an animator's hand says what is wished, and what answers."""

    use_model: bool = setting(
        default=False,
        help="whether a model plays in place of the clips",
        name="Use Model",
        tip="Steer with a model that has learned the clips, instead of the clips themselves. It begins by "
        "standing, and has no moves",
    )
    by: str = setting(
        "KEYS", WAYS, "what is steered with", name="Steer With", tip="What steers the character"
    )
    walk: float = _pace(
        1.3,
        help="how fast it goes, in metres per second",
        name="Walk (m/s)",
        goes_with=BY_SPEEDS,
        tip="How fast the character goes by keys, in metres per second; or the nearest speed of its clips",
    )
    run: float = _pace(
        3.2,
        help="how fast it goes with Shift, and by the mouse at most, in metres per second",
        name="Run (m/s)",
        goes_with=BY_SPEEDS,
        tip="How fast the character goes while Shift is held, and by the mouse at most, in metres per second",
    )
    slow: float = _pace(
        0.7,
        help="how fast it goes with Ctrl, in metres per second",
        name="Slow (m/s)",
        goes_with=BY_SPEEDS,
        tip="How fast the character goes while Ctrl is held, in metres per second",
    )
    follow: bool = setting(
        default=True,
        help="whether the view moves along with the character",
        name="View Follows",
        tip="Move the 3D View along with the character while you steer it",
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
        facing = None if self.facing is None else round(self.facing * PARTS_OF_ANGLE) / PARTS_OF_ANGLE
        x, y = (round(each * PARTS_OF_SPEED) / PARTS_OF_SPEED for each in (self.x, self.y))
        return Wish(self.seconds, x, y, facing, self.move)

    @classmethod
    def of(cls, text: str) -> Wish:
        """Return the wish that a text holds: seconds, the velocity along x and y, a facing in degrees, and a
        clip to play once, such as 1.5,0,1.3,90 or 1.5,0,1.3,,Jump.

        They become the fields `seconds`, `x`, `y`, `facing` and `move`. The facing may be empty or left out,
        which gives None, and the clip left out, which gives "". All that is behind the fourth comma is the
        clip, commas too. Blanks around each are dropped. Velocities are rounded to 1/64 and facings to 1/8,
        as takes keep them; seconds are not. Raise InertiaError for another text, numbers that are not finite,
        and those beyond 1e7 s, 1e4 m/s or 1e5 degrees in size.
        """
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
                "second, and where to face in degrees, or nothing, such as 1.5,0,1.3,90; after that, if "
                "any, a clip that is played once, such as 1.5,0,1.3,,Jump.",
                text=text,
            )
        seconds, x, y, *facing = numbers
        limits = (LATEST_SECONDS, FASTEST, FASTEST, MOST_DEGREES)
        if any(abs(number) > most for number, most in zip(numbers, limits, strict=False)):
            raise InertiaError(
                '"{text}" is beyond the limits of a wish: times up to {seconds:g} s, velocities up to '
                "{speed:g} m/s, facings up to {degrees:g} degrees.",
                text=text,
                seconds=LATEST_SECONDS,
                speed=FASTEST,
                degrees=MOST_DEGREES,
            )
        return cls(seconds, x, y, facing[0] if facing else None, move).rounded


_answer = functools.partial(setting, group="how it answers", came_later=True)
WISHED_AS = (
    ("SPEEDS", "Speeds", "Each wish is a velocity, in metres per second"),
    (
        STICK,
        "Stick and Gait",
        "Each wish is a stick: at length 1 the character walks, at length 2 it runs, and how fast that is "
        "depends on whether it goes ahead, sideways or back",
    ),
)
_PART = Range(0, 100, soft_most=1, shown=IN_TENTHS)
_RADIUS = Range(0, 100, "metres", soft_most=1, shown=IN_HUNDREDTHS)
_HALF_TURN = Range(0, 180, "degrees", decimals=4)
_gait_pace = functools.partial(_answer, takes=PACE, metavar="SPEED", goes_with=BY_STICK)


@record(frozen=True)
class SteerSettings(Record):
    """How what is wished is answered: read, filtered, followed by a point, and by the character.

    The parameters are those that D. Holden's controller (of "Learned Motion Matching", 2020) has; where the
    defaults differ from his, docs/steering.md says so. Distances are those of a person.
    """

    wished_as: str = _answer(
        "SPEEDS",
        WISHED_AS,
        "what x and y of a wish are: a velocity in metres per second, or a stick that walks at length 1 and "
        "runs at length 2, at the speeds of the gait",
        name="Wish In",
        tip="What the wishes hold: speeds as they are, or a stick that walks and runs at the speeds of the "
        "gait",
    )
    gait_half_life: float = _answer(
        0.1,
        HALF_LIFE,
        "the half-life by which the gait changes between walking and running",
        name="Gait Half-life",
        goes_with=BY_STICK,
        tip="The half-life, in seconds, by which the gait changes between walking and running",
    )
    walk_forward: float = _gait_pace(
        1.75,
        help="how fast the character walks ahead by the stick, in metres per second",
        name="Walk Ahead",
        label="speed of walking ahead",
    )
    walk_side: float = _gait_pace(
        1.5,
        help="how fast the character walks sideways by the stick, in metres per second",
        name="Walk Sideways",
        label="speed of walking sideways",
    )
    walk_back: float = _gait_pace(
        1.25,
        help="how fast the character walks back by the stick, in metres per second",
        name="Walk Back",
        label="speed of walking back",
    )
    run_forward: float = _gait_pace(
        4.0,
        help="how fast the character runs ahead by the stick, in metres per second",
        name="Run Ahead",
        label="speed of running ahead",
    )
    run_side: float = _gait_pace(
        3.0,
        help="how fast the character runs sideways by the stick, in metres per second",
        name="Run Sideways",
        label="speed of running sideways",
    )
    run_back: float = _gait_pace(
        2.5,
        help="how fast the character runs back by the stick, in metres per second",
        name="Run Back",
        label="speed of running back",
    )
    filter_half_life: float = _answer(
        0.0,
        Range(0, 60, "seconds", soft_most=1, shown=SHOWN_TIME),
        "the half-life of the filter on the wishes, so that a trembling hand changes nothing; 0 for no "
        "filter",
        name="Filter Half-life",
        apart=True,
        tip="The half-life, in seconds, of the filter on the wishes, so that a trembling hand changes "
        "nothing; 0 for no filter",
    )
    snap_speed: float = _answer(
        1.0,
        PACE,
        "a velocity that differs from the filtered one by more than this is taken at once, and a clip that "
        "suits it is joined by inertialization",
        metavar="SPEED",
        name="Snap From",
        goes_with=("filter_half_life",),
        tip="A velocity that differs from the filtered one by more than this, in metres per second, is taken "
        "at once, and the clips are searched for a pose to join by inertialization",
    )
    snap_angle: float = _answer(
        60.0,
        _HALF_TURN,
        "a facing that differs from the filtered one by more than this is taken at once, likewise",
        name="Snap Turn",
        goes_with=("filter_half_life",),
        tip="A facing that differs from the filtered one by more than this angle is taken at once, and the "
        "clips are searched for a pose to join by inertialization",
    )
    velocity_half_life: float | None = _answer(
        None,
        HALF_LIFE,
        "the half-life by which the point changes its velocity (default: as the clips change theirs)",
        name="Speed Half-life",
        apart=True,
        unset="As the Clips Do",
        tip="The half-life, in seconds, by which the point changes its velocity",
        switch=(
            "Set Speed Half-life",
            "Choose how soon the point changes its velocity; otherwise as soon as the clips change theirs",
        ),
        start=0.27,
    )
    turning_half_life: float | None = _answer(
        None,
        HALF_LIFE,
        "the half-life by which the point turns (default: as the clips turn)",
        name="Turn Half-life",
        unset="As the Clips Do",
        tip="The half-life, in seconds, by which the point turns",
        switch=("Set Turn Half-life", "Choose how soon the point turns; otherwise as soon as the clips do"),
        start=0.27,
    )
    synchronise: bool = _answer(
        default=False,
        help="keep the point and the character at the same place, instead of drawing them to each other",
        name="Synchronise",
        apart=True,
        tip="Keep the point and the character at the same place, instead of drawing them to each other",
    )
    synchronise_part: float = _answer(
        1.0,
        Range(0, 1, shown={"subtype": "FACTOR", "precision": 2}),
        "whose place that is: 1 for where the clips bring the character, 0 for where the point goes",
        metavar="PART",
        name="By the Clips",
        goes_with=("synchronise",),
        tip="Where the point and the character are: 1 for where the clips bring the character, 0 for where "
        "the point goes",
    )
    adjust: bool = _answer(
        default=True,
        off="don't draw the character to its point",
        name="Adjust",
        apart=True,
        goes_with=("synchronise", False),
        tip="Draw the character to its point",
    )
    adjust_half_life: float = _answer(
        0.2,
        HALF_LIFE,
        "the half-life by which the character comes to its point",
        name="Place Half-life",
        goes_with=("adjust",),
        tip="The half-life, in seconds, by which the character comes to its point",
    )
    adjust_part: float = _answer(
        0.5,
        _PART,
        "the largest part of its own way by which it is moved towards its point; small parts keep feet from "
        "skating",
        metavar="PART",
        name="Part of Its Way",
        goes_with=("adjust",),
        tip="How far the character may be moved towards its point, as a part of the way that it goes "
        "itself; small parts keep feet from skating",
    )
    adjust_turn_half_life: float = _answer(
        0.2,
        HALF_LIFE,
        "the half-life by which the character turns to where its point faces",
        name="Facing Half-life",
        goes_with=("adjust",),
        tip="The half-life, in seconds, by which the character turns to where its point faces",
    )
    adjust_turn_part: float = _answer(
        0.5,
        _PART,
        "the largest part of its own turn, and of its way along a circle of 0.5 m, by which it is turned",
        metavar="PART",
        name="Part of Its Turn",
        goes_with=("adjust",),
        tip="How far the character may be turned to where its point faces, as a part of what it turns "
        "itself, or of its way along a circle of 0.5 m",
    )
    pull_half_life: float = _answer(
        0.5,
        HALF_LIFE,
        "the half-life by which the point comes to the character",
        name="Pull Half-life",
        apart=True,
        goes_with=("synchronise", False),
        tip="The half-life, in seconds, by which the point comes to the character",
    )
    clamp: bool = _answer(
        default=True,
        off="let the point get as far from the character as it likes",
        name="Clamp",
        goes_with=("synchronise", False),
        tip="Keep the point near to the character",
    )
    clamp_distance: float = _answer(
        0.25,
        _RADIUS,
        "the point stays as near to the character as this, for a person",
        name="Within",
        goes_with=("clamp",),
        tip="The point stays as near to the character as this, in metres for a person",
    )
    clamp_angle: float = _answer(
        180.0,
        _HALF_TURN,
        "how far the point may face away from where the character faces; 180 for anywhere",
        name="Within Angle",
        goes_with=("clamp",),
        tip="How far the point may face away from where the character faces; 180 degrees for anywhere",
    )

    @property
    def is_stick(self) -> bool:
        """Whether what is wished is a stick, not a velocity."""
        return self.wished_as == STICK

    @property
    def is_filtered(self) -> bool:
        """Whether what is wished is filtered."""
        return self.filter_half_life > 0.0

    def speeds(self, gait: float) -> tuple[float, float, float]:
        """Return how fast a gait goes (ahead, sideways, back), metres a second.

        gait: 0 for walking, which gives `walk_forward`, `walk_side` and `walk_back`; 1 for running, which
        gives `run_forward`, `run_side` and `run_back`; between, each is interpolated linearly. Numbers beyond
        are not limited.
        """
        walks = self.walk_forward, self.walk_side, self.walk_back
        runs = self.run_forward, self.run_side, self.run_back
        ahead, side, back = (walk + gait * (run - walk) for walk, run in zip(walks, runs, strict=True))
        return ahead, side, back

    def fastest(self, wish: Wish) -> float:
        """Return how fast a wish may have a character go, metres a second."""
        length = math.hypot(wish.x, wish.y)
        return max(self.speeds(gait_of(length))) * min(length, WALKS) if self.is_stick else length

    def check(self, wishes: Iterable[Wish]) -> None:
        """Raise InertiaError for the first wish longer than 2, but for rounding, where sticks are wished;
        with other wishes nothing is checked.
        """
        for wish in wishes if self.is_stick else ():
            if math.hypot(wish.x, wish.y) > RUNS + 1.0 / PARTS_OF_SPEED:
                raise InertiaError(
                    'The wish "{wish}" is {length:.3g} long, but a stick has a length of 2 at most: 1 '
                    "walks, and 2 runs. Shorten it, or write the wishes as speeds.",
                    wish=str(wish),
                    length=math.hypot(wish.x, wish.y),
                )


def gait_of(length: float) -> float:
    """Return the gait that a stick of a length asks for: 0 for walking, 1 for running."""
    return min(max(length - WALKS, 0.0), RUNS - WALKS)


def start(text: str) -> tuple[float, float, float]:
    """Return where a take begins, x and y in metres, and the facing in degrees, of a text of three numbers
    such as "1.5,0,90".

    Raise InertiaError for another text, a place further than 1e5 m from the origin along x or y, and a facing
    beyond 1e5 degrees in size.
    """
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
    """Return the wishes of texts, one after the other. Raise InertiaError for what is none, and for what is
    no take.
    """
    return check([Wish.of(text) for text in texts])


def check(wishes: Sequence[Wish]) -> tuple[Wish, ...]:
    """Return the wishes of a take, as they are, as a tuple.

    Raise InertiaError unless there are at least two, their seconds never fall, and the last one's seconds are
    1 s to 600 s after the first one's.
    """
    times = [wish.seconds for wish in wishes]
    if len(wishes) < 2:
        raise InertiaError(
            "A take needs at least two rows: a wish, and the time at which it ends; {count} given.",
            count=len(wishes),
        )
    if times != sorted(times):
        raise InertiaError("The times of the wishes have to rise from row to row; put them in order.")
    if not 1.0 <= times[-1] - times[0] <= LONGEST_SECONDS:
        raise InertiaError(
            "The wishes last for {seconds:.3g} s; a take lasts from 1 s to {most:.0f} s.",
            seconds=times[-1] - times[0],
            most=LONGEST_SECONDS,
        )
    return tuple(wishes)


def read(file: Path) -> tuple[Wish, ...]:
    """Return the wishes of a .csv file, UTF-8, with or without a heading; empty lines, and those that begin
    with "#", are passed over.

    Lines before the first wish that hold no digit are a heading. Raise InertiaError, naming the line, for
    what is no wish; also where the file can't be read, holds fewer than two wishes, their seconds fall
    anywhere, or the last wish is less than 1 s or more than 600 s after the first one.
    """
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
