# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that a user gives, in place of those that importers have made of them."""

from __future__ import annotations

import pytest

from inertia_addon.blender.data import names
from inertia_addon.errors import InertiaError
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders


@pytest.mark.parametrize(
    ("asked", "known", "meant"),
    [
        ("Walk", ["Walk_Rig", "Run_Rig"], "Walk_Rig"),
        ("Walk", ["Rig|Walk|Base", "Rig|Run|Base"], "Rig|Walk|Base"),
        ("walk", ["Walk", "Run"], "Walk"),
        ("Walk", ["Walk", "Walk_Rig"], "Walk"),
    ],
)
def test_an_action_is_known_by_the_name_that_an_importer_made_of_it(
    asked: str, known: list[str], meant: str
) -> None:
    assert names.choose_action(asked, known, "Rig") == meant


@pytest.mark.usefixtures("fresh_file")
def test_actions_of_a_transition_are_those_of_the_open_file_without_a_library() -> None:
    for name in ("Walk_Rig", "Run"):
        builders.action(name)
    resolved = names.resolve_transition(TransitionSettings("walk", "Run", 10.0), "Rig")
    assert (resolved.source, resolved.destination) == ("Walk_Rig", "Run")
    with pytest.raises(InertiaError):
        names.resolve_transition(
            TransitionSettings("Walk", "Run", 10.0, source_library="//other.blend"), "Rig"
        )
