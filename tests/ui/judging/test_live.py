# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict in the panel, what helps below it, and the buttons that change the settings."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.judging import remedies
from inertia_addon.blender.transition import bake
from inertia_addon.errors import InertiaError
from inertia_addon.ui.cost import panels as cost_panels
from inertia_addon.ui.judging import live
from inertia_addon.ui.shared import cache, slices
from inertia_addon.ui.transition.properties import settings_from
from tests.blender import jumping, led_walker, stepper
from tests.ui.recorder import Recorder, context, panel_named
from tests.ui.recorder import drawn as drawn_panel


@pytest.fixture
def armature(fresh_file: None) -> Any:
    """A biped with two walks, the feet of which are planted at other times: not good at first."""
    armature = stepper.biped()
    source = stepper.walk(armature, "Walk", frames=55)
    destination = stepper.walk(armature, "Late", frames=70, late=0.25)
    own = armature.inertia
    own.source, own.destination = source, destination
    own.cut, own.destination_frame, own.use_destination_frame, own.blend_time = 20.0, 8.0, True, 3.0
    own.feet = "OFF"  # to have them go over takes longest, with each change that is tried
    return armature


@pytest.fixture(autouse=True)
def few_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have fewer pairs and lengths tried, of which some help."""
    monkeypatch.setattr(remedies, "LENGTHS", 3)
    monkeypatch.setattr(remedies, "NEAR_SECONDS", remedies.NEAR_SECONDS[:1])


class Rows(Recorder):
    """Counts the rows of text and of buttons."""

    def __init__(self) -> None:
        super().__init__()
        self.lines = 0
        self.icons_of: list[str] = []

    def split(self, **_options: Any) -> Rows:
        self.lines -= 1  # its two labels stand side by side
        return self

    def label(self, text: str = "", icon: str = "NONE", *, translate: bool = True) -> None:
        super().label(text, icon, translate=translate)
        self.lines += 1

    def operator(self, name: str, *args: Any, **options: Any) -> Any:
        self.lines += name != "inertia.go_to_fault"  # which stands beside a line
        return super().operator(name, *args, **options)


def drawn(armature: Any, width: int = 280) -> Rows:
    rows = Rows()
    cost_panels.draw_outlook(rows, context(width), armature)
    return rows


def good(own: Any) -> None:
    own.cut, own.destination_frame, own.blend_time = 23.0, 5.0, 9.0


def wrong(own: Any) -> None:
    own.cut = 500.0


@pytest.mark.variants(1)
@pytest.mark.parametrize("width", [180, 280, 600])
def test_the_verdict_takes_as_much_room_whatever_it_says(armature: Any, width: int) -> None:
    heights = set()
    for change in (lambda own: None, good, wrong):
        change(armature.inertia)
        heights.add(drawn(armature, width).lines)
        live.help_now(armature)
        heights.add(drawn(armature, width).lines)
    assert heights == {cost_panels.ROWS}


def test_a_long_verdict_ends_at_its_first_comma(armature: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # without a window Blender has no font to measure with
    monkeypatch.setattr(cost_panels, "measure_for", lambda _context: lambda text: 6.5 * len(text))
    whole = "Poor: the left shoulder snaps at 24.5, 4.0 times as hard as in the clips."
    for sentence, wanted in (
        (whole, "Poor: the left shoulder snaps at 24.5"),
        ("Fair: the head nods, twice.", "Fair: the head nods, twice."),
        ("Fair: " + "very " * 40 + "long", "Fair: " + "very " * 10),
    ):
        rows = cost_panels._fit_lines(context(), (sentence, "INFO", None))
        assert len(rows) <= cost_panels.LINES
        assert " ".join(text for text, _, _ in rows).startswith(wanted.strip())
    assert rows[-1][0].endswith("\u2026")


@pytest.mark.variants(1)
@pytest.mark.parametrize("method", ["QUINTIC", "SPRING"])
def test_remedies_are_buttons_that_change_the_settings_as_they_were_tried(armature: Any, method: str) -> None:
    armature.inertia.method = method
    first = drawn(armature)
    assert live.current(armature).verdict.rating != "GOOD"
    assert "inertia.use_remedy" not in first.buttons
    assert "Looking for what helps" in first.text
    live.help_now(armature)
    after, helps = drawn(armature), live.current(armature).helps
    assert helps
    # the best two, as far as the verdict leaves them room
    offered = after.buttons.count("inertia.use_remedy")
    assert 1 <= offered <= min(len(helps), cost_panels.ROWS - 1)
    assert all(remedy.sentence in after.pressed for remedy in helps[:offered])
    assert "Looking for what helps" not in after.text
    before = settings_from(armature)
    for remedy in helps:
        bpy.ops.inertia.use_remedy(kind=remedy.kind, **remedy.change)
        changed = settings_from(armature)
        assert changed == dataclasses.replace(before, **remedy.change)
        told = live.current(armature)
        assert told.is_current
        assert told.verdict.rating == remedy.verdict.rating
        assert told.verdict.total == pytest.approx(remedy.verdict.total, rel=1e-3)
        for name in remedy.change:
            setattr(armature.inertia, name, getattr(before, name))


def test_an_entry_beside_a_jump_is_named_with_a_button_that_moves_it(
    armature: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "CHEAP_SECONDS", 60.0)
    jumping.add_bind_pose(bpy.data.actions["Late"], 0.0)
    armature.inertia.use_destination_frame = False
    panel = drawn_panel(panel_named("transition"))
    assert "is a pose" in panel.text
    assert "enter at 1" in panel.text
    assert "Enter at 1" in panel.pressed
    bpy.ops.inertia.use_remedy(kind="JUMP", cut=20.0, destination_frame=1.0)
    assert settings_from(armature).destination_frame == 1.0
    after = drawn_panel(panel_named("transition"))
    assert "is a pose" not in after.text
    assert "inertia.use_remedy" not in after.buttons


def test_a_good_transition_has_no_remedies(armature: Any) -> None:
    good(armature.inertia)
    live.help_now(armature)
    told = live.current(armature)
    assert told.verdict.rating == "GOOD"
    assert told.helps == ()
    assert drawn(armature).buttons == []


@pytest.mark.variants(1)
@pytest.mark.parametrize("method", ["QUINTIC", "SPRING"])
def test_suggest_puts_the_length_that_looks_best(armature: Any, method: str) -> None:
    own = armature.inertia
    own.method = method
    before = settings_from(armature)
    assert bpy.ops.inertia.suggest_blend_time() == {"FINISHED"}
    (name,) = remedies.changed_by(remedies.LENGTH, method)
    found = settings_from(armature)
    assert dataclasses.replace(found, **{name: getattr(before, name)}) == before
    best = live.current(armature).verdict.order
    # half-lives that are tried: between two of these one may look better by a hair, which nobody sees
    values: dict[str, tuple[float, ...]] = {
        "blend_frames": (3.0, 9.0, 14.0),
        "half_life": (0.025, 0.07, 0.25),
    }
    for value in values[name]:
        setattr(own, name, value)
        assert best <= live.current(armature).verdict.order


def test_the_last_verdict_stands_as_a_former_one_while_another_is_looked_for(
    armature: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = live.current(armature).verdict
    clock = Clock(monkeypatch)
    armature.inertia.blend_time = 14.0
    told = live.current(armature)
    assert (told.verdict, told.is_current) == (first, False)
    clock.turn(0.2)
    armature.inertia.blend_time = 15.0
    assert not live.current(armature).is_current
    # it is judged once it has rested, and not before
    clock.turn(0.2)
    assert not live.current(armature).is_current
    clock.turn(0.2)
    told = live.current(armature)
    assert told.is_current
    assert told.verdict != first
    assert told.helps is not None


class Clock:
    """Stands in for the window's loop and its clock: runs what is asked for when its time has come."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        self.waiting: dict[Callable[[], float | None], float] = {}
        monkeypatch.setattr(live.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(live, "bpy", self)
        monkeypatch.setattr(slices, "bpy", self)
        monkeypatch.setattr(cache, "bpy", self)

    background = False

    @property
    def app(self) -> Any:
        return self

    @property
    def timers(self) -> Any:
        return self

    @property
    def data(self) -> Any:
        return bpy.data

    @property
    def context(self) -> Any:
        return bpy.context

    def is_registered(self, function: Callable[[], float | None]) -> bool:
        return function in self.waiting

    def register(self, function: Callable[[], float | None], first_interval: float) -> None:
        self.waiting[function] = self.now + first_interval

    def unregister(self, function: Callable[[], float | None]) -> None:
        del self.waiting[function]

    def turn(self, seconds: float) -> None:
        """Let so much time pass; what is done in it takes none."""
        self.now += seconds
        for function in [each for each, at in self.waiting.items() if at <= self.now]:
            again: float | None = 0.0
            while again == 0.0:
                again = function()
            del self.waiting[function]
            if again is not None:
                self.waiting[function] = self.now + again


@pytest.fixture
def led(fresh_file: None) -> Any:
    """The same two walks on a control rig, left to the blend, which goes wrong."""
    armature = led_walker.led()
    own = armature.inertia
    own.source = led_walker.walk(armature, "Walk", frames=45)
    own.destination = led_walker.walk(armature, "Late", frames=56, late=0.2)
    own.cut, own.destination_frame, own.use_destination_frame, own.blend_time = 20.0, 31.0, True, 10.0
    own.feet = "OFF"
    return armature


def test_a_rig_that_blender_has_to_play_is_judged_by_a_press_with_remedies(led: Any) -> None:
    before = settings_from(led)
    assert drawn(led).buttons == ["inertia.judge"]
    assert bpy.ops.inertia.judge() == {"FINISHED"}
    told, first = live.current(led), drawn(led)
    assert told.is_current
    assert not told.fault
    assert told.verdict.rating != "GOOD"
    assert told.helps
    assert first.buttons.count("inertia.use_remedy") == len(told.helps)
    remedy = told.helps[0]
    bpy.ops.inertia.use_remedy(kind=remedy.kind, **remedy.change)
    assert settings_from(led) == dataclasses.replace(before, **remedy.change)
    assert drawn(led).buttons == ["inertia.judge"]
    bpy.ops.inertia.judge()
    after = live.current(led).verdict
    assert after.rating == remedy.verdict.rating
    assert after.total == pytest.approx(remedy.verdict.total, rel=1e-3)
    assert after.order < told.verdict.order


def test_the_verdict_is_there_while_a_press_looks_for_what_helps(
    led: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def helping(_plan: Any, told: Any) -> Any:
        seen.append((live.current(led), told))
        yield 0.5
        raise InertiaError("It is stopped.")

    monkeypatch.setattr(bake, "find_remedies_steps", helping)
    with pytest.raises(RuntimeError, match="It is stopped"):
        bpy.ops.inertia.judge()
    ((during, told),) = seen
    assert (during.verdict, during.helps, during.is_current) == (told, None, True)
    # what was stopped is not said to go on
    after = live.current(led)
    assert (after.verdict, after.helps, after.is_current) == (told, (), True)
