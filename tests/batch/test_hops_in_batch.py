# SPDX-License-Identifier: GPL-3.0-or-later
"""Hops and tables of hops from a spec: what the command ``hop`` makes, resumed, judged and searched once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import recipe
from inertia_addon.blender.data.recipe_reader import read_recipe
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.hops import bake as hop_bake
from tests.batch.library_files import Batch, events, litter, same_results, write_spec

SEARCH = {"joints": "all", "blend_frames": 5, "longest_stay": 6, "cycles": ["Jog"]}
WORDS = ("--joints", "all", "--blend-frames", 5, "--longest-stay", 6, "--cycles", "Jog")
PAIR = {"source": "Walk", "destination": "Run"}
HOP = {**PAIR, **SEARCH, "trigger": 10, "rank": 2, "name": "hop"}


def spec_of(file: Path, **more: Any) -> Path:
    values: dict[str, Any] = {
        "files": [file.name],
        "transitions": [{**PAIR, "cut": 20}],
        "hops": [{**HOP, **more}],
        "hop_tables": [
            {**PAIR, **SEARCH, "name": "pair"},
            {**SEARCH, "all_pairs": ["Walk", "Run", "Jog"], "formats": ["npz", "json"], "name": "all"},
        ],
    }
    return write_spec(file.parent, values)


def arrays(path: Path) -> dict[str, Any]:
    with np.load(path) as held:
        return {name: held[name].tolist() for name in held.files}


def test_hops_are_those_of_the_command_and_are_resumed(
    four_clips: Path, tmp_path: Path, inertia: Any, batch: Batch
) -> None:
    out, single = tmp_path / "out", tmp_path / "single"
    done = batch(spec_of(four_clips), out, "--jobs", 2, "--json")
    assert done.code == 0, done.err
    said = {event["where"]: event for event in events(done) if event["event"] == "done"}
    assert set(said) == {"transitions[0]", "hops[0]", "hop_tables[0]", "hop_tables[1]"}
    assert litter(out) == []

    single.mkdir()
    bake = ("--trigger", 10, "--rank", 2, "--bake", single / "hop.blend")
    ends = ("--source", "Walk", "--destination", "Run")
    told = inertia("hop", four_clips, *ends, *WORDS, *bake, "--table", single / "pair.npz", "--json")
    assert told.code == 0, told.err
    # the command judges its ways, too
    ranked = told.json["trigger"]["ranked"][1]
    assert said["hops[0]"]["way"] == {name: ranked[name] for name in said["hops[0]"]["way"]}
    assert {*ranked} - {*said["hops[0]"]["way"]} == {"verdict", "worth"}
    assert said["hops[0]"]["direct"] == told.json["trigger"]["direct"]
    assert said["hop_tables[0]"]["pairs"] == told.json["pairs"]
    same_results(out, single, ["hop.blend"])
    # the file holds what it takes to bake the hop anew, and no other clip
    bpy.ops.wm.open_mainfile(filepath=str(out / "hop.blend"))
    (result,) = (action for action in bpy.data.actions if recipe.is_baked(action, recipe.HOP))
    clips = set(hop_bake.read_way(read_recipe(result)).clips)
    assert clips
    assert {action.name for action in bpy.data.actions} == {"Walk", "Run", *clips, result.name}
    pairs = ("--all-pairs", "Walk", "Run", "Jog", *WORDS)
    assert inertia("hop", four_clips, *pairs, "--table", single / "all.npz").code == 0
    for name in ("pair.npz", "all.npz"):
        assert arrays(out / name) == arrays(single / name)
    summary = {job["where"]: job for job in json.loads((out / "batch.json").read_text())["jobs"]}
    assert summary["hops[0]"]["way"] == said["hops[0]"]["way"]
    assert summary["hop_tables[1]"]["pairs"] == said["hop_tables[1]"]["pairs"]

    # what is damaged or asked for otherwise is made anew: how a hop is baked is nothing to a table
    (out / "all.json").write_text("{}")
    again = batch(spec_of(four_clips, fade="CROSS_FADE"), out, "--resume", "--json", "--max-cost", 0)
    said = {event["where"]: event for event in events(again) if event["event"] == "done"}
    assert set(said) == {"hops[0]", "hop_tables[1]"}
    # a table has nothing to judge
    assert again.code == 1
    judged = [event["label"] for event in events(again) if event["event"] == "gate"]
    assert judged == ["rig: Walk to Run, cut 20", "rig: Walk to Run by a hop, trigger 10, rank 2"]


def test_a_hop_that_is_not_there_fails_alone(four_clips: Path, tmp_path: Path, batch: Batch) -> None:
    values = {"files": [four_clips.name], "hops": [{**HOP, "rank": 999}, {**HOP, "name": "other"}]}
    done = batch(write_spec(four_clips.parent, values), tmp_path / "out")
    assert done.code == 1
    assert "choose another trigger, or a lower rank" in done.err
    assert [path.name for path in (tmp_path / "out").glob("*.blend")] == ["other.blend"]


def test_jobs_that_search_the_same_share_what_was_found(four_clips: Path) -> None:
    import dataclasses
    from types import SimpleNamespace

    from inertia_addon.batch.jobs.job import Inputs
    from inertia_addon.batch.jobs.opened import JobWork, Opened
    from inertia_addon.blender.data import names
    from inertia_addon.blender.evaluation import joints
    from inertia_addon.settings.hops import HopSettings
    from inertia_addon.settings.transition import TransitionSettings
    from inertia_addon.tasks import hops as hop_tasks

    opened = Opened()
    opened.open(Inputs((str(four_clips),)))
    armature = names.find_armature(None)
    weights = joints.named_weights(armature, "all")
    own = TransitionSettings("Walk", "Run", 10.0, blend_frames=5.0)
    settings = HopSettings(own, longest_stay=3)
    job: Any = SimpleNamespace(weights=tuple(weights.items()), outputs=())
    work = JobWork(opened, job, armature, Path())
    first = hop_tasks.prepared_for(work, settings)
    baked = dataclasses.replace(own, cut=12.0, guard="OFF", result="Other")
    second = hop_tasks.prepared_for(work, dataclasses.replace(settings, transition=baked, fade="CROSS_FADE"))
    assert second.distances is first.distances
    assert second.objective == first.objective
    assert second.trigger() == first.trigger() + 2
    for name, value in (("longest_stay", 4), ("cycles", ("Jog",)), ("weight", 0.5), ("clips", ("Jog",))):
        other = hop_tasks.prepared_for(work, dataclasses.replace(settings, **{name: value}))
        assert other.distances is not first.distances
    opened.close()


def change_at(armature: Any, frame: float) -> float:
    """How much the joints' velocities change at a frame as Blender plays it, rms over them, m/s."""
    scene = bpy.context.scene
    shown = []
    for time in (frame - 1.0, frame, frame + 1.0):
        scene.frame_set(int(time))
        shown.append([(armature.matrix_world @ bone.head)[:] for bone in armature.pose.bones])
    before, at, after = np.array(shown)
    changes = np.linalg.norm(after - 2.0 * at + before, axis=-1)
    return float(np.sqrt(np.mean(changes**2))) * scene.render.fps / scene.render.fps_base


def test_a_hop_is_judged_by_all_of_its_blends(four_clips: Path) -> None:
    from inertia_addon.blender import files
    from inertia_addon.blender.data import names
    from inertia_addon.blender.evaluation import joints
    from inertia_addon.blender.hops import hop_gain
    from inertia_addon.blender.hops import search as hops
    from inertia_addon.motion.steps import finish
    from inertia_addon.settings.hops import HopSettings
    from inertia_addon.settings.transition import TransitionSettings
    from inertia_addon.tasks import hops as hop_tasks

    files.load([four_clips])
    armature = names.find_armature(None)
    weights = joints.named_weights(armature, "all")
    own = TransitionSettings("Walk", "Run", 10.0, blend_frames=5.0)
    settings = HopSettings(own, ("Jog",), distance="DISPLACEMENT", longest_stay=8, weight=0.0)
    prepared = hop_tasks.prepare(armature, settings, weights)
    ways, _ = finish(hops.ranked(prepared, 3))
    for way in ways:
        report = hop_bake.bake_hop(armature, settings, way)
        measured = finish(hop_gain.measure(read_character(armature), settings, report, weights))
        assert measured.cost == pytest.approx(sum(way.parts), rel=1e-4)
        assert measured.bone in weights
        assert 0.0 < measured.share <= 1.0
        assert measured.pop == pytest.approx(max(change_at(armature, cut) for cut in report.cuts), rel=1e-3)
        # there are no feet on this rig
        assert measured.skate is None
