# SPDX-License-Identifier: GPL-3.0-or-later
"""Options and TransitionSettings can't drift apart."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from inertia_addon.cli import options
from inertia_addon.cli.program import build_parser
from inertia_addon.errors import UsageError
from inertia_addon.settings import fields
from inertia_addon.settings.fields import Setting
from inertia_addon.settings.transition import TransitionSettings
from inertia_addon.tasks.task import transition_of

SETTINGS = fields.settings(TransitionSettings)
NEEDED = ["bake", "in.blend", "--source", "A", "--destination", "B", "--cut", "7", "-o", "out.blend"]


def example(setting: Setting) -> tuple[str, str | None, Any]:
    """Of an option that is not listed below."""
    if isinstance(setting.default, bool):
        return setting.flag, None, not setting.default
    if setting.items:
        choice = next(choice for choice in setting.choices if choice != setting.default)
        return setting.flag, fields.spoken(choice), choice
    if setting.range is None:
        return setting.flag, "Else", "Else"
    value = setting.range.least if setting.default != setting.range.least else setting.range.most
    return setting.flag, f"{value}", value


GIVEN = {
    **{name: example(setting) for name, setting in SETTINGS.items()},
    "source": ("--source", "X", "X"),
    "destination": ("--destination", "Y", "Y"),
    "cut": ("--cut", "-3.5", -3.5),
    "destination_frame": ("--destination-frame", "4.5", 4.5),
    "source_library": ("--source-library", "//lib.blend", "//lib.blend"),
    "destination_library": ("--destination-library", "//lib.blend", "//lib.blend"),
    "source_scale": ("--source-scale", "1.5", 1.5),
    "destination_scale": ("--destination-scale", "0.5", 0.5),
    "source_slot": ("--source-slot", "OBRig", "OBRig"),
    "destination_slot": ("--destination-slot", "OBRig", "OBRig"),
    "method": ("--method", "cubic", "CUBIC"),
    "quintic_start": ("--quintic-start", "zero-jerk", "ZERO_JERK"),
    "blend_frames": ("--blend-frames", "20", 20.0),
    "half_life": ("--half-life", "0.2", 0.2),
    "decomposition": ("--decomposition", "axis-angle", "AXIS_ANGLE"),
    "velocity": ("--velocity", "source", "SOURCE"),
    "difference": ("--difference", "backward", "BACKWARD"),
    "match_lengths": ("--match-lengths", None, True),
    "step": ("--step", "2", 2),
    "guard": ("--guard", "strict", "STRICT"),
    "guard_angle": ("--guard-angle", "5", 5.0),
    "guard_length": ("--guard-length", "0.5", 0.5),
    "alignment": ("--alignment", "position-heading", "POSITION_HEADING"),
    "extrapolation_half_life": ("--extrapolation-half-life", "0.5", 0.5),
    "root": ("--root", "<object>", "<object>"),
    "bones": ("--bones", "Arm", ("Arm",)),
    "blend_scales": ("--blend-scale", "a=b=0.5", (("a=b", 0.5),)),
    "locked_feet": ("--locked-feet", "Foot", ("Foot",)),
    "result": ("--result", "New", "New"),
    "key_tolerance": ("--key-tolerance", "0.5", 0.5),
    "assign": ("--no-assign", None, False),
    "extrapolate": ("--extrapolate", None, True),
}
"""For each field an option, what is given, and what the field becomes: never its default."""


def parse(*more: str) -> TransitionSettings:
    words = [*NEEDED, *more]
    return transition_of(vars(build_parser(words).parse_args(words)))


def test_every_field_has_an_option() -> None:
    names = {field.name for field in dataclasses.fields(TransitionSettings)}
    assert {name for name, setting in SETTINGS.items() if setting.help and setting.group} == names
    assert set(GIVEN) == names


@pytest.mark.parametrize("field", GIVEN)
def test_every_option_reaches_its_field(field: str) -> None:
    flag, given, expected = GIVEN[field]
    settings = parse(flag, *([given] if given is not None else []))
    assert getattr(settings, field) == expected
    assert expected != getattr(TransitionSettings("A", "B", 7.0), field)


def test_an_option_that_is_not_given_is_the_dataclass_default() -> None:
    assert parse() == TransitionSettings("A", "B", 7.0)


@pytest.mark.parametrize("field", [name for name, setting in SETTINGS.items() if setting.items])
def test_choices_are_lower_case_with_dashes(field: str) -> None:
    for choice in SETTINGS[field].choices:
        flag = "--" + field.replace("_", "-")
        assert getattr(parse(flag, choice.lower().replace("_", "-")), field) == choice


def test_lists_add_up() -> None:
    settings = parse("--bones", "A", "B", "--bones", "C", "--blend-scale", "A=0", "B=2")
    assert settings.bones == ("A", "B", "C")
    assert settings.blend_scales == (("A", 0.0), ("B", 2.0))


def test_a_half_life_means_spring() -> None:
    assert parse("--half-life", "0.2").method == "SPRING"
    assert parse("--half-life", "0.2", "--method", "spring").half_life == 0.2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--half-life", "0.2", "--method", "quintic"], "--half-life is for --method spring"),
        (["--half-life", "0.2", "--blend-frames", "3"], "not allowed with argument"),
        (["--blend-frames", "3", "--method", "spring"], "spring takes --half-life"),
        (["--blend-frames", "0"], "from 0.01 to 100000"),
        (["--blend-frames", "nan"], "from 0.01 to 100000"),
        (["--cut", "inf"], "from -1048574 to 1048574"),
        (["--cut", "soon"], "is no such number"),
        (["--method", "quintick"], "invalid choice"),
        (["--blend-scale", "Arm"], "NAME=FACTOR"),
        (["--blend-scale", "=2"], "NAME=FACTOR"),
        (["--blend-scale", "Arm=-1"], "from 0 to 100"),
        (["--guard-angel", "3"], "unrecognized arguments"),
        (["--blend-frame", "3"], "unrecognized arguments"),
    ],
)
def test_options_say_what_is_wrong_with_their_usage(words: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse(*words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["a.blend", "b.blend"], "only when all are .bvh, all .fbx, all .glb or .gltf, or all .usd"),
        (["a.bvh", "b.fbx"], "only when all are .bvh"),
        (["a.blend", "--scale", "2"], "--scale is for .bvh and .fbx files"),
        (
            ["a.bvh", "--fps", "24"],
            "--fps is for .glb, .gltf, .vrm, .vrma, .usd, .usda, .usdc and .usdz files",
        ),
        (["a.glb", "--fps", "0"], "from 0.1 to 1000"),
    ],
)
def test_options_say_what_is_wrong_with_a_file(words: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        options.input_files(build_parser(["info"]).parse_args(["info", *words]))


def test_a_setting_that_only_switches_off_has_an_option() -> None:
    arguments = build_parser(["path"]).parse_args(["path", "a.blend", "--curve", "Street", "--no-warp"])
    assert arguments.warp is False
