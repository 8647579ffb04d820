# SPDX-License-Identifier: GPL-3.0-or-later
"""Every setting takes the numbers of its range, and refuses all others in a sentence, wherever it is set."""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.batch.jobs import requests
from inertia_addon.batch.spec import validation
from inertia_addon.cli.program import build_parser
from inertia_addon.errors import InertiaError
from inertia_addon.settings import fields
from inertia_addon.settings.cost import Search
from inertia_addon.settings.fields import Range
from inertia_addon.settings.hops import HopSettings
from inertia_addon.settings.reading import Reading
from inertia_addon.settings.root_motion import Settings
from inertia_addon.settings.transition import TransitionSettings

TRANSITION = TransitionSettings("A", "B", 7.0)
RECORDS: list[Any] = [TRANSITION, HopSettings(TRANSITION), Settings(), Search(), Reading()]
FIELDS = [
    (record, name) for record in RECORDS for name, one in fields.settings(type(record)).items() if one.range
]
NAMES = [f"{type(record).__name__}.{name}" for record, name in FIELDS]

NUMBERS = st.one_of(
    st.floats(),
    st.integers(),
    st.sampled_from([1e30, 1e38, 1e300, 1e-300, -1e-300, 10**400, -(10**400), math.nan, math.inf, -math.inf]),
)


def held(record: Any, name: str, value: object) -> Any:
    """A value as the field has it: the lists hold one."""
    kind = dataclasses.fields(type(record))
    is_list = isinstance(next(field.default for field in kind if field.name == name), tuple)
    if name == "blend_scales":
        return (("Arm", value),)
    return (value,) if is_list else value


def is_a_sentence(text: str) -> bool:
    return text.endswith(".") and "\n" not in text and len(text) < 200


@pytest.mark.variants(12)
@pytest.mark.parametrize(("record", "name"), FIELDS, ids=NAMES)
@given(value=NUMBERS)
def test_a_record_takes_its_range_and_nothing_else(record: Any, name: str, value: float) -> None:
    allowed, label = fields.range_of(type(record), name), fields.settings(type(record))[name].label
    try:
        made = dataclasses.replace(record, **{name: held(record, name, value)})
    except InertiaError as error:
        said = str(error)
        assert is_a_sentence(said)
        assert not allowed.holds(value)
        assert label in said
        assert said.endswith(f"is {fields.spoken_value(value)}; give {allowed.words}.")
    else:
        assert allowed.least <= value <= allowed.most
        assert getattr(made, name) == held(record, name, value)


@pytest.mark.parametrize(("record", "name"), FIELDS, ids=NAMES)
def test_a_record_takes_nothing_that_is_no_number(record: Any, name: str) -> None:
    for value in ("12", True, [], {}, b"1", 1j):
        with pytest.raises(InertiaError, match="; give a") as refused:
            dataclasses.replace(record, **{name: held(record, name, value)})
        assert is_a_sentence(str(refused.value))


@pytest.mark.parametrize(("record", "name"), FIELDS, ids=NAMES)
def test_a_range_has_both_its_ends(record: Any, name: str) -> None:
    allowed = fields.range_of(type(record), name)
    for value in (allowed.least, allowed.most):
        if type(record) is HopSettings or value is not None:
            dataclasses.replace(record, **{name: held(record, name, value)})


@given(st.floats(), st.floats(), NUMBERS)
def test_a_number_is_in_a_range_or_not(least: float, most: float, value: float) -> None:
    for whole in (False, True):
        found = Range(least, most, whole=whole).holds(value)
        assert found == (least <= value <= most and (not whole or float(value).is_integer()))


@given(NUMBERS)
def test_numbers_are_spoken_short(value: float) -> None:
    spoken = fields.spoken_value(value)
    assert len(spoken) <= 16
    if abs(value) < 1e300:
        assert float(spoken) == pytest.approx(value, rel=1e-6)


def commands() -> dict[str, argparse.ArgumentParser]:
    (found,) = [a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction)]
    return dict(found.choices)


COMMANDS = commands()


def numeric_options() -> Iterator[tuple[str, str]]:
    for name, parser in COMMANDS.items():
        for action in parser._actions:
            if getattr(action.type, "__qualname__", "").startswith("number.") or action.type in (int, float):
                yield name, action.option_strings[0]


NUMERIC = list(numeric_options())


def test_no_option_takes_any_number() -> None:
    assert len(NUMERIC) > 40
    taken = {action.type for parser in COMMANDS.values() for action in parser._actions}
    assert not taken & {int, float}


@pytest.mark.parametrize(("command", "flag"), NUMERIC, ids=[" ".join(option) for option in NUMERIC])
def test_an_option_refuses_what_its_range_has_not(command: str, flag: str) -> None:
    (action,) = [action for action in COMMANDS[command]._actions if flag in action.option_strings]
    assert callable(action.type)
    tiny = [] if takes(action.type, "0.0") else ["1e-300"]
    for text in ("1e30", "1e300", "nan", "inf", "-inf", "-5e9", "9" * 5000, "x", "", *tiny):
        with pytest.raises(argparse.ArgumentTypeError, match="is no such number; give a") as refused:
            action.type(text)
        assert len(str(refused.value)) < 200


def takes(read: Callable[[str], Any], text: str) -> bool:
    try:
        read(text)
    except argparse.ArgumentTypeError:
        return False
    return True


SPEC = requests.whole_schema()


def numbers_of(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        if part.get("type") in ("number", "integer"):
            yield part
        for inner in part.values():
            yield from numbers_of(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from numbers_of(inner)


def test_every_number_of_a_spec_has_its_range() -> None:
    found = list(numbers_of(SPEC))
    assert len(found) > 40
    assert [part for part in found if not {"minimum", "maximum"} <= set(part)] == []


@pytest.mark.variants(6)
@pytest.mark.parametrize("name", [name for record, name in FIELDS if record is TRANSITION])
@given(value=NUMBERS)
def test_a_spec_takes_what_the_record_takes(name: str, value: float) -> None:
    written = {"Arm": value} if name == "blend_scales" else value
    values = {"transitions": [{"source": "A", "destination": "B", "cut": 7, name: written}]}
    faults = list(validation.check(values, SPEC))
    assert (faults == []) == fields.range_of(TransitionSettings, name).holds(value)
    assert all(is_a_sentence(fault.sentence()) for fault in faults)
