# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations agree with scipy's, near every place where their formulas divide by nearly nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from inertia_addon.motion import quaternion
from inertia_addon.motion.arrays import Array
from inertia_addon.motion.curves import representation
from tests.motion.strategies import (
    EULER_ORDERS,
    axes,
    rotation_vectors,
    scipy_rotation,
    unit_quaternions,
    vectors,
)

TIGHT = 1e-13

orders = st.sampled_from(EULER_ORDERS)
angles = st.floats(-3.0 * math.pi, 3.0 * math.pi)
signs = st.sampled_from([1.0, -1.0])


def angle_between(a: Array, b: Array) -> float:
    """The angle from one unit quaternion to another, exact for small ones too."""
    turn = quaternion.multiply(a, quaternion.conjugate(b))
    return float(2.0 * np.arctan2(np.linalg.norm(turn[..., 1:]), abs(turn[..., 0])))


def euler_in_order(angles_xyz: Array, order: str) -> Rotation:
    """scipy's rotation for Blender's Euler angles: fixed axes in the order of the letters."""
    return Rotation.from_euler(order.lower(), angles_xyz[["XYZ".index(letter) for letter in order]])


# multiply, rotate, conjugate, matrices


@given(unit_quaternions(), unit_quaternions())
def test_a_product_turns_by_the_second_and_then_by_the_first(a: Array, b: Array) -> None:
    expected = scipy_rotation(a) * scipy_rotation(b)
    assert_allclose(
        quaternion.to_matrix(quaternion.multiply(a, b)), expected.as_matrix(), atol=TIGHT, rtol=0.0
    )


@given(unit_quaternions(), vectors())
def test_rotate_turns_vectors(q: Array, v: Array) -> None:
    assert_allclose(quaternion.rotate(q, v), scipy_rotation(q).apply(v), atol=1e-12, rtol=0.0)
    assert_allclose(quaternion.rotate(quaternion.conjugate(q), quaternion.rotate(q, v)), v, atol=1e-12)


@given(unit_quaternions(), vectors())
def test_quaternions_of_both_signs_are_the_same_rotation(q: Array, v: Array) -> None:
    assert_allclose(quaternion.rotate(-q, v), quaternion.rotate(q, v), atol=TIGHT)
    assert_allclose(quaternion.to_matrix(-q), quaternion.to_matrix(q), atol=TIGHT)
    for order in EULER_ORDERS:
        one, two = (quaternion.from_euler(quaternion.to_euler(sign * q, order), order) for sign in (1, -1))
        assert angle_between(one, two) < 1e-7


@given(unit_quaternions())
def test_a_matrix_and_back_is_the_same_rotation(q: Array) -> None:
    back = quaternion.from_matrix(quaternion.to_matrix(q))
    assert angle_between(back, q) < TIGHT
    assert back[0] >= 0.0


scales = st.tuples(*[st.floats(0.05, 20.0)] * 3).map(np.array)


@given(unit_quaternions(), unit_quaternions(), scales)
def test_a_matrix_loses_its_scale_and_shear(q: Array, stretch: Array, scale: Array) -> None:
    # a symmetric stretch along any axes is what a polar decomposition takes out
    basis = scipy_rotation(stretch).as_matrix()
    matrix = scipy_rotation(q).as_matrix() @ (basis * scale) @ basis.T
    assert angle_between(quaternion.from_matrix(matrix), q) < 1e-11


@given(unit_quaternions(), scales, st.sampled_from([0, 1, 2]))
def test_a_mirrored_or_flattened_matrix_still_gives_a_rotation(q: Array, scale: Array, axis: int) -> None:
    for factor in (-1.0, 0.0):
        flattened = scale.copy()
        flattened[axis] *= factor
        found = quaternion.from_matrix(scipy_rotation(q).as_matrix() * flattened)
        assert_allclose(np.linalg.norm(found), 1.0, atol=TIGHT)
    # what the flattened matrix keeps of the rotation: its two other axes span the same plane
    assert_allclose(
        abs(quaternion.rotate(found, np.eye(3)[axis]) @ scipy_rotation(q).apply(np.eye(3)[axis])),
        1.0,
        atol=1e-9,
    )


@pytest.mark.parametrize("shape", [(0,), (7,), (2, 3)])
def test_matrices_together_are_read_as_each_alone(shape: tuple[int, ...]) -> None:
    matrices = np.random.default_rng(3).normal(size=(*shape, 3, 3))
    found = quaternion.from_matrix(matrices)
    assert found.shape == (*shape, 4)
    for place in np.ndindex(shape):
        assert_array_equal(found[place], quaternion.from_matrix(matrices[place]))


# normalise, the nearest sign


@given(unit_quaternions(), st.floats(-200.0, 200.0))
def test_normalise_undoes_any_length(q: Array, exponent: float) -> None:
    length = 10.0 ** np.clip(exponent, -29.0, 150.0)
    assert_allclose(quaternion.normalise(q * length), q, rtol=1e-12, atol=1e-15)


def test_a_zero_quaternion_poses_as_blender_does() -> None:
    found = quaternion.normalise([[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 3.0, 0.0]])
    assert found.tolist() == [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]


@pytest.mark.parametrize("order", ["XYZ", "ZXY"])
def test_a_row_of_euler_angles_is_each_nearest_to_the_one_before(order: str) -> None:
    chance = np.random.default_rng(3)
    q = quaternion.exp(np.cumsum(chance.normal(scale=0.4, size=(60, 3)), axis=0))
    q[20] = quaternion.from_euler([0.3, 0.5 * math.pi, 0.1], order)
    before = chance.normal(scale=8.0, size=3)
    q[40:] = np.nan
    found = representation.continuous(q, order, before, np.ones(60))
    for one, raw in zip(q, found, strict=True):
        before = representation.nearest(one, order, before)
        assert np.array_equal(raw, before, equal_nan=True)


@given(unit_quaternions(), unit_quaternions())
def test_the_nearest_sign_is_nearest(q: Array, reference: Array) -> None:
    found = representation.nearest(q, "QUATERNION", reference)
    assert np.array_equal(found, q) or np.array_equal(found, -q)
    assert np.linalg.norm(found - reference) <= np.linalg.norm(found + reference) + 1e-15


# exp, log, twist, angular velocity


@given(rotation_vectors(3.0 * math.pi))
def test_exp_is_the_rotation_of_its_vector(r: Array) -> None:
    q = quaternion.exp(r)
    assert_allclose(np.linalg.norm(q), 1.0, atol=TIGHT)
    assert_allclose(quaternion.to_matrix(q), Rotation.from_rotvec(r).as_matrix(), atol=1e-12)


@given(rotation_vectors(math.pi - 1e-9), signs)
def test_log_undoes_exp_from_nothing_to_half_a_turn(r: Array, sign: float) -> None:
    # relative: a rotation of 1e-12 keeps its digits too
    assert_allclose(
        quaternion.log(sign * quaternion.exp(r)),
        r,
        rtol=1e-9,
        atol=1e-30 + 1e-14 * (np.linalg.norm(r) > 1e-6),
    )


@given(rotation_vectors(math.pi), signs)
def test_exp_undoes_log_at_half_a_turn_too(r: Array, sign: float) -> None:
    q = sign * quaternion.exp(r)
    assert angle_between(quaternion.exp(quaternion.log(q)), q) < TIGHT
    assert np.linalg.norm(quaternion.log(q)) <= math.pi + 1e-12


@given(axes(), st.floats(-math.pi + 1e-6, math.pi - 1e-6), rotation_vectors(3.0), signs)
def test_the_twist_is_the_turn_about_the_axis(axis: Array, angle: float, tilt: Array, sign: float) -> None:
    swing = tilt - (tilt @ axis) * axis
    q = sign * quaternion.multiply(quaternion.exp(swing), quaternion.exp(angle * axis))
    if abs(q[0]) < 1e-6 and abs(q[1:] @ axis) < 1e-6:
        return  # a swing of half a turn leaves the twist undefined
    found = float(quaternion.twist_angle(q, axis))
    assert -math.pi <= found <= math.pi
    assert math.isclose(math.remainder(found - angle, 2.0 * math.pi), 0.0, abs_tol=1e-8)
    # with the twist taken off, what remains is a rotation about an axis at right angles: scipy agrees
    rest = scipy_rotation(q) * Rotation.from_rotvec(found * axis).inv()
    assert abs(rest.as_quat(scalar_first=True)[1:] @ axis) < 1e-8


@given(unit_quaternions(), rotation_vectors(3.0), st.floats(1e-3, 2.0), signs)
def test_angular_velocity_carries_one_rotation_into_the_next(
    before: Array, turn: Array, seconds: float, sign: float
) -> None:
    after = sign * quaternion.multiply(quaternion.exp(turn), before)
    omega = quaternion.angular_velocity(before, after, seconds)
    assert_allclose(omega * seconds, turn, rtol=1e-9, atol=1e-12)


# the Jacobian of the rotation vector

NODES, WEIGHTS = np.polynomial.legendre.leggauss(20)


def angular_velocity_of(r: Array, rate: Array) -> Array:
    """That of a rotation vector with a rate: the Jacobian is the mean of all turns on the way to it."""
    turns = Rotation.from_rotvec(np.multiply.outer(0.5 * (NODES + 1.0), r))
    return 0.5 * WEIGHTS @ turns.apply(rate)


@given(rotation_vectors(math.pi), vectors())
def test_the_jacobian_and_its_inverse_cancel(r: Array, omega: Array) -> None:
    rate = quaternion.inverse_left_jacobian(r, omega)
    assert_allclose(angular_velocity_of(r, rate), omega, atol=1e-9)
    rate = quaternion.inverse_left_jacobian(r, angular_velocity_of(r, omega))
    assert_allclose(rate, omega, atol=1e-9)


@given(rotation_vectors(math.pi - 1e-2), vectors(5.0))
def test_a_rotation_vectors_rate_is_what_differences_say(r: Array, omega: Array) -> None:
    step = 1e-4
    ahead, behind = (
        Rotation.from_rotvec(sign * step * omega) * Rotation.from_rotvec(r) for sign in (1.0, -1.0)
    )
    numeric = (ahead.as_rotvec() - behind.as_rotvec()) / (2.0 * step)
    assert_allclose(quaternion.inverse_left_jacobian(r, omega), numeric, atol=2e-4, rtol=1e-4)


@given(axes(), vectors())
def test_the_jacobians_series_meet_their_closed_forms(axis: Array, omega: Array) -> None:
    of = quaternion.inverse_left_jacobian
    assert_allclose(of(axis * 0.9999e-3, omega), of(axis * 1.0001e-3, omega), atol=1e-5)
    assert_allclose(of(axis * 0.0, omega), omega, atol=0.0)


# Euler angles


@given(angles, angles, angles, orders)
def test_euler_angles_turn_about_fixed_axes_in_the_order_of_the_letters(
    x: float, y: float, z: float, order: str
) -> None:
    euler = np.array([x, y, z])
    expected = euler_in_order(euler, order).as_matrix()
    assert_allclose(quaternion.to_matrix(quaternion.from_euler(euler, order)), expected, atol=1e-13)


@given(unit_quaternions(), orders)
def test_euler_angles_and_back_are_the_same_rotation(q: Array, order: str) -> None:
    euler = quaternion.to_euler(q, order)
    assert angle_between(quaternion.from_euler(euler, order), q) < 2e-7
    assert abs(euler["XYZ".index(order[1])]) <= 0.5 * math.pi + 1e-12


@given(angles, angles, st.floats(-12.0, -2.0), signs, signs, orders)
def test_euler_angles_survive_gimbal_lock(
    first: float, last: float, exponent: float, side: float, pole: float, order: str
) -> None:
    euler = np.empty(3)
    euler[["XYZ".index(letter) for letter in order]] = (
        first,
        pole * (0.5 * math.pi + side * 10.0**exponent),
        last,
    )
    q = quaternion.from_euler(euler, order)
    back = quaternion.to_euler(q, order)
    assert np.all(np.isfinite(back))
    assert_allclose(
        euler_in_order(back, order).as_matrix(), euler_in_order(euler, order).as_matrix(), atol=2e-7
    )


@given(angles, angles, angles, orders)
def test_euler_angles_of_both_sets_are_the_same_rotation(x: float, y: float, z: float, order: str) -> None:
    euler = np.array([x, y, z])
    other = quaternion.other_euler(euler, order)
    assert_allclose(
        euler_in_order(other, order).as_matrix(), euler_in_order(euler, order).as_matrix(), atol=1e-12
    )


@given(angles, angles, angles, orders, vectors(20.0))
def test_the_nearest_euler_angles_are_the_same_rotation_and_the_nearest(
    x: float, y: float, z: float, order: str, reference: Array
) -> None:
    euler = np.array([x, y, z])
    found = quaternion.nearest_euler(euler, reference, order)
    assert_allclose(
        euler_in_order(found, order).as_matrix(), euler_in_order(euler, order).as_matrix(), atol=1e-12
    )
    turns = 2.0 * math.pi * np.stack(np.meshgrid(*[np.arange(-6, 7)] * 3), -1).reshape(-1, 3)
    candidates = np.concatenate([euler + turns, quaternion.other_euler(euler, order) + turns])
    distances = np.abs(candidates - reference).sum(axis=1)
    assert np.abs(found - reference).sum() <= distances.min() + 1e-9


@given(angles, st.floats(-1.2, 1.2), angles, orders, vectors(0.1))
def test_small_steps_leave_euler_angles_without_jumps(
    first: float, middle: float, last: float, order: str, change: Array
) -> None:
    reference = np.empty(3)
    reference[["XYZ".index(letter) for letter in order]] = first, middle, last
    moved = quaternion.from_euler(reference + change, order)
    found = quaternion.nearest_euler(quaternion.to_euler(moved, order), reference, order)
    # clear of gimbal lock the angles follow the rotation, whatever turn the reference is on
    assert_allclose(found, reference + change, atol=1e-9)


# Blender's axis-angle


@given(axes(), angles, st.floats(-6.0, 6.0))
def test_axis_angle_channels_need_no_unit_axis(axis: Array, angle: float, exponent: float) -> None:
    q = quaternion.from_axis_angle([angle, *(axis * 10.0**exponent)])
    assert_allclose(quaternion.to_matrix(q), Rotation.from_rotvec(angle * axis).as_matrix(), atol=1e-12)


def test_an_axis_of_no_length_is_no_rotation() -> None:
    assert_allclose(quaternion.from_axis_angle([2.0, 0.0, 0.0, 0.0]), quaternion.IDENTITY)


# arrays of any shape


@pytest.mark.parametrize("shape", [(), (5,), (4, 3), (0,)])
def test_functions_of_quaternions_work_on_arrays_of_any_shape(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(3)
    q = quaternion.normalise(rng.normal(size=(*shape, 4)))
    r, v = rng.normal(size=(2, *shape, 3))
    assert quaternion.multiply(q, q).shape == quaternion.exp(r).shape == (*shape, 4)
    assert quaternion.log(q).shape == quaternion.rotate(q, v).shape == (*shape, 3)
    assert quaternion.twist_angle(q, [1.0, 0.0, 0.0]).shape == shape
    assert quaternion.angular_velocity(q, q, 0.1).shape == (*shape, 3)
    assert quaternion.to_matrix(q).shape == (*shape, 3, 3)
    assert quaternion.inverse_left_jacobian(r, v).shape == (*shape, 3)
    for order in EULER_ORDERS:
        euler = quaternion.to_euler(q, order)
        assert quaternion.nearest_euler(euler, v, order).shape == (*shape, 3)
        assert quaternion.from_euler(euler, order).shape == (*shape, 4)


@given(axes(), st.floats(0.0, 0.8), st.integers(2, 60))
def test_a_followed_log_goes_on_where_the_shortest_changes_sides(
    axis: Array, step: float, count: int
) -> None:
    angles = step * np.arange(count)
    followed = quaternion.followed_log(quaternion.exp(angles[:, None] * axis))
    assert_allclose(followed, angles[:, None] * axis, atol=1e-6)
