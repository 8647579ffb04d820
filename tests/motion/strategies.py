# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the motion layer draw from: vectors, rotations, blend times."""

from __future__ import annotations

import itertools
import math

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from inertia_addon.motion.decay.decay import Method

Array = NDArray[np.float64]

EULER_ORDERS = ["".join(letters) for letters in itertools.permutations("XYZ")]


def vectors(size: float = 10.0) -> st.SearchStrategy[Array]:
    """Vectors of three numbers; zeros, equal numbers and tiny ones come up often."""
    number = st.floats(-size, size, allow_subnormal=False)
    return st.tuples(number, number, number).map(np.array)


def axes() -> st.SearchStrategy[Array]:
    """Unit vectors."""
    return vectors(1.0).filter(lambda v: np.linalg.norm(v) > 1e-3).map(lambda v: v / np.linalg.norm(v))


def rotation_vectors(largest: float = math.pi) -> st.SearchStrategy[Array]:
    """Rotation vectors up to an angle; those near zero and near the largest come up often."""
    angle = st.one_of(
        st.floats(0.0, largest),
        st.floats(-16.0, -1.0).map(lambda e: 10.0**e),
        st.floats(-12.0, -1.0).map(lambda e: largest - 10.0**e),
        st.sampled_from([0.0, largest, 0.5 * math.pi, 1e-3]),
    )
    return st.tuples(axes(), angle).map(lambda pair: pair[0] * pair[1])


def unit_quaternions() -> st.SearchStrategy[Array]:
    """Unit quaternions of either sign."""
    number = st.floats(-1.0, 1.0)
    four = st.tuples(number, number, number, number).map(np.array)
    return four.filter(lambda q: np.linalg.norm(q) > 1e-3).map(lambda q: q / np.linalg.norm(q))


def seconds() -> st.SearchStrategy[float]:
    """Blend times."""
    return st.floats(0.02, 3.0)


def methods() -> st.SearchStrategy[Method]:
    """Any decay curve."""
    return st.sampled_from(list(Method))


def scipy_rotation(q: Array) -> Rotation:
    """scipy's rotation of a quaternion (w, x, y, z)."""
    return Rotation.from_quat(q, scalar_first=True)
