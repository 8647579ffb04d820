# SPDX-License-Identifier: GPL-3.0-or-later
"""Before the cut a result has the source's keys and shows what it shows; behind the blend the destination's.

Whatever their curves are: with handles and easings of any kind, on frames and between them, going on beyond
their ends, shaped by modifiers, sampled, muted, beside constraints.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from tests.blender import builders
from tests.blender.examples import FEW

X = builders.bone_path("A", "location")
HANDLES = ("FREE", "AUTO", "VECTOR", "ALIGNED", "AUTO_CLAMPED")
WAYS = ("CONSTANT", "LINEAR", "BEZIER", "BEZIER", "SINE", "BACK", "ELASTIC", "BOUNCE")
KEY_TYPES = ("KEYFRAME", "BREAKDOWN", "EXTREME", "JITTER", "MOVING_HOLD")
MODES = ("NONE", "REPEAT", "REPEAT_OFFSET", "MIRROR")
NEAR = 3e-4
"""Keys that stand for a modifier stray by at most this part of the curve's range ..."""
SAME = 1e-5
"""... and a clip's own keys by no more than rounding."""

quarter = st.integers(0, 3).map(lambda n: 0.25 * n)


Modifier = tuple[str, dict[str, Any]]
"""The type of a modifier of a curve, and the values of its properties."""


@st.composite
def modifiers(draw: Any) -> Modifier:
    """A modifier, which may be muted, and may act on some frames or in part; half of them repeat."""
    kind = draw(st.sampled_from(["CYCLES"] * 4 + ["NOISE", "LIMITS", "STEPPED", "GENERATOR", "FNGENERATOR"]))
    values: dict[str, Any] = {
        "CYCLES": {
            "mode_before": draw(st.sampled_from(MODES)),
            "mode_after": draw(st.sampled_from(MODES)),
            "cycles_before": draw(st.integers(0, 2)),
            "cycles_after": draw(st.integers(0, 2)),
        },
        "NOISE": {"scale": 6.0, "strength": 1.5},
        "LIMITS": {"use_max_y": True, "max_y": 0.4},
        "STEPPED": {"frame_step": draw(st.sampled_from([2.0, 3.0]))},
        "GENERATOR": {"use_additive": True},
        "FNGENERATOR": {"use_additive": True, "phase_multiplier": 0.3},
    }[kind]
    if draw(st.integers(0, 3)) == 3:
        first = float(draw(st.integers(0, 20)))
        # the end first, as a range can't begin behind its end
        values |= {"use_restricted_range": True, "frame_end": first + 9.0, "frame_start": first}
    if draw(st.integers(0, 5)) == 5:
        values |= {"use_influence": True, "influence": 0.5}
    return kind, {**values, "mute": draw(st.integers(0, 5)) == 5}


def modify(fcurve: Any, modifier: Modifier) -> None:
    kind, values = modifier
    made = fcurve.modifiers.new(kind)
    for name, value in values.items():
        setattr(made, name, value)


@st.composite
def shapes(draw: Any) -> dict[str, Any]:
    """What a curve is: its keys, and what shapes it besides."""
    count = draw(st.integers(3, 7))
    gaps = draw(st.lists(st.sampled_from([1.5, 2.25, 5.0, 8.0]), min_size=count, max_size=count))
    values = draw(st.lists(st.integers(-20, 20), min_size=count, max_size=count))
    frames = 1.0 + draw(quarter) + np.cumsum(gaps) - gaps[0]
    return {
        "points": [*zip(frames.tolist(), (0.1 * np.array(values)).tolist(), strict=True)],
        "interpolation": draw(st.lists(st.sampled_from(WAYS), min_size=count, max_size=count)),
        "handles": draw(st.lists(st.sampled_from(HANDLES), min_size=count, max_size=count)),
        "extrapolation": draw(st.sampled_from(["CONSTANT", "LINEAR"])),
        "smoothing": draw(st.sampled_from(["NONE", "CONT_ACCEL"])),
        "modifiers": draw(st.lists(modifiers(), max_size=2)),
        "is_sampled": draw(st.integers(0, 7)) == 7,
    }


def make(name: str, drawn: list[dict[str, Any]]) -> Any:
    """An action that moves a bone along its axes; one more curve is muted, and one says how long it lasts."""
    made = builders.action(name)
    for axis, shape in enumerate(drawn):
        fcurve = builders.curve(made, X, axis, shape["points"], shape["interpolation"], shape["handles"])
        for i, key in enumerate(fcurve.keyframe_points):
            key.type = KEY_TYPES[i % len(KEY_TYPES)]
        fcurve.extrapolation, fcurve.auto_smoothing = shape["extrapolation"], shape["smoothing"]
        fcurve.update()
        if shape["is_sampled"]:
            fcurve.convert_to_samples(1, 24)
        # Blender has Cycles first, and once
        repeating = [each for each in shape["modifiers"] if each[0] == "CYCLES"][:1]
        for modifier in [*repeating, *(each for each in shape["modifiers"] if each[0] != "CYCLES")]:
            modify(fcurve, modifier)
    builders.curve(made, X, 2, [(2, 5.0), (9, -5.0)]).mute = True
    builders.curve(made, builders.bone_path("B", "location"), 0, [(1, 0.0), (30, 1.0)])
    return made


PLAIN = {
    "points": [(1.0, 0.0), (5.0, 0.8), (11.0, 1.0), (25.0, 0.0)],
    "interpolation": ["BEZIER"] * 4,
    "handles": ["AUTO_CLAMPED"] * 4,
    "extrapolation": "CONSTANT",
    "smoothing": "CONT_ACCEL",
    "modifiers": [],
    "is_sampled": False,
}
REPEATING = PLAIN | {"modifiers": [("CYCLES", {})]}


@FEW
@example(source=[REPEATING, PLAIN], destination=[REPEATING, PLAIN], cut=15.0, entry=8.0)
@example(source=[PLAIN | {"is_sampled": True}] * 2, destination=[PLAIN] * 2, cut=15.5, entry=8.25)
@given(
    source=st.lists(shapes(), min_size=2, max_size=2),
    destination=st.lists(shapes(), min_size=2, max_size=2),
    cut=st.sampled_from([6.0, 13.0, 13.25, 22.5]),
    entry=st.sampled_from([2.0, 7.5, 12.25]),
)
def test_outside_of_the_blend_curves_are_the_clips_own(
    empty_file: Path,
    source: list[dict[str, Any]],
    destination: list[dict[str, Any]],
    cut: float,
    entry: float,
) -> None:
    bpy.ops.wm.read_homefile(filepath=str(empty_file))
    armature = builders.rig({"A": None, "B": "A"})
    limit = armature.pose.bones["A"].constraints.new("LIMIT_LOCATION")
    limit.use_max_x, limit.max_x = True, 0.9
    limit.owner_space = "LOCAL"
    clips = make("Source", source), make("Destination", destination)
    once = {"source_cycle": "OFF", "destination_cycle": "OFF", "step": 1}
    report, result = builders.transition(armature, *clips, cut, entry, blend_frames=5.0, **once)
    end, later = report.window[1], cut - entry
    early = builders.sub_frames(1.0, cut - 0.1, 0.125)
    late = builders.sub_frames(end, 30.0 + later, 0.125)
    baked = {}
    for note in report.baked_curves:
        baked.setdefault((note.data_path, note.array_index), []).append((note.first_frame, note.last_frame))
    for axis in range(2):
        for made, frames, moved, is_early in ((clips[0], early, 0.0, True), (clips[1], late, later, False)):
            assert_shown(result, made, axis, frames, moved, baked.get((X, axis), []))
            assert_keyed(result, made, axis, (1.0, cut) if is_early else (end, 99.0), moved, baked)
    assert (X, 2) not in builders.by_address(result)
    found, wanted = (builders.played(armature, each, early)[..., :3, 3] for each in (result, clips[0]))
    scale = max(1.0, *(np.ptp(builders.evaluated(clips[0], X, axis, early)) for axis in range(2)))
    allowed = 4.0 * NEAR * scale + sum(bent(clips[0], axis, early) for axis in range(2))
    assert np.all(np.linalg.norm(found - wanted, axis=-1) <= allowed[:, None])


def bent(made: Any, axis: int, frames: Any) -> Any:
    """How sharply a curve turns or jumps within a twenty-fifth of a frame: there keys lie as near as that."""
    before, there, after = (builders.evaluated(made, X, axis, frames + by) for by in (-0.04, 0.0, 0.04))
    return np.abs(before + after - 2.0 * there)


def assert_shown(
    result: Any, made: Any, axis: int, frames: Any, later: float, baked: list[tuple[float, float]]
) -> None:
    """A curve shows what the clip's does."""
    found = builders.evaluated(result, X, axis, frames)
    wanted = builders.evaluated(made, X, axis, frames - later)
    near = [any(first - 0.1 <= frame <= last + 0.1 for first, last in baked) for frame in frames]
    size = max(1.0, float(np.ptp(wanted)))
    allowed = np.where(near, NEAR, SAME) * size + bent(made, axis, frames - later)
    worst = int(np.argmax(np.abs(found - wanted) - allowed))
    assert np.all(np.abs(found - wanted) <= allowed), (axis, frames[worst], baked)


def assert_keyed(
    result: Any, made: Any, axis: int, span: tuple[float, float], later: float, baked: Any
) -> None:
    """Of a curve that nothing shapes all keys are there, as they are but beside cut and blend."""
    fcurve = builders.by_address(made)[X, axis]
    if len(fcurve.modifiers) or not len(fcurve.keyframe_points) or (X, axis) in baked:
        return
    first, last = span[0] - later, span[1] - later
    inside = [row for row in builders.key_data(fcurve) if first - 1e-3 <= row[0] <= last + 1e-3]
    inside = inside[:-1] if later == 0.0 and span[0] == 1.0 else inside[1:]
    made_rows = {round(row[0], 3): row for row in builders.key_data(builders.by_address(result)[X, axis])}
    for row in inside:
        found = made_rows[round(row[0] + later, 3)]
        np.testing.assert_allclose(
            found[:6], [x + (later if i % 2 == 0 else 0.0) for i, x in enumerate(row[:6])], atol=1e-5
        )
        # where the clips go on in two ways, the outer keys' handles are held, as Blender has one way for both
        is_outer = row[0] in (fcurve.keyframe_points[0].co[0], fcurve.keyframe_points[-1].co[0])
        assert found[6 + 2 * is_outer : 11] == row[6 + 2 * is_outer : 11]
