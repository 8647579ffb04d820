# SPDX-License-Identifier: GPL-3.0-or-later
"""Specs are checked as their published schema says, field by field, and as the settings themselves would."""

from __future__ import annotations

import argparse
import copy
import dataclasses
import importlib
import json
import pkgutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon import settings
from inertia_addon.batch.jobs import requests
from inertia_addon.batch.spec import validation
from inertia_addon.cli.program import TaskCommand
from inertia_addon.errors import InertiaError
from inertia_addon.settings import fields as settings_fields
from inertia_addon.settings.fields import Setting
from inertia_addon.settings.hops import HopSettings
from inertia_addon.settings.transition import TransitionSettings
from inertia_addon.tasks.hops import HopsTask

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = requests.whole_schema()

RIGHT = {
    "source": "Walk",
    "destination": "Run",
    "cut": 7,
    "trigger": 7,
    "destination_frame": 1,
    "action": "Walk",
    "clips": ["Idle", "Walk"],
    "curve": "Street",
    "input": "wishes.csv",
    "model": "a.npz",
    "crowd": ["A=B"],
}
"""Values of the fields that tables need."""
LISTS = {name: SCHEMA["properties"][name]["items"] for name in requests.SECTIONS}


def least(kind: str) -> dict[str, Any]:
    """A table of a list, with no more than it needs."""
    return {name: RIGHT[name] for name in ["curve"] * (kind == "paths") + LISTS[kind].get("required", [])}


TRANSITION, MACHINE, HOP = (least(kind) for kind in ("transitions", "state_machines", "hops"))


def wrong(setting: Setting) -> Any:
    """A value that a field can't have: too high a number, a choice without a letter, another kind."""
    if setting.range is not None:
        return setting.range.most + 1
    if setting.items:
        longest = max(setting.choices, key=len)
        return longest[:-2] + longest[-1]
    return 1 if isinstance(setting.default, bool) else 3


RECORDS = [
    record
    for module in pkgutil.iter_modules(settings.__path__, settings.__name__ + ".")
    for record in vars(importlib.import_module(module.name)).values()
    if isinstance(record, type) and dataclasses.is_dataclass(record) and record.__module__ == module.name
]
"""All records of settings, of which specs have fields."""
WRONG: dict[str, Any] = {
    **dict.fromkeys(LISTS, "all"),
    **{
        setting.key: wrong(setting)
        for record in RECORDS
        for setting in settings_fields.settings(record).values()
    },
    "seed": 1.5,
    "cycles": "Walk",
    "range": [1],
    "files": "walk.blend",
    "each_file": "yes",
    "whole_file": "no",
    "armature": "",
    "formats": "blend",
    "name": "",
    "edges": [["Walk"]],
    "trigger": 2.5,
    "rank": 0,
    "all_pairs": ["Walk"],
    "defaults": [],
    "find": "yes",
    "sources": "Walk",
    "destinations": [],
    "exact": "yes",
    "input": 4,
    "moves": "all",
    "model": 1,
    "$schema": 1,
}
"""For each field a value that it can't have."""

WHERE = {
    "top": (lambda table: table, SCHEMA),
    "defaults": (lambda table: {"defaults": table}, SCHEMA["properties"]["defaults"]),
    **{
        kind: (lambda table, kind=kind: {kind: [{**least(kind), **table}]}, of_table)
        for kind, of_table in LISTS.items()
    },
    "edges": (
        lambda table: {
            "state_machines": [{**MACHINE, "edges": [{"source": "A", "destination": "B", **table}]}]
        },
        SCHEMA["properties"]["state_machines"]["items"]["properties"]["edges"]["anyOf"][1]["items"]["anyOf"][
            1
        ],
    ),
}
"""Each kind of table: what puts one into a spec, and its schema."""


def faults(values: Any) -> list[validation.SpecProblem]:
    return list(validation.check(values, SCHEMA))


def agrees(values: Any) -> bool:
    """Whether we and jsonschema both take a spec, or both don't; returns that."""
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed here")
    ours = not faults(values)
    assert ours == jsonschema.Draft202012Validator(SCHEMA).is_valid(values), (values, faults(values))
    return ours


def test_the_published_schema_is_valid_and_current() -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed here")
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    published = ROOT / "examples" / "batch" / "batch.schema.json"
    # `python -m inertia_addon batch --schema` writes it anew
    assert json.loads(published.read_text(encoding="utf-8")) == SCHEMA


def test_transitions_have_a_field_for_each_setting() -> None:
    fields = {field.name for field in dataclasses.fields(TransitionSettings)}
    assert fields <= set(SCHEMA["properties"]["transitions"]["items"]["properties"])
    assert set(WRONG) >= {field for _, of_table in WHERE.values() for field in of_table["properties"]}


def test_hops_have_a_field_for_each_setting_of_the_command() -> None:
    parser = argparse.ArgumentParser()
    TaskCommand(HopsTask).add_options(parser)
    spoken = {action.dest for action in parser._actions}
    # these are how a command is run, what it shows, and where what it makes is put
    spoken -= {"help", "json", "verbose", "best", "table", "bake", "all_pairs"}
    assert spoken == set(requests.SECTIONS["hops"].entry["properties"]) - {
        *("each_file", "whole_file", "formats", "name")
    }
    assert set(settings_fields.settings(HopSettings)) == {
        field.name for field in dataclasses.fields(HopSettings) if field.name != "transition"
    }


@pytest.mark.parametrize("kind", WHERE)
def test_a_wrong_value_is_said_with_its_path_and_what_is_allowed(kind: str) -> None:
    put, of_table = WHERE[kind]
    for field in of_table["properties"]:
        values = put({field: WRONG[field]})
        assert not agrees(values), field
        (found,) = faults(values)
        sentence = found.sentence()
        assert field in found.path
        assert sentence.startswith(validation.spoken_path(found.path) + ": found ")
        assert "; allowed: " in sentence


@pytest.mark.variants(6)
@pytest.mark.parametrize("kind", WHERE)
def test_a_name_that_is_nearly_a_field_is_told_so(kind: str) -> None:
    put, of_table = WHERE[kind]
    for field in of_table["properties"]:
        values = put({field + "e": 1})
        assert not agrees(values), field
        (found,) = faults(values)
        assert found.found == "an unknown field"
        assert set(found.close) <= set(of_table["properties"])
        assert field in found.close


@pytest.mark.parametrize("field", ["method", "quintic_start", "guard", "alignment", "joints"])
def test_a_choice_that_is_nearly_right_is_suggested(field: str) -> None:
    (found,) = faults({"transitions": [{**TRANSITION, field: WRONG[field]}]})
    assert len(found.close) >= 1


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({"transitions": [{"destination": "Run"}]}, ("transitions", 0, "source")),
        ({"transitions": [{"source": "Run"}]}, ("transitions", 0, "destination")),
        ({"state_machines": [{}]}, ("state_machines", 0, "clips")),
        ({"formats": []}, ("formats",)),
        ({"formats": ["gtlf"]}, ("formats", 0)),
        ({"formats": ["blend", "blend"]}, ("formats", 1)),
        ({"hop_tables": [{"formats": ["npz", "blend"]}]}, ("hop_tables", 0, "formats", 1)),
        ({"hops": [{"source": "Run", "destination": "Walk"}]}, ("hops", 0, "trigger")),
        ({"hops": [{**HOP, "trigger": [1, 2, 1]}]}, ("hops", 0, "trigger", 2)),
        ({"hops": [{**HOP, "trigger": [1, 2.5]}]}, ("hops", 0, "trigger", 1)),
        ({"hops": [{**HOP, "blend_frames": [8, 0]}]}, ("hops", 0, "blend_frames", 1)),
        ({"state_machines": [{"clips": ["a"]}]}, ("state_machines", 0, "clips")),
        ({"files": [""]}, ("files", 0)),
        ({"files": []}, ("files",)),
        ({"weights": {"Hand": "1"}}, ("weights", "Hand")),
        ({"state_machines": [{"clips": "al"}]}, ("state_machines", 0, "clips")),
        ({"state_machines": [{"clips": ["a", 1]}]}, ("state_machines", 0, "clips", 1)),
        (
            {"state_machines": [{**MACHINE, "edges": [{"source": "a"}]}]},
            ("state_machines", 0, "edges", 0, "destination"),
        ),
        ({"state_machines": [{**MACHINE, "cut": 3}]}, ("state_machines", 0, "cut")),
        ({"transitions": [{**TRANSITION, "cut": True}]}, ("transitions", 0, "cut")),
        ({"transitions": [3]}, ("transitions", 0)),
    ],
)
def test_the_path_leads_to_the_fault(values: Any, path: tuple[Any, ...]) -> None:
    assert not agrees(values)
    assert [found.path for found in faults(values)] == [path]


def test_a_schema_check_says_all_faults_at_once() -> None:
    table = {field: WRONG[field] for field in SCHEMA["properties"]["transitions"]["items"]["properties"]}
    assert {found.path[2] for found in faults({"transitions": [table]})} == set(table)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_number_is_finite(value: float) -> None:
    # TOML has them, and JSON has not
    assert len(faults({"transitions": [{**TRANSITION, "cut": value}]})) == 1


NUMBERS = ("cut", "blend_frames", "half_life", "extrapolation_half_life", "guard_angle", "guard_length")


@given(field=st.sampled_from(NUMBERS), value=st.floats(allow_nan=True, allow_infinity=True, width=64))
def test_the_settings_take_what_the_schema_does(field: str, value: float) -> None:
    taken = not faults({"transitions": [{**TRANSITION, field: value}]})
    try:
        dataclasses.replace(TransitionSettings("A", "B", 1.0), **{field: value})
    except InertiaError:
        assert not taken
    else:
        assert taken


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(-2, 2)
    | st.sampled_from(["", "all", "best", "Walk", "found", "spring", "blend"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["Hand", "source", "destination"]), inner, max_size=2)
    ),
    max_leaves=6,
)


@given(kind=st.sampled_from(list(WHERE)), data=st.data())
def test_a_schema_check_agrees_with_jsonschema(kind: str, data: st.DataObject) -> None:
    put, of_table = WHERE[kind]
    names = st.sampled_from([*of_table["properties"], "unknown"])
    table = data.draw(st.dictionaries(names, VALUES, max_size=4))
    agrees(put(table))


@given(data=st.data())
def test_a_schema_check_agrees_with_jsonschema_about_specs_with_one_fault(data: st.DataObject) -> None:
    spec: Any = {
        "files": ["a.blend"],
        "formats": ["blend", "glb"],
        "weights": {"Hand": 1},
        "defaults": {"blend_frames": 3, "bones": ["a"], "blend_scales": {"Hand": 0}},
        "transitions": [{**TRANSITION, "range": [1, 2]}],
        "state_machines": [
            {**MACHINE, "edges": [["a", "b"], {"source": "a", "destination": "b", "guard": "off"}]}
        ],
        "hops": [{**HOP, "blend_frames": [8, 12.0], "trigger": [3, 4], "distance": "displacement"}],
        "hop_tables": [{"all_pairs": ["a", "b"], "cycles": ["a"], "formats": ["npz", "json"]}],
    }
    assert agrees(spec)
    changed = copy.deepcopy(spec)
    places = list(_places(changed))
    owner, key = places[data.draw(st.integers(0, len(places) - 1))]
    owner[key] = data.draw(VALUES)
    agrees(changed)


def _places(value: Any) -> Any:
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])
