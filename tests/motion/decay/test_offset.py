# SPDX-License-Identifier: GPL-3.0-or-later
"""At the cut the output has the source's pose and velocity: measured on smooth motions, in small steps."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from inertia_addon.motion import quaternion
from inertia_addon.motion.decay import decay, offset
from inertia_addon.motion.decay.decay import Method
from inertia_addon.motion.decay.offset import ChannelMotion, Decomposition, Offset, Velocity
from inertia_addon.motion.quaternion import Array
from tests.motion.strategies import axes, methods, rotation_vectors, scipy_rotation, unit_quaternions, vectors

BOTH = st.sampled_from(list(Decomposition))
signs = st.sampled_from([1.0, -1.0])


@dataclasses.dataclass(frozen=True)
class Swing:
    """A smooth rotation of known angular velocity: a steady turn on top of one about another axis."""

    start: Array
    inner: Array
    outer: Array

    def at(self, t: float) -> Array:
        turned = Rotation.from_rotvec(self.outer * t) * Rotation.from_rotvec(self.inner * t)
        return (turned * scipy_rotation(self.start)).as_quat(scalar_first=True)

    def velocity(self) -> Array:
        """The angular velocity at t = 0."""
        return self.outer + self.inner

    def motion(self, step: float) -> ChannelMotion:
        return ChannelMotion(self.at(-step), self.at(0.0), self.at(step), 2.0 * step)


swings = st.builds(Swing, unit_quaternions(), vectors(3.0), vectors(3.0))


def angular_velocity_at_the_cut(output: Callable[[float], Array], step: float = 1e-4) -> Array:
    """The output's angular velocity just after the cut, by scipy: one-sided, of second order."""
    first, second, third = (Rotation.from_quat(output(k * step), scalar_first=True) for k in range(3))
    one = (second * first.inv()).as_rotvec()
    two = (third * first.inv()).as_rotvec()
    return (4.0 * one - two) / (2.0 * step)


def onto(destination: Swing, found: Offset, method: Method) -> Callable[[float], Array]:
    """The output from the cut on."""
    curve = decay.make(method, found.x, found.v, 0.4)
    return lambda t: offset.onto_rotations(destination.at(t), decay.evaluate(curve, found.x, found.v, t))


def relative(source: Swing, destination: Swing, step: float) -> Offset:
    return offset.of_rotations(
        source.motion(step), destination.motion(step), Decomposition.ROTATION_VECTOR, Velocity.RELATIVE
    )


def well_apart_from_half_a_turn(source: Swing, destination: Swing) -> bool:
    """Right at half a turn the shortest way changes sides: neighbours a step away differ by a whole turn."""
    turn = scipy_rotation(source.start) * scipy_rotation(destination.start).inv()
    return bool(turn.magnitude() < math.pi - 0.02)


# the pose at the cut


@given(swings, swings, BOTH, st.sampled_from(list(Velocity)), methods())
def test_the_output_starts_in_the_sources_pose(
    source: Swing, destination: Swing, decomposition: Decomposition, velocity: Velocity, method: Method
) -> None:
    found = offset.of_rotations(source.motion(0.01), destination.motion(0.01), decomposition, velocity)
    output = onto(destination, found, method)(0.0)
    error = scipy_rotation(output) * scipy_rotation(source.at(0.0)).inv()
    assert error.magnitude() < 1e-12


@given(vectors(), vectors(), vectors(), vectors(), BOTH, st.sampled_from(list(Velocity)))
def test_a_vectors_offset_and_rate_are_the_differences(
    a: Array, b: Array, c: Array, d: Array, decomposition: Decomposition, velocity: Velocity
) -> None:
    step = 0.5
    found = offset.of_vectors(
        ChannelMotion(a - step * c, a, a + step * c, 2.0 * step),
        ChannelMotion(b - step * d, b, b + step * d, 2.0 * step),
        decomposition,
        velocity,
    )
    assert_allclose(offset.onto_vectors(b, found.x), a, atol=1e-12)
    rate = c - d if velocity is Velocity.RELATIVE else c
    if decomposition is Decomposition.ROTATION_VECTOR:
        assert_allclose(found.v, rate, atol=1e-11)
    elif np.linalg.norm(a - b) > 1e-6:
        unit = (a - b) / np.linalg.norm(a - b)
        assert_allclose(found.v, (rate @ unit) * unit, atol=1e-9)


# the velocity at the cut


@given(swings, swings, methods())
def test_the_output_starts_with_the_sources_angular_velocity(
    source: Swing, destination: Swing, method: Method
) -> None:
    # at any size of the offset, as its rate goes through the inverse Jacobian
    assume(well_apart_from_half_a_turn(source, destination))
    found = relative(source, destination, 1e-4)
    output = angular_velocity_at_the_cut(onto(destination, found, method), 1e-5)
    scale = 1.0 + np.linalg.norm(found.v) ** 2
    assert_allclose(output, source.velocity(), atol=2e-6 * scale)


@given(swings, swings)
def test_the_rate_converges_with_the_square_of_the_frame_time(source: Swing, destination: Swing) -> None:
    assume(well_apart_from_half_a_turn(source, destination))
    turn = scipy_rotation(source.start) * scipy_rotation(destination.start).inv()
    x = turn.as_rotvec()
    exact = quaternion.inverse_left_jacobian(x, source.velocity() - turn.apply(destination.velocity()))
    errors = [np.linalg.norm(relative(source, destination, step).v - exact) for step in (0.02, 0.01, 0.005)]
    assert errors[1] <= 0.3 * errors[0] + 1e-9
    assert errors[2] <= 0.3 * errors[1] + 1e-9
    assert errors[2] <= 1e-3 * (1.0 + np.linalg.norm(exact))


@given(swings, axes(), vectors(3.0), vectors(3.0))
def test_an_offset_of_half_a_turn_is_exact_too(
    source: Swing, axis: Array, inner: Array, outer: Array
) -> None:
    half_turn = Rotation.from_rotvec(math.pi * axis).inv() * scipy_rotation(source.start)
    destination = Swing(half_turn.as_quat(scalar_first=True), inner, outer)
    found = relative(source, destination, 1e-4)
    assert np.linalg.norm(found.x) == pytest.approx(math.pi, abs=1e-7)
    output = onto(destination, found, Method.CUBIC)
    assert (scipy_rotation(output(0.0)) * scipy_rotation(source.at(0.0)).inv()).magnitude() < 1e-12
    scale = 1.0 + np.linalg.norm(found.v) ** 2
    assert_allclose(angular_velocity_at_the_cut(output, 1e-5), source.velocity(), atol=2e-6 * scale)


@given(unit_quaternions(), vectors(3.0), vectors(3.0), methods())
def test_equal_poses_still_hand_over_their_velocity(
    pose: Array, inner: Array, outer: Array, method: Method
) -> None:
    source, destination = Swing(pose, inner, 0.0 * inner), Swing(pose, outer, 0.0 * outer)
    found = relative(source, destination, 1e-4)
    assert_allclose(found.x, 0.0, atol=1e-12)
    assert_allclose(found.v, inner - outer, atol=1e-6)
    output = angular_velocity_at_the_cut(onto(destination, found, method), 1e-5)
    assert_allclose(output, source.velocity(), atol=1e-4)


@given(swings, swings)
def test_the_source_variant_holds_the_destination_still(source: Swing, destination: Swing) -> None:
    assume(well_apart_from_half_a_turn(source, destination))
    still = Swing(destination.start, np.zeros(3), np.zeros(3))
    found = offset.of_rotations(
        source.motion(1e-4), destination.motion(1e-4), Decomposition.ROTATION_VECTOR, Velocity.SOURCE
    )
    assert_allclose(found.v, relative(source, still, 1e-4).v, atol=1e-9)


# Bollo's axis and angle


@given(swings, swings)
def test_axis_angle_keeps_the_rate_of_the_twist_about_the_offset(source: Swing, destination: Swing) -> None:
    assume(well_apart_from_half_a_turn(source, destination))
    found = offset.of_rotations(
        source.motion(1e-4), destination.motion(1e-4), Decomposition.AXIS_ANGLE, Velocity.RELATIVE
    )
    angle = np.linalg.norm(found.x)
    assume(angle > 1e-3)
    axis = found.x / angle
    step, twists = 1e-4, []
    for t in (-step, step):
        turn = scipy_rotation(source.at(t)) * scipy_rotation(destination.at(t)).inv()
        twists.append(float(quaternion.twist_angle(turn.as_quat(scalar_first=True), axis)))
    expected = math.remainder(twists[1] - twists[0], 2.0 * math.pi) / (2.0 * step)
    assert_allclose(found.v, expected * axis, atol=1e-5)


@given(swings, swings, st.sampled_from(list(Velocity)))
def test_axis_angle_is_the_part_of_the_rate_along_the_offset(
    source: Swing, destination: Swing, velocity: Velocity
) -> None:
    motions = source.motion(0.01), destination.motion(0.01)
    whole = offset.of_rotations(*motions, Decomposition.ROTATION_VECTOR, velocity)
    along = offset.of_rotations(*motions, Decomposition.AXIS_ANGLE, velocity)
    assert_allclose(along.x, whole.x, atol=0.0)
    assert np.linalg.norm(along.v) <= np.linalg.norm(whole.v) * (1.0 + 1e-9) + 1e-12
    if np.linalg.norm(whole.x) > 1e-6:
        unit = whole.x / np.linalg.norm(whole.x)
        assert_allclose(along.v, (whole.v @ unit) * unit, atol=1e-9)


def test_axis_angle_of_no_offset_has_no_rate() -> None:
    source = Swing(quaternion.IDENTITY, np.array([1.0, 2.0, 0.0]), np.zeros(3))
    still = Swing(quaternion.IDENTITY, np.zeros(3), np.zeros(3))
    found = offset.of_rotations(
        source.motion(0.01), still.motion(0.01), Decomposition.AXIS_ANGLE, Velocity.RELATIVE
    )
    assert_allclose(found.v, 0.0, atol=0.0)


# signs: the classic bug of inertializers


@given(
    swings,
    swings,
    BOTH,
    st.sampled_from(list(Velocity)),
    st.tuples(*[signs] * 6),
)
def test_no_sign_of_a_quaternion_changes_the_offset(
    source: Swing,
    destination: Swing,
    decomposition: Decomposition,
    velocity: Velocity,
    flips: tuple[float, ...],
) -> None:
    assume(well_apart_from_half_a_turn(source, destination))
    motions = [source.motion(0.01), destination.motion(0.01)]
    flipped = [
        ChannelMotion(
            m.before * flips[3 * i], m.now * flips[3 * i + 1], m.after * flips[3 * i + 2], m.seconds
        )
        for i, m in enumerate(motions)
    ]
    one = offset.of_rotations(*motions, decomposition, velocity)
    two = offset.of_rotations(*flipped, decomposition, velocity)
    assert_allclose(two.x, one.x, atol=1e-12)
    assert_allclose(two.v, one.v, atol=1e-9)
    assert np.linalg.norm(one.x) <= math.pi + 1e-12


# what is on top when the offset is gone


@given(unit_quaternions(), rotation_vectors(math.pi))
def test_an_offset_turns_in_the_parents_frame(destination: Array, turn: Array) -> None:
    expected = Rotation.from_rotvec(turn) * scipy_rotation(destination)
    found = offset.onto_rotations(destination, turn)
    assert (scipy_rotation(found) * expected.inv()).magnitude() < 1e-12
    # an offset that is gone leaves the destination's own quaternion, sign included
    assert_allclose(offset.onto_rotations(destination, np.zeros(3)), destination, atol=0.0)


@given(st.integers(0, 2**32 - 1), BOTH, st.sampled_from(list(Velocity)))
def test_bones_together_have_offsets_as_each_on_its_own(
    seed: int, decomposition: Decomposition, velocity: Velocity
) -> None:
    rng = np.random.default_rng(seed)
    poses = quaternion.normalise(rng.normal(size=(6, 5, 4)))
    source, destination = ChannelMotion(*poses[:3], 0.1), ChannelMotion(*poses[3:], 0.2)
    together = offset.of_rotations(source, destination, decomposition, velocity)
    for i in range(5):
        motions = [ChannelMotion(m.before[i], m.now[i], m.after[i], m.seconds) for m in (source, destination)]
        alone = offset.of_rotations(*motions, decomposition, velocity)
        assert_allclose(together.x[i], alone.x, atol=1e-12)
        assert_allclose(together.v[i], alone.v, atol=1e-9)
