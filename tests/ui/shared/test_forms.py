# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings are drawn as their records state them: what counts is there, and nothing else."""

from __future__ import annotations

import types
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.records import stated_fields
from inertia_addon.settings import fields
from inertia_addon.settings.finish import FinishSettings
from inertia_addon.settings.loops import LoopSearch, LoopSettings
from inertia_addon.settings.steering import SteerSettings
from inertia_addon.settings.transition import TransitionSettings
from inertia_addon.ui.shared import forms
from tests.ui.recorder import Recorder

GROUPS = {
    "inertia": TransitionSettings,
    "inertia_loops": LoopSettings,
    "inertia_steer": SteerSettings,
    "inertia_finish": FinishSettings,
}
"""The property groups of an object, and a record of which each has the settings."""

RECORDS = sorted(
    # not those that other tests have made, which are there in some processes only
    (each for each in fields.Record.__subclasses__() if each.__module__.startswith("inertia_addon")),
    key=lambda each: each.__name__,
)


@pytest.fixture
def rig(fresh_file: None) -> Any:
    return bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))


class Greying(Recorder):
    """Notes, too, which settings are greyed."""

    def __init__(self, into: Greying | None = None) -> None:
        super().__init__()
        self.active = True if into is None else into.active
        self.dim: set[str] = set() if into is None else into.dim
        self.shown = [] if into is None else into.shown
        self.texts = [] if into is None else into.texts

    def row(self, **_options: Any) -> Greying:
        return Greying(self)

    column = row

    def prop(self, data: Any, name: str, *args: Any, **options: Any) -> None:
        super().prop(data, name, *args, **options)
        if not self.active:
            self.dim.add(name)


def drawn(holder: Any, record: Any, *names: str) -> Greying:
    layout = Greying()
    forms.draw(layout, holder, record, names or None)
    return layout


def test_a_setting_that_goes_with_a_choice_is_there_with_that_alone(rig: Any) -> None:
    own = rig.inertia
    lengths = {
        "QUINTIC": ["blend_frames", "quintic_start"],
        "SPRING": ["half_life"],
        "CUBIC": ["blend_frames"],
    }
    for method, shown in lengths.items():
        own.method = method
        names = ("blend_frames", "half_life", "quintic_start", "extrapolation_half_life")
        assert drawn(own, TransitionSettings, *names).shown == shown


def test_a_setting_that_goes_with_a_switch_is_greyed_while_that_is_off(rig: Any) -> None:
    own = rig.inertia_steer
    own.synchronise = False
    own.adjust, own.clamp = True, False
    assert {"clamp_angle", "synchronise_part"} <= drawn(own, SteerSettings).dim
    assert not {"adjust_part", "clamp"} & drawn(own, SteerSettings).dim
    own.synchronise = True
    # what goes with something that does not count itself does not count either
    assert {"adjust", "adjust_part", "clamp"} <= drawn(own, SteerSettings).dim


def test_a_setting_that_is_unset_says_what_is_taken_then(rig: Any) -> None:
    own = rig.inertia_loops
    unset = drawn(own, LoopSettings)
    assert {"3/4 of the loop", "As it does"} <= {*unset.texts}
    assert not {"blend_frames", "turn"} & {*unset.shown}
    own.use_turn = True
    assert "turn" in drawn(own, LoopSettings).shown


def test_the_end_of_a_range_shows_with_its_beginning(rig: Any) -> None:
    own = rig.inertia_loops
    assert not {"last", "longest_frames"} & {*drawn(own, LoopSearch).shown}
    own.use_first = True
    assert {"first", "last"} <= {*drawn(own, LoopSearch).shown}


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_is_drawn_in_whichever_state_it_is(rig: Any, group: str) -> None:
    """Each choice and each switch in turn: nothing that is asked for is missing."""
    own, record = getattr(rig, group), GROUPS[group]
    for prop in own.bl_rna.properties:
        if prop.type == "ENUM":
            for choice in prop.enum_items.keys():
                setattr(own, prop.identifier, choice)
                assert drawn(own, record).shown
        elif prop.type == "BOOLEAN" and not prop.is_readonly:
            setattr(own, prop.identifier, not getattr(own, prop.identifier))
            assert drawn(own, record).shown


@pytest.mark.parametrize("record", RECORDS)
def test_a_setting_goes_with_what_another_one_takes(record: Any) -> None:
    """It names values that the other setting takes."""
    if not any(fields.SETTING in field.metadata for field in stated_fields(record).values()):
        return
    settings = fields.settings(record)
    for setting in settings.values():
        if not setting.goes_with or not setting.name:
            continue
        name, *values = setting.goes_with
        other = settings.get(name)
        if other is not None and other.items:
            assert {*values} & {*other.choices}


def test_a_redo_panel_has_the_settings_that_an_operator_was_given(rig: Any) -> None:
    names = ("feet", "hips_drop")
    cls: Any = forms.redone(FinishSettings, names)(type("Redone", (), {"__annotations__": {}}))
    assert {*cls.__annotations__} == {*names}
    rig.inertia_finish.feet = "HEIGHT"
    layout = Recorder()
    operator = types.SimpleNamespace(
        layout=layout, feet="HEIGHT", hips_drop=0.1, bl_rna=rig.inertia_finish.bl_rna
    )
    cls.draw(operator, None)
    assert layout.shown == [*names]
