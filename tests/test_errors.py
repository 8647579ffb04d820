# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors and sentences keep what they were made of, also in another process."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from inertia_addon.errors import InertiaError, Sentence


class Special(InertiaError):
    """One that is asked for by its class."""


def again(held: Any) -> Any:
    return pickle.loads(pickle.dumps(held))


def test_a_sentence_is_its_filled_template() -> None:
    text = Sentence('"{name}" is {share:.0%} of {kind!r}', name="A", share=0.5, kind="b")
    assert text == "\"A\" is 50% of 'b'"
    assert (text.template, text.values["share"]) == ('"{name}" is {share:.0%} of {kind!r}', 0.5)


def test_a_template_without_values_is_taken_as_it_stands() -> None:
    assert str(InertiaError("write {source}, or {{}}")) == "write {source}, or {{}}"


def test_values_may_be_called_as_the_parameters_are() -> None:
    assert str(InertiaError("{template} and {self}", template="a", self="b")) == "a and b"


@pytest.mark.parametrize("transport", [copy.copy, copy.deepcopy, again])
def test_errors_survive_copies_and_processes(transport: Callable[[Any], Any]) -> None:
    inner = Sentence("a driver moves {driven}", driven="hips")
    error = Special("Blender has to play it: {why}.", why=inner)
    found = transport(error)
    assert type(found) is Special
    assert str(found) == "Blender has to play it: a driver moves hips."
    assert found.sentence.template == error.sentence.template
    assert found.sentence.values["why"].template == inner.template


def test_an_error_of_a_sentence_keeps_it() -> None:
    error = Special("No {what}.", what="way")
    assert InertiaError(error.sentence).sentence is error.sentence
