# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults are told by their lines, in both kinds of specs."""

from __future__ import annotations

import json
import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.batch.spec import positions

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), min_size=1, max_size=4)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)

TOML = '''# a comment = [
files = ["a.blend"]
"weights" = { "Hand [left]" = 1, Foot = 2 }

[defaults]
blend_frames = 12   # frames ]

[[transitions]]
source = "Walk"
bones = [
  "a]",
  "b",
]
cut = 7
blend_scales.Hand = 2

[[transitions]]
source = """
cut = 1
"""
cut = "best"

[[state_machines]]
clips = "all"
[[state_machines.edges]]
source = "A"
[[state_machines.edges]]
source = "B"
'''


def paths(value: Any, path: tuple[Any, ...] = ()) -> Any:
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield (*path, key), value[key]
        yield from paths(value[key], (*path, key))


@given(st.dictionaries(NAMES, VALUES, max_size=3))
def test_each_field_of_a_json_text_has_the_line_it_is_on(values: dict[str, Any]) -> None:
    # one field a line, as json itself indents, in which only fields of tables have names
    text = json.dumps(values, indent=1)
    lines = positions.of_json(text)
    written = text.split("\n")
    for path, value in paths(values):
        line = written[lines[path] - 1]
        shown = json.dumps(value)
        begin = shown[0] if isinstance(value, dict | list) and value else shown
        head = f"{json.dumps(path[-1])}: " if isinstance(path[-1], str) else ""
        assert line.strip().startswith(head + begin)


def test_each_field_of_a_toml_text_has_its_line() -> None:
    tomllib.loads(TOML)
    lines = positions.of_toml(TOML)
    rows = TOML.split("\n")
    expected = {
        ("files",): "files",
        ("weights",): '"weights"',
        ("defaults",): "[defaults]",
        ("defaults", "blend_frames"): "blend_frames",
        ("transitions", 0): "[[transitions]]",
        ("transitions", 0, "bones"): "bones",
        ("transitions", 0, "cut"): "cut = 7",
        ("transitions", 0, "blend_scales", "Hand"): "blend_scales.Hand",
        ("transitions", 1, "source"): 'source = """',
        ("transitions", 1, "cut"): 'cut = "best"',
        ("state_machines", 0, "clips"): "clips",
        ("state_machines", 0, "edges", 1): "[[state_machines.edges]]",
        ("state_machines", 0, "edges", 1, "source"): 'source = "B"',
    }
    for path, begin in expected.items():
        line = positions.line_of(lines, path)
        assert line is not None
        assert rows[line - 1].startswith(begin), path
    assert positions.line_of(lines, ("transitions", 0, "bones", 1)) == lines[("transitions", 0, "bones")]
    assert positions.line_of(lines, ("nothing",)) is None
