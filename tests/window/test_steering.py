# SPDX-License-Identifier: GPL-3.0-or-later
"""Steering in a real window: an animator presses keys, the character goes there, and the take is kept."""

from __future__ import annotations

import pytest

from tests.window.pictures import Seen

pytestmark = pytest.mark.window

PARTS = ("steering",)


def test_a_steered_character_goes_where_keys_say_and_esc_keeps_nothing(seen: Seen) -> None:
    state, _ = seen
    gone = [b - a for a, b in zip(state["begun"]["ground"], state["steered"]["ground"], strict=True)]
    # from above the key S is down, which is against y
    assert gone[1] < -0.3
    assert state["steered"]["noted"]
    assert state["steered"]["pose"] != state["before"]["pose"]
    for what in ("pose", "actions", "assigned", "noted"):
        assert state["given up"][what] == state["before"][what], what


def test_a_steered_character_begins_with_the_frame_that_is_shown(seen: Seen) -> None:
    state, _ = seen
    # the fourth and the eighth number are where the hips are
    hips = [state["before"]["pose"][3], state["before"]["pose"][7]]
    assert state["begun"]["first"] == pytest.approx(hips, abs=0.05)


def test_enter_keeps_the_take_with_what_was_pressed(seen: Seen) -> None:
    state, _ = seen
    kept = state["kept"]
    assert kept["is path"]
    assert set(kept["actions"]) - set(state["before"]["actions"]) == {kept["assigned"]}
    wished = [tuple(map(float, row.split(",")[:3])) for row in kept["wishes"]]
    assert any(y < 0.0 and x == 0.0 for _, x, y in wished)
    assert any(x > 0.0 and y == 0.0 for _, x, y in wished)
    assert wished[-1][0] > state["about to keep"]["seconds"] - 1e-6
    assert kept["frames"][0] == 12.0
    assert state["keys anew"] == pytest.approx(state["keys"], abs=0.0)


def test_a_file_that_is_saved_meanwhile_holds_nothing_of_it(seen: Seen) -> None:
    state, _ = seen
    for what in ("pose", "actions", "assigned", "noted"):
        assert state["while saving"][what] == state["before"][what], what


def test_a_number_key_plays_a_move_which_the_take_keeps(seen: Seen) -> None:
    state, _ = seen
    assert state["moved"]["is path"]
    assert [row.split(",", 4)[4] for row in state["moved"]["wishes"] if row.count(",") == 4] == ["Bend"]


def test_a_take_is_continued_and_backspace_takes_two_seconds_back(seen: Seen) -> None:
    state, _ = seen
    again = state["kept again"]
    assert state["continued"]["first"] == pytest.approx(state["begun"]["first"], abs=1e-4)
    assert state["taken back"] == pytest.approx(2.0)
    first = [row for row in state["kept"]["wishes"] if float(row.split(",")[0]) < 1.2]
    assert again["wishes"][: len(first)] == first
    assert again["assigned"] != state["kept"]["assigned"]
    assert state["undone"]["actions"] == state["kept"]["actions"]


def test_a_stick_walks_and_runs_by_its_gait_and_the_take_keeps_how_it_was_answered(seen: Seen) -> None:
    state, _ = seen
    walks, runs = state["walks"], state["runs"]
    assert walks["stick"] == pytest.approx([0.0, -1.0])
    assert walks["gait"] == pytest.approx(0.0, abs=1e-3)
    assert runs["stick"] == pytest.approx([0.0, -2.0])
    assert runs["gait"] > 0.9
    assert walks["wished"][1] == pytest.approx(-1.75, abs=0.3)
    assert runs["wished"][1] == pytest.approx(-3.0, abs=0.3)
    kept = state["answered"]
    assert kept["is path"]
    assert kept["steer"] == {
        "wished_as": "STICK",
        "filter_half_life": 0.1,
        "run_forward": 3.0,
        "velocity_half_life": 0.2,
        "clamp_angle": pytest.approx(57.2958),
    }
    assert state["keys answered anew"] == pytest.approx(state["keys answered"], abs=0.0)


@pytest.mark.parametrize("what", ["undo", "render", "opened", "removed"])
def test_steering_ends_with_what_happens_meanwhile_and_nothing_is_lost(seen: Seen, what: str) -> None:
    state, _ = seen
    assert not state[what]["live"]
    assert not state[what]["noted"]
    assert set(state[what]["actions"]) >= set(state["before"]["actions"])
    assert any("Steer was stopped, and nothing was changed" in text for text in state[what]["said"])


def test_a_control_rig_is_steered_and_its_take_kept(seen: Seen) -> None:
    state, _ = seen
    assert not state["refused"]["live"]
    assert any("moved by constraints" in text for text in state["refused"]["said"])
    gone = [b - a for a, b in zip(state["led"]["first"], state["led"]["ground"], strict=True)]
    assert gone[1] < -0.3
    assert state["led kept"]["is path"]
    assert not state["led kept"]["noted"]


@pytest.mark.parametrize(("name", "legs"), [("straight", 2), ("in place", 2), ("four legs", 4)])
def test_sets_of_other_kinds_are_steered_and_their_takes_kept(seen: Seen, name: str, legs: int) -> None:
    """Clips that never turn, that stay in place, and of who has four legs."""
    state, _ = seen
    begun, steered, kept = state[f"{name} begun"], state[name], state[f"{name} kept"]
    x, y = (b - a for a, b in zip(begun["ground"], steered["ground"], strict=True))
    # down first, and then to the right, as it is seen from above
    assert y < -0.4
    assert x > 0.2
    assert kept["is path"]
    assert kept["legs"] == legs
    assert not kept["noted"]
    assert kept["frames"][1] - kept["frames"][0] > 40
