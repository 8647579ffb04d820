# SPDX-License-Identifier: GPL-3.0-or-later
"""When a foot counts as planted: one setting for all rigs, whatever their size."""

from __future__ import annotations

import dataclasses

from . import limits
from .fields import Record, setting


@dataclasses.dataclass(frozen=True)
class ContactSettings(Record):
    """When a foot counts as planted, in lengths of its leg, so that it holds for all rigs and scales.

    speed: it is planted from where it is slower than so many leg lengths a second ... height: ... and no
    higher above the lowest place near in time than so many leg lengths. It stays planted until it is clearly
    faster or higher than that. gap_seconds: shorter gaps between two plants are closed. shortest_seconds:
    shorter plants are none.
    Raises InertiaError for numbers that can't be.
    """

    speed: float = setting(
        0.25,
        limits.CONTACT_SPEED,
        "a foot is planted from where it is slower than so many leg lengths a second",
        label="contact speed",
        key="contact_speed",
        name="Speed",
        tip="A foot is planted from where it moves slower than so many leg lengths a second, until it moves "
        "twice as fast",
        own_sense=True,
        step=1,
        precision=3,
    )
    height: float = setting(
        0.05,
        limits.CONTACT_HEIGHT,
        "and no higher than so many leg lengths above the lowest place that it comes to within 0.6 s",
        label="contact height",
        key="contact_height",
        name="Height",
        tip="And no higher than so many leg lengths above the lowest place that it comes to within 0.6 "
        "seconds. It stays planted until it is 1.6 times as high",
        own_sense=True,
        step=1,
        precision=3,
    )
    gap_seconds: float = setting(
        0.07,
        limits.CONTACT_TIME,
        "shorter gaps between two contacts of a foot are closed",
        label="gap between contacts",
        key="contact_gap_seconds",
        name="Close Gaps",
        tip="Gaps between two contacts of a foot that are shorter than so many seconds are closed",
        **limits.SHOWN_TIME,
    )
    shortest_seconds: float = setting(
        0.08,
        limits.CONTACT_TIME,
        "shorter contacts are none",
        label="shortest contact",
        key="shortest_contact_seconds",
        name="Shortest",
        tip="Contacts that are shorter than so many seconds are none",
        **limits.SHOWN_TIME,
    )


@dataclasses.dataclass(frozen=True)
class CheckSettings(Record):
    """Which action is checked. slot: "" for the one that Blender would choose."""

    action: str = setting(help="the action whose feet are checked", metavar="ACTION")
    slot: str = setting(
        "",
        help="its slot, such as OBRig (default: as Blender chooses); before Blender 4.4 there is none",
        metavar="SLOT",
    )
