# SPDX-License-Identifier: GPL-3.0-or-later
"""From two clips to the curves of their transition.

:mod:`offset_windows` has what channels show behind the cut, and :mod:`curve_parts` puts their curves
together.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np

from ...motion.curves import keys as keylib
from ...motion.curves.keys import Keys
from ...motion.decay.offset import NOTHING
from ...motion.steps import Steps, finish
from ..data.channels import Channels
from . import curve_parts, pieces
from .alike_windows import join_alike
from .curve_parts import PassageParts
from .joining import Joining
from .offset_windows import OffsetGroup, OutputWindow, read_at_cut, sample_windows
from .passage import TOLERANCES, FadingPassages, Passage
from .pieces import KeyedWindow
from .slot_plan import SlotPlan

AT_ONCE = 32
"""So many channels are joined before it is said how much is done: to say it takes longer than to join one."""


def compose(joining: Joining, channels: Sequence[Channels], result: SlotPlan) -> None:
    """Join channels in a slot of the result."""
    finish(compose_steps(joining, channels, result))


def compose_steps(joining: Joining, channels: Sequence[Channels], result: SlotPlan) -> Steps[None]:
    """Compose as :func:`compose` does, into `result`, in steps; yield the part that is done, 0 to 1."""
    windows: list[KeyedWindow] = []
    count = max(len(channels), 1)
    for group in _group(joining, channels):
        for place, window in enumerate(_compose_group(group, result)):
            if window is not None:
                windows.append(window)
            if window is None or place % AT_ONCE == 0:
                yield len(windows) / count
    for discrete in (each for each in channels if each.discrete):
        # numbers, switches and choices: the source's up to the cut, the destination's from there
        parts = curve_parts.collect_windowless(Passage(joining, discrete), None, result.baked, jumps=True)
        curve_parts.keep_curves([parts], result)
    # poses that are held have no curve between their keys, from which keys could be spared
    if joining.settings.key_tolerance and not joining.settings.strips and not joining.is_stepped:
        pieces.thin(result.composed, windows, joining.settings.key_tolerance)


def take_over(joining: Joining, channels: Sequence[Channels], result: SlotPlan) -> None:
    """Have a slot of the result, in place, play the whole destination, aligned, as there is no source to come
    from; curves that say nothing are left out.
    """
    for passage in (Passage(joining, each) for each in channels):
        destination = passage.channels.destination
        tails = passage.aligned.tails(joining.destination.start, joining.later, result.baked)
        for address, default, keys in zip(destination.addresses, destination.defaults, tails, strict=True):
            if passage.needs_curve(address, default, keys):
                result.copied[address] = keys


def _group(joining: Joining, channels: Sequence[Channels]) -> Iterator[list[Passage]]:
    """Yield the passages of channels that blend, those of one kind that blend alike together."""
    # all momentum of the root's own travel is kept, whatever the settings: aligned, its offset starts at
    # nothing and is all momentum. To project, drop or limit it would stop or throw the whole character
    settings = dataclasses.replace(
        joining.settings, decomposition="ROTATION_VECTOR", velocity="RELATIVE", guard="OFF"
    )
    travelling = dataclasses.replace(joining, settings=settings)
    sources = tuple(address for each in channels for address in each.source.addresses)
    heads = joining.once(("heads", sources), lambda: pieces.with_keys(joining.source, sources, joining.cut))
    for kind in TOLERANCES:
        passages = [
            Passage(joining, each, heads) for each in channels if each.kind == kind and not each.discrete
        ]
        yield [passage for passage in passages if not passage.travels]
        yield [Passage(travelling, passage.channels, heads) for passage in passages if passage.travels]


def _compose_group(passages: Sequence[Passage], result: SlotPlan) -> Iterator[KeyedWindow | None]:
    """Join channels of one kind that blend alike, and keep their curves in `result`, in place, with its last
    frame and number of offsets.

    Yield those that got a window, and None where there is none yet, so that what is done of all at once holds
    nothing up.
    """
    if not passages:
        return
    joining = passages[0].joining
    source = read_at_cut(joining, passages)
    yield None
    group = OffsetGroup.of(joining, passages, source)
    keyed = group.key_ends()
    yield None
    outputs = group.compute_outputs()
    yield None
    interpolation = keylib.CONSTANT if joining.is_stepped else keylib.BEZIER
    alike: dict[int, list[Keys]] = {}
    for joined in join_alike(passages, outputs, [keyed[end] for end in group.ends], interpolation):
        alike |= joined
        yield None
    windows = {
        row: OutputWindow.of(passages[row], output, keyed[group.ends[row]])
        for row, output in sorted(outputs.items())
        if row not in alike
    }
    sampled = sample_windows(windows, interpolation)
    if not joining.is_cross_fade:
        result.fadings.append(FadingPassages(passages, group.fading))
    parts: list[PassageParts] = []
    for row, passage in enumerate(passages):
        if row in alike:
            first, last = outputs[row].frames[[0, -1]].tolist()
            result.offsets += 1
            result.last_frame = max(result.last_frame, last)
            parts.append(PassageParts(passage, {}, {}, alike[row]))
            yield KeyedWindow(passage.channels, passage.metres_per_unit, first, last)
            continue
        window = windows.get(row)
        if window is None:
            # an offset that is not blended, as the blend time is 0, is a jump
            is_offset = bool(np.linalg.norm(group.fading.x[row]) > NOTHING * passage.tolerance)
            jumps = is_offset or passage.is_restated
            parts.append(
                curve_parts.collect_windowless(passage, group.at_cut[row], result.baked, jumps=jumps)
            )
            continue
        result.offsets += 1
        result.last_frame = max(result.last_frame, window.last)
        result.baked += window.baked
        parts.append(
            curve_parts.collect_parts(
                passage, sampled[row], window.tails, result.baked, jumps=passage.is_restated
            )
        )
        yield KeyedWindow(passage.channels, passage.metres_per_unit, window.first, window.last)
    yield None
    curve_parts.keep_curves(parts, result)
