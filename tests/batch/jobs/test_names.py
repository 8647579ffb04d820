# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of outputs take plain fields, and nothing else of what Python's formats can."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.batch.jobs import requests, section

FIELDS = {"source": "Walk", "cut": "{cut}"}


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("{source}_{cut}", "Walk_{cut}"),
        ("plain", "plain"),
        ("{{source}}", "{source}"),
        ("{source}{source}", "WalkWalk"),
    ],
)
def test_plain_fields_are_filled_in(template: str, filled: str) -> None:
    assert section.fill(template, FIELDS) == filled


WRONG = [
    *("{source.__class__}", "{source[0]}", "{source!r}", "{cut:1000000000}", "{cut:{cut}}", "{}", "{0}"),
    *("{nothing}", "{source", "source}", "{cut:>5}"),
]


@pytest.mark.parametrize("template", WRONG)
def test_a_name_template_of_anything_but_fields_is_refused_before_any_work(template: str) -> None:
    with pytest.raises(ValueError, match=r"plain field|'[{}]'"):
        section.fill(template, FIELDS)
    (problem,) = requests.SECTIONS["transitions"].all_clashes(("transitions", 0), {"name": template})
    assert problem.path[-1] == "name"
    assert "{source}" in problem.allowed


@given(st.text("{}:!.[]0source_cut", max_size=30))
def test_a_name_is_never_longer_than_its_fields_make_it(template: str) -> None:
    try:
        filled = section.fill(template, FIELDS)
    except ValueError:
        return
    assert len(filled) <= len(template)
