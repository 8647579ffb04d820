# SPDX-License-Identifier: GPL-3.0-or-later
"""How a set of clips is learned, and who follows what with a model: a frozen record each, for all who ask
for it."""

from __future__ import annotations

import functools

from ..errors import InertiaError
from ..records import record
from . import fields
from .fields import Range, Record, again, setting
from .matching import PathSettings

WHAT = "what is learned"
_what = functools.partial(setting, group=WHAT)
_how = functools.partial(setting, group="how it is learned")
_said = functools.partial(setting, group="what the model says of itself")


@record(frozen=True)
class LearnSettings(Record):
    """Everything that decides what a model learns, and how.

    With the same seed and a number of iterations training gives the same bytes on the same machine; with a
    time it goes as far as it comes.
    """

    actions: tuple[str, ...] = _what(
        (), help="the actions to learn (default: all that fit the armature)", metavar="ACTION"
    )
    mirror: bool = _what(default=False, help="learn the actions' mirror images, too")
    speeds: tuple[str, ...] = again(PathSettings, "speeds", group=WHAT)
    root: str = _what(
        "", help="the bone whose travel over the ground counts (default: found)", metavar="BONE"
    )
    minutes: float = _how(
        10.0,
        Range(0.01, 10_000, "minutes", soft_most=60),
        "how long it trains, all networks together",
        name="Minutes",
        tip="How long it trains, in minutes, all networks together",
        precision=1,
    )
    iterations: int = _how(
        0,
        Range(0, 100_000_000, whole=True),
        "the steps of the first network, instead of a time; the others take a fixed share of that, and the "
        "same seed gives the same numbers (default: by the time)",
        metavar="N",
    )
    hidden: int = _how(
        256,
        Range(4, 4096, whole=True, soft_most=1024),
        "how wide the networks' hidden layers are",
        metavar="H",
        name="Model Size",
        tip="The width of the networks' hidden layers: a larger model plays closer to the clips, but "
        "trains longer and makes a larger file",
    )
    latent: int = _how(
        32,
        Range(1, 512, whole=True),
        "how many numbers describe what the features leave out of a pose",
        metavar="L",
        name="Pose Detail",
        tip="How many numbers describe what the features leave out of a pose, such as how the arms hang",
    )
    windows: int = _how(
        128, Range(1, 4096, whole=True), "how many stretches of the clips each step learns from", metavar="N"
    )
    rate: float = _how(0.006, Range(1e-7, 1), "how far the first steps go", metavar="RATE")
    seed: int = _how(1234, Range(0, 2**31 - 1, whole=True), "what all random choices come from", metavar="N")
    licence: str = _said(
        "", help="the licence of the clips, as a note in the model", metavar="TEXT", name="Licence"
    )
    source: str = _said(
        "", help="where the clips come from, as a note in the model", metavar="TEXT", name="Origin"
    )

    @property
    def seconds(self) -> float:
        """How long it trains."""
        return 60.0 * self.minutes

    @classmethod
    def of(cls, values: dict[str, object]) -> LearnSettings:
        """Return the settings of values by their names on the command line and in specs."""
        return cls(**fields.parsed(cls, values))


@record(frozen=True)
class Member:
    """Who follows what: the names of an armature, and of a curve or an animated object. As text it is
    ``Walker=Street``."""

    armature: str
    followed: str

    def __str__(self) -> str:
        return f"{self.armature}={self.followed}"

    @classmethod
    def of(cls, text: str) -> Member:
        """Return the member that a text names, ARMATURE=PATH, such as Walker=Street; the last "=" counts.

        ARMATURE becomes `armature`, and PATH, the name of a curve or an animated object, `followed`; both
        stay as written, spaces too, and are not looked up. Raise InertiaError for a text without "=" or with
        nothing on one side of it.
        """
        armature, _, followed = text.rpartition("=")
        if not armature or not followed:
            raise InertiaError(
                '"{text}" does not say who follows what; write ARMATURE=PATH, such as Walker=Street.',
                text=text,
            )
        return cls(armature, followed)


@record(frozen=True)
class CrowdSettings(Record):
    """Several armatures, each along a curve or an animated object of its own. path: how all of them follow,
    and join; what it follows itself means nothing."""

    path: PathSettings
    crowd: tuple[str, ...] = setting(
        (),
        help="who follows what, several at once: ARMATURE=PATH, such as Walker=Street, the path a curve or "
        "an animated object",
        metavar="ARMATURE=PATH",
    )

    NESTED = {"path": PathSettings}

    def __post_init__(self) -> None:
        super().__post_init__()
        names = [member.armature for member in self.members]
        for name in names:
            if names.count(name) > 1:
                raise InertiaError('"{armature}" can follow one path at a time; name it once.', armature=name)

    @property
    def members(self) -> tuple[Member, ...]:
        """Who follows what, by value. Raises InertiaError for a text that does not say so."""
        return tuple(map(Member.of, self.crowd))
