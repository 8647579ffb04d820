# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins and bans as text, which settings, specs, the command line and recipes have in common."""

from __future__ import annotations

import math

import pytest

from inertia_addon.errors import InertiaError
from inertia_addon.settings.matching import Ban, Pin


@pytest.mark.parametrize(
    ("text", "pin"),
    [
        ("Jump@12=3.5", Pin(3.5, "Jump", 12.0)),
        ("Jump@12=3.5,mirrored", Pin(3.5, "Jump", 12.0, mirrored=True)),
        ("a@b=c@-1.25=0", Pin(0.0, "a@b=c", -1.25)),
    ],
)
def test_a_pin_is_its_text(text: str, pin: Pin) -> None:
    assert Pin.of(text) == pin
    assert str(pin) == text


@pytest.mark.parametrize(
    ("text", "ban"),
    [
        ("Turn=2:4.5", Ban("Turn", 2.0, 4.5)),
        ("Turn=:4.5", Ban("Turn", -math.inf, 4.5)),
        ("a=b=1:", Ban("a=b", 1.0, math.inf)),
        ("Turn=:", Ban("Turn")),
    ],
)
def test_a_ban_is_its_text(text: str, ban: Ban) -> None:
    assert Ban.of(text) == ban
    assert str(ban) == text


def test_a_clip_alone_is_forbidden_everywhere() -> None:
    assert Ban.of("Turn") == Ban("Turn")


@pytest.mark.parametrize(
    "text", ["", "Jump", "Jump@12", "Jump=3", "@12=3", "Jump@12=", "Jump@inf=1", "Jump@1=nan"]
)
def test_a_text_that_is_no_pin_is_told(text: str) -> None:
    with pytest.raises(InertiaError, match="is not a pin; write ACTION@FRAME=PLACE"):
        Pin.of(text)


@pytest.mark.parametrize("text", ["Turn=2", "Turn=4:2", "Turn=a:3", "Turn=nan:3"])
def test_a_text_that_is_no_ban_is_told(text: str) -> None:
    with pytest.raises(InertiaError, match="write ACTION=FIRST:LAST"):
        Ban.of(text)
