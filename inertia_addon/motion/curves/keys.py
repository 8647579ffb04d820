# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of one animation curve as arrays, and how to cut, move and join them without changing the curve.

A curve is keys with two handles each, as in Blender: the segment that follows a key has that
key's interpolation, a Bezier segment runs from a key over its right handle and the next key's
left handle to the next key. Frames are x, values are y. Arrays stay float32, which is what
Blender stores, so that what is not changed keeps every bit; the arithmetic is float64.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, ArrayLike, Flags, Floats

Codes = NDArray[np.uint8]

CONSTANT, LINEAR, BEZIER = 0, 1, 2
"""Interpolation codes; every higher one is an easing, which can't be cut."""

FREE, AUTO, VECTOR, ALIGNED, AUTO_CLAMPED = 0, 1, 2, 3, 4
"""Handle type codes."""

SAME_FRAME = 1e-3
"""Keys nearer than this are on the same frame: imported times are fractions with rounding errors."""

STEP_FRAMES = 1.0 / 64.0
"""How long before a sudden change the curve is held: short against a shutter, exact in float32."""


MOST_REMEMBERED = 4096
"""Of curves with more keys than that patterns are not kept, as they would take half as much memory again."""


class NotCuttable(Exception):
    """The curve has a shape that keys cannot reproduce when it is cut or mixed here."""


# not frozen: a bake makes thousands, and a frozen one takes four times as long to make
@dataclasses.dataclass(slots=True)
class Keys:
    """The keys of a curve, sorted by frame; never changed but by who made them.

    points: (n, 3, 2) frame and value of each key, of its left and of its right handle. codes: (n, 5), see the
    properties. shapes: (n, 3) amplitude, back and period of easings, or None where no key is one.
    linear_extrapolation: whether the curve goes on along its end slopes, or holds.
    continuous_acceleration: how Blender computes automatic handles: so that the acceleration is
        continuous too, or from a key's neighbours alone.
    """

    # few arrays, as thousands of curves are cut and joined in a bake
    points: Floats
    codes: Codes
    shapes: Floats | None = None
    linear_extrapolation: bool = False
    continuous_acceleration: bool = True
    _pattern: tuple[bytes, bytes] | None = dataclasses.field(
        default=None, init=False, repr=False, compare=False
    )

    def __len__(self) -> int:
        return len(self.points)

    @property
    def co(self) -> Floats:
        """Frame and value (n, 2), a view."""
        return self.points[:, 0]

    @property
    def left(self) -> Floats:
        """The left handles (n, 2), a view."""
        return self.points[:, 1]

    @property
    def right(self) -> Floats:
        """The right handles (n, 2), a view."""
        return self.points[:, 2]

    @property
    def interpolation(self) -> Codes:
        """The interpolation of what follows each key (n,), as Blender numbers it, a view."""
        return self.codes[:, 0]

    @property
    def left_type(self) -> Codes:
        """The types of the left handles (n,), a view."""
        return self.codes[:, 1]

    @property
    def right_type(self) -> Codes:
        """The types of the right handles (n,), a view."""
        return self.codes[:, 2]

    @property
    def easing(self) -> Codes:
        """At which end an easing eases (n,), as Blender numbers it, a view."""
        return self.codes[:, 3]

    @property
    def kind(self) -> Codes:
        """Keyframe, breakdown, ... (n,), as Blender numbers them, a view."""
        return self.codes[:, 4]

    @property
    def pattern(self) -> tuple[bytes, bytes]:
        """The frames of keys and handles, and the interpolations: curves of the same ones are evaluated, cut
        and joined together.

        It is found once, as the same curves are asked for in each of many plans.
        """
        if self._pattern is not None:
            return self._pattern
        pattern = self.points[..., 0].tobytes(), self.codes[:, 0].tobytes()
        if len(self.points) <= MOST_REMEMBERED:
            self._pattern = pattern
        return pattern

    @property
    def nbytes(self) -> int:
        """How many bytes the arrays take."""
        shapes = 0 if self.shapes is None else self.shapes.nbytes
        return self.points.nbytes + self.codes.nbytes + shapes

    def take(self, span: slice | Flags) -> Keys:
        """Return the keys of a slice, as views, or those that flags (n,) choose, in arrays of their own."""
        return Keys(
            self.points[span],
            self.codes[span],
            None if self.shapes is None else self.shapes[span],
            self.linear_extrapolation,
            self.continuous_acceleration,
        )

    def copy(self) -> Keys:
        """Return these keys in arrays of their own."""
        shapes = None if self.shapes is None else self.shapes.copy()
        return dataclasses.replace(self, points=self.points.copy(), codes=self.codes.copy(), shapes=shapes)


def sampled(frames: ArrayLike, values: ArrayLike, interpolation: int = BEZIER) -> Keys:
    """Return smooth keys of values: with central slopes, so that with BEZIER it is the cubic Hermite spline.

    Parameters
    ----------
    frames : (n,)
        Rising.
    values : (n,)
        The values there.
    interpolation
        The code of what follows each key.

    Returns
    -------
    Keys
        With aligned handles, a third of the way to the neighbour long; it extrapolates
        level.
    """
    return sampled_together(frames, np.asarray(values, float)[:, None], interpolation)[0]


def sampled_together(frames: ArrayLike, values: ArrayLike, interpolation: int = BEZIER) -> list[Keys]:
    """Return one curve for each column of values, all with keys on the same frames.

    Handles are aligned, a third of the way to the neighbour long (a third of a frame at a single key), with
    the slopes of :func:`slopes`, so that with BEZIER a curve is the cubic Hermite spline. The outer handles
    at the ends mirror the inner ones. A single key's slope is 0.

    Parameters
    ----------
    frames : (n,)
        Rising; one or more.
    values : (n, curves)
        The values there.
    interpolation
        The code of what follows each key.

    Returns
    -------
    list[Keys]
        In the columns' order; they share one array of codes and extrapolate level.

    Raises
    ------
    ValueError
        There are no frames.
    """
    points, codes = sample_points(frames, values, interpolation)
    return [Keys(curve, codes) for curve in points]


def sample_points(frames: ArrayLike, values: ArrayLike, interpolation: int = BEZIER) -> tuple[Floats, Codes]:
    """Return the points (curves, n, 3, 2), and the codes (n, 5) that they share, of curves through values on
    the same frames, a curve for each column.

    frames: (n,), rising, at least one. values: (n, curves). interpolation: the code of what follows each key.
    Of each key there are its place, left and right handle, as frame and value, in 32-bit floats. Handles are
    ALIGNED, a third of the way to the neighbour long, with the slopes of :func:`slopes`; those at the ends
    mirror the inner ones, and those of a single key are level and a third of a frame long.
    """
    frames, columns = np.asarray(frames, float), np.asarray(values, float)
    n = len(frames)
    slope: Any = slopes(frames, columns).T
    columns = columns.T
    # a key alone has handles as long as on frames that follow each other
    gaps = (frames[1:] - frames[:-1]) / 3.0 if n > 1 else np.full(1, 1.0 / 3.0)
    before, after = np.concatenate([gaps[:1], gaps]), np.concatenate([gaps, gaps[-1:]])
    points = np.empty((len(columns), n, 3, 2), np.float32)
    for i, reach in enumerate((0.0, -before[:n], after[-n:])):
        points[..., i, 0] = frames + reach
        points[..., i, 1] = columns + slope * reach
    return points, _coded(n, interpolation, ALIGNED)


def kinked(keys: Keys, at: Iterable[int]) -> Keys:
    """Return a copy of keys of which some have free handles, so that the curve may have a kink there.

    at: indices of keys, in any order; the first and the last key may be among them. Each handle keeps its
    frame and gets the slope of the up to three keys on its own side, those beyond the next key of `at` left
    out, so that what stands still on one side does so from the key on. A handle without keys on its side, at
    an end, keeps its place. The other keys stay as they are. The copy has no shapes of easings, and
    extrapolates level.
    """
    frames, values = keys.co[:, 0].astype(float), keys.co[:, 1:].astype(float)
    ends = [0, *sorted(at), len(frames) - 1]
    points, codes = keys.points.copy(), keys.codes.copy()
    for before, kink, after in zip(ends, ends[1:-1], ends[2:], strict=False):
        codes[kink, 1:3] = FREE
        for side, last, part in (
            (1, -1, slice(max(before, kink - 2), kink + 1)),
            (2, 0, slice(kink, min(after, kink + 2) + 1)),
        ):
            if part.stop - part.start > 1:
                slope = slopes(frames[part], values[part])[last, 0]
                reach = points[kink, side, 0] - frames[kink]
                points[kink, side, 1] = values[kink, 0] + slope * reach
    return Keys(points, codes)


def _coded(n: int, interpolation: int, side: int) -> Codes:
    """Return the codes (n, 5) of keys of one interpolation, with both handles of one type."""
    codes = np.zeros((n, 5), np.uint8)
    codes[:, 0], codes[:, 1:3] = interpolation, side
    return codes


def slopes(frames: Array, values: Array) -> Array:
    """Return the slopes (n, curves), per frame, of values (n, curves) on rising frames (n,), each that of the
    parabola through a key and its two neighbours.

    The ends have those of the parabolas through the three keys next to them. Of two values it is the line's
    slope, of one 0.
    """
    if len(frames) < 2:
        return np.zeros_like(values)
    # differences of slices, as numpy's own take four times as long for so few keys
    gaps = (frames[1:] - frames[:-1])[:, None]
    chords = (values[1:] - values[:-1]) / gaps
    if len(frames) == 2:
        return np.repeat(chords, 2, axis=0)
    # the slopes of the parabola through each key and its neighbours, however far apart these are
    bends = (chords[1:] - chords[:-1]) / (gaps[1:] + gaps[:-1])
    inner = chords[:-1] + bends * gaps[:-1]
    # at the ends those of the parabola beside them
    ends = chords[0] - bends[0] * gaps[0], chords[-1] + bends[-1] * gaps[-1]
    return np.concatenate([ends[0][None], inner, ends[1][None]])


def constant(frame: float, value: float) -> Keys:
    """Return a curve of one key."""
    return sampled([frame], [value])


def move(keys: Keys, frames: float = 0.0, sign: float = 1.0, shift: float = 0.0) -> Keys:
    """Return a curve with values sign * value + shift, moved in time; its shape stays, up to rounding.

    Parameters
    ----------
    keys
        The curve.
    frames
        How many frames later it is.
    sign
        1 or -1; any other factor stretches values and handles alike, but not the shapes of
        easings.
    shift
        Added to the values.

    Returns
    -------
    Keys
        The same object if nothing changes; else one that shares codes and shapes of easings
        with `keys`, its points and handles rounded to 32-bit floats.
    """
    if frames == 0.0 and sign == 1.0 and shift == 0.0:
        return keys
    if sign == 1.0 and shift == 0.0 and float(np.float32(frames)) == frames:
        # the same as below, in a fourth of the time
        points = keys.points + np.array([frames, 0.0], np.float32)
    else:
        points = (keys.points.astype(float) * (1.0, sign) + (frames, shift)).astype(np.float32)
    return Keys(points, keys.codes, keys.shapes, keys.linear_extrapolation, keys.continuous_acceleration)


def scaled(keys: Keys, origin: float, scale: float) -> Keys:
    """Return the curve stretched in time about a frame, with exactly the same shape.

    Parameters
    ----------
    keys
        The curve.
    origin
        The frame that stays.
    scale
        How many times as long it becomes, above 0.

    Returns
    -------
    Keys
        A copy that shares its codes; periods of easings are stretched, too.
    """
    points = ((keys.points.astype(float) - (origin, 0.0)) * (scale, 1.0) + (origin, 0.0)).astype(np.float32)
    # of the shape of an easing only the period is a time
    shapes = None if keys.shapes is None else (keys.shapes * (1.0, 1.0, scale)).astype(np.float32)
    return dataclasses.replace(keys, points=points, shapes=shapes)


def backwards(keys: Keys) -> Keys:
    """Return a curve in reversed time: at a frame it has the value that `keys` have at minus that frame.

    Handles change sides with their types. Each segment keeps its interpolation, which its new first key has;
    the last key again has what the last key had. The keys are straight, constant or Bezier: shapes of easings
    are dropped. A constant segment then holds what was its end. How the ends extrapolate stays.
    """
    # no zero of a key has a sign
    points = (keys.points[::-1][:, [0, 2, 1]] * np.array([-1.0, 1.0], np.float32)) + np.float32(0.0)
    codes = keys.codes[::-1][:, [0, 2, 1, 3, 4]]
    # a key says what follows it; the last one, what follows where curves go on
    codes[:-1, 0] = keys.codes[:-1][::-1, 0]
    codes[-1, 0] = keys.codes[-1, 0]
    return dataclasses.replace(keys, points=points, codes=codes, shapes=None)


def head(keys: Keys, frame: float) -> Keys:
    """Return the curve up to ``frame``, ending with a key there. Raise NotCuttable within an easing."""
    whole, i = _keyed(keys, frame)
    return _keep_outer_slope(whole.take(slice(0, i + 1)), keys, 0)


def tail(keys: Keys, frame: float) -> Keys:
    """Return the curve from ``frame`` on, starting with a key there. Raise NotCuttable within an easing."""
    whole, i = _keyed(keys, frame)
    return _keep_outer_slope(whole.take(slice(i, None)), keys, -1)


def _keyed(keys: Keys, frame: float) -> tuple[Keys, int]:
    """Return (keys, index): a curve of the same shape that has a key on `frame`, and that key's index.

    The given keys are returned if they have one within 0.001 frames. Otherwise it is a new curve; in a Bezier
    segment it may get more keys beside that one, and beyond the ends the key is added where the curve goes
    on. Raise NotCuttable if the frame lies within an easing.
    """
    # as a key stores it
    frame = float(np.float32(frame))
    i = _key_at(keys, frame)
    if i < len(keys) and abs(float(keys.co[i, 0]) - frame) <= SAME_FRAME:
        return keys, i
    keys = _with_key(keys, i, frame)
    return keys, _key_at(keys, frame)


def _keep_outer_slope(piece: Keys, whole: Keys, edge: int) -> Keys:
    """Return a part of a curve whose outer end extrapolates as the whole curve does.

    piece: the part. whole: the curve that it was cut from. edge: 0 for its first key, -1 for its last. If it
    extrapolates level, or the slopes with which both leave that end by :func:`_end_slope` are equal but for
    rounding, the piece is returned itself. Otherwise it is a copy whose end key is a Bezier key with a free
    outer handle of the whole's slope, a third of a frame long; its other handle stays.
    """
    if not piece.linear_extrapolation:
        return piece
    slope = _end_slope(whole, edge)
    if _alike(_end_slope(piece, edge), slope):
        return piece
    piece = piece.copy()
    line = _flat(float(piece.co[edge, 0]), float(piece.co[edge, 1]), slope)
    if edge == 0:
        piece.left[0], piece.left_type[0] = line[2:4], FREE
    else:
        piece.right[-1], piece.right_type[-1] = line[4:6], FREE
    piece.interpolation[edge] = BEZIER
    return piece


def _key_at(keys: Keys, frame: float) -> int:
    """Return the index of the key on ``frame``, else of the first one after it."""
    return int(keys.co[:, 0].searchsorted(np.float32(frame - SAME_FRAME)))


def keyed(curves: Sequence[Keys], frame: float) -> list[Keys]:
    """Return curves of the same shapes, with a key on `frame` where it lies within a Bezier segment, ready to
    be cut quickly.

    Such a curve is a new object, and may get more keys beside that one. All other curves are returned as they
    are: those with shapes of easings or linear extrapolation, and those that have a key there (within 0.001
    frames), begin behind the frame or end before it, or are straight, constant or eased there.
    """
    frame = float(np.float32(frame))
    result = list(curves)
    alike: dict[tuple[int, tuple[bytes, bytes], bytes, bool], list[int]] = {}
    for row, keys in enumerate(curves):
        # easings and lines beyond the ends are left to :func:`_keyed`, one by one
        if keys.shapes is not None or keys.linear_extrapolation:
            continue
        i = _key_at(keys, frame)
        is_between = 0 < i < len(keys) and abs(float(keys.points[i, 0, 0]) - frame) > SAME_FRAME
        if is_between and keys.codes[i - 1, 0] == BEZIER:
            name = i, keys.pattern, keys.codes.tobytes(), keys.continuous_acceleration
            alike.setdefault(name, []).append(row)
    for (i, _, _, is_continuous), rows in alike.items():
        codes = curves[rows[0]].codes
        points, codes = _with_keys(np.stack([curves[row].points for row in rows]), codes, i, frame)
        for row, points_of_row, kinds in zip(rows, points, codes, strict=True):
            result[row] = Keys(
                points_of_row,
                kinds,
                None,
                linear_extrapolation=False,
                continuous_acceleration=is_continuous,
            )
    return result


def _with_keys(points: Floats, codes: Codes, i: int, frame: float) -> tuple[Floats, Codes]:
    """Insert keys at `frame` into curves (k, n, 3, 2) of the same codes (n, 5), where key i ends a Bezier
    segment.

    Return their points (k, m, 3, 2), and their codes (k, m, 5), as new arrays; the shapes stay. A segment may
    need several keys. New keys are Bezier with FREE handles. The inner handles of keys i - 1 and i are
    shortened to fit, and both keys get handle types that keep handles where they are, by :func:`_hold_types`.
    All curves have their points on the same frames.
    """
    fitted = _bezier_keys(points[:, i - 1 : i + 1].astype(float), frame).astype(np.float32)
    new = fitted[:, 1:-1]
    new[:, :, 0] += np.float32(0.0)  # no zero of a key has a sign
    whole = np.concatenate([points[:, :i], new, points[:, i:]], axis=1)
    row_codes = np.concatenate([codes[:i], _coded(new.shape[1], BEZIER, FREE), codes[i:]])
    kinds = np.tile(row_codes, (len(points), 1, 1))
    j = i + new.shape[1]
    whole[:, i - 1, 2], whole[:, j, 1] = fitted[:, 0, 2], fitted[:, -1, 1]
    for at in (i - 1, j):
        kinds[:, at, 1:3] = _hold_types(whole[:, at], kinds[:, at, 1:3])
    return whole, kinds


def _with_key(keys: Keys, i: int, frame: float) -> Keys:
    """Return a curve of the same shape with one more key, on `frame`, before key i; more than one if a Bezier
    segment needs it.

    i: from 0 to the number of keys; at either end the key lies beyond the curve, on its extrapolation. New
    keys have the interpolation of :func:`_segment`, that of the segment or of the line beyond an end, with
    FREE handles if it is BEZIER and VECTOR handles otherwise; so has the key before them, if there is one,
    even where it was the curve's last. The neighbours' handles towards the new keys are changed to fit, and
    their handle types, on both sides, to such as keep handles where they are. How the ends extrapolate and
    how automatic handles are computed stays. `keys` are not changed. Raise NotCuttable within an easing.
    """
    before, points, after, code = _segment(keys, i, frame)
    inserted = points.astype(np.float32).reshape(-1, 3, 2)
    inserted[:, 0] += np.float32(0.0)  # no zero of a key has a sign
    new = Keys(inserted, _coded(len(inserted), code, FREE if code == BEZIER else VECTOR))
    parts = [keys.take(slice(0, i)), new, keys.take(slice(i, None))]
    whole = concatenate(parts, linear_extrapolation=keys.linear_extrapolation)
    if i > 0:
        whole.right[i - 1] = before
        whole.interpolation[i - 1] = code
        _hold(whole, i - 1)
    if i < len(keys):
        j = i + len(inserted)
        whole.left[j] = after
        _hold(whole, j)
    return whole


def _segment(keys: Keys, i: int, frame: float) -> tuple[Array, Array, Array, int]:
    """Return what is needed to insert a key at `frame` between keys i - 1 and i without changing the curve's
    shape.

    That is: the right handle (2,) of the key before, the new keys (n, 6) with frame, value, left and right
    handle, the left handle (2,) of the key behind, and the interpolation of all of these segments. n is 1
    except in Bezier segments. In linear and constant ones the neighbours' handles are their own, and the new
    ones lie a third of a frame away on the line.

    i is 0 or the number of keys for a frame beyond the ends. There both neighbours' handles are those of the
    end key on the line, a third of a frame long, and the interpolation is BEZIER if the curve extrapolates
    linearly from a Bezier or eased key, else LINEAR. Raise NotCuttable within an easing.
    """
    if i == 0 or i == len(keys):
        # there the curve is a line
        edge = 0 if i == 0 else -1
        x, y = keys.co[edge].astype(float)
        slope = _end_slope(keys, edge) if keys.linear_extrapolation else 0.0
        end, new = _flat(x, y, slope), _flat(frame, y + slope * (frame - x), slope)
        # the key keeps its kind, as the curve may go on along its handle on its other side
        code = BEZIER if keys.linear_extrapolation and keys.interpolation[edge] >= BEZIER else LINEAR
        return end[4:6], new[None], end[2:4], code
    code = int(keys.interpolation[i - 1])
    if code > BEZIER:
        raise NotCuttable("easing")
    if code < BEZIER:
        p0, p3 = keys.co[i - 1].astype(float), keys.co[i].astype(float)
        slope = (p3[1] - p0[1]) / (p3[0] - p0[0]) if code == LINEAR else 0.0
        new = _flat(frame, p0[1] + slope * (frame - p0[0]), slope)
        return keys.right[i - 1], new[None], keys.left[i], code
    fitted = _bezier_keys(keys.points[None, i - 1 : i + 1].astype(float), frame)[0]
    return fitted[0, 2], fitted[1:-1].reshape(-1, 6), fitted[-1, 1], BEZIER


def _bezier_keys(ends: Array, frame: float) -> Array:
    """Return two keys of curves and those that one between them needs: (k, n, 3, 2) with n of 3 or more.

    ends: (k, 2, 3, 2), for each curve two keys, of each its point, its left and its right handle, as frame
    and value; the returned keys are alike, in order of frames, the two included. One key is on `frame`, which
    lies between the two, and there are more if the halves do not fit otherwise. All curves have their points
    and handles on the same frames. The left handle of the first key and the right one of the last stay as
    they are.
    """
    p0, p3 = ends[:, 0, 0], ends[:, 1, 0]
    p1, p2 = _corrected_handles(p0, ends[:, 0, 2], ends[:, 1, 1], p3)
    bezier = np.stack([p0, p1, p2, p3], axis=1)
    first, second = _halves(bezier, _parameter(*bezier[0, :, 0].tolist(), frame))
    first[:, 3, 0] = second[:, 0, 0] = frame
    pieces = [*_split_to_fit(first), *_split_to_fit(second)]
    keys = np.empty((len(ends), len(pieces) + 1, 3, 2))
    keys[:, 0], keys[:, -1] = ends[:, 0], ends[:, 1]
    for j, piece in enumerate(pieces):
        keys[:, j, 2], keys[:, j + 1, 1] = piece[:, 1], piece[:, 2]
        if j:
            keys[:, j, 0] = piece[:, 0]
    return keys


def _halves(bezier: Array, t: float) -> tuple[Array, Array]:
    """Return Bezier segments (k, 4, 2) cut in two at their parameter t, by de Casteljau: two arrays (k, 4,
    2).
    """
    outer = bezier[:, :-1] + t * np.diff(bezier, axis=1)
    inner = outer[:, :-1] + t * np.diff(outer, axis=1)
    middle = inner[:, :-1] + t * np.diff(inner, axis=1)
    return (
        np.concatenate([bezier[:, :1], outer[:, :1], inner[:, :1], middle], axis=1),
        np.concatenate([middle, inner[:, 1:], outer[:, 2:], bezier[:, 3:]], axis=1),
    )


def _split_to_fit(bezier: Array) -> list[Array]:
    """Return a Bezier segment of k curves (k, 4, 2) split into one or more of that shape, in order of time,
    whose handles are no longer in time than they are.

    All curves have the same frames. Halves of a segment with two long handles can have a handle that reaches
    beyond their end. Blender shortens such a handle, which bends the curve; cut once more, at the middle
    parameter, it fits. One that fits, or is shorter than 0.016 frames, is returned as it is, alone in the
    list.
    """
    x0, x1, x2, x3 = bezier[0, :, 0].tolist()
    length = x3 - x0
    if max(x1 - x0, x3 - x2) <= length * (1.0 + 1e-6) or length < 16.0 * SAME_FRAME:
        return [bezier]
    first, second = _halves(bezier, 0.5)
    return [*_split_to_fit(first), *_split_to_fit(second)]


def _end_slope(keys: Keys, edge: int) -> float:
    """Return the slope, value per frame, with which linear extrapolation leaves the first key (edge 0) or the
    last (edge -1).

    It does not matter whether the curve extrapolates linearly. It is 0 for a constant key, a single linear
    key, and a key whose outer handle is on its own frame.
    """
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
    """Return a key whose two handles lie a third of a frame away on a line: (frame, value, left, right),
    (6,).
    """
    third = 1.0 / 3.0
    return np.array(
        [frame, value, frame - third, value - slope * third, frame + third, value + slope * third]
    )


def _corrected_handles(p0: Array, p1: Array, p2: Array, p3: Array) -> tuple[Array, Array]:
    """Return the two handles (..., 2), right and left, that Blender evaluates, so that time never runs back.

    Each that reaches further in time than the segment is long is shortened on its own to that length, towards
    its key and in its direction; others are returned as they are. p0, p1, p2, p3: (..., 2), frame and value
    of the key, its right handle, the next key's left handle, the next key.
    """
    length = p3[..., :1] - p0[..., :1]

    def shorten(key: Array, handle: Array) -> Array:
        reach = np.abs(handle[..., :1] - key[..., :1])
        is_longer = reach > length
        return np.where(is_longer, key + (handle - key) * (length / np.where(is_longer, reach, 1.0)), handle)

    return shorten(p0, p1), shorten(p3, p2)


@functools.lru_cache(maxsize=256)
def _parameter(x0: float, x1: float, x2: float, x3: float, x: float) -> float:
    """Return the Bezier parameter t, 0 to 1, at a frame x, by bisection; it is cached, as curves share their
    frames.

    x0 to x3: the frames of key, handles and next key, which rise with t.
    """
    low, high = 0.0, 1.0
    # more halvings than a double has figures
    for _ in range(60):
        t = 0.5 * (low + high)
        u = 1.0 - t
        if u * u * u * x0 + 3.0 * t * u * (u * x1 + t * x2) + t * t * t * x3 < x:
            low = t
        else:
            high = t
    return 0.5 * (low + high)


def _hold(keys: Keys, i: Any) -> None:
    """Keep the handles of key ``i``, or of several, where they are when Blender computes handles again."""
    keys.codes[i, 1:3] = _hold_types(keys.points[i], keys.codes[i, 1:3])


def _hold_types(points: Floats, types: Codes) -> Codes:
    """Return handle types (..., 2), uint8, that keep handles where they are when Blender recomputes them.

    points: key, left and right handle (..., 3, 2). types: the present ones (..., 2). Where both handles are
    in line, AUTO, ALIGNED and AUTO_CLAMPED become ALIGNED; all others become FREE.
    """
    before = (points[..., 0, :] - points[..., 1, :]).astype(float)
    after = (points[..., 2, :] - points[..., 0, :]).astype(float)
    # by the sine of the angle between them: they lie on one line but for a thousandth
    bent = np.abs(before[..., 0] * after[..., 1] - after[..., 0] * before[..., 1])
    bent = bent > 1e-3 * np.hypot(before[..., 0], before[..., 1]) * np.hypot(after[..., 0], after[..., 1])
    # an automatic handle beside a clamped one: aligned, they would be turned into line
    return np.where(bent[..., None], np.uint8(FREE), _STEADY[types])


_STEADY = np.array([FREE, ALIGNED, FREE, ALIGNED, ALIGNED], np.uint8)
"""For each handle type the one that keeps a handle where it is: what was aligned stays so."""


def concatenate(pieces: Sequence[Keys], *, linear_extrapolation: bool = False) -> Keys:
    """Return the keys of all pieces, one after the other, as new ones; acceleration is continuous if it is in
    all of them.
    """
    return Keys(
        np.concatenate([part.points for part in pieces]),
        np.concatenate([part.codes for part in pieces]),
        _shapes(pieces),
        linear_extrapolation,
        # keys made here have no automatic handles, and the default way to compute them
        all(part.continuous_acceleration for part in pieces),
    )


def _shapes(pieces: Sequence[Keys]) -> Floats | None:
    """Return the shapes (n, 3) of the easings of some pieces' keys, one piece after the other; None if no
    piece has any.

    A piece without shapes gets zeros.
    """
    if all(part.shapes is None for part in pieces):
        return None
    # read only where a key uses them
    filled = [np.zeros((len(p), 3), np.float32) if p.shapes is None else p.shapes for p in pieces]
    return np.concatenate(filled)


def join(before: Keys, middle: Keys | None, after: Keys) -> Keys:
    """Return one curve of a head, keys between and a tail.

    Only the keys where parts meet get handles of their own. Automatic handles elsewhere stay as they are when
    Blender computes them again: a fixed handle shields those beyond it. The two outer shapes are kept: their
    handles outwards, the interpolation of the tail, and how each end extrapolates, for which a key may be
    added a frame beyond an end.

    Parameters
    ----------
    before
        The head.
    middle
        The keys from the head's last frame to the tail's first, whose ends replace those
        keys; None if the tail starts on the frame where the head ends.
    after
        The tail.

    Returns
    -------
    Keys
        A new curve.
    """
    return joined_together([(before, middle, after)])[0]


def joined_together(pieces: Sequence[tuple[Keys, Keys | None, Keys]]) -> list[Keys]:
    """Return joined curves, one for each (head, middle or None, tail), in order.

    A middle runs from the head's last frame to the tail's first, and its end keys replace theirs; with None
    the tail must start on the frame where the head ends, and its first value holds there. Where parts meet,
    the key keeps the head's handle inwards and kind, and the tail's handle outwards, interpolation and
    easing; these handles become FREE, or stay VECTOR if their part has several keys. Each end extrapolates as
    before, for which a key may be added beyond it. If head and tail compute automatic handles differently,
    the tail's are fixed where they are. The given keys are not changed. It is much quicker than :func:`join`
    one by one if many have equally many keys.
    """
    alike: dict[Hashable, list[int]] = {}
    whole: list[tuple[Keys, Keys, Keys]] = []
    for i, (before, middle, after) in enumerate(pieces):
        after = _computed_alike(before, after)
        whole.append((before, after.take(slice(0, 1)) if middle is None else middle, after))
        between = whole[-1][1]
        lengths = len(before.points), len(between.points), len(after.points)
        plain = before.shapes is None, between.shapes is None, after.shapes is None
        alike.setdefault((lengths, plain), []).append(i)
    joined: dict[int, Keys] = {}
    for rows in alike.values():
        joined |= zip(rows, _joined([whole[i] for i in rows]), strict=True)
    return [joined[i] for i in range(len(pieces))]


def _joined(pieces: Sequence[tuple[Keys, Keys, Keys]]) -> Iterator[Keys]:
    """Yield joined curves, in order, each of a head, keys between, and a tail.

    pieces: (head, middle, tail), each of which has the same number of keys in all pieces, and shapes in all
    or in none. The middle's ends replace the head's last and the tail's first key, but for the head's handle
    inwards, and the tail's handle and interpolation outwards, which move along; a middle of one key stands
    for no middle. How each end extrapolates is kept.
    """
    sides = befores, _, afters = [*zip(*pieces, strict=True)]
    before, middle, after = (np.array([part.points for part in side]) for side in sides)
    points = np.concatenate([before[:, :-1], middle, after[:, 1:]], axis=1)
    head, between_codes, tail = (np.array([part.codes for part in side]) for side in sides)
    codes = np.concatenate([head[:, :-1], between_codes, tail[:, 1:]], axis=1)
    first, last = before.shape[1] - 1, before.shape[1] + middle.shape[1] - 2
    points[:, first, 1] = before[:, -1, 1] + (middle[:, 0, 0] - before[:, -1, 0])
    codes[:, first, 1] = _free(befores[0], head[:, -1, 1])
    codes[:, first, 4] = head[:, -1, 4]
    points[:, last, 2] = after[:, 0, 2] + (middle[:, -1, 0] - after[:, 0, 0])
    codes[:, last, 2] = _free(afters[0], tail[:, 0, 2])
    codes[:, last, 0] = tail[:, 0, 0]
    codes[:, last, 3] = tail[:, 0, 3]
    if last > first:
        codes[:, first, 2] = codes[:, last, 1] = FREE
    has_shapes = any(part.shapes is not None for part in pieces[0])
    for i, (start, between, end) in enumerate(pieces):
        shapes = None
        if has_shapes:
            shapes = _shapes([start.take(slice(0, -1)), between, end.take(slice(1, None))])
        if end.shapes is not None and shapes is not None:
            shapes[last] = end.shapes[0]
        # keys made here have no automatic handles, and the default way to compute them
        alike = (
            start.continuous_acceleration and between.continuous_acceleration and end.continuous_acceleration
        )
        yield _extrapolated(
            Keys(points[i], codes[i], shapes, linear_extrapolation=False, continuous_acceleration=alike),
            start,
            end,
        )


def _computed_alike(before: Keys, after: Keys) -> Keys:
    """Return the tail of a curve in the way of computing automatic handles that the head has.

    before: the head. after: the tail. If both have the same way, or the head has no automatic handles, it is
    the tail itself. Otherwise it is a copy with the head's `continuous_acceleration`, whose keys with an
    automatic handle get handle types that keep both handles where they are, by :func:`_hold_types`.
    """
    if before.continuous_acceleration == after.continuous_acceleration or not len(_automatic(before)):
        return after
    after = dataclasses.replace(after.copy(), continuous_acceleration=before.continuous_acceleration)
    _hold(after, _automatic(after))
    return after


def _automatic(keys: Keys) -> NDArray[np.intp]:
    """Return the indices of keys with an automatic handle."""
    types = np.stack([keys.left_type, keys.right_type])
    return np.flatnonzero(((types == AUTO) | (types == AUTO_CLAMPED)).any(axis=0))


def step(before: Keys, after: Keys) -> Keys:
    """Return one curve of a head and a tail: the head's last value is held, then the tail begins at once.

    before: the head; its last key becomes constant. If its last segment is constant already, the last key is
    dropped, and the value held is that of the segment, not that of the dropped key. It has to end before the
    tail begins, usually by 1/64 frame; frames are not changed. after: the tail.

    The handles inwards of the last key kept and of the tail's first key become FREE, or stay VECTOR if their
    part has several keys. If head and tail compute automatic handles differently, the tail's are fixed where
    they are. Beyond both ends the curve goes on as the parts did, for which a key may be added. The given
    keys are not changed.
    """
    # in a stretch that is held no key is needed where it was cut
    if len(before) > 1 and before.interpolation[-2] == CONSTANT:
        before = before.take(slice(0, -1))
    held, after = before.copy(), _computed_alike(before, after).copy()
    held.interpolation[-1] = CONSTANT
    held.left_type[-1] = _free(held, held.left_type[-1])
    after.right_type[0] = _free(after, after.right_type[0])
    return _extrapolated(concatenate([held, after]), before, after)


def with_baked_segment(keys: Keys, frame: float, baked: Keys) -> Keys:
    """Return the keys with others, end to end, in place of the segment around ``frame``, which cannot be
    cut.
    """
    i = _key_at(keys, frame)
    after = _keep_outer_slope(keys.take(slice(i, None)), keys, -1)
    return join(join(keys.take(slice(0, i)), None, baked), None, after)


def segment(keys: Keys, frame: float) -> tuple[float, float]:
    """Return the frames of the two keys around ``frame``."""
    i = _key_at(keys, frame)
    return float(keys.co[i - 1, 0]), float(keys.co[i, 0])


def side_of(piece: Keys, edge: int) -> int:
    """Return the type of the outer handle that the first (edge 0) or last (edge -1) key of a part gets
    where another part meets it.
    """
    return _free(piece, (piece.right_type if edge == 0 else piece.left_type)[edge])


def _free(piece: Keys, codes: Any) -> Any:
    """Return the handle types (...) of keys where two curves meet: VECTOR stays if the part has several
    keys, all else is FREE.
    """
    # alone in its part the key would have its vector handle turned to the other part
    return np.where((codes == VECTOR) & (len(piece) > 1), np.uint8(VECTOR), np.uint8(FREE))


def _extrapolated(whole: Keys, before: Keys, after: Keys) -> Keys:
    """Return the joined curve, changed so that each end goes on as the part at that end did.

    whole: the joined curve, not changed. before, after: head and tail; one that does not extrapolate linearly
    counts as one with an outer slope of 0. If neither does, it is `whole` itself; else it is a copy.

    Blender has one setting for both ends: it is linear if both parts are, or if one is and its outer slope is
    not 0. An end key whose part had another setting, or whose slope differs, gets handle types that keep its
    handles. More is done only with the linear setting, if the slope differs at one end at least. A first key
    with another slope, or a key alone, then gets one more key a frame before it on the line, linear, or
    constant for a slope of 0. A last key with another slope becomes constant for a slope of 0; otherwise it
    becomes linear and gets one more linear key a frame behind it.
    """
    linear = before.linear_extrapolation, after.linear_extrapolation
    if not any(linear):
        return whole
    left = _end_slope(before, 0) if linear[0] else 0.0
    right = _end_slope(after, -1) if linear[1] else 0.0
    goes_on = _alike(_end_slope(whole, 0), left), _alike(_end_slope(whole, -1), right)
    whole = dataclasses.replace(whole.copy(), linear_extrapolation=all(linear) or left != 0.0 or right != 0.0)
    for edge in (0, -1):
        if linear[edge] is not whole.linear_extrapolation or not goes_on[edge]:
            _hold(whole, edge)
    if not whole.linear_extrapolation or all(goes_on):
        return whole
    # a key alone has one interpolation for both of its sides
    if len(whole) == 1 or not _alike(_end_slope(whole, 0), left):
        whole = concatenate([_beyond(whole, 0, -1.0, left), whole])
    if not _alike(_end_slope(whole, -1), right):
        whole.interpolation[-1] = LINEAR if right else CONSTANT
        if right:
            whole = concatenate([whole, _beyond(whole, -1, 1.0, right)])
    return dataclasses.replace(whole, linear_extrapolation=True)


def _alike(slope: float, other_slope: float) -> bool:
    """Tell whether two slopes are equal but for float32's rounding."""
    return math.isclose(slope, other_slope, rel_tol=1e-5, abs_tol=1e-6)


def _beyond(keys: Keys, edge: int, frames: float, slope: float) -> Keys:
    """Return a curve of one key `frames` from the first (edge 0) or last (edge -1) key, where a line of that
    slope goes on.

    frames: negative for before. Its interpolation is linear, or constant for a slope of 0.
    """
    x, y = keys.co[edge].astype(float)
    key = constant(x + frames, y + slope * frames)
    key.interpolation[:] = LINEAR if slope else CONSTANT
    return key


def mixed(curves: Sequence[Keys], weights: ArrayLike, shift: float) -> Keys:
    """Return the curve sum(weights[i] * curves[i]) + shift, exactly.

    Parameters
    ----------
    curves
        At least one, which all begin on the same frame.
    weights
        One for each. A weight of at most 1e-9, either way, leaves its curve out; with a single one left of 1
        or -1 that curve is moved, whatever it has.
    shift
        Added to the values.

    Returns
    -------
    Keys
        With keys on the frames of all curves that are not flat, or, if all are, on those of the first that is
        left. If all are left out it is one key with the value `shift`, on the first curve's first frame.

    Raises
    ------
    NotCuttable
        In all other cases, if one of these curves has easings or linear extrapolation, or if interpolations
        or handles' frames do not agree.
    ValueError
        There are not as many weights as curves.
    """
    weights = np.asarray(weights, float)
    # what does not count need have no keys that can be mixed
    parts = [(w, c) for w, c in zip(weights, curves, strict=True) if abs(w) > 1e-9]
    # one curve alone keeps what no mixture can, such as easings
    if len(parts) == 1 and abs(abs(parts[0][0]) - 1.0) < 1e-9:
        return move(parts[0][1], sign=float(np.sign(parts[0][0])), shift=shift)
    if not parts:
        return constant(float(curves[0].co[0, 0]), shift)
    bending = [c for _, c in parts if not is_flat(c)] or [parts[0][1]]
    frames = np.unique(np.concatenate([c.co[:, 0] for c in bending]))
    refined = [(w, c if is_flat(c) else _refined(c, frames)) for w, c in parts]
    shapes = [c for _, c in refined if not is_flat(c)] or [refined[0][1]]
    if any(c.linear_extrapolation for c in shapes):
        raise NotCuttable("linear extrapolation")
    pattern = _common_pattern(shapes)
    points = pattern.points.astype(float)
    values = np.full(points.shape[:2], shift)
    for weight, curve in refined:
        values += weight * (float(curve.co[0, 1]) if is_flat(curve) else curve.points[..., 1].astype(float))
    points[..., 1] = values
    return dataclasses.replace(pattern, points=points.astype(np.float32))


def is_flat(keys: Keys) -> bool:
    """Tell whether a curve has the same value everywhere, also beyond its ends.

    All keys must have exactly the same value, and so must the handles that count: both of each Bezier
    segment, the left one of the first key if that is a Bezier key or an easing, and the right one of the last
    key if that is; those two count even if the curve extrapolates level. A curve with an easing between two
    keys is never flat. Raise IndexError for a curve without keys.
    """
    value = keys.co[0, 1]
    # nearly all curves that move differ at one of these, and the rest takes longer to ask
    if keys.co[-1, 1] != value or keys.co[len(keys) // 2, 1] != value:
        return False
    bends = keys.interpolation >= BEZIER
    # a key's left handle bends the segment of the key before it; the first one's, what is before the curve
    bent = np.append(bends[:1], bends[:-1])
    return bool(
        np.all(keys.co[:, 1] == value)
        and np.all(keys.interpolation[:-1] <= BEZIER)
        and np.all(~bends | (keys.right[:, 1] == value))
        and np.all(~bent | (keys.left[:, 1] == value))
    )


def _refined(keys: Keys, frames: Floats) -> Keys:
    """Return a curve of the same shape with keys on all of `frames` (n,), besides its own.

    It is the same object where its keys are those. Raise NotCuttable where a frame lies within an easing.
    """
    if len(keys) == len(frames) and np.abs(keys.co[:, 0] - frames).max() <= SAME_FRAME:
        return keys
    for frame in frames.tolist():
        keys, _ = _keyed(keys, frame)
    return keys


def _common_pattern(curves: Sequence[Keys]) -> Keys:
    """Return the first of several curves as a pattern for all, if their keys and handles lie on the same
    frames.

    In the result automatic and aligned handles are ALIGNED, vector handles stay, and others are FREE. All
    curves have equally many keys. Raise NotCuttable if the first curve has an easing, or if interpolations
    differ, or frames of handles in Bezier segments by more than 0.001.
    """
    pattern = curves[0]
    if np.any(pattern.interpolation[:-1] > BEZIER):
        raise NotCuttable("easing")
    bends = np.flatnonzero(pattern.interpolation[:-1] == BEZIER)
    for other in curves[1:]:
        if not np.array_equal(other.interpolation[:-1], pattern.interpolation[:-1]):
            raise NotCuttable("different interpolation")
        for mine, theirs in (
            (pattern.right[bends], other.right[bends]),
            (pattern.left[bends + 1], other.left[bends + 1]),
        ):
            if np.any(np.abs(mine[:, 0] - theirs[:, 0]) > 1e-3):
                raise NotCuttable("different handles")
    # vector handles stay, as they point at neighbours: a mix of lines is a line
    codes = pattern.codes.copy()
    codes[:, 1:3] = np.where(codes[:, 1:3] == VECTOR, VECTOR, _STEADY[codes[:, 1:3]])
    return dataclasses.replace(pattern, codes=codes)
