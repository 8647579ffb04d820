# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of made-up motions, each of which has one fault of a known size."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.motion.arrays import Array
from inertia_addon.motion.judging import evidence, faults
from inertia_addon.motion.judging.evidence import Evidence, Track, joint_velocity_changes
from inertia_addon.motion.judging.faults import SeenFault

FPS, CUT, END = 30.0, 20.0, 32.0
NAMES = ("hips", "hip.L", "hip.R", "foot.L", "foot.R", "head")
PARENTS = (-1, 0, 0, 1, 2, 0)
REST = np.array(
    [(0.0, 0.0, 1.0), (0.1, 0.0, 0.9), (-0.1, 0.0, 0.9), (0.1, 0.0, 0.0), (-0.1, 0.0, 0.0), (0.0, 0.0, 1.7)]
)
SIZE = 2.0
FRAMES = np.arange(5.0, 47.25, 0.5)
STEP = st.sampled_from([0.5, 1.0])


def standing(frames: Array = FRAMES) -> Array:
    """The joints of who stands, (frames, joints, 3)."""
    return np.repeat(REST[None], len(frames), axis=0)


def seen(result: Array, own: Array | None = None, **changed: object) -> Evidence:
    """A result between two clips of whom stands, or of who moves as ``own``; all at FRAMES."""
    clip = Track(FRAMES, standing() if own is None else own)
    values: dict[str, object] = {
        **{"fps": FPS, "names": NAMES, "parents": PARENTS, "hips": 0, "ends": (3, 4, 5), "feet": (3, 4)},
        **{"size": SIZE, "cut": CUT, "end": END, "until": END, "source": clip, "destination": clip},
    }
    return Evidence(**{**values, "result": Track(FRAMES, result), **changed})  # type: ignore[arg-type]


def worst(evidence: Evidence, kind: str) -> SeenFault | None:
    return next((fault for fault in faults.judge(evidence).faults if fault.kind == kind), None)


def test_a_standing_character_has_no_fault() -> None:
    judged = faults.judge(seen(standing()))
    assert judged.rating == faults.GOOD
    assert all(fault.severity == 0.0 for fault in judged.faults)


@given(speed=st.floats(0.1, 20.0), frame=st.sampled_from([CUT, 25.0, 26.5, END]))
def test_a_kink_is_a_pop_of_its_change_of_velocity(speed: float, frame: float) -> None:
    moved = standing()
    moved[:, 5, 2] += speed * np.maximum(FRAMES - frame, 0.0) / FPS
    fault = worst(seen(moved), faults.POP)
    assert fault is not None
    assert fault.size == pytest.approx(speed / np.sqrt(len(NAMES)))
    assert (fault.joint, fault.frame) == (5, frame)


@given(way=st.floats(0.1, 3.0), frame=st.sampled_from([CUT, 25.0, END]))
def test_a_control_that_jumps_is_no_pop_as_nobody_sees_it(way: float, frame: float) -> None:
    moved = np.concatenate([standing(), standing()[:, :1]], axis=1)
    still = moved.copy()
    moved[frame <= FRAMES, 6] += way
    rig = {"names": (*NAMES, "control"), "parents": (*PARENTS, 0)}
    assert faults.judge(seen(moved, still, **rig)).severity_of(faults.POP) > 1.0
    judged = faults.judge(seen(moved, still, seen=tuple(range(6)), **rig))
    assert (judged.rating, judged.severity_of(faults.POP)) == (faults.GOOD, 0.0)


def test_a_change_that_the_clips_have_is_no_pop() -> None:
    moved = standing()
    moved[:, 5, 2] += 2.0 * np.maximum(FRAMES - 25.0, 0.0) / FPS
    fault = worst(seen(moved, moved), faults.POP)
    assert fault is not None
    assert fault.severity == pytest.approx(1.0 / faults.CHANGE)


@given(way=st.floats(0.1, 5.0), at=st.sampled_from([15.0, 30.0]))
def test_a_jump_of_a_clip_makes_no_pop_usual(way: float, at: float) -> None:
    jumps = standing()
    jumps[at < FRAMES] += way
    moved = standing()
    moved[:, 5, 2] += 2.0 * np.maximum(FRAMES - 25.0, 0.0) / FPS
    plain = worst(seen(moved), faults.POP)
    still, jumping = Track(FRAMES, standing()), Track(FRAMES, jumps, ((at, at + 0.5),))
    found = worst(seen(moved, source=jumping, destination=still), faults.POP)
    assert plain is not None
    assert found is not None
    assert (found.own, found.severity) == (pytest.approx(plain.own), pytest.approx(plain.severity))
    # what nobody knows to be a jump counts as motion
    unknown = worst(seen(moved, source=Track(FRAMES, jumps), destination=still), faults.POP)
    assert unknown is not None
    assert unknown.own > way


@given(speed=st.floats(0.5, 20.0), frame=st.sampled_from([CUT, 25.0, END]))
def test_a_joint_that_snaps_is_named_however_many_others_are_still(speed: float, frame: float) -> None:
    moved = np.concatenate([standing(), np.repeat(REST[None, :1], len(FRAMES), axis=0)[:, [0] * 60]], axis=1)
    still = moved.copy()
    moved[:, 3, 1] += speed * np.maximum(FRAMES - frame, 0.0) / FPS
    many = {"names": (*NAMES, *map(str, range(60))), "parents": (*PARENTS, *[0] * 60)}
    fault = worst(seen(moved, still, **many), faults.SNAP)
    assert fault is not None
    assert (fault.size, fault.joint, fault.frame) == (pytest.approx(speed), 3, frame)
    floor = faults.LIMB_STILL * SIZE / FPS
    assert fault.severity == pytest.approx(speed / (faults.LIMB_CHANGE * floor))


@given(seed=st.integers(0, 1000), cut=st.integers(10, 25))
def test_a_clip_that_goes_on_as_it_is_never_snaps(seed: int, cut: int) -> None:
    moved = standing() + 0.2 * np.random.default_rng(seed).normal(size=(len(FRAMES), len(NAMES), 3))
    judged = faults.judge(seen(moved, moved, cut=float(cut)))
    assert judged.severity_of(faults.SNAP) <= 1.0 / faults.LIMB_CHANGE + 1e-9


def test_a_joint_may_do_what_its_image_on_the_other_side_does() -> None:
    kick = np.zeros((len(FRAMES), len(NAMES), 3))
    kick[:, 3, 1] = 3.0 * np.maximum(FRAMES - 25.0, 0.0) / FPS
    other = kick[:, [0, 2, 1, 4, 3, 5]]
    fault = worst(seen(standing() + kick, standing() + other), faults.SNAP)
    assert fault is not None
    assert fault.severity == pytest.approx(1.0 / faults.LIMB_CHANGE)


@given(step=STEP, fps=st.sampled_from([24.0, 30.0, 120.0]))
def test_a_pop_is_the_same_on_whole_frames_and_on_halves(step: float, fps: float) -> None:
    frames = np.arange(0.0, 60.0, step)
    moved = standing(frames)
    moved[:, 5, 2] += 3.0 * np.maximum(frames - 25.0, 0.0) / fps
    stride = round(1.0 / step)
    assert joint_velocity_changes(moved, fps, stride).max() == pytest.approx(3.0)


@given(way=st.floats(0.02, 1.0))
def test_a_low_foot_skates_its_way(way: float) -> None:
    moved = standing()
    part = np.clip((FRAMES - CUT) / (END - CUT), 0.0, 1.0)
    moved[:, 3, 1] += way * part
    fault = worst(seen(moved), faults.SKATE)
    assert fault is not None
    assert (fault.size, fault.joint) == (pytest.approx(way), 3)
    assert fault.severity == pytest.approx(way / (faults.SKATE_WAY * SIZE))


@given(height=st.floats(0.0, 0.06))
def test_a_foot_counts_the_less_the_higher_it_is(height: float) -> None:
    # Zhang et al.: 2 - 2^(h / H), of a foot that is never lower in the clips than where it stands
    moved, part = standing(), np.clip((FRAMES - CUT) / (END - CUT), 0.0, 1.0)
    moved[:, 3, 1] += 0.5 * part
    moved[:, 3, 2] += height
    fault = worst(seen(moved), faults.SKATE)
    expected = 0.5 * max(2.0 - 2.0 ** (height / (evidence.LOW * SIZE)), 0.0)
    assert (0.0 if fault is None else fault.size) == pytest.approx(expected, abs=1e-9)


def test_feet_that_skate_in_the_clips_may_skate_as_far() -> None:
    walked = standing()
    walked[:, 3, 1] += 0.06 * (FRAMES - CUT) / (END - CUT)
    fault = worst(seen(walked, walked), faults.SKATE)
    assert fault is not None
    assert (fault.size, fault.own) == (pytest.approx(0.06), pytest.approx(0.06))
    assert fault.severity == pytest.approx(1.0 / faults.SKATE_TIMES)


@given(speed=st.floats(0.2, 3.0))
def test_feet_that_go_with_their_ground_stand(speed: float) -> None:
    walked = standing()
    walked[:, 3:5, 1] += speed * (FRAMES - CUT)[:, None] / FPS
    passing = np.array([0.0, speed])
    judged = faults.judge(seen(walked, walked, passing=(passing, passing)))
    assert max((f.size for f in judged.faults if f.kind == faults.SKATE), default=0.0) < 1e-9


def test_the_ground_goes_from_one_velocity_to_the_other() -> None:
    weights = np.clip((FRAMES - CUT) / (END - CUT), 0.0, 1.0)
    passing = np.array([0.0, 1.0]), np.array([0.0, 3.0])
    evidence = seen(standing(), passing=passing, weights=weights)
    speeds = evidence.ground_speed()[:, 1]
    assert (speeds[0], speeds[-1]) == (1.0, 3.0)
    assert speeds[np.searchsorted(FRAMES, 26.0)] == pytest.approx(2.0)


def test_feet_are_not_judged_where_nobody_knows_the_ground() -> None:
    moved = standing()
    moved[:, 3, 1] += 0.1 * (FRAMES - CUT)
    assert worst(seen(moved, passing=None), faults.SKATE) is None


@given(height=st.floats(0.01, 1.0))
def test_hips_that_rise_above_both_clips_are_lifted(height: float) -> None:
    moved = standing()
    moved[FRAMES == 26.0, 0, 2] += height
    fault = worst(seen(moved), faults.LIFT)
    assert fault is not None
    assert (fault.size, fault.frame) == (pytest.approx(height), 26.0)
    assert fault.severity == pytest.approx(height / (faults.HEIGHT * SIZE))


@pytest.mark.parametrize(("up", "kind"), [(0.3, faults.FLOAT), (-0.3, faults.SINK)])
def test_a_character_that_leaves_the_ground_floats_or_sinks(up: float, kind: str) -> None:
    moved = standing()
    moved[FRAMES == 24.5, :, 2] += up
    fault = worst(seen(moved), kind)
    assert fault is not None
    assert (fault.size, fault.frame) == (pytest.approx(0.3), 24.5)


def test_a_hand_may_go_where_a_clip_has_it() -> None:
    moved = standing()
    moved[:, 5, 1] += 2.0
    assert worst(seen(moved, moved), faults.REACH) is None
    fault = worst(seen(moved), faults.REACH)
    assert fault is not None
    assert (fault.size, fault.joint) == (pytest.approx(np.hypot(2.0, 0.7) - 0.7), 5)


@given(turned=st.floats(0.0, 2.0 * np.pi))
def test_legs_that_cross_reach_beyond_the_hips_however_the_body_is_turned(turned: float) -> None:
    moved = standing()
    moved[FRAMES == 27.0, 3, 0] = -0.25
    c, s = np.cos(turned), np.sin(turned)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    fault = worst(seen(moved @ turn.T, standing() @ turn.T), faults.REACH)
    assert fault is not None
    assert (fault.size, fault.joint) == (pytest.approx(0.25), 3)


def test_a_limb_that_turns_round_in_a_frame_spins() -> None:
    moved = standing()
    moved[FRAMES > 25.0, 3] = moved[FRAMES > 25.0, 1] + (0.9, 0.0, 0.0)
    fault = worst(seen(moved), faults.SPIN)
    assert fault is not None
    assert fault.size == pytest.approx(np.pi / 2)
    assert faults.judge(dataclasses.replace(seen(moved))).rating == faults.POOR


@given(flip=st.floats(0.5, 3.0).filter(lambda flip: abs(flip - 1.0) > 0.25), apart=st.floats(0.03, 0.3))
def test_a_joint_that_moves_by_itself_turns_about_nothing(flip: float, apart: float) -> None:
    """Hips that pass the root that they hang from are on its other side at once, and have not turned."""
    moved = standing()
    moved[:, 5] = moved[:, 0] + (0.0, apart, 0.0)
    moved[FRAMES > 25.0, 5, 1] -= apart * (1.0 + flip)
    still = standing()
    still[:, 5] = still[:, 0] + (0.0, apart, 0.0)
    assert faults.judge(seen(moved, still)).size_of(faults.SPIN) == pytest.approx(0.0, abs=1e-6)


@given(scale=st.floats(0.01, 100.0))
def test_limbs_spin_and_reach_at_any_size_as_they_do(scale: float) -> None:
    moved = standing()
    moved[FRAMES > 25.0, 3] = moved[FRAMES > 25.0, 1] + (0.9, 0.0, 0.0)
    moved[:, 5, 1] += 2.0
    judged = (
        faults.judge(seen(moved)),
        faults.judge(seen(moved * scale, standing() * scale, size=SIZE * scale)),
    )
    for kind in (faults.SPIN, faults.REACH):
        usual, scaled = ([fault for fault in each.faults if fault.kind == kind] for each in judged)
        assert usual
        assert [(fault.joint, fault.frame) for fault in scaled] == [(one.joint, one.frame) for one in usual]
        severities = [fault.severity for fault in usual]
        assert [fault.severity for fault in scaled] == pytest.approx(severities)


def test_a_kind_is_not_looked_for_where_what_it_takes_is_not_known() -> None:
    """Knees that nobody knows can't bend too fast, and so on; what is known is looked for."""
    known = seen(bent(np.full(len(FRAMES), 0.2)), **LEGS)
    lacks: dict[str, Evidence] = {
        faults.SKATE: dataclasses.replace(known, passing=None),
        faults.POP: dataclasses.replace(known, is_part=True),
        faults.BEND: seen(standing()),  # straight from hip to foot
        faults.REACH: dataclasses.replace(known, ends=()),
    }
    always = set(faults.find_unseen(known))
    for kind, less in lacks.items():
        assert (kind, kind in always, kind in faults.find_unseen(less)) == (kind, False, True)


LEGS = {"legs": ((1, 6, 3), (2, 7, 4)), "names": (*NAMES, "knee.L", "knee.R")}
LEGS |= {"parents": (-1, 0, 0, 6, 7, 0, 1, 2)}


def bent(angles: Array) -> Array:
    """Who stands with a left knee that is bent forward by so much at each frame, the foot below it."""
    positions = np.concatenate([standing(), np.zeros((len(FRAMES), 2, 3))], axis=1)
    thigh, half = 0.45, 0.5 * np.asarray(angles)
    positions[:, 6] = positions[:, 1] + np.stack([0 * half, thigh * np.sin(half), -thigh * np.cos(half)], 1)
    positions[:, 3] = positions[:, 1] + np.stack([0 * half, 0 * half, -2.0 * thigh * np.cos(half)], 1)
    positions[:, 7] = positions[:, 2] + (0.0, 0.0, -thigh)
    return positions


@given(turn=st.floats(0.7, 2.0), fps=st.sampled_from([24.0, 30.0, 60.0]))
def test_a_knee_that_goes_through_its_range_within_two_frames_snaps(turn: float, fps: float) -> None:
    result = bent(0.2 + turn * np.clip((FRAMES - 25.0) / 2.0, 0.0, 1.0))
    slow = bent(0.2 + turn * np.clip((FRAMES - 10.0) / 30.0, 0.0, 1.0))
    fault = worst(seen(result, slow, fps=fps, **LEGS), faults.BEND)
    assert fault is not None
    assert (fault.size, fault.joint, fault.frame) == (pytest.approx(turn), 6, 26.0)
    still = max(2.0 * faults.BEND_STILL / fps, turn / 15.0)
    assert fault.severity == pytest.approx(turn / (faults.BEND_CHANGE * still))
    # what its own clip does, or the other knee, it may do
    quick = bent(0.2 + turn * np.clip((FRAMES - 27.0) / 2.0, 0.0, 1.0))
    mirrored = quick[:, [0, 2, 1, 4, 3, 5, 7, 6]] * (-1.0, 1.0, 1.0)
    for clip in (quick, mirrored):
        fault = worst(seen(result, clip, fps=fps, **LEGS), faults.BEND)
        assert fault is not None
        assert fault.severity == pytest.approx(1.0 / faults.BEND_CHANGE, rel=1e-6)


@given(swing=st.floats(0.26, 0.45), turned=st.floats(0.0, 2.0 * np.pi))
def test_a_leg_that_is_thrown_twice_as_far_as_it_swings_is_poor(swing: float, turned: float) -> None:
    phase, c, s = np.sin(0.4 * (FRAMES - CUT)), np.cos(turned), np.sin(turned)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])

    def swinging(size: float) -> Array:
        moved = standing()
        angles = size * phase
        moved[:, 3] = moved[:, 1] + 0.9 * np.stack([0 * angles, np.sin(angles), -np.cos(angles)], 1)
        return moved @ turn.T

    thrown = swinging(swing)
    inside = (FRAMES >= CUT) & (FRAMES <= END)
    thrown[inside] = swinging(float(np.arcsin(min(2.1 * np.sin(swing), 0.999))))[inside]
    judged = faults.judge(seen(thrown, swinging(swing)))
    assert judged.severity_of(faults.REACH) > 2.0
    assert judged.rating == faults.POOR
    # a little further is not seen
    assert worst(seen(swinging(1.1 * swing), swinging(swing)), faults.REACH).severity <= 1.0  # type: ignore[union-attr]


@given(
    severity=st.floats(0.0, 10.0),
    kind=st.sampled_from(faults.KINDS),
)
def test_a_rating_is_that_of_the_worst_fault(severity: float, kind: str) -> None:
    fault = SeenFault(kind, severity, 0.0, severity, 0, 1.0)
    mild = SeenFault(faults.LIFT, 0.1, 0.0, 0.1, 0, 1.0)
    judged = faults.Judgement((fault, mild), *3 * [faults.Change(0.0, 0.0)])
    if severity <= 1.0:
        assert judged.rating == faults.GOOD
    elif severity <= 2.0 or kind in faults.MINOR:
        assert judged.rating == faults.FAIR
    else:
        assert judged.rating == faults.POOR


def test_a_source_that_stands_beside_many_results_is_judged_as_one_of_its_own() -> None:
    drawn = np.random.default_rng(4)

    def draw(sway: float) -> Array:
        ways = drawn.normal(scale=sway, size=(len(FRAMES), len(NAMES), 3))
        return standing() + np.cumsum(ways, axis=0)

    shared = Track(FRAMES, draw(0.01), teleports=((10.0, 11.0),))
    for _ in range(5):
        destination, result = Track(FRAMES, draw(0.01)), draw(0.03)
        changed = {"destination": destination, "legs": ((1, 3), (2, 4))}
        anew = Track(FRAMES, shared.positions.copy(), shared.teleports)
        judged = faults.judge(seen(result, source=shared, **changed))
        assert judged == faults.judge(seen(result, source=anew, **changed))
        assert len(judged.faults) > 4
