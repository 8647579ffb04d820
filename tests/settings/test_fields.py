# SPDX-License-Identifier: GPL-3.0-or-later
"""What a record says of a setting is all that the command line and specs have to know of it."""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

import pytest

from inertia_addon.batch.spec import schema, validation
from inertia_addon.cli import options
from inertia_addon.lazy_modules import read_contents
from inertia_addon.settings import (
    cost,
    feet,
    fields,
    hops,
    learned,
    loops,
    matching,
    pops,
    reading,
    root_motion,
    transition,
)
from inertia_addon.settings.fields import Range, Record, setting
from inertia_addon.tasks.task import AskedSettings

KINDS = (("SLOW_DOWN", "Slow Down", "Ever more slowly"), ("STOP", "Stop", "At once"))


@dataclasses.dataclass(frozen=True)
class Made(Record):
    """A record with a setting of each kind."""

    settle_frames: float = setting(4.0, Range(0, 50, "frames"), "how long it settles")
    kind: str = setting("STOP", KINDS, "how it stops")
    count: int | None = setting(None, Range(1, 9, whole=True), "how often (default: found)", metavar="N")
    blends: tuple[int, ...] = setting((), Range(1, 9, "frames", whole=True), "how long", key="blend_frames")
    scales: tuple[tuple[str, float], ...] = setting((), Range(0, 2), "how much", metavar="BONE=PART")
    names: tuple[str, ...] = setting((), help="of what", metavar="NAME", flag="--only")
    loud: bool = setting(default=True, help="whether it is heard (default: true)", off="be quiet")


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(exit_on_error=False)
    options.add_asked(made, AskedSettings(Made), {})
    return made


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", {}),
        ("--settle-frames 7", {"settle_frames": 7.0}),
        ("--kind slow-down", {"kind": "SLOW_DOWN"}),
        ("--count 3", {"count": 3}),
        ("--blend-frames 3 4 --blend-frames 5", {"blends": (3, 4, 5)}),
        ("--scales Arm=0.5 a=b=2", {"scales": (("Arm", 0.5), ("a=b", 2.0))}),
        ("--only hips head", {"names": ("hips", "head")}),
        ("--no-loud", {"loud": False}),
    ],
)
def test_a_setting_has_an_option(words: str, expected: dict[str, Any]) -> None:
    arguments = parser().parse_args(words.split())
    assert Made(**fields.parsed(Made, vars(arguments))) == Made(**expected)


def test_numbers_become_of_the_setting_s_kind() -> None:
    given = fields.parsed(Made, {"settle_frames": 7, "count": 3.0, "blend_frames": 4.0, "else": 1})
    assert given == {"settle_frames": 7.0, "count": 3, "blends": (4,)}
    assert [type(given["settle_frames"]), type(given["count"]), type(given["blends"][0])] == [float, int, int]
    assert fields.parsed(Made, {"blend_frames": [4, 5.0]}) == {"blends": (4, 5)}


@pytest.mark.parametrize(
    "words", ["--settle-frames 51", "--kind slow", "--count 1.5", "--scales Arm=3", "--scales Arm"]
)
def test_an_option_takes_what_its_setting_takes(words: str) -> None:
    with pytest.raises(argparse.ArgumentError):
        parser().parse_args(words.split())


def test_helps_say_the_default_once() -> None:
    helps = {action.dest: action.help for action in parser()._actions}
    assert helps["settle_frames"] == "how long it settles (default: 4)"
    assert helps["kind"] == "how it stops (default: stop)"
    assert helps["count"] == "how often (default: found)"
    assert helps["blend_frames"] == "how long"
    assert helps["loud"] == "be quiet"


def test_numbers_stand_for_their_unit() -> None:
    marks = {action.dest: action.metavar for action in parser()._actions}
    assert (marks["settle_frames"], marks["count"], marks["kind"]) == ("FRAMES", "N", None)


def test_a_setting_is_a_field_of_specs() -> None:
    whole = {"type": "integer", "minimum": 1, "maximum": 9}
    part = {"type": "number", "minimum": 0, "maximum": 2}
    named = {"type": "string", "minLength": 1}
    assert schema.of_record(Made) == {
        "settle_frames": {
            "description": "how long it settles (default: 4)",
            "type": "number",
            "minimum": 0,
            "maximum": 50,
        },
        "kind": {
            "description": "how it stops (default: stop)",
            "enum": ["slow-down", "stop"],
        },
        "count": {"description": "how often (default: found)", **whole},
        "blend_frames": {
            "description": "how long",
            "anyOf": [whole, {"type": "array", "items": whole, "minItems": 1}],
        },
        "scales": {"description": "how much", "type": "object", "additionalProperties": part},
        "names": {"description": "of what", "type": "array", "items": named, "minItems": 1},
        "loud": {"description": "whether it is heard (default: true)", "type": "boolean"},
    }


RECORDS = [
    record
    for module in (cost, feet, hops, learned, loops, matching, pops, reading, root_motion, transition)
    for record in read_contents(module).values()
    if isinstance(record, type) and dataclasses.is_dataclass(record) and fields.settings(record)
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_choices_are_taken_in_any_form_by_options_and_by_specs(record: Any) -> None:
    """What a recipe or a report says can be given to the command line, and what that says to a spec."""
    for one in fields.settings(record).values():
        for choice in one.choices:
            plain = fields.spoken(choice)
            for word in (choice, plain, plain.replace("-", "_"), plain.title(), choice.replace("_", "-")):
                assert fields.parsed(record, {one.key: word}) == {one.field: choice}
                assert fields.from_json(record, {one.field: word}) == {one.field: choice}
                assert validation.settled(word, schema.of_setting(one)) == plain
                assert list(validation.check(plain, schema.of_setting(one))) == []
                parser = argparse.ArgumentParser(exit_on_error=False)
                options.add_setting(parser, one)
                given = vars(parser.parse_args([one.flag, word]))
                assert fields.parsed(record, given) == {one.field: choice}
