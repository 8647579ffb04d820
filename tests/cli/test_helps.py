# SPDX-License-Identifier: GPL-3.0-or-later
"""What helps a transition that is not good, in a shell, and the blend time that looks best."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.batch.small_rig import Run

Inertia = Callable[..., Run]
MEETING = ("--source", "Walk", "--destination", "Late", "--cut", 20, "--destination-frame", 8)
# what else would do is no matter here
COST = ("--by", "cost")
RATINGS = ("GOOD", "FAIR", "POOR")


@pytest.fixture
def walks(fresh_file: None, tmp_path: Path) -> Path:
    """A file with a biped and two walks, the feet of which are planted at other times."""
    import bpy

    from tests.blender import stepper

    armature = stepper.biped()
    stepper.walk(armature, "Walk", frames=55).use_fake_user = True
    stepper.walk(armature, "Late", frames=70, late=0.25).use_fake_user = True
    path = tmp_path / "walks.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return path


@pytest.fixture
def unhelped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is looked for that would help: that takes longer than all else."""
    from inertia_addon.blender.judging import remedies

    def nothing(*asked: Any) -> Any:
        yield from ()
        return ()

    monkeypatch.setattr(remedies, "find_helping_steps", nothing)


def order(told: dict[str, Any]) -> tuple[int, float]:
    return RATINGS.index(told["rating"]), told["total"]


def test_remedies_are_what_their_bake_is_told_and_hold(
    inertia: Inertia, walks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inertia_addon.blender.judging import remedies

    # of each kind a few changes are enough
    monkeypatch.setattr(remedies, "LENGTHS", 2)
    monkeypatch.setattr(remedies, "NEAR_SECONDS", remedies.NEAR_SECONDS[1:])
    found, helping = [], remedies.find_helping_steps

    def once(*asked: Any) -> Any:
        """The same again for a reader."""
        if not found:
            found.append((yield from helping(*asked)))
        return found[0]

    with monkeypatch.context() as patched:
        patched.setattr(remedies, "find_helping_steps", once)
        cost = inertia("cost", walks, *MEETING, *COST, "--blend-frames", 3, "--json").json["meeting"]
        text = inertia("cost", walks, *MEETING, *COST, "--blend-frames", 3).out
    helps = cost["helps"]
    assert 1 <= len(helps) <= 3
    assert all(order(one) < order(cost["verdict"]) for one in helps)
    assert "\n".join(["  what helps:", *(f"    {one['words']}" for one in helps)]) in text
    out = tmp_path / "out.blend"
    baked = inertia("bake", walks, *MEETING, "--blend-frames", 3, "--helps", "-o", out, "--json")
    assert baked.json["helps"] == helps
    assert all(one["words"] in baked.err for one in helps)
    for one in helps:
        changed = {"cut": 20, "destination_frame": 8, "blend_frames": 3, **one["settings"]}
        given = [word for name, value in changed.items() for word in ("--" + name.replace("_", "-"), value)]
        again = inertia("bake", walks, *MEETING[:4], *given, "-o", out, "--json").json["verdict"]
        assert order(again) == order(one)


def test_a_bake_tries_no_other_settings_unless_asked(
    inertia: Inertia, walks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inertia_addon.blender.judging import remedies

    monkeypatch.setattr(
        remedies, "find_helping_steps", lambda *asked: pytest.fail("other settings are tried")
    )
    words = ("--blend-frames", 3, "-o", tmp_path / "out.blend", "--json")
    baked = inertia("bake", walks, *MEETING, *words)
    assert "helps" not in baked.json
    assert baked.json["verdict"]["rating"] != "GOOD"
    (line,) = [line for line in baked.err.splitlines() if baked.json["verdict"]["words"][0] in line]
    assert line.endswith("--helps looks for changes that would look better.")


@pytest.mark.usefixtures("unhelped")
def test_a_blend_time_is_suggested(
    inertia: Inertia, walks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inertia_addon.blender.judging import remedies

    monkeypatch.setattr(remedies, "LENGTHS", 4)
    told = inertia("cost", walks, *MEETING, *COST, "--suggest-blend-time", "--json").json
    assert 0.1 <= told["seconds"] <= 1.0
    out = tmp_path / "out.blend"
    baked = inertia("bake", walks, *MEETING, "--suggest-blend-time", "-o", out, "--json").json
    assert baked["verdict"] == told["meeting"]["verdict"]
    # the shortest and the longest that are tried
    for frames in (3, 24):
        # without a look at what would help
        fixed = inertia("bake", walks, *MEETING, "--blend-frames", frames, "-o", out, "--json").json
        assert order(baked["verdict"]) <= order(fixed["verdict"])


@pytest.mark.parametrize(
    "given", [MEETING[:4], (*MEETING, "--blend-frames", 4), (*MEETING, "--half-life", 0.1)]
)
def test_a_blend_time_is_suggested_for_one_cut_and_none_is_given(
    inertia: Inertia, walks: Path, given: tuple[Any, ...]
) -> None:
    assert inertia("cost", walks, *given, "--suggest-blend-time").code == 2
