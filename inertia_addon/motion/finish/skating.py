# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that skate while they stand: when a foot stands in a take in which it does not stay put, and how far
it goes then.

Contacts of a foot that skates are not found by its speed: it is as fast as the whole character is scaled
wrongly. But it is low, and its speed hardly changes while it is, where a foot that swings comes to a rest and
leaves it. So a low foot stands while its velocity is near the middle one of the time that it is low.
"""

from __future__ import annotations

import numpy as np

from ...records import record
from ...settings.feet import ContactSettings
from ..arrays import Array, runs
from ..feet import contacts
from ..feet.contacts import Span, Spans

FASTEST = 1.0
"""What goes faster while it is low, in leg lengths a second, swings."""
OF_BODY = 0.6
"""What goes faster than this part of the hips' own speed while it is low swings, too."""
MIDDLE = 0.2
"""The first and the last so much of a stance says nothing of how it skates: there a foot lands and lifts."""


@record(frozen=True, eq=False)
class SkatingFoot:
    """A foot and the hips over n frames.

    frames: (n,), even. points: (n, 3) by which it stands, and hips: (n, 3), in leg lengths, Z up. rate:
    frames a second.
    """

    frames: Array
    points: Array
    hips: Array
    rate: float


def find_standing(foot: SkatingFoot, slow_spans: Spans, settings: ContactSettings) -> Spans:
    """Return when a foot stands, whether or not it skates then; in order, in the foot's frames.

    slow_spans: the contacts that were found by its speed. They stay, and others come where the foot is low,
    by settings.height, and goes steadily, by settings.speed, for twice settings.shortest_seconds at least: no
    faster than a leg length a second, nor than 0.6 of the hips' speed, but always up to settings.speed. Spans
    that lie settings.gap_seconds or less apart become one. For fewer than 3 frames slow_spans are returned.
    """
    points, rate = foot.points, foot.rate
    if len(points) < 3:
        return slow_spans
    velocity = np.gradient(points[:, :2], 1.0 / rate, axis=0)
    body = np.linalg.norm(np.gradient(foot.hips[:, :2], 1.0 / rate, axis=0), axis=1)
    high = points[:, 2] - contacts.lowest_around(points[:, 2], round(contacts.AROUND_SECONDS * rate))
    taken = contacts.planted(slow_spans, foot.frames)
    found = list(slow_spans)
    for first, last in runs(high < contacts.HIGHER * settings.height):
        some = slice(first, last + 1)
        middle = np.median(velocity[some], axis=0)
        skates = float(np.linalg.norm(middle))
        if skates > min(FASTEST, max(OF_BODY * float(np.median(body[some])), settings.speed)):
            continue
        stays = np.linalg.norm(velocity[some] - middle, axis=1) < contacts.FASTER * settings.speed
        for begin, end in runs(stays & ~taken[some]):
            if (end - begin + 1) / rate < 2.0 * settings.shortest_seconds:
                continue
            found.append(Span(float(foot.frames[first + begin]), float(foot.frames[first + end])))
    return _join_close_spans(sorted(found), foot, settings.gap_seconds)


def _join_close_spans(spans: list[Span], foot: SkatingFoot, gap_seconds: float) -> Spans:
    """Return spans, in order, in which those that have gap_seconds or less between them are one, from the
    first one's start to the latest end.

    Between them are the frames that neither has. spans: in order of their starts, in frames of the foot.
    """
    frame = 1.0 if len(foot.frames) < 2 else float(foot.frames[1] - foot.frames[0])
    joined: list[Span] = []
    for span in spans:
        if joined and (span.start - joined[-1].end) / frame - 1.0 <= gap_seconds * foot.rate:
            span = Span(joined[-1].start, max(joined.pop().end, span.end))
        joined.append(span)
    return tuple(joined)


def measure_skate(points: Array) -> float:
    """Return how far a point (n, 3), at even frames, goes over the ground while it stands, in its unit.

    It is the way from its mean place in the first third to that in the last one, without a fifth of the
    stance at each end, and as much further as the whole lasts longer. For two frames or fewer it is the way
    from the first to the last, 0 for one; n is at least 1.
    """
    count = len(points)
    cut = int(MIDDLE * count)
    inner = points[cut : count - cut, :2]
    if len(inner) < 2:
        return float(np.linalg.norm(points[-1, :2] - points[0, :2])) if count > 1 else 0.0
    # noise goes to and fro, what skates goes on
    third = max(1, len(inner) // 3)
    way = np.linalg.norm(inner[-third:].mean(axis=0) - inner[:third].mean(axis=0))
    return float(way) * (count - 1) / max(len(inner) - third, 1)
