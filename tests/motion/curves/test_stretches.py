# SPDX-License-Identifier: GPL-3.0-or-later
"""A stretch of a curve shows other values; all else is as it was at any sub-frame, without a kink between."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from inertia_addon.motion import quaternion
from inertia_addon.motion.curves import keys as keylib
from inertia_addon.motion.curves import representation
from inertia_addon.motion.curves.evaluation import evaluate
from inertia_addon.motion.curves.keys import Keys

OWN = np.arange(0.0, 61.0, 4.0)
SPARSE = keylib.sampled(OWN, np.sin(0.2 * OWN))
OUTSIDE = np.concatenate([np.arange(-3.0, 10.01, 0.125), np.arange(30.0, 66.0, 0.125)])


def bump(frames: np.ndarray, size: float = 0.5) -> np.ndarray:
    """What grows from nothing at frame 10 and is gone at frame 30, with its rate."""
    t = np.clip((frames - 10.0) / 20.0, 0.0, 1.0)
    return size * (4.0 * t * (1.0 - t)) ** 2


def test_a_stretch_shows_the_values_between_its_ends_and_the_curve_outside() -> None:
    frames = np.arange(10.0, 31.0)
    wanted = evaluate(SPARSE, frames) + bump(frames)
    (made,), eased = representation.vectors([SPARSE], frames, wanted[:, None])
    assert eased == [None]
    assert_allclose(evaluate(made, frames), wanted, atol=1e-6)
    assert_allclose(evaluate(made, OUTSIDE), evaluate(SPARSE, OUTSIDE), atol=1e-6)
    fine = np.arange(9.0, 31.0, 1.0 / 64.0)
    rate = np.diff(evaluate(made, fine)) * 64.0
    # no kink at either end: over a 64th of a frame the rate changes as little as it does inside
    assert np.abs(np.diff(rate)).max() < 0.002
    assert_allclose(evaluate(made, fine), evaluate(SPARSE, fine) + bump(fine), atol=2e-3)


def test_a_stretch_that_stands_between_kinks_does_so_between_frames_too() -> None:
    frames = np.arange(10.0, 31.0)
    wanted = evaluate(SPARSE, frames) + bump(frames)
    wanted[6:12] = wanted[6] + 0.3
    held = np.arange(16.0, 21.001, 0.125)
    (smooth,), _ = representation.vectors([SPARSE], frames, wanted[:, None])
    (made,), _ = representation.vectors([SPARSE], frames, wanted[:, None], kinks=(6, 11))
    assert np.ptp(evaluate(smooth, held)) > 0.01
    assert_allclose(evaluate(made, held), wanted[6], atol=1e-6)
    assert_allclose(evaluate(made, frames), wanted, atol=1e-6)
    # a rotation by these angles about X
    turned = np.column_stack([np.cos(0.5 * wanted), np.sin(0.5 * wanted), *np.zeros((2, len(wanted)))])
    made, _ = representation.rotations(turning("QUATERNION"), "QUATERNION", frames, turned, kinks=(6, 11))
    shown = np.array([evaluate(keys, held) for keys in made])
    assert_allclose(shown, np.broadcast_to(shown[:, :1], shown.shape), atol=1e-6)


@pytest.mark.parametrize("frame", [0.0, 0.5, 10.0, 12.0, 59.0, 60.0])
def test_a_stretch_may_be_a_single_frame(frame: float) -> None:
    frames, own = np.array([frame]), evaluate(SPARSE, np.array([frame]))
    every = np.arange(-3.0, 66.0, 0.125)
    (same,), _ = representation.vectors([SPARSE], frames, own[:, None])
    assert_allclose(evaluate(same, every), evaluate(SPARSE, every), atol=1e-6)
    (made,), _ = representation.vectors([SPARSE], frames, own[:, None] + 0.25)
    assert_allclose(evaluate(made, frames), own + 0.25, atol=1e-6)
    # the keys beside it stay
    others = OWN[np.abs(OWN - frame) > 0.01]
    assert_allclose(evaluate(made, others), evaluate(SPARSE, others), atol=1e-6)
    curves = turning("QUATERNION")
    turn = np.array([evaluate(keys, frames)[0] for keys in curves])
    turned, _ = representation.rotations(curves, "QUATERNION", frames, turn[None] / np.linalg.norm(turn))
    for before, after in zip(curves, turned, strict=True):
        assert_allclose(evaluate(after, every), evaluate(before, every), atol=1e-3)


def test_a_stretch_may_begin_and_end_the_curve() -> None:
    frames = np.arange(0.0, 61.0)
    (made,), _ = representation.vectors([SPARSE], frames, np.full((61, 1), 3.0))
    assert_allclose(evaluate(made, np.arange(-5.0, 70.0, 0.5)), 3.0, atol=1e-6)


def test_an_easing_at_an_end_is_sampled_and_said() -> None:
    eased = keylib.sampled([0.0, 20.0, 40.0], [0.0, 1.0, 3.0])
    eased.interpolation[:] = 12  # an easing of Blender's
    frames = np.arange(10.0, 21.0)
    (made,), spans = representation.vectors([eased], frames, evaluate(eased, frames)[:, None] + 0.0)
    assert spans == [(0.0, 20.0)]
    behind = np.arange(20.0, 40.0, 0.25)
    assert_allclose(evaluate(made, behind), evaluate(eased, behind), atol=1e-6)
    assert_allclose(evaluate(made, np.arange(11.0)), evaluate(eased, np.arange(11.0)), atol=1e-6)


def turning(mode: str, turns_late: float = 0.0, *, flips: bool = False) -> list[Keys]:
    """The channels of a rotation keyed on every frame, whose numbers may leap from frame 20 on."""
    frames = np.arange(0.0, 61.0)
    angles = np.stack([0.5 * np.sin(0.1 * frames), 0.3 * np.cos(0.13 * frames), 0.02 * frames], axis=1)
    q = quaternion.exp(angles)
    if mode == "QUATERNION":
        raw = np.where(flips & (frames >= 20.0), -1.0, 1.0)[:, None] * q
    else:
        raw = np.array([quaternion.to_euler(one, mode) for one in q])
        raw[:, 2] += np.where(frames >= 20.0, turns_late, 0.0)
    return keylib.sampled_together(frames, raw, keylib.LINEAR)


def shown(curves: list[Keys], mode: str, frames: np.ndarray) -> np.ndarray:
    return quaternion.to_quaternion(np.stack([evaluate(keys, frames) for keys in curves], axis=1), mode)


def away(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    turn = quaternion.multiply(one, quaternion.conjugate(other))
    return np.linalg.norm(quaternion.log(turn), axis=1)


@pytest.mark.parametrize(
    ("mode", "own"),
    [
        ("QUATERNION", turning("QUATERNION")),
        ("QUATERNION", turning("QUATERNION", flips=True)),
        ("XYZ", turning("XYZ")),
        ("XYZ", turning("XYZ", turns_late=-2.0 * np.pi)),
        ("ZXY", turning("ZXY")),
    ],
)
def test_a_rotation_goes_on_in_its_own_channels(mode: str, own: list[Keys]) -> None:
    frames = np.arange(10.0, 31.0)
    added = quaternion.exp(bump(frames, 1.2)[:, None] * np.array([0.6, -0.8, 0.0]))
    wanted = quaternion.multiply(added, shown(own, mode, frames))
    made, _ = representation.rotations(own, mode, frames, wanted * np.where(frames % 2, 1.0, -1.0)[:, None])
    assert away(shown(made, mode, frames), wanted).max() < 1e-5
    assert away(shown(made, mode, OUTSIDE), shown(own, mode, OUTSIDE)).max() < 1e-5
    # no number leaps, neither in the stretch nor where it ends
    steps = [np.abs(np.diff(evaluate(keys, np.arange(5.0, 40.0, 0.25)))).max() for keys in made]
    assert max(steps) < 0.15


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ", "ZXY", "AXIS_ANGLE"])
def test_rotations_rewritten_together_have_the_keys_that_each_has_alone(mode: str) -> None:
    drawn = np.random.default_rng(5)
    frames, kinks = np.arange(10.0, 31.0), (6, 11)
    channels = 3 if mode in ("XYZ", "ZXY") else 4
    every: list[list[Keys]] = []
    turns = []
    # slow turns, and quick ones, whose angles stray and get keys in between
    for begin, size in ((-4.0, 0.1), (-4.0, 2.5), (2.0, 0.3), (10.0, 0.2), (2.0, 1.5)):
        own = np.arange(begin, 61.0, 4.0)
        raw = drawn.normal(size=(channels, len(own))) * 0.2 + np.eye(1, channels, 0)[0][:, None]
        every.append([keylib.sampled(own, row) for row in raw])
        angle = size * np.sin(0.6 * frames + drawn.uniform(0.0, 6.0))[:, None]
        turns.append(quaternion.exp(angle * drawn.normal(size=3)) * drawn.choice((-1.0, 1.0)))
    for at in ((), kinks):
        together = representation.rotations_together(every, mode, frames, np.stack(turns), at)
        for curves, turned, (made, spans) in zip(every, turns, together, strict=True):
            alone, spans_alone = representation.rotations(curves, mode, frames, turned, at)
            assert spans == spans_alone
            for one, other in zip(made, alone, strict=True):
                assert np.array_equal(one.points, other.points)
                assert np.array_equal(one.codes, other.codes)
    # and of Euler angles some strayed
    lengths = {len(made[0]) for made, _ in together}
    assert mode == "QUATERNION" or len(lengths) > 1
