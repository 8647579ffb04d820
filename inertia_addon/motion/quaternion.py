# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations: unit quaternions (w, x, y, z), rotation vectors, Euler angles and axis-angle.

Every function works on arrays of any leading shape ``(..., 4)`` or ``(..., 3)`` and broadcasts.
Angles are in radians. ``multiply(a, b)`` turns by ``b`` first, then by ``a``. Euler orders are
Blender's: "XYZ" turns about the fixed x axis first, so its matrix is Rz Ry Rx.

Transform channels: which of them a rotation mode reads, what they mean, and where they rest.
"""

from __future__ import annotations

import numpy as np

from .arrays import Array, ArrayLike

IDENTITY: Array = np.array([1.0, 0.0, 0.0, 0.0])

_SMALL = 1e-3
"""Below this angle Taylor series take over from divisions by it."""
_EPSILON = np.finfo(float).eps
"""What stands for an angle of 0 where its sine is divided by it."""


def multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the Hamilton products a b as (..., 4), (w, x, y, z); the arguments broadcast and are not
    normalised.

    As a rotation, the product turns by b first, then by a.
    """
    a, b = np.asarray(a, float), np.asarray(b, float)
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    w = aw * bw - ax * bx - ay * by - az * bz
    product = np.empty((*w.shape, 4))
    product[..., 0] = w
    product[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    product[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    product[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return product


def conjugate(q: ArrayLike) -> Array:
    """Return the inverses of unit quaternions; shape (..., 4)."""
    return np.asarray(q, float) * np.array([1.0, -1.0, -1.0, -1.0])


def normalise(q: ArrayLike) -> Array:
    """Return quaternions (..., 4) scaled to unit length, signs kept, as a new array.

    A quaternion shorter than 1e-30 becomes (0, 1, 0, 0), half a turn about x, as Blender poses it.
    """
    q = np.asarray(q, float)
    length = norms(q)[..., None]
    # as Blender poses a quaternion of zero: by half a turn about x
    zero = length < 1e-30
    return np.where(zero, np.array([0.0, 1.0, 0.0, 0.0]), q / np.where(zero, 1.0, length))


def rotate(q: ArrayLike, v: ArrayLike) -> Array:
    """Return vectors v (..., 3) turned by unit quaternions q (..., 4), which broadcast, as (..., 3).

    The quaternions are not normalised: with others the result is no rotation.
    """
    q = np.asarray(q, float)
    v = np.asarray(v, float)
    axis = q[..., 1:]
    # v + 2 w (u x v) + 2 u x (u x v), in place of two products of quaternions
    t = 2.0 * cross(axis, v)
    return v + q[..., :1] * t + cross(axis, t)


def norms(v: Array) -> Array:
    """Return the lengths (...) of vectors (..., 2 to 4); as numpy's norm, bit for bit, in a third of its
    time.
    """
    square = v * v
    total = square[..., 0] + square[..., 1]
    for i in range(2, v.shape[-1]):
        total = total + square[..., i]
    return np.asarray(np.sqrt(total))


def cross(a: Array, b: Array) -> Array:
    """Return the cross products a x b (..., 3) of vectors (..., 3), which broadcast, as float64; as numpy's,
    in a third of its time.
    """
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    x = ay * bz - az * by
    product = np.empty((*x.shape, 3))
    product[..., 0] = x
    product[..., 1] = az * bx - ax * bz
    product[..., 2] = ax * by - ay * bx
    return product


def exp(r: ArrayLike) -> Array:
    """Return the unit quaternions (..., 4), (w, x, y, z), of rotation vectors `r` (..., 3), axis times angle
    in radians.

    A vector of zeros gives the identity; the sign is not changed, so that w is below 0 for angles between one
    and three half turns.
    """
    r = np.asarray(r, float)
    half = 0.5 * norms(r)[..., None]
    # as numpy's sinc of half / pi, bit for bit, in half of its time: sin(x) / x, exact at 0
    x = np.pi * (half / np.pi)
    x = np.where(x, x, _EPSILON)
    return np.concatenate([np.cos(half), 0.5 * (np.sin(x) / x) * r], axis=-1)


def log(q: ArrayLike) -> Array:
    """Return the shortest rotation vectors (..., 3), axis times angle in radians, of unit quaternions (...,
    4).

    A vector is at most pi long, as q and -q count as the same rotation. Of the two vectors of a half turn (w
    = 0) it is the one along the quaternion's own x, y, z. The quaternions are not normalised. The identity
    gives zero.
    """
    q = np.asarray(q, float)
    # of q and -q, which are one rotation, the shorter way round: the other would add a whole turn to a speed
    q = np.where(q[..., :1] < 0.0, -q, q)
    sine = norms(q[..., 1:])[..., None]
    # arccos would lose its figures near no turn, and arcsin near half a one
    half = np.arctan2(sine, q[..., :1])
    small = sine < 1e-9
    # half/sin(half) -> 1 + half^2/6 near zero
    factor = np.where(small, 1.0 + half * half / 6.0, half / np.where(small, 1.0, sine))
    return 2.0 * factor * q[..., 1:]


def twist_angle(q: ArrayLike, axis: ArrayLike) -> Array:
    """Return the angles (...), in radians from -pi to pi, by which `q` turns about the unit `axis`.

    q: unit quaternions (..., 4); q and -q count as the same. axis: (3,) or (..., 3), which broadcasts. That
    is the twist of the swing-twist decomposition: K. Shoemake, "Fiber bundle twist reduction", Graphics Gems
    IV; as D. Bollo's inertialization uses it for the previous offset.
    """
    q = np.asarray(q, float)
    q = np.where(q[..., :1] < 0.0, -q, q)
    return 2.0 * np.arctan2(np.sum(q[..., 1:] * np.asarray(axis, float), axis=-1), q[..., 0])


def angular_velocity(before: ArrayLike, after: ArrayLike, seconds: ArrayLike) -> Array:
    """Return the mean angular velocity that turns `before` into `after`, the shorter way round.

    For a pair of frames around another one it is the central difference there, with an error of second order
    in `seconds`.

    Parameters
    ----------
    before, after : (..., 4)
        Unit quaternions (w, x, y, z); q and -q count as the same.
    seconds : (...)
        The time between the two; it must not be 0.

    Returns
    -------
    Array (..., 3)
        Axis times radians per second, in the parent's frame. All arguments broadcast.
    """
    return log(multiply(after, conjugate(before))) / np.asarray(seconds, float)[..., None]


def inverse_left_jacobian(r: ArrayLike, omega: ArrayLike) -> Array:
    """Return the rates (..., 3) at which rotation vectors r change that turn with angular velocities omega.

    r, omega: (..., 3), radians and radians per second, omega in the parent's frame (the frame that r turns
    from, not the turned one). J^-1(r) omega = omega - r x omega / 2 + (1/a^2 - (1 + cos a)/(2 a sin a)) r x
    (r x omega), with a = |r| <= pi. A rotation vector's rate is not the angular velocity: leaving J out is
    exact only where r is zero or parallel to omega.
    """
    r = np.asarray(r, float)
    a = norms(r)[..., None]
    safe = np.where(a < _SMALL, 1.0, a)
    # (1 + cos a)/sin a = cot(a/2), which stays finite up to pi
    factor = np.where(
        a < _SMALL, 1.0 / 12.0 + a * a / 720.0, 1.0 / safe**2 - 0.5 / (safe * np.tan(0.5 * safe))
    )
    omega = np.asarray(omega, float)
    turned = cross(r, omega)
    return omega - 0.5 * turned + factor * cross(r, turned)


def from_euler(angles: ArrayLike, order: str) -> Array:
    """Return unit quaternions (..., 4) of Euler angles (..., 3) in radians, given as (x, y, z) whatever the
    order.

    order: Blender's, such as "XYZ": the turn about the first letter's axis comes first, and all are about
    fixed axes. Raise ValueError if it has another letter than X, Y and Z.
    """
    half = 0.5 * np.asarray(angles, float)
    c, s = np.cos(half), np.sin(half)
    first, *others = ("XYZ".index(letter) for letter in order)
    q = np.zeros((4, *half.shape[:-1]))
    q[0], q[1 + first] = c[..., first], s[..., first]
    for axis in others:
        # a turn about one axis has two numbers that count
        turned, second, third = 1 + axis, 1 + (axis + 1) % 3, 1 + (axis + 2) % 3
        w, v, x, y, ca, sa = q[0], q[turned], q[second], q[third], c[..., axis], s[..., axis]
        q[0], q[turned], q[second], q[third] = (
            ca * w - sa * v,
            ca * v + sa * w,
            ca * x - sa * y,
            ca * y + sa * x,
        )
    return np.ascontiguousarray(q.transpose(*range(1, q.ndim), 0))


def to_euler(q: ArrayLike, order: str) -> Array:
    """Return Euler angles (..., 3) in radians of unit quaternions, as (x, y, z) whatever the order.

    order: Blender's, three different letters of "XYZ". Raise ValueError for another letter or another number
    of letters; that they differ is not checked. The angle of the middle letter lies from -pi/2 to pi/2. The
    outer two are not wrapped: they lie between -2 pi and 2 pi. In gimbal lock the angle of the last letter is
    0. Source: E. Bernardes, S. Viollet, "Quaternion to Euler angles conversion: a direct, general and
    computationally efficient method", PLoS ONE 17(11), 2022.
    """
    q = np.asarray(q, float)
    i, j, k = ("XYZ".index(letter) for letter in order)
    sign = 1.0 if (i, j, k) in ((0, 1, 2), (1, 2, 0), (2, 0, 1)) else -1.0
    w, qi, qj, qk = q[..., 0], q[..., 1 + i], q[..., 1 + j], sign * q[..., 1 + k]
    a, b, c, d = w - qj, qi + qk, qj + w, qk - qi
    middle = 2.0 * np.arctan2(np.hypot(c, d), np.hypot(a, b))
    plus, minus = np.arctan2(b, a), np.arctan2(d, c)
    # where the outer axes coincide only their sum, or difference, says anything: the last angle is 0 then
    low, high = np.abs(middle) < 1e-7, np.abs(middle - np.pi) < 1e-7
    angles = np.empty((*q.shape[:-1], 3))
    angles[..., i] = np.where(low, 2.0 * plus, np.where(high, -2.0 * minus, plus - minus))
    angles[..., j] = middle - 0.5 * np.pi
    angles[..., k] = np.where(low | high, 0.0, sign * (plus + minus))
    return angles


def other_euler(angles: ArrayLike, order: str) -> Array:
    """Return the other set of Euler angles (..., 3) of the same rotation, in radians, as (x, y, z).

    The angles of the first and last letter of the order grow by pi, the middle one m becomes pi - m. Nothing
    is wrapped. The argument is not changed.
    """
    # half a turn about both outer axes, between which the middle one runs backwards
    angles = np.asarray(angles, float) + np.pi
    j = "XYZ".index(order[1])
    angles[..., j] = 2.0 * np.pi - angles[..., j]
    return angles


def nearest_turn(angles: ArrayLike, reference: ArrayLike) -> Array:
    """Return angles, radians, moved by whole turns to within half a turn of ``reference``."""
    angles = np.asarray(angles, float)
    return angles + 2.0 * np.pi * np.round((np.asarray(reference, float) - angles) / (2.0 * np.pi))


def nearest_euler(angles: ArrayLike, reference: ArrayLike, order: str) -> Array:
    """Return the Euler angles of the same rotation that lie nearest to `reference`.

    Two sets are compared, the given one and that of :func:`other_euler`, after each of their angles was moved
    by whole turns to within pi of the reference's. The smaller sum of absolute differences wins; in a tie,
    the given set.

    Parameters
    ----------
    angles : (..., 3)
        Radians, as (x, y, z) whatever the order.
    reference : (..., 3)
        The angles to come near to, likewise.
    order
        Blender's, three letters such as "XYZ".

    Returns
    -------
    Array (..., 3)
        Radians, as (x, y, z); angles and reference broadcast.
    """
    first = nearest_turn(angles, reference)
    second = nearest_turn(other_euler(angles, order), reference)
    reference = np.asarray(reference, float)
    nearer = np.sum(np.abs(second - reference), -1) < np.sum(np.abs(first - reference), -1)
    return np.where(nearer[..., None], second, first)


def from_axis_angle(axis_angle: ArrayLike) -> Array:
    """Return unit quaternions (..., 4) of Blender's channels (angle, x, y, z), angles in radians.

    The axis may have any length; one shorter than 1e-30 gives the identity, whatever the angle.
    """
    axis_angle = np.asarray(axis_angle, float)
    angle, axis = axis_angle[..., :1], axis_angle[..., 1:]
    length = norms(axis)[..., None]
    # an axis of no length turns nothing, whatever the angle
    unit = np.where(length < 1e-30, 0.0, axis / np.where(length < 1e-30, 1.0, length))
    return exp(angle * unit)


def to_matrix(q: ArrayLike) -> Array:
    """Return the rotation matrices (..., 3, 3) of unit quaternions."""
    columns = rotate(np.asarray(q, float)[..., None, :], np.eye(3))
    return np.swapaxes(columns, -1, -2)


def from_matrix(matrix: ArrayLike) -> Array:
    """Return the unit quaternions (..., 4), w >= 0, nearest to matrices (..., 3, 3), without their scale and
    shear.

    The rotation is the polar factor, by singular values. Of a mirrored matrix the axis of the least scale is
    turned round first. Raise numpy's LinAlgError if a number is not finite. The matrices act on columns.
    """
    # the polar factor, which is the nearest rotation to a matrix with scale and shear
    u, _, vt = np.linalg.svd(np.asarray(matrix, float))
    # no rotation mirrors, so of a mirrored matrix one axis is turned over
    u[..., 2] *= np.sign(np.linalg.det(u @ vt))[..., None]
    m = np.moveaxis(u @ vt, (-2, -1), (0, 1))
    # the eigenvector of the largest eigenvalue is the quaternion (I. Bar-Itzhack, 2000)
    x, y, z = m[0, 0], m[1, 1], m[2, 2]
    none = np.zeros_like(x)
    k = np.array(
        [
            [x + y + z, m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
            [none, x - y - z, m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]],
            [none, none, y - x - z, m[1, 2] + m[2, 1]],
            [none, none, none, z - x - y],
        ]
    )
    q = np.linalg.eigh(np.moveaxis(k, (0, 1), (-2, -1)), UPLO="U")[1][..., -1]
    return np.where(q[..., :1] < 0.0, -q, q)


def unflipped(q: ArrayLike) -> Array:
    """Return quaternions (n, ..., 4) with signs changed so that none lies opposite to the one before along
    axis 0.

    The first keeps its sign, and the result is a new array. Neighbours have a dot product of 0 or more; all
    still describe the same rotations.
    """
    q = np.array(q, float)
    signs = np.where(np.sum(q[1:] * q[:-1], axis=-1) < 0.0, -1.0, 1.0)
    q[1:] *= np.cumprod(signs, axis=0)[..., None]
    return q


def followed_log(q: ArrayLike) -> Array:
    """Return rotation vectors (n, 3), in radians, of unit quaternions (n, 4), each the nearest to the one
    before.

    The first is the shortest. Each later one is the shortest plus whole turns along its own axis, so that
    vectors go on growing beyond half a turn, where :func:`log` changes sides. The identity always gives zero:
    its whole turns are lost.
    """
    vectors = log(q)
    for i in range(1, len(vectors)):
        size = float(np.linalg.norm(vectors[i]))
        if size > 0.0:
            axis = vectors[i] / size
            # with as many whole turns about its own axis as bring it nearest to the one before
            vectors[i] += axis * (2.0 * np.pi * np.round((vectors[i - 1] @ axis - size) / (2.0 * np.pi)))
    return vectors


def default_of(prop: str, index: int) -> float:
    """Return the value of a transform channel in the rest pose. prop, index: its property and array index."""
    if prop == "scale" or (prop == "rotation_quaternion" and index == 0):
        return 1.0
    return 1.0 if prop == "rotation_axis_angle" and index == 2 else 0.0


def rotation_property(mode: str) -> tuple[str, int]:
    """Return the property that a rotation mode reads, and how many numbers it has."""
    return _READ.get(mode, ("rotation_euler", 3))


_READ = {"QUATERNION": ("rotation_quaternion", 4), "AXIS_ANGLE": ("rotation_axis_angle", 4)}


def to_quaternion(raw: Array, mode: str) -> Array:
    """Return unit quaternions (..., 4) of raw channel values (..., 3 or 4) in a Blender rotation mode.

    mode: "QUATERNION" (w, x, y, z; normalised, a zero one gives half a turn about x), "AXIS_ANGLE" (angle, x,
    y, z; a zero axis gives the identity), or an Euler order such as "XYZ" (x, y, z). Angles are in radians.
    Any other mode is taken for an Euler order and raises ValueError.
    """
    if mode == "QUATERNION":
        return normalise(raw)
    if mode == "AXIS_ANGLE":
        return from_axis_angle(raw)
    return from_euler(raw, mode)
