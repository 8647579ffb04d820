# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel Feet: what it says of a walk, its buttons, the list of legs, and where bars may be dragged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from inertia_addon.blender.feet import contacts
from inertia_addon.motion.feet.contacts import Span
from inertia_addon.plots import plot
from inertia_addon.plots.shapes import Text
from inertia_addon.ui import panels
from inertia_addon.ui.feet import bars, drag_contact, plots
from inertia_addon.ui.feet import shown as feet
from inertia_addon.ui.feet.bars import NEW, ContactBars, ContactGrip, Row
from inertia_addon.ui.feet.panels import draw_legs
from tests.blender import stepper
from tests.ui.overlay.made_up import DARK, LIGHT
from tests.ui.recorder import context, drawn, drawn_by

PANELS = {cls.bl_idname.split("_")[-1]: cls for cls in panels.CLASSES if cls.bl_idname.startswith("VIEW3D")}
PLACE = (0.0, 0.0, 1000.0, 90.0)
FRAMES = (0.0, 60.0)


pytestmark = pytest.mark.usefixtures("no_rest")


@pytest.fixture
def walker(fresh_file: None) -> Any:
    """A biped that plays a walk of 55 frames: its left foot is planted from 1, 25 and 49 on."""
    armature = stepper.biped()
    compat.assign(armature, stepper.walk(armature, frames=55), f"OB{armature.name}")
    bpy.context.scene.frame_set(10)
    return armature


def left(armature: Any) -> tuple[Span, ...]:
    return feet.contacts_of(armature).contacts.spans[0]


def test_the_panel_says_what_each_foot_does(walker: Any) -> None:
    told = drawn(PANELS["feet"])
    assert {"foot.L", "foot.R", "3 contacts"} <= set(told.texts)
    assert any(text.endswith(" cm while planted") for text in told.texts)
    assert told.buttons.count("inertia.add_contact") == 2
    assert "inertia.reset_contacts" not in told.buttons
    walker.inertia_feet.shown = "SOURCE"
    assert "no action whose contacts" in " ".join(drawn(PANELS["feet"]).texts)


def test_contacts_are_added_and_removed_at_the_frame_and_found_again(walker: Any) -> None:
    action = compat.assigned(walker)[0]
    found = left(walker)
    assert found[0].holds(10.0)
    bpy.ops.inertia.remove_contact(foot="foot.L")
    assert left(walker) == found[1:]
    assert "foot.L" in feet.contacts_of(walker).contacts.edited
    assert "2 contacts, edited" in drawn(PANELS["feet"]).texts
    bpy.context.scene.frame_set(18)
    bpy.ops.inertia.add_contact(foot="foot.L")
    added = left(walker)[0]
    assert added.start <= 18.0 <= added.end < found[1].start
    assert list(contacts.stored(action)) == ["foot.L"]
    # what is planted is not added again
    assert bpy.ops.inertia.add_contact(foot="foot.L") == {"CANCELLED"}
    with pytest.raises(RuntimeError, match="not one of the feet"):
        bpy.ops.inertia.add_contact(foot="tail")
    bpy.context.scene.frame_set(99)
    with pytest.raises(RuntimeError, match="outside the clip"):
        bpy.ops.inertia.add_contact()
    bpy.ops.inertia.reset_contacts()
    assert left(walker) == found
    assert contacts.STORED not in action
    assert not bpy.ops.inertia.reset_contacts.poll()


def test_the_settings_of_the_panel_decide(walker: Any) -> None:
    compat.assign(walker, stepper.walk(walker, "Skating", frames=55, skate=0.1), f"OB{walker.name}")
    before = sum(span.frames for span in left(walker))
    walker.inertia_feet.speed = 0.02
    assert sum(span.frames for span in left(walker)) < before
    walker.inertia_feet.property_unset("speed")
    assert sum(span.frames for span in left(walker)) == before


def test_listed_legs_take_the_place_of_those_found(walker: Any) -> None:
    own = walker.inertia_feet
    told = " ".join(drawn_by(draw_legs).texts)
    assert "Found: foot.L and foot.R." in told
    bpy.ops.inertia.fill_legs()
    assert [item.foot for item in own.legs] == ["foot.L", "foot.R"]
    own.legs[1].use = False
    assert [leg.name for leg in feet.contacts_of(walker).contacts.legs] == ["foot.L"]
    own.legs[0].hip = "shin.R"
    own.active_leg = 0
    assert "is not below" in " ".join(drawn_by(draw_legs).texts)
    assert "No legs were found" in " ".join(drawn(PANELS["feet"]).texts)
    own.active_leg = 1
    bpy.ops.inertia.remove_leg()
    bpy.ops.inertia.clear_legs()
    assert len(own.legs) == 0
    assert len(feet.contacts_of(walker).contacts.legs) == 2


def test_a_rig_that_blender_plays_is_found_by_a_button(walker: Any) -> None:
    spans = left(walker)
    walker.pose.bones["head"].constraints.new("LIMIT_SCALE")
    told = drawn(PANELS["feet"])
    assert "inertia.find_contacts" in told.buttons
    bpy.ops.inertia.find_contacts()
    assert left(walker) == spans
    assert "inertia.find_contacts" not in drawn(PANELS["feet"]).buttons


def test_footprints_lie_where_feet_stand_and_point_ahead(walker: Any) -> None:
    model, note = plots.FootprintPlot().model(walker, None)
    assert note == ""
    assert len(model.prints) == sum(map(len, feet.contacts_of(walker).contacts.spans))
    first = model.prints[0]
    middle = first.outline.mean(axis=0)
    assert (middle[0], middle[2]) == pytest.approx((0.1, 0.02), abs=1e-3)
    # the toes are further along -Y than the heel, and the ball is between
    assert first.outline[:, 1].min() < -0.02 < first.outline[:, 1].max()
    assert np.ptp(first.outline[:, 1]) > 2.0 * np.ptp(first.outline[:, 0])
    for look in (DARK, LIGHT):
        assert len(plots.FootprintPlot().world(model, look)) == len(model.prints)
    now = plots.FootprintPlot().world_now(context(), DARK)
    assert len(now) == sum(one.span.holds(10.0) for one in model.prints) > 0


# --- bars


def made_up(period: float | None = None, *spans: Span) -> ContactBars:
    rows = (
        Row("L", "Left", spans or (Span(5, 15), Span(30, 40)), edited=False),
        Row("R", "Right", (), edited=True),
    )
    return ContactBars("Walk", "Walk", rows, (1.0, 50.0), period)


def place_in(model: ContactBars, row: int, frame: float) -> tuple[float, float]:
    made, tall = bars.layout(model, PLACE, FRAMES, DARK)
    return float(made.x(frame)), made.area[1] + made.area[3] - (row + 0.5) * tall


@pytest.mark.parametrize(
    ("row", "frame", "part"),
    [(0, 4.6, "start"), (0, 10.0, "body"), (0, 15.3, "end"), (0, 22.0, NEW), (1, 10.0, NEW)],
)
def test_the_mouse_finds_bars_their_edges_and_empty_rows(row: int, frame: float, part: str) -> None:
    model = made_up()
    handle = bars.handle_at(model, PLACE, FRAMES, DARK, *place_in(model, row, frame))
    assert handle is not None
    assert (handle.foot, handle.part) == ("LR"[row], part)
    assert handle.span == (Span(5, 15) if part != NEW else None)


def test_bars_have_no_handle_beside_the_clip_and_the_rows() -> None:
    model = made_up()
    assert bars.handle_at(model, PLACE, FRAMES, DARK, *place_in(model, 1, 55.0)) is None
    assert bars.handle_at(model, PLACE, FRAMES, DARK, 300.0, 1.0) is None


def test_bars_of_a_cycle_are_shown_in_all_repetitions_and_dragged_in_any() -> None:
    model = made_up(49.0, Span(40, 54))
    (row, _) = model.rows
    assert [shown for _, shown in model.bars(row)] == [Span(-9, 5), Span(40, 54)]
    handle = bars.handle_at(model, PLACE, FRAMES, DARK, *place_in(model, 0, 5.4))
    assert handle == ContactGrip("L", Span(40, 54), "end", -49.0)
    assert drag_contact.move_span(model, handle, 5.0, 7.0, 1.0) == Span(40, 56)
    shapes = bars.lit_shapes(model, handle, PLACE, FRAMES, DARK)
    assert len(shapes) == 1


@pytest.mark.parametrize(
    ("part", "began", "frame", "step", "wanted"),
    [
        ("body", 10.0, 13.2, 1.0, Span(8, 18)),
        ("body", 10.0, 90.0, 1.0, Span(19, 29)),
        ("body", 10.0, -30.0, 1.0, Span(1, 11)),
        ("start", 5.0, 7.4, 1.0, Span(7, 15)),
        ("start", 5.0, 7.44, 0.1, Span(7.4, 15)),
        ("start", 5.0, 22.0, 1.0, Span(15, 15)),
        ("end", 15.0, 33.0, 1.0, Span(5, 29)),
        (NEW, 20.0, 24.6, 1.0, Span(20, 25)),
        (NEW, 20.0, 2.0, 1.0, Span(16, 20)),
        (NEW, 20.0, 20.2, 1.0, None),
    ],
)
def test_bars_stay_in_the_clip_and_apart(
    part: str, began: float, frame: float, step: float, wanted: Span | None
) -> None:
    handle = ContactGrip("L", None if part == NEW else Span(5, 15), part)
    assert drag_contact.move_span(made_up(), handle, began, frame, step) == wanted


@pytest.mark.parametrize("height", [90.0, 54.0])
def test_names_of_feet_are_in_sight(height: float) -> None:
    for look in (DARK, LIGHT):
        shapes = bars.shapes_of(made_up(), (0.0, 0.0, 400.0, height), FRAMES, look)
        texts = {shape.text for shape in shapes if isinstance(shape, Text)}
        assert {"Left", "Right, edited", "Contacts, Walk"} <= texts


@given(st.floats(150.0, 900.0), st.floats(60.0, 120.0), st.lists(st.integers(1, 49), max_size=8, unique=True))
def test_no_name_covers_a_bar(width: float, height: float, edges: list[int]) -> None:
    edges = sorted(edges)[: len(edges) // 2 * 2]
    spans = tuple(Span(first, last) for first, last in zip(edges[::2], edges[1::2], strict=True))
    model, place = made_up(None, *spans), (0.0, 0.0, width, height)
    made, row = bars.layout(model, place, FRAMES, DARK)
    (name,) = [s for s in bars.shapes_of(model, place, FRAMES, DARK) if getattr(s, "text", "") == "Left"]
    ends = name.x, name.x + plot.width_of(name.text, name.size)
    if name.y < made.area[1] + made.area[3]:
        for span in spans or (Span(5, 15), Span(30, 40)):
            left, _, wide, _ = bars.place_of(made, row, 0, span, DARK)
            assert left >= ends[1] or left + wide <= ends[0]
