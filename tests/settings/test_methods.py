# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of methods: what of it stays, what follows from it, and which settings are of which method."""

from __future__ import annotations

from typing import Any

import pytest

from inertia_addon.settings import methods
from inertia_addon.settings.methods import Method


def test_numbers_of_methods_that_files_store_stay() -> None:
    stored = {name: number for name, _, _, number in methods.METHOD_ITEMS}
    starts = {name: number for name, _, _, number in methods.QUINTIC_START_ITEMS}
    assert stored.items() >= {"QUINTIC": 0, "CUBIC": 1, "SPRING": 2, "DEAD_BLENDING": 3}.items()
    assert starts.items() >= {"SOFT": 0, "SMOOTH": 1, "ZERO_JERK": 2}.items()
    for numbers in (stored, starts):
        assert len({*numbers.values()}) == len(numbers)


def test_every_curve_can_be_chosen_once() -> None:
    chosen = [*methods.QUINTIC_STARTS, *methods.METHODS]
    assert sorted(chosen) == sorted([*(method.name for method in Method), "QUINTIC", "DEAD_BLENDING"])


def test_curves_are_said_in_words() -> None:
    assert [methods.spoken(curve) for curve in ("ZERO_JERK", "CUBIC", "DEAD_BLENDING")] == [
        *("quintic, zero jerk", "cubic", "dead blending")
    ]


@pytest.mark.parametrize(
    ("given", "method"),
    [
        ({"half_life": 0.2}, "SPRING"),
        ({"extrapolation_half_life": 0.2}, "DEAD_BLENDING"),
        ({"half_life": 0.2, "extrapolation_half_life": 0.2}, "SPRING"),
        ({"half_life": 0.2, "method": "CUBIC"}, "CUBIC"),
        ({"blend_frames": 12.0}, None),
        ({}, None),
    ],
)
def test_a_half_life_means_the_method_that_has_one(given: dict[str, Any], method: str | None) -> None:
    before = dict(given)
    assert methods.completed(given).get("method") == method
    assert {**methods.completed(given), **given} == methods.completed(given)
    assert given == before


@pytest.mark.parametrize(
    ("method", "foreign"),
    [
        ("SPRING", ["extrapolation_half_life", "blend_frames"]),
        ("DEAD_BLENDING", ["half_life"]),
        ("CUBIC", ["half_life", "extrapolation_half_life"]),
        (None, ["half_life", "extrapolation_half_life"]),
    ],
)
def test_times_are_of_their_methods(method: str | None, foreign: list[str]) -> None:
    times = {"half_life": 0.1, "extrapolation_half_life": 0.1, "blend_frames": 9.0}
    assert methods.foreign(times, method) == foreign
    assert methods.foreign({}, method) == []


def test_a_blend_lasts_a_time_or_a_half_life() -> None:
    assert {method for method in methods.METHODS if methods.length(method) == "half_life"} == {"SPRING"}
