# SPDX-License-Identifier: GPL-3.0-or-later
"""What channels show in the window behind the cut: the destination, and on top of it what decays.

Channels of one kind are computed together, as thousands of them one by one would take several times as long.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.curves.keys import Keys
from ...motion.curves.representation import continuous, followed, may_stray, sizes
from ...motion.decay import offset
from ...motion.decay.decay import Method
from ...motion.decay.offset import ChannelMotion, Decomposition, Fading, Guard, Velocity, fade
from ...records import record
from ..data.channels import decode_all, raw_of
from ..data.report import BakedCurve
from . import pieces
from .joining import Joining
from .passage import Passage, Tails
from .pieces import Keyed


@record(frozen=True, eq=False)
class WindowOutput:
    """Raw values (n, channels) of some channels on frames (n,) of the result."""

    frames: Array
    values: Array


@record(frozen=True, eq=False)
class OffsetGroup:
    """Passages of one kind, whose offsets at the cut decay.

    at_cut: of each the source's raw values (channels,) at the cut. fading: how the offset of each decays.
    """

    joining: Joining
    passages: Sequence[Passage]
    at_cut: Sequence[Array]
    fading: Fading

    @classmethod
    def of(cls, joining: Joining, passages: Sequence[Passage], source: Sequence[Array]) -> OffsetGroup:
        """Return passages with their offsets at the cut, all of one kind; what can't be seen has no window.

        source: of each the source's raw values (3, channels) on the frames around the cut: before it, behind
        it, at it.
        """
        fading = _fade_offsets(joining, passages, source)
        if joining.is_cross_fade:
            # what fades is no offset: it lasts as long as the blend, if it can be seen in that
            seconds = [passage.blend_seconds if passage.is_fade_seen() else 0.0 for passage in passages]
            fading = dataclasses.replace(fading, seconds=np.array(seconds))
        return cls(joining, passages, [values[2] for values in source], fading)

    @functools.cached_property
    def ends(self) -> list[float]:
        """The last frame of the window of each."""
        return [self.joining.find_window_end(float(seconds)) for seconds in self.fading.seconds]

    def key_ends(self) -> dict[float, Keyed]:
        """Return the destination's curves with a key where windows end, by address, for each such frame of
        the result.
        """
        joining, keyed = self.joining, {}
        for end in set(self.ends):
            addresses = (
                address
                for passage, ending in zip(self.passages, self.ends, strict=True)
                for address in passage.channels.destination.addresses
                if ending == end
            )
            keyed[end] = pieces.with_keys(joining.destination, addresses, end - joining.later)
        return keyed

    def compute_outputs(self) -> dict[int, WindowOutput]:
        """Return what the passages with an offset show in their windows, by their index in the group: on
        whole frames, more where Euler angles or axes stray.

        Those that end together are computed together.
        """
        alike: dict[tuple[float, str], list[int]] = {}
        for row, passage in enumerate(self.passages):
            if self.fading.seconds[row] > 0.0:
                key = self.ends[row], passage.channels.destination.mode
                alike.setdefault(key, []).append(row)
        outputs: dict[int, WindowOutput] = {}
        for (end, mode), rows in alike.items():
            frames = self.joining.frames_until(end)
            for row, values in zip(rows, self._compute_values(rows, frames), strict=True):
                outputs[row] = WindowOutput(frames, values)
                if mode and not self.joining.is_stepped and may_stray(values, mode):
                    # Euler angles and axes can turn elsewhere between two keys, so these get keys in between
                    frames_within, values_within = followed(
                        functools.partial(self._compute_row, row), frames, mode
                    )
                    outputs[row] = WindowOutput(frames_within, values_within)
        return outputs

    def _compute_row(self, row: int, frames: Array) -> Array:
        """Return the raw values (frames, channels) of one passage, as :meth:`_compute_values` does."""
        return np.asarray(self._compute_values([row], frames)[0])

    def _compute_values(self, rows: list[int], frames: Array) -> Array:
        """Return the raw values (rows, frames, channels) of some passages, all of one rotation mode, at
        frames (n,) of the result: the aligned destination plus what is left of the offset.
        """
        joining, passages = self.joining, [self.passages[row] for row in rows]
        raw = np.stack(read_aligned(passages, frames - joining.later))
        if joining.is_cross_fade:
            remaining = np.stack(
                [passage.fade_source(values, frames) for passage, values in zip(passages, raw, strict=True)]
            )
        else:
            remaining = self.fading.at(rows, (frames - joining.cut) / joining.fps)
        channels = passages[0].channels.destination
        if not channels.mode:
            return offset.onto_vectors(raw, remaining)
        output = offset.onto_rotations(channels.decode(raw), remaining)
        # where the source's numbers can be gone on from, their sign, turns and size are
        goes_on = np.array(
            [passage.source.mode == channels.mode and not passage.is_restated for passage in passages]
        )
        start = np.stack(
            [
                self.at_cut[row] if is_on else values[0]
                for row, is_on, values in zip(rows, goes_on, raw, strict=True)
            ]
        )
        # the length of a raw quaternion or axis shows in no rotation, but must not jump in the curves either
        size = sizes(raw, channels.mode)
        left = goes_on[:, None] * (frames[-1] - frames) / (frames[-1] - frames[0])
        size = size + (sizes(start, channels.mode) - size[:, 0])[:, None] * left
        return continuous(output, channels.mode, start, size)


def _fade_offsets(joining: Joining, passages: Sequence[Passage], source: Sequence[Array]) -> Fading:
    """Return the offsets of passages of one kind, (passages, 3 or 1), and how they decay.

    source: of each the source's raw values (3, channels) on the frames around the cut.
    """
    settings = joining.settings
    around_cut, around_entry = joining.around_cut, joining.around_entry
    aligned = read_aligned(passages, around_entry.frames)
    motions = []
    for shown, around in (
        (decode_all([passage.source for passage in passages], source), around_cut),
        (decode_all([passage.channels.destination for passage in passages], aligned), around_entry),
    ):
        before, after, now = np.stack(shown, axis=1)
        motions.append(ChannelMotion(before, now, after, around.seconds(joining.fps)))
    is_rotation = passages[0].channels.kind == "rotation"
    offset_of = offset.of_rotations if is_rotation else offset.of_vectors
    offsets = offset_of(
        motions[0], motions[1], Decomposition[settings.decomposition], Velocity[settings.velocity]
    )
    return fade(
        offsets,
        # any in a cross-fade, which follows none
        settings.decay or Method.SOFT,
        np.array([passage.blend_seconds for passage in passages]),
        Guard[settings.guard],
        np.array([passage.guard_limit for passage in passages]),
        np.array([passage.tolerance for passage in passages]),
    )


def read_at_cut(joining: Joining, passages: Sequence[Passage]) -> list[Array]:
    """Return the raw values (3, channels) of the source of each passage before the cut, behind it and at
    it.
    """
    sources, around = [passage.source for passage in passages], joining.around_cut
    if any(passage.is_restated for passage in passages):
        return raw_of(sources, around.frames)
    asked = "raw", around, tuple(source.addresses for source in sources)
    return joining.once(asked, lambda: raw_of(sources, around.frames))


def read_aligned(passages: Sequence[Passage], frames: Array) -> list[Array]:
    """Return the raw values (frames, channels) of each aligned destination, at frames of its own."""
    raw = raw_of([passage.channels.destination for passage in passages], frames)
    return [passage.aligned.of_raw(values) for passage, values in zip(passages, raw, strict=True)]


@record(frozen=True, eq=False)
class OutputWindow:
    """What some channels show from the cut on: an output in the window, and tails behind that.

    baked: what of the tails could not be cut.
    """

    output: WindowOutput
    tails: Tails
    baked: Sequence[BakedCurve]

    @classmethod
    def of(cls, passage: Passage, output: WindowOutput, keyed: Keyed) -> OutputWindow:
        """Return the window that shows an output, with the tails behind it, restated so that they go on from
        it, and what had to be baked for that.

        keyed: the destination's curves, with a key where the window ends.
        """
        baked: list[BakedCurve] = []
        later, last = passage.joining.later, float(output.frames[-1])
        wanted = output.values[-1]
        curves = passage.aligned.tails(last - later, later, baked, wanted, keyed)
        tails = passage.restate_tails(curves, wanted)
        # the last frame has the tails' own value, or else rounding would make a step of one frame there
        values = np.concatenate([output.values[:-1], tails.start[None]])
        return cls(WindowOutput(output.frames, values), tails, baked)

    @property
    def first(self) -> float:
        """The frame with which it begins."""
        return float(self.output.frames[0])

    @property
    def last(self) -> float:
        """The frame with which it ends."""
        return float(self.output.frames[-1])


def sample_windows(windows: Mapping[int, OutputWindow], interpolation: int) -> dict[int, list[Keys]]:
    """Make the keys of windows, by their index, for each window those of its channels in order; windows on
    the same frames are computed together.

    interpolation: between the keys.
    """
    alike: dict[bytes, list[int]] = {}
    for row, window in windows.items():
        alike.setdefault(window.output.frames.tobytes(), []).append(row)
    keys: dict[int, list[Keys]] = {}
    for rows in alike.values():
        values = [windows[row].output.values for row in rows]
        frames = windows[rows[0]].output.frames
        samples = iter(keylib.sampled_together(frames, np.concatenate(values, axis=1), interpolation))
        keys |= {
            row: list(itertools.islice(samples, columns.shape[1]))
            for row, columns in zip(rows, values, strict=True)
        }
    return keys
