# SPDX-License-Identifier: GPL-3.0-or-later
"""Records are dataclasses, whenever Python comes to make them so."""

from __future__ import annotations

import dataclasses
import threading
from typing import Any

import pytest

from inertia_addon.records import record, stated_fields


def declared(decorator: Any) -> tuple[Any, Any]:
    """A class with all that records use, and one that adds to it."""

    @decorator(frozen=True)
    class Span:
        first: int
        last: int = dataclasses.field(default=3, metadata={"unit": "frames"})
        names: list[str] = dataclasses.field(default_factory=list, kw_only=True)

        def __post_init__(self) -> None:
            if self.last < self.first:
                raise ValueError("ends before it begins")

    @decorator(frozen=True, repr=False)
    class Named(Span):
        name: str = "walk"

    return Span, Named


ARGUMENTS: tuple[tuple[tuple[int, ...], dict[str, Any]], ...] = (
    ((1,), {}),
    ((1, 2), {"names": ["a"]}),
    ((), {}),
    ((1, 2, 3, 4), {}),
    ((5, 2), {}),
    ((1,), {"none": 1}),
)


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize(("values", "named"), ARGUMENTS)
def test_an_instance_is_that_of_a_dataclass(
    which: int, values: tuple[int, ...], named: dict[str, Any]
) -> None:
    def outcome(decorator: Any) -> str:
        try:
            return repr(declared(decorator)[which](*values, **named))
        except (TypeError, ValueError) as error:
            return str(error)

    assert outcome(record) == outcome(dataclasses.dataclass)


def test_instances_are_frozen_equal_and_replaced_as_those_of_a_dataclass() -> None:
    span, named = declared(record)
    assert span(1, 2) == span(1, 2)
    assert span(1, 2) != named(1, 2)
    assert dataclasses.replace(named(1, 2), name="run").name == "run"
    for name in ("first", "other"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(span(1), name, 2)


def test_fields_and_defaults_are_known_before_there_is_an_instance() -> None:
    span, named = declared(record)
    assert (span.last, named.name, hasattr(span, "names")) == (3, "walk", False)
    assert [field.name for field in dataclasses.fields(named)] == ["first", "last", "names", "name"]
    assert dataclasses.fields(span)[1].metadata["unit"] == "frames"
    assert dataclasses.is_dataclass(declared(record)[1])


def test_stated_fields_are_known_without_an_instance_and_stay_as_they_are_with_one() -> None:
    _, named = declared(record)
    before = stated_fields(named)
    assert {name: field.type for name, field in before.items()} == {"last": "int", "names": "list[str]"}
    assert before["last"].metadata["unit"] == "frames"
    named(1, 2)
    after = stated_fields(named)
    assert {name: after[name] for name in before} == before


def test_threads_may_ask_for_the_first_instance_at_once() -> None:
    for _ in range(20):
        span, _ = declared(record)
        made: list[Any] = []
        begun = threading.Barrier(4)

        def make(span: Any = span, made: list[Any] = made, begun: Any = begun) -> None:
            begun.wait()
            made.append(span(1, 2))

        threads = [threading.Thread(target=make) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert made == [span(1, 2)] * 4
