# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of one animation curve as arrays, and how to cut, move and join them without changing the curve.

A curve is keys with two handles each, as in Blender: the segment that follows a key has that
key's interpolation, a Bezier segment runs from a key over its right handle and the next key's
left handle to the next key. Frames are x, values are y. Arrays stay float32, which is what
Blender stores, so that what is not changed keeps every bit; the arithmetic is float64.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Codes = NDArray[np.uint8]

CONSTANT, LINEAR, BEZIER = 0, 1, 2
"""Interpolation codes; every higher one is an easing, which can't be cut."""

FREE, AUTO, VECTOR, ALIGNED, AUTO_CLAMPED = 0, 1, 2, 3, 4
"""Handle type codes."""

SAME_FRAME = 1e-3
"""Keys nearer than this are on the same frame: imported times are fractions with rounding errors."""

STEP_FRAMES = 1.0 / 64.0
"""How long before a sudden change the curve is held: short against a shutter, exact in float32."""


class NotCuttable(Exception):
    """The curve has a shape that keys cannot reproduce when it is cut or mixed here."""


@dataclasses.dataclass(frozen=True)
class Keys:
    """The keys of a curve, sorted by frame.

    co, left, right: (n, 2) frame and value of keys and handles. interpolation, left_type,
    right_type, easing, kind: (n,) codes as Blender numbers them (kind: keyframe, breakdown, ...).
    amplitude, back, period: (n,) shape of easings, or None where no key is one.
    linear_extrapolation: whether the curve goes on along its end slopes, or holds.
    automatic: whether all of it is plain Bezier with handles that Blender computes, and so only
        keys with other handle types have handles worth reading here.
    """

    co: Floats
    left: Floats
    right: Floats
    interpolation: Codes
    left_type: Codes
    right_type: Codes
    easing: Codes
    kind: Codes
    amplitude: Floats | None = None
    back: Floats | None = None
    period: Floats | None = None
    linear_extrapolation: bool = False
    automatic: bool = False

    def __len__(self) -> int:
        return len(self.co)

    def take(self, span: slice) -> Keys:
        """The keys of a slice."""
        return self._each(lambda values: values[span])

    def copy(self) -> Keys:
        """The same keys in arrays of their own."""
        return self._each(np.copy)

    def _each(self, change: Callable[[Any], Any]) -> Keys:
        """The keys with each array changed."""
        changed: dict[str, Any] = {
            name: change(values) for name in _ARRAYS if (values := getattr(self, name)) is not None
        }
        return dataclasses.replace(self, **changed)


_ARRAYS = tuple(field.name for field in dataclasses.fields(Keys))[:-2]


def sampled(frames: ArrayLike, values: ArrayLike, interpolation: int = BEZIER) -> Keys:
    """Keys on given frames (n,) with values (n,), smooth: each handle lies along the central slope.

    With handles a third of the way to the neighbour a Bezier segment is the cubic Hermite spline.
    """
    return sampled_together(frames, np.asarray(values, float)[:, None], interpolation)[0]


def sampled_together(frames: ArrayLike, values: ArrayLike, interpolation: int = BEZIER) -> list[Keys]:
    """As :func:`sampled` for several curves on the same frames; values (n, curves)."""
    frames, values = np.asarray(frames, float), np.asarray(values, float).T
    n = len(frames)
    slope = (
        np.gradient(values, frames, axis=1, edge_order=2 if n > 2 else 1) if n > 1 else np.zeros_like(values)
    )
    gaps = np.diff(frames) / 3.0 if n > 1 else np.full(1, 1.0 / 3.0)
    before, after = np.concatenate([gaps[:1], gaps]), np.concatenate([gaps, gaps[-1:]])
    points = np.empty((3, len(values), n, 2), np.float32)
    for place, reach in zip(points, (0.0, -before[:n], after[-n:]), strict=True):
        place[..., 0] = frames + reach
        place[..., 1] = values + slope * reach
    codes = [np.full(n, code, np.uint8) for code in (interpolation, ALIGNED, ALIGNED, 0, 0)]
    return [Keys(*curve, *codes) for curve in points.swapaxes(0, 1)]


def constant(frame: float, value: float) -> Keys:
    """A curve of one key."""
    return sampled([frame], [value])


def moved(keys: Keys, frames: float = 0.0, sign: float = 1.0, shift: float = 0.0) -> Keys:
    """The curve ``sign * value + shift``, later by ``frames``: exactly the same shape."""
    if frames == 0.0 and sign == 1.0 and shift == 0.0:
        return keys
    arrays = [
        (points.astype(float) * (1.0, sign) + (frames, shift)).astype(np.float32)
        for points in (keys.co, keys.left, keys.right)
    ]
    return dataclasses.replace(keys, co=arrays[0], left=arrays[1], right=arrays[2])


def head(keys: Keys, frame: float) -> Keys:
    """The curve up to ``frame``, ending with a key there. Raises NotCuttable within an easing."""
    frame = float(np.float32(frame))
    i = _key_at(keys, frame)
    if _is_on(keys, i, frame):
        return keys.take(slice(0, i + 1))
    before = _with_key(keys, i, frame).take(slice(0, i + 1))
    return _sloping(before) if i == 0 else before


def tail(keys: Keys, frame: float) -> Keys:
    """The curve from ``frame`` on, starting with a key there. Raises NotCuttable within an easing."""
    frame = float(np.float32(frame))
    i = _key_at(keys, frame)
    if _is_on(keys, i, frame):
        return keys.take(slice(i, None))
    after = _with_key(keys, i, frame).take(slice(i, None))
    return _sloping(after) if i == len(keys) else after


def key_on(keys: Keys, frame: float) -> int | None:
    """The index of the key on ``frame``, None when there is none."""
    i = _key_at(keys, frame)
    return i if _is_on(keys, i, float(np.float32(frame))) else None


def with_handles(keys: Keys, i: int, left: ArrayLike, right: ArrayLike) -> Keys:
    """The keys with given handles at key ``i``, free ones."""
    fixed = keys.copy()
    fixed.left[i], fixed.right[i] = left, right
    fixed.left_type[i] = fixed.right_type[i] = FREE
    return fixed


def _sloping(keys: Keys) -> Keys:
    """A key alone outside of the others: its handles say how the curve goes on."""
    return dataclasses.replace(keys, interpolation=np.array([BEZIER], np.uint8))


def _is_on(keys: Keys, i: int, frame: float) -> bool:
    """Whether key ``i`` exists and is on ``frame``."""
    return i < len(keys) and abs(float(keys.co[i, 0]) - frame) <= SAME_FRAME


def _key_at(keys: Keys, frame: float) -> int:
    """The index of the key on ``frame``, else of the first one after it."""
    return int(keys.co[:, 0].searchsorted(np.float32(frame - SAME_FRAME)))


def _with_key(keys: Keys, i: int, frame: float) -> Keys:
    """The same curve with one more key, at ``frame``, which becomes key ``i``."""
    before, points, after, code = _segment(keys, i, frame)
    new = constant(frame, points[1])
    new.interpolation[:] = code
    new.left_type[:] = new.right_type[:] = FREE if code == BEZIER else VECTOR
    whole = concatenate([keys.take(slice(0, i)), new, keys.take(slice(i, None))])
    whole = dataclasses.replace(whole, linear_extrapolation=keys.linear_extrapolation)
    whole.left[i], whole.right[i] = points[2:4], points[4:6]
    if i > 0:
        whole.right[i - 1] = before
        whole.interpolation[i - 1] = code
        whole.right_type[i - 1] = _steady(whole.right_type[i - 1])
        whole.left_type[i - 1] = _steady(whole.left_type[i - 1])
    if i < len(keys):
        whole.left[i + 1] = after
        whole.left_type[i + 1] = _steady(whole.left_type[i + 1])
        whole.right_type[i + 1] = _steady(whole.right_type[i + 1])
    return whole


def _segment(keys: Keys, i: int, frame: float) -> tuple[Array, Array, Array, int]:
    """What a key at ``frame`` between keys i - 1 and i looks like.

    Returns the right handle of the key before, (frame, value, left handle, right handle) of the
    new one, the left handle of the key after, and the interpolation of both halves.
    """
    if i == 0 or i == len(keys):
        return _outside(keys, i, frame)
    p0, p3 = keys.co[i - 1].astype(float), keys.co[i].astype(float)
    code = int(keys.interpolation[i - 1])
    if code > BEZIER:
        raise NotCuttable("easing")
    if code == CONSTANT:
        return keys.right[i - 1], _flat(frame, p0[1], 0.0), keys.left[i], CONSTANT
    if code == LINEAR:
        slope = (p3[1] - p0[1]) / (p3[0] - p0[0])
        return keys.right[i - 1], _flat(frame, p0[1] + slope * (frame - p0[0]), slope), keys.left[i], LINEAR
    p1, p2 = corrected_handles(p0, keys.right[i - 1].astype(float), keys.left[i].astype(float), p3)
    t = _parameter(p0[0], p1[0], p2[0], p3[0], frame)
    a, b, c = p0 + t * (p1 - p0), p1 + t * (p2 - p1), p2 + t * (p3 - p2)
    d, e = a + t * (b - a), b + t * (c - b)
    return a, np.concatenate([[frame, (d + t * (e - d))[1]], d, e]), c, BEZIER


def _outside(keys: Keys, i: int, frame: float) -> tuple[Array, Array, Array, int]:
    """As :func:`_segment`, before the first or after the last key, where the curve is a line."""
    edge = 0 if i == 0 else len(keys) - 1
    slope = end_slope(keys, edge) if keys.linear_extrapolation else 0.0
    value = float(keys.co[edge, 1]) + slope * (frame - float(keys.co[edge, 0]))
    return keys.right[edge].astype(float), _flat(frame, value, slope), keys.left[edge].astype(float), LINEAR


def end_slope(keys: Keys, edge: int) -> float:
    """The slope with which linear extrapolation leaves the first (edge 0) or last key."""
    code = int(keys.interpolation[edge])
    if code == CONSTANT:
        return 0.0
    if code == LINEAR:
        if len(keys) == 1:
            return 0.0
        other = keys.co[1] if edge == 0 else keys.co[-2]
    else:
        other = keys.left[0] if edge == 0 else keys.right[-1]
    across = float(other[0]) - float(keys.co[edge, 0])
    return 0.0 if across == 0.0 else (float(other[1]) - float(keys.co[edge, 1])) / across


def _flat(frame: float, value: float, slope: float) -> Array:
    """A key whose two handles lie a frame's third away on a line: (frame, value, left, right)."""
    third = 1.0 / 3.0
    return np.array(
        [frame, value, frame - third, value - slope * third, frame + third, value + slope * third]
    )


def corrected_handles(p0: Array, p1: Array, p2: Array, p3: Array) -> tuple[Array, Array]:
    """The handles that Blender evaluates: shortened to the segment, so that time never runs back."""
    length = p3[0] - p0[0]
    first, second = p1 - p0, p3 - p2
    if abs(first[0]) > length:
        p1 = p0 + first * (length / abs(first[0]))
    if abs(second[0]) > length:
        p2 = p3 - second * (length / abs(second[0]))
    return p1, p2


def _parameter(x0: float, x1: float, x2: float, x3: float, x: float) -> float:
    """The Bezier parameter t at which the frame is ``x``; x(t) never falls, so bisection finds it."""
    low, high = 0.0, 1.0
    for _ in range(60):
        t = 0.5 * (low + high)
        u = 1.0 - t
        if u * u * u * x0 + 3.0 * t * u * (u * x1 + t * x2) + t * t * t * x3 < x:
            low = t
        else:
            high = t
    return 0.5 * (low + high)


def _steady(code: int) -> int:
    """The handle type that keeps a handle where it is: what was aligned stays so."""
    return {AUTO: ALIGNED, AUTO_CLAMPED: ALIGNED, VECTOR: FREE}.get(int(code), int(code))


_STEADY = np.array([FREE, ALIGNED, FREE, ALIGNED, ALIGNED], np.uint8)


def concatenate(parts: Sequence[Keys]) -> Keys:
    """Keys one after the other."""
    arrays: list[NDArray[np.generic] | None] = []
    for name in _ARRAYS:
        pieces = [getattr(part, name) for part in parts]
        if all(piece is None for piece in pieces):
            arrays.append(None)
            continue
        # amplitude, back and period are read only where a key uses them
        filled = [
            np.zeros(len(part), np.float32) if p is None else p for p, part in zip(pieces, parts, strict=True)
        ]
        arrays.append(np.concatenate(filled))
    return Keys(*arrays)  # type: ignore[arg-type]


def join(before: Keys, middle: Keys | None, after: Keys) -> Keys:
    """One curve of a head, keys between (from the head's last frame to the tail's first) and a tail.

    Only the keys where parts meet get handles of their own. Automatic handles elsewhere stay as
    they are when Blender computes them again: a fixed handle shields those beyond it.

    Without a middle the tail must start on the frame where the head ends. The two outer shapes
    are kept: their handles outwards, the interpolation of the tail, and how each end extrapolates.
    """
    if middle is None:
        middle = after.take(slice(0, 1))
    middle = middle.copy()
    middle.left[0] = before.left[-1] + (middle.co[0] - before.co[-1])
    middle.left_type[0] = _free(before.left_type[-1])
    middle.kind[0] = before.kind[-1]
    middle.right[-1] = after.right[0] + (middle.co[-1] - after.co[0])
    middle.right_type[-1] = _free(after.right_type[0])
    middle.interpolation[-1] = after.interpolation[0]
    middle.easing[-1] = after.easing[0]
    if len(middle) > 1:
        middle.right_type[0] = middle.left_type[-1] = FREE
    whole = concatenate([before.take(slice(0, -1)), middle, after.take(slice(1, None))])
    if after.amplitude is not None and whole.amplitude is not None:
        place = len(before) + len(middle) - 2
        for name in ("amplitude", "back", "period"):
            getattr(whole, name)[place] = getattr(after, name)[0]
    if before.automatic and after.automatic:
        return dataclasses.replace(whole, automatic=True)
    return _extrapolated(whole, before, after)


def step(before: Keys, after: Keys) -> Keys:
    """One curve of a head that ends ``STEP_FRAMES`` before a tail starts: held, then at once the other."""
    if len(before) > 1 and before.interpolation[-2] == CONSTANT:
        before = before.take(slice(0, -1))
    before, after = before.copy(), after.copy()
    before.interpolation[-1] = CONSTANT
    before.left_type[-1] = _free(before.left_type[-1])
    after.right_type[0] = _free(after.right_type[0])
    return _extrapolated(concatenate([before, after]), before, after)


def with_baked_segment(keys: Keys, frame: float, frames: ArrayLike, values: ArrayLike) -> Keys:
    """The keys with samples in place of the segment around ``frame``, which can't be cut.

    frames, values: (n,) samples from the segment's first key to its last.
    """
    i = _key_at(keys, frame)
    baked = sampled(frames, values)
    return join(join(keys.take(slice(0, i)), None, baked), None, keys.take(slice(i, None)))


def segment(keys: Keys, frame: float) -> tuple[float, float]:
    """The frames of the two keys around ``frame``."""
    i = _key_at(keys, frame)
    return float(keys.co[i - 1, 0]), float(keys.co[i, 0])


def _free(code: int) -> int:
    """The handle type of a key where two curves meet: a handle of its own on either side."""
    return VECTOR if code == VECTOR else FREE


def _extrapolated(whole: Keys, before: Keys, after: Keys) -> Keys:
    """The curve with each end going on as its own part did, though Blender has one setting for both."""
    left = before.linear_extrapolation and end_slope(before, 0) != 0.0
    right = after.linear_extrapolation and end_slope(after, len(after) - 1) != 0.0
    if not (left or right):
        return whole
    if right and not left:
        # a constant segment in front makes the curve hold before it
        first = constant(float(whole.co[0, 0]) - 1.0, float(whole.co[0, 1]))
        first.interpolation[:] = CONSTANT
        whole = concatenate([first, whole])
    elif left and not right:
        whole = dataclasses.replace(whole, interpolation=whole.interpolation.copy())
        whole.interpolation[-1] = CONSTANT
    return dataclasses.replace(whole, linear_extrapolation=True)


def mixed(curves: Sequence[Keys], weights: ArrayLike, shift: float) -> Keys:
    """The curve ``sum of weights[i] * curves[i] + shift``, exactly.

    All curves start on the same frame. Each gets the keys of all; a segment is exact when those
    that bend there bend over the same handle frames. Raises NotCuttable otherwise.
    """
    weights = np.asarray(weights, float)
    parts = [(w, c) for w, c in zip(weights, curves, strict=True) if abs(w) > 1e-9]
    if len(parts) == 1 and abs(abs(parts[0][0]) - 1.0) < 1e-9:
        return moved(parts[0][1], sign=float(np.sign(parts[0][0])), shift=shift)
    bending = [c for _, c in parts if not is_flat(c)] or [parts[0][1]]
    frames = np.unique(np.concatenate([c.co[:, 0] for c in bending]))
    refined = [(w, c if is_flat(c) else _refined(c, frames)) for w, c in parts]
    shapes = [c for _, c in refined if not is_flat(c)] or [refined[0][1]]
    if any(c.linear_extrapolation for c in shapes):
        raise NotCuttable("linear extrapolation")
    pattern = _common_pattern(shapes)
    arrays = []
    for name in ("co", "left", "right"):
        points = getattr(pattern, name).astype(float)
        values = np.full(len(points), shift)
        for weight, curve in refined:
            flat = is_flat(curve)
            values += weight * (float(curve.co[0, 1]) if flat else getattr(curve, name)[:, 1].astype(float))
        points[:, 1] = values
        arrays.append(points.astype(np.float32))
    return dataclasses.replace(pattern, co=arrays[0], left=arrays[1], right=arrays[2])


def is_flat(keys: Keys) -> bool:
    """Whether a curve has one value everywhere."""
    value = keys.co[0, 1]
    if keys.co[-1, 1] != value or keys.co[len(keys) // 2, 1] != value:
        return False
    return bool(
        np.all(keys.co[:, 1] == value)
        and np.all((keys.interpolation < BEZIER) | ((keys.left[:, 1] == value) & (keys.right[:, 1] == value)))
    )


def _refined(keys: Keys, frames: Floats) -> Keys:
    """The same curve with keys on all of ``frames``."""
    if len(keys) == len(frames) and np.abs(keys.co[:, 0] - frames).max() <= SAME_FRAME:
        return keys
    for frame in frames:
        i = _key_at(keys, float(frame))
        if not _is_on(keys, i, float(frame)):
            keys = _with_key(keys, i, float(frame))
    return keys


def _common_pattern(curves: Sequence[Keys]) -> Keys:
    """The frames of keys and handles that several curves share; raises NotCuttable where they don't."""
    pattern = curves[0]
    if np.any(pattern.interpolation[:-1] > BEZIER):
        raise NotCuttable("easing")
    bends = np.flatnonzero(pattern.interpolation[:-1] == BEZIER)
    for other in curves[1:]:
        if np.any(other.interpolation[:-1] != pattern.interpolation[:-1]):
            raise NotCuttable("different interpolation")
        for mine, theirs in (
            (pattern.right[bends], other.right[bends]),
            (pattern.left[bends + 1], other.left[bends + 1]),
        ):
            if np.any(np.abs(mine[:, 0] - theirs[:, 0]) > 1e-3):
                raise NotCuttable("different handles")
    steady: dict[str, Any] = {
        "left_type": np.where(pattern.left_type == VECTOR, VECTOR, _STEADY[pattern.left_type]).astype(
            np.uint8
        ),
        "right_type": np.where(pattern.right_type == VECTOR, VECTOR, _STEADY[pattern.right_type]).astype(
            np.uint8
        ),
    }
    return dataclasses.replace(pattern, **steady)
