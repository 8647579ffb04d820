# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertia for scripts: what a function makes and says is what its command does, and nothing is left by what
can't be done."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon import api
from inertia_addon.blender.data import actions
from inertia_addon.cli import program
from tests.blender import file_state, wanderer

CLIPS = ("Bend", "Stand", "Turn", "Walk")
ASKED = {"source": "Walk", "destination": "Turn", "cut": 12.0, "destination_frame": 15.0}


NEEDED: dict[str, dict[str, Any]] = {
    "bake": ASKED,
    "check": {"action": "Walk"},
    "cost": {"source": "Walk", "destination": "Turn", "by": "cost"},
    "feet": {"action": "Walk"},
    "fill": {**ASKED, "actions": "Walk"},
    "keys": {"action": "Walk"},
    "finish": {"action": "Walk", "leave": ("skate",)},
    "hop": {
        **{"source": "Walk", "destination": "Turn", "clips": "Bend"},
        **{"longest_stay": 2, "wait_weight": 0, "blend_frames": 4},
    },
    "learn": {"mirror": True, "iterations": 1, "windows": 8, "hidden": 4, "latent": 2},
    "loop": {"action": "Walk", "range": (5, 29)},
    "path": {"curve": "Way"},
    "pops": {"action": "Walk"},
    "travel": {"action": "Walk", "in_place": True},
}
"""What functions need beside their defaults."""
MAKE = {"bake", "feet", "hop", "keys", "loop", "travel"}
"""The functions that make an action of that: of hop, where it has a trigger."""


@pytest.fixture
def walker(fresh_file: None) -> Any:
    # with their mirror images as much as a model takes at least
    return wanderer.with_clips(frames=31)


def test_a_function_makes_what_its_command_does(
    walker: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for action in bpy.data.actions:
        action.use_fake_user = True
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "clips.blend"))
    made = api.bake(walker, **ASKED, feet="off", result="Here")
    assert (made.action, made.armature) == ("Here", walker.name)
    own = actions.contents(bpy.data.actions["Here"])
    capfd.readouterr()
    words = ["bake", tmp_path / "clips.blend", "--json", "-o", tmp_path / "out.blend"]
    words += ["--source", "Walk", "--destination", "Turn", "--cut", 12, "--destination-frame", 15]
    assert program.main([*map(str, [*words, "--feet", "off", "--result", "Here"])]) == program.DONE
    told = json.loads(capfd.readouterr().out)
    assert told["verdict"] == json.loads(json.dumps(made.values["verdict"]))
    api.read(tmp_path / "out.blend")
    assert actions.contents(bpy.data.actions["Here"]) == own


def test_a_result_is_written_and_read_again(walker: Any, tmp_path: Path) -> None:
    made = api.loop(walker.name, action="Bend", range=(5, 27))
    assert api.write(tmp_path / "out.blend", made) == tmp_path / "out.blend"
    assert made.action in api.read(str(tmp_path / "out.blend"))
    assert api.check(action=made.action).values["verdict"]["words"] == made.values["verdict"]["words"]


def test_looking_makes_no_action(walker: Any, tmp_path: Path) -> None:
    before = {action.name for action in bpy.data.actions}
    found = api.fill(**{**ASKED, "destination": "Stand"}, gap_frames=24, at="0,-0.5,-90", bakes=False)
    assert (found.action, found.slot) == ("", "")
    assert found.values["clips"]
    costs = api.cost(
        source="Walk", destination="Turn", best=2, by="cost", weights={"hips": 1.0}, csv=tmp_path / "c.csv"
    )
    assert len(costs.values["best"]) == 2
    assert costs.values["csv"] == [str(tmp_path / "c.csv")]
    assert (tmp_path / "c.csv").stat().st_size > 100
    assert {action.name for action in bpy.data.actions} == before


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"source": "Walk", "cut": 1}, 'bake needs the setting "destination"'),
        (ASKED | {"cutt": 3}, 'has no setting "cutt", but source, destination, cut,'),
        (ASKED | {"cut": "20"}, "\"cut\" of bake takes a number, not '20'"),
        (ASKED | {"blend_frames": True}, '"blend_frames" of bake takes a number, not True'),
        (ASKED | {"feet": "perhaps"}, "choose one of auto, lock, off"),
        (ASKED | {"blend_frames": -1}, "give a number of frames"),
        (ASKED | {"source": "Crawl"}, "Crawl"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_bake_that_can_not_be_done_is_told_and_leaves_the_file(
    walker: Any, asked: dict[str, Any], said: str
) -> None:
    before = {action.name: actions.contents(action) for action in bpy.data.actions}
    with pytest.raises(api.InertiaError) as raised:
        api.bake(**asked)
    assert said in str(raised.value)
    assert {action.name: actions.contents(action) for action in bpy.data.actions} == before


def try_function(command: str, **asked: Any) -> api.Result | None:
    """Call a function; return None where it says why it can't, and then the file has to be as it was."""
    before = file_state.everything()
    try:
        return api.run(command, **{**NEEDED.get(command, {}), **asked})
    except api.InertiaError:
        assert not file_state.differences(before, file_state.everything())
        return None


@pytest.mark.parametrize("command", api.commands())
def test_functions_of_the_api_do_what_they_say_or_leave_the_file(walker: Any, command: str) -> None:
    names = {action.name for action in bpy.data.actions}
    trigger = {"trigger": 10} if command == "hop" else {}
    looked = try_function(command, **trigger, bakes=False)
    assert {action.name for action in bpy.data.actions} == names
    assert looked is None or looked.action == ""
    made = try_function(command, **trigger)
    new = {action.name for action in bpy.data.actions} - names
    # a take that needs nothing is its own result
    assert new == ({made.action} - {""} - names if made else set())
    assert bool(new) or command not in MAKE


def test_a_function_that_makes_no_action_needs_no_word_about_it(walker: Any, tmp_path: Path) -> None:
    names = {action.name for action in bpy.data.actions}
    assert api.pops(action="Walk").values["pops"] == []
    tables = api.hop(**NEEDED["hop"], table=tmp_path / "hops.json")
    assert (tmp_path / "hops.json").is_file()
    assert (tables.action, {action.name for action in bpy.data.actions}) == ("", names)


@pytest.mark.parametrize(
    ("command", "file"),
    [("hop", {"trigger": 10, "table": "nowhere/hops.npz"}), ("cost", {"csv": "costs.png"})],
)
def test_a_file_that_cant_be_written_is_said_first(
    walker: Any, tmp_path: Path, command: str, file: dict[str, Any]
) -> None:
    placed = {key: tmp_path / value if isinstance(value, str) else value for key, value in file.items()}
    assert try_function(command, **placed) is None


@pytest.mark.parametrize("command", api.commands())
def test_functions_of_the_api_describe_their_settings(command: str) -> None:
    told = getattr(api, command).__doc__
    assert command in dir(api)
    for name in api.settings(command):
        assert f"    {name}: " in told
    # each says what it is
    assert not [line for line in told.splitlines() if line.strip().endswith(":")][1:]


def test_a_former_name_is_taken_with_a_warning(walker: Any) -> None:
    former = {
        (command, one.former): one.key
        for command in api.commands()
        for one in api._settings(api._task(command)).values()
        if one.former
    }
    assert former
    for (command, name), key in former.items():
        with (
            pytest.warns(DeprecationWarning, match=f"{name} is called {key} now"),
            pytest.raises(api.InertiaError),
        ):
            # too little else is given
            api.run(command, **{name: []})


def test_the_api_has_no_other_function() -> None:
    with pytest.raises(AttributeError):
        api.bakes  # noqa: B018 (to name it is what fails)
    with pytest.raises(api.InertiaError, match='no command "bakes", but bake, check'):
        api.run("bakes")
