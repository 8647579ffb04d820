# SPDX-License-Identifier: GPL-3.0-or-later
"""What helps a transition that is not good: small changes of its settings, kept where the judge sees less.

How a transition is planned and judged says who asks.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.judging.faults import GOOD
from ...motion.steps import Steps, part
from ...records import record
from ...settings import fields, methods
from ...settings.transition import TransitionSettings
from .verdict import RATINGS, Verdict, sentences

Judging = Callable[[TransitionSettings], Steps[Verdict]]
"""Judges what settings would bake, in steps; raises InertiaError for what can't be."""

JUMP, LENGTH, FEET, PAIR, MATCH = KINDS = "JUMP", "LENGTH", "FEET", "PAIR", "MATCH"
SHORTEST_SECONDS, LONGEST_SECONDS = 0.1, 1.0
"""Blend times are looked for between these."""
LENGTHS = 10
"""So many of them, at most."""
HALF_LIVES = 4.0
"""A spring takes so many half-lives for about what other curves do in a blend time."""
NEAR_SECONDS = (0.07, 0.14)
"""Another pair near by has its cut, its entry, or both, earlier or later by so much."""
PLAYED = 8
"""So many changes, at most, are tried on a rig that Blender has to play, as it shows frames for each."""
MOST = 3
"""So many remedies are offered, at most."""
LESS = 0.8
"""Where the word stays, the worst fault has to come down to this part of what it was."""


@record(frozen=True)
class Remedy:
    """A change with which a transition looks better.

    kind: JUMP a cut or an entry that a jump of its clip parts from the rest, LENGTH another blend time, FEET
    locked or not, PAIR other frames, MATCH matched lengths. settings: all of them, changed. verdict: on
    these. is_better: whether the word is another one.
    """

    kind: str
    settings: TransitionSettings
    verdict: Verdict
    is_better: bool

    @property
    def change(self) -> dict[str, Any]:
        """The settings that it changes, by their names."""
        return {name: getattr(self.settings, name) for name in changed_by(self.kind, self.settings.method)}

    @property
    def sentence(self) -> Sentence:
        """What it is and how that looks, as a sentence: "20 frames: Good", or "20 frames: better, still
        Poor".
        """
        what, rating = spoken(self.kind, self.settings), Sentence(RATINGS[self.verdict.rating])
        if self.is_better:
            return Sentence("{remedy}: {rating}", remedy=what, rating=rating)
        return Sentence("{remedy}: better, still {rating}", remedy=what, rating=rating)

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values: kind, settings (those to change), rating and total of its verdict, words,
        and "seen", the verdict's sentences.
        """
        return {
            **{"kind": fields.spoken(self.kind), "settings": fields.worded(TransitionSettings, self.change)},
            **{"rating": self.verdict.rating, "total": self.verdict.total},
            **{"words": self.sentence, "seen": list(sentences(self.verdict))},
        }


def changed_by(kind: str, method: str) -> tuple[str, ...]:
    """Return the names of the settings that remedies of a kind change under a method: two for a jump or a
    pair, one for others.
    """
    return {
        JUMP: ("cut", "destination_frame"),
        LENGTH: (methods.length(method),),
        FEET: ("feet",),
        PAIR: ("cut", "destination_frame"),
        MATCH: ("match_lengths",),
    }[kind]


def spoken(kind: str, settings: TransitionSettings) -> Sentence:
    """Return a few words that say what a remedy of a kind is, such as "20 frames" or "Feet Locked". settings:
    with the remedy in them.
    """
    if kind in (JUMP, PAIR):
        frames = {"cut": f"{settings.cut:g}", "entry": f"{settings.destination_frame:g}"}
        return Sentence("Cut {cut}, enter at {entry}", **frames)
    if kind == FEET:
        label = {item[0]: item[1] for item in fields.settings(TransitionSettings)["feet"].items}
        return Sentence("Feet {choice}", choice=Sentence(label[settings.feet]))
    if kind == MATCH:
        return Sentence("Match Lengths")
    if methods.length(settings.method) == "half_life":
        return Sentence("Half-life {seconds} s", seconds=f"{settings.half_life:g}")
    return Sentence("{count} frames", count=f"{settings.blend_frames:g}")


def find_helping_steps(
    asked: TransitionSettings,
    judged: Verdict,
    judging: Judging,
    fps: float,
    most: int | None = None,
    mended: TransitionSettings | None = None,
) -> Steps[tuple[Remedy, ...]]:
    """Find what helps a transition, the best first: of each kind the nearest that is good, else the best one.

    asked: its settings, with the destination's frame that it is entered at; judged: the verdict on it. most:
    so many changes are tried, at most, each kind in turns; None for all. mended: the settings with a cut and
    an entry that no jump parts from the rest of their clips; None, or as asked, where they are.
    """
    if judged.rating == GOOD:
        return ()
    best: dict[str, Remedy] = {}
    jumps = [] if mended is None or mended == asked else [(JUMP, mended)]
    tries = _in_turns(itertools.chain(jumps, _tries(asked, judged, fps)), most)
    for i, (kind, settings) in enumerate(tries):
        if kind in best and best[kind].verdict.rating == GOOD:
            continue
        try:
            verdict = yield from part(judging(settings), i / len(tries), (i + 1) / len(tries))
        except InertiaError:
            # such as a cut outside of a clip
            continue
        if not _is_less(verdict, judged):
            continue
        if kind not in best or verdict.order < best[kind].verdict.order:
            best[kind] = Remedy(kind, settings, verdict, verdict.rating != judged.rating)
    return tuple(sorted(best.values(), key=lambda remedy: remedy.verdict.order)[:MOST])


def suggested(
    asked: TransitionSettings, judging: Judging, fps: float
) -> Steps[tuple[TransitionSettings, Verdict]]:
    """Find the blend time, or the spring's half-life, that looks best; return the settings with it and the
    verdict; yield the part that is done, 0 to 1.

    Those of :func:`_lengths` are judged, and then the frames beside the best one. judging: returns a
    verdict's steps for settings. Raise InertiaError where none can be used.
    """
    tried: dict[float, tuple[TransitionSettings, Verdict]] = {}
    tries = _lengths(asked.method, fps)
    step = 1.0 if methods.length(asked.method) == "blend_frames" else 0.0
    for i, value in enumerate(tries):
        settings = _with_length(asked, value)
        verdict = yield from part(judging(settings), 0.8 * i / len(tries), 0.8 * (i + 1) / len(tries))
        tried[value] = settings, verdict
    # between the lengths that were tried, next to the best
    best = min(tried, key=lambda value: tried[value][1].order)
    for i, value in enumerate((best - step, best + step) if step else ()):
        if value not in tried and tries[0] <= value <= tries[-1]:
            settings = _with_length(asked, value)
            verdict = yield from part(judging(settings), 0.8 + 0.1 * i, 0.9 + 0.1 * i)
            tried[value] = settings, verdict
    return min(tried.values(), key=lambda pair: pair[1].order)


def _is_less(verdict: Verdict, judged: Verdict) -> bool:
    """Tell whether clearly less is seen than in an earlier verdict."""
    if verdict.rating != judged.rating:
        return verdict.order < judged.order
    worst = [each.faults[0].severity for each in (verdict, judged)]
    return worst[0] <= LESS * worst[1] and verdict.total < judged.total


def _tries(
    asked: TransitionSettings, judged: Verdict, fps: float
) -> Iterator[tuple[str, TransitionSettings]]:
    """Yield (kind, settings) of the changes to try: lengths matched, feet chosen, other blend times or
    half-lives, other cuts and entries; of each kind the nearest first.
    """
    if judged.swings and not (asked.match_lengths or asked.strips):
        yield MATCH, dataclasses.replace(asked, match_lengths=True)
    if asked.feet != "AUTO":
        yield FEET, dataclasses.replace(asked, feet="AUTO")
    now = asked.half_life if methods.length(asked.method) == "half_life" else asked.frames(fps)
    every = [value for value in _lengths(asked.method, fps) if abs(math.log(value / now)) > 0.05]
    for value in sorted(every, key=lambda value: abs(math.log(value / now))):
        yield LENGTH, _with_length(asked, value)
    if asked.smooth_jump or asked.destination_frame is None:
        return
    for seconds in NEAR_SECONDS:
        step = max(1.0, round(seconds * fps))
        for cut, enter in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1), (1, -1), (-1, 1)):
            frames = (asked.cut + cut * step, asked.destination_frame + enter * step)
            yield PAIR, dataclasses.replace(asked, cut=frames[0], destination_frame=frames[1])


def _in_turns(
    tries: Iterator[tuple[str, TransitionSettings]], most: int | None
) -> list[tuple[str, TransitionSettings]]:
    """Return at most so many tries, the first of each kind, then the second of each, and so on; all as they
    come for None.
    """
    if most is None:
        return list(tries)
    kinds = [list(group) for _, group in itertools.groupby(tries, key=lambda each: each[0])]
    turns = itertools.zip_longest(*kinds)
    return [each for turn in turns for each in turn if each is not None][:most]


def _lengths(method: str, fps: float) -> list[float]:
    """Return the blend times in whole frames, or for methods with one the half-lives in seconds, that are
    tried, rising.
    """
    seconds = np.geomspace(SHORTEST_SECONDS, LONGEST_SECONDS, LENGTHS)
    if methods.length(method) == "half_life":
        return [float(value) for value in np.round(seconds / HALF_LIVES, 3)]
    whole = np.clip(np.round(seconds * fps), np.ceil(SHORTEST_SECONDS * fps), LONGEST_SECONDS * fps)
    return sorted({max(1.0, float(value)) for value in whole})


def _with_length(asked: TransitionSettings, value: float) -> TransitionSettings:
    length: dict[str, Any] = {methods.length(asked.method): value}
    return dataclasses.replace(asked, **length)
