# SPDX-License-Identifier: GPL-3.0-or-later
"""When a foot counts as planted, and how it is locked then: one setting for all rigs, whatever their size."""

from __future__ import annotations

import dataclasses

from ..records import record
from . import fields
from .fields import Record, again, setting

LOCKING = (
    (
        "AUTO",
        "Automatic",
        "Plan the transition with planted feet locked and unlocked, and use what looks better",
    ),
    ("LOCK", "Lock", "Always lock planted feet"),
    ("OFF", "Off", "Let feet go where the blend takes them"),
)

TOES = (
    ("FREE", "As They Are", "Leave toes as they are, even where they go through the ground"),
    (
        "ABOVE",
        "Above Ground",
        "Raise toes whose tips would be below the ground, or lower than the actions have them while feet "
        "stand. Feet without a toe bone stay as they are",
    ),
    (
        "WITH_HEELS",
        "With Heels",
        "Raise toes, and heels as well: the foot rolls onto its ball, also where its leg is too short for it "
        "to stay",
    ),
)

GROUNDS = (
    ("CLIP", "The Action's Own", "Feet stand as high as the action has them"),
    ("PLANE", "Plane", "Feet stand on a horizontal plane"),
    ("OBJECT", "Object", "Feet stand on a mesh object below or above them, as it is at the current frame"),
)


@record(frozen=True)
class ContactSettings(Record):
    """When a foot counts as planted, in lengths of its leg, so that it holds for all rigs and scales. It
    stays planted until it is clearly faster or higher than that."""

    speed: float = setting(
        0.25,
        fields.CONTACT_SPEED,
        "a foot is planted once it moves slower than this, in leg lengths a second",
        label="contact speed",
        key="contact_speed",
        name="Speed",
        tip="A foot counts as planted once it moves slower than this, in leg lengths per second, until it "
        "moves twice as fast",
    )
    height: float = setting(
        0.05,
        fields.CONTACT_HEIGHT,
        "a planted foot is at most this many leg lengths above the lowest point that it reaches within 0.6 s",
        label="contact height",
        key="contact_height",
        name="Height",
        tip="A planted foot is at most this many leg lengths above the lowest point that it reaches "
        "within 0.6 seconds. It stays planted until it is 1.6 times as high",
    )
    gap_seconds: float = setting(
        0.07,
        fields.CONTACT_TIME,
        "shorter gaps between two contacts of a foot are closed",
        label="gap between contacts",
        key="contact_gap_seconds",
        name="Close Gaps",
        tip="Gaps between two contacts of a foot shorter than this, in seconds, are closed",
    )
    shortest_seconds: float = setting(
        0.08,
        fields.CONTACT_TIME,
        "shorter contacts are ignored",
        label="shortest contact",
        key="shortest_contact_seconds",
        name="Shortest",
        tip="Contacts shorter than this, in seconds, are ignored",
    )


@record(frozen=True)
class CheckSettings(Record):
    """Which action is checked. slot: "" for the one that Blender would choose."""

    action: str = setting(help="the action to check", metavar="ACTION")
    slot: str = setting(
        "",
        help="its slot, such as OBRig (default: as Blender chooses); before Blender 4.4 there is none",
        metavar="SLOT",
    )


@record(frozen=True)
class Locking(Record):
    """How planted feet are locked. locked_feet: foot bones, () for all."""

    foot_release: float = setting(
        0.25,
        fields.RELEASE,
        "how long a foot takes from where it is held to its own path, and from there to where it is held, in "
        "seconds",
        name="Release",
        tip="How long, in seconds, a foot takes from where it is held to its own path, and back",
    )
    foot_radius: float = setting(
        0.3,
        fields.LEG_PART,
        "a foot that both actions plant stays put when the two places are at most this many leg lengths "
        "apart; otherwise it steps over",
        name="Hold within",
        tip="A foot that both actions plant stays put when the two places are at most this many leg "
        "lengths apart; otherwise it steps over, if there is time",
        precision=2,
    )
    hips_drop: float = setting(
        0.05,
        fields.LEG_PART,
        "how far the hips may drop so that a leg can reach its foot, in leg lengths; 0 leaves them alone",
        name="Hips' Drop",
        tip="How far the hips may drop, in leg lengths, so that a leg can reach its foot; 0 leaves them "
        "alone",
    )
    step_height: float = setting(
        1.0,
        fields.STEP_HEIGHT,
        "the height of the steps that feet take; 1 is the usual height",
        name="Step Height",
        tip="How many times as high as usual feet step where the two actions plant them in different places",
    )
    toes: str = setting(
        "FREE",
        TOES,
        "what toes do where feet are locked: above raises those whose tips would be below the ground, "
        "with-heels raises heels, too, and free leaves them as they are",
        name="Toes",
        tip="Whether the tips of toes are kept above the ground where feet are locked",
        asked="ABOVE",
        came_later=True,
    )
    toe_height: float = setting(
        0.0,
        fields.TOE_HEIGHT,
        "the least height of toes' tips above the ground, where they are kept above it, in leg lengths",
        name="Toe Height",
        goes_with=("toes", "ABOVE", "WITH_HEELS"),
        tip="The least height of toes' tips above the ground, where they are kept above it, in leg lengths",
        came_later=True,
    )
    locked_feet: tuple[str, ...] = setting(
        (), help="lock only these feet, by the names of their bones (default: all)", metavar="BONE"
    )
    ground: str = setting(
        "CLIP",
        GROUNDS,
        "what planted feet stand on: clip leaves them as high as the action has them, plane is "
        "horizontal, and object a mesh, whose slopes tilt them",
        name="Ground",
        tip=(
            "What planted feet stand on. Where they would sink below it they are lifted, and the hips follow"
        ),
    )
    ground_height: float = setting(
        0.0,
        fields.GROUND_HEIGHT,
        "how high the plane is that feet stand on",
        name="Ground Height",
        goes_with=("ground", "PLANE"),
        tip="How high the plane is that feet stand on, in metres",
    )
    ground_object: str = setting(
        "",
        help="the mesh object that feet stand on",
        metavar="OBJECT",
        name="Ground Object",
        icon="MESH_DATA",
        goes_with=("ground", "OBJECT"),
    )

    @property
    def least_toes(self) -> float | None:
        """How far above the ground toes are kept, in leg lengths; None where they are not."""
        return None if self.toes == "FREE" else self.toe_height

    @property
    def raises_heels(self) -> bool:
        """Whether heels are kept above the ground as toes are."""
        return self.toes == "WITH_HEELS"

    @classmethod
    def of(cls, settings: Record) -> Locking:
        """Return the locking of a record that has some of the same fields."""
        names = [field.name for field in dataclasses.fields(cls) if hasattr(settings, field.name)]
        return cls(**{name: getattr(settings, name) for name in names})


@record(frozen=True)
class LockSettings(Record):
    """Which action's feet are locked, and how, see :class:`Locking`."""

    action: str = again(CheckSettings, "action", help="the action whose feet are locked")
    slot: str = again(CheckSettings, "slot")
    foot_release: float = again(Locking, "foot_release")
    hips_drop: float = again(Locking, "hips_drop")
    toes: str = again(Locking, "toes")
    toe_height: float = again(Locking, "toe_height")
    locked_feet: tuple[str, ...] = again(Locking, "locked_feet")
    ground: str = again(Locking, "ground")
    ground_height: float = again(Locking, "ground_height")
    ground_object: str = again(Locking, "ground_object")
    result: str = setting("", help='the new action\'s name (default: "Action locked")', metavar="NAME")
