# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches what fills a gap between two actions, before anything is baked.

How suddenly clips move counts, so that none is played that pops where another does not.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import InertiaError, Sentence
from ...motion.arrays import Array, Flags
from ...motion.curves.representation import whole_frames
from ...motion.fill import goal
from ...motion.fill import search as chains
from ...motion.fill.search import ClipChain, Gap
from ...motion.matching.clip_sequence import Route, Warp, warped
from ...motion.matching.database import Database
from ...motion.matching.targets import wrapped
from ...motion.skeleton.posing import Rig
from ...motion.steps import Steps, finish, part
from ...records import record
from ...settings.fill import FillSettings
from ...settings.transition import TransitionSettings
from ..data import clip_store
from ..data.actions import Clip
from ..evaluation import joint_motion
from ..evaluation.character import Character, read_character
from ..matching import action_set as stocks
from ..matching import search, surroundings
from ..matching.action_set import Stock

TOO_SHORT = Sentence("The gap is too short for clips, so it is filled without any.")
AROUND_SECONDS = 0.5
"""So far around a gap is looked how suddenly the character moves."""
JUDGED = 2
"""So many choices are ranked by the judge, where no clips are tried, too: the best ones, and none."""
AT_ONCE = 10_000
"""So many frames of a clip are looked at together, as it takes memory."""
USUAL = 0.75
"""No motion is sudden that this part of the frames of a set has."""


@record(frozen=True, eq=False)
class GapFill:
    """What fills a gap. chain: the clips; None for none, where those of the set are known all the same.

    way and warp are those of the clips, of which there must be some.
    """

    stock: Stock
    settings: FillSettings
    gap: Gap
    chain: ClipChain | None

    @property
    def way(self) -> Route:
        """Which clip plays when, and where; its first join is the source."""
        assert self.chain is not None
        return self.chain.way

    @property
    def warp(self) -> Warp:
        """How the root is moved meanwhile."""
        assert self.chain is not None
        return self.chain.warp()

    @property
    def without_clips(self) -> GapFill:
        """A fill of this gap by none of the clips."""
        return dataclasses.replace(self, chain=None)


@record(frozen=True, eq=False)
class Candidates:
    """Fills of a gap among which the judge decides.

    fills: of equals the first is better; None for one without clips where no set is known. rank: which of
    them is taken, 0 for the best.
    """

    fills: tuple[GapFill | None, ...]
    rank: int = 0

    def taken(self, *, has_clips: bool) -> GapFill:
        """Return the fill that was taken. has_clips: whether it is one by clips; of neither kind there is
        more than one.
        """
        return next(each for each in self.fills if each is not None and (each.chain is not None) == has_clips)


def search_candidates_steps(
    armature: Any, settings: FillSettings, weights: Mapping[str, float]
) -> Steps[Candidates]:
    """Search the fills among which the judge decides which one is taken; yield the part that is done.

    With settings.tries_without, the first two choices are the best clips and none, as the judge ranks them,
    and later ones the clips that are next. Raise InertiaError as :func:`search_fills_steps` does, and where
    there are fewer choices.
    """
    choice, beside = settings.choice, int(settings.tries_without)
    fills = yield from search_fills_steps(armature, settings, weights, max(choice - beside, 1))
    if not beside or choice > JUDGED:
        return Candidates((chosen(fills, settings),))
    return Candidates((fills[0], fills[0].without_clips), choice - 1)


def search_fill_steps(armature: Any, settings: FillSettings, weights: Mapping[str, float]) -> Steps[GapFill]:
    """Search the fill by clips that settings ask for; yield the part that is done. Where the judge decides,
    it may take none instead. Raise InertiaError as :func:`search_candidates_steps` does."""
    candidates = yield from search_candidates_steps(armature, settings, weights)
    (fill, *_) = candidates.fills
    assert fill is not None
    return fill


def chosen(fills: Sequence[GapFill], settings: FillSettings) -> GapFill:
    """Return the fill by clips that is asked for. Raise InertiaError where there are fewer."""
    beside = int(settings.tries_without)
    if len(fills) + beside < settings.choice:
        raise no_choice(settings, len(fills) + beside)
    return fills[settings.choice - 1 - beside]


class NoChoice(InertiaError):
    """There are fewer fills than the choice that is asked for."""


def no_choice(settings: FillSettings, count: int) -> NoChoice:
    """Return the error for a choice that is not among so many fills."""
    return NoChoice(
        "There is no choice {asked}: {count} of three different fills could be found; choose a lower one.",
        count=count,
        asked=settings.choice,
    )


def search_fills_steps(
    armature: Any, settings: FillSettings, weights: Mapping[str, float], count: int
) -> Steps[tuple[GapFill, ...]]:
    """Search `count` unlike fills of a gap, by the settings' clips, all that fit if it names none; return
    them, the best first, fewer if there are no more; yield the part that is done, 0 to 1.

    weights: by bone, of the joints that are compared. Raise InertiaError for a gap that is too short or too
    long, actions that can't be analysed, ends that are not in them or, as strips, walk in place, rigs that
    can't be moved, and where nothing arrives in time.
    """
    character = read_character(armature)
    check(settings, character.fps)
    # before anything is analysed, as there may be no such collection
    walls = surroundings.obstacles(settings.obstacles) if settings.obstacles else ()
    transition = settings.transition
    ends = transition.source, transition.destination
    names = settings.actions or stocks.name_fitting(armature)
    # in one order, whichever of them are the ends, so that what is analysed is found again
    asked = settings.of_set(tuple(sorted({*names, *ends})))
    stock = yield from part(stocks.analyse_steps(character, asked, weights, ends), 0.0, 0.6)
    if not stock.warps:
        raise InertiaError(
            '"{armature}" is moved by constraints, so it can\'t be drawn to where it arrives; fill the gap '
            "on the armature that they follow, or bake its clips to plain keys.",
            armature=stock.rig.name,
        )
    for name in ends if settings.strips else ():
        if name in stock.travels:
            raise InertiaError(
                '"{action}" walks in place, so as a strip it stands nowhere; have the gap filled as an '
                "action, or give it its travel first.",
                action=name,
            )
    assert transition.destination_frame is not None
    left = flat(stock, transition.source, transition.cut)
    met = flat(stock, transition.destination, transition.destination_frame)
    frames = round(settings.gap_frames / stock.step)
    allowed, sudden = _allowed(stock, transition, names), _suddenness(stock, transition)
    angle, place = placed(stock.database, met, settings)
    gap = Gap(left, met, frames, angle, place, allowed, sudden, walls, settings.keep_away)
    gap = dataclasses.replace(gap, is_led=settings.chosen_goal == "LEAD").with_frames(stock.database, frames)
    steps = chains.choices(stock.database, stock.features(asked), search.how_of(asked, stock.fps), gap, count)
    choices = enumerate((yield from part(steps, 0.6, 1.0)), 1)
    return tuple(GapFill(stock, dataclasses.replace(settings, choice=i), gap, chain) for i, chain in choices)


def resolved(character: Character, settings: FillSettings) -> FillSettings:
    """Return the settings with the destination's first frame as the arrival, where none is given, and without
    clips where the gap is too short for them; around obstacles only clips lead.
    """
    transition = settings.transition
    if settings.use_library and not settings.obstacles and not has_time_for_clips(settings, character.fps):
        settings = dataclasses.replace(settings, use_library=False)
    if transition.destination_frame is not None:
        return settings
    _, destination = finish(clip_store.read_named_steps(character.armature, transition.ends()))
    transition = dataclasses.replace(transition, destination_frame=destination.start)
    return dataclasses.replace(settings, transition=transition)


def check(settings: FillSettings, fps: float) -> None:
    """Raise InertiaError for a gap longer than chains.LONGEST_SECONDS, at a frame rate, or shorter
    than chains.SHORTEST_SECONDS if clips are to fill it.
    """
    seconds = settings.gap_frames / fps
    is_too_short = settings.use_library and not has_time_for_clips(settings, fps)
    if is_too_short or seconds > chains.LONGEST_SECONDS + 1e-3:
        raise InertiaError(
            "The gap lasts for {seconds:.3g} s; one of {least:g} to {most:g} s can be filled.",
            seconds=seconds,
            least=chains.SHORTEST_SECONDS,
            most=chains.LONGEST_SECONDS,
        )


def has_time_for_clips(settings: FillSettings, fps: float) -> bool:
    """Return whether a gap is long enough for clips to lead through it."""
    return settings.gap_frames / fps >= chains.SHORTEST_SECONDS - 1e-3


def flat(stock: Stock, name: str, frame: float) -> int:
    """Return the flat frame of an action's own frame, unmirrored and unbent, the nearest that there is. Raise
    InertiaError for one outside of it; a held pose has its last frame for all later ones.
    """
    base = stock.database
    for i, source in enumerate(base.sources):
        if (source.name, source.mirrored, source.bend) == (name, False, 0.0):
            index, count = round((frame - source.first) / source.step), base.stops[i] - base.starts[i]
            if name in stock.held:
                index = min(index, int(count) - 1)
            if 0 <= index < count:
                return int(base.starts[i]) + index
    raise no_frame(name, frame)


def no_frame(name: str, frame: float) -> InertiaError:
    """Return the error for a frame that an action lacks."""
    return InertiaError(
        '"{action}" has no frame {frame:g}, or is too short; choose a frame that it has.',
        action=name,
        frame=frame,
    )


def _allowed(stock: Stock, transition: TransitionSettings, names: Collection[str]) -> Flags:
    """Tell which flat frames (frames,) may be played: of the named actions, but for held poses, and, of one
    action as both ends without keys between these, the frames between.
    """
    base = stock.database
    playable = [source.name in names and source.name not in stock.held for source in base.sources]
    allowed = np.array(playable)[base.part]
    assert transition.destination_frame is not None
    first, last = transition.cut, transition.destination_frame
    # a clip without a key between two frames only goes from one pose to another there
    times = [curve.keys.co[:, 0] for curve in stock.clip(transition.source).curves.values()]
    is_keyed = any(np.any((t > first + 1e-3) & (t < last - 1e-3)) for t in times)
    if transition.source == transition.destination and first < last and not is_keyed:
        counts = zip(base.sources, base.stops - base.starts, strict=True)
        frames = np.concatenate([source.first + source.step * np.arange(count) for source, count in counts])
        of_both = np.array([source.name == transition.source for source in base.sources])[base.part]
        allowed &= ~(of_both & (frames > first) & (frames < last))
    return np.asarray(allowed)


def placed(base: Database, met: int, settings: FillSettings) -> tuple[float, tuple[float, float]]:
    """Return how the destination's ground is moved to the place that is asked for: (radians about the world's
    origin, then metres along x and y); zeros where the settings have no place.
    """
    if settings.place is None:
        return 0.0, (0.0, 0.0)
    x, y, facing = settings.place
    return goal.motion_to(np.array((x, y)), math.radians(facing), goal.read_ground_motion(base, met))


def figures(fill: GapFill) -> dict[str, Any]:
    """Return what fills a gap, as JSON values: seconds, arrival, goal, arrives_at (x, y in metres, degrees)
    and clips, each with action, mirrored, its own frame and from which frame of the scene on it plays.

    With clips also costs, drawn_m, turned_deg and, with obstacles, obstacle_m, the least distance; without,
    clips is [].
    """
    settings, clips = fill.settings, list[dict[str, Any]]()
    (x, y), facing = fill.gap.arrival(fill.stock.database)
    values: dict[str, Any] = {
        "seconds": settings.gap_frames / fill.stock.fps,
        "arrival": settings.arrival,
        "goal": settings.chosen_goal.lower(),
        "arrives_at": [float(x), float(y), math.degrees(float(wrapped(np.asarray(facing))))],
        "clips": clips,
    }
    if fill.chain is None:
        return values
    for join in fill.way.joins[1:]:
        source, frame = fill.stock.database.place(join.entered)
        cut = settings.transition.cut + join.frame * fill.stock.step
        clips.append({"action": source.name, "mirrored": source.mirrored, "frame": frame, "from": cut})
    ground = warped(fill.way, fill.warp).ground
    return {
        **({"obstacle_m": surroundings.nearest_obstacle(fill.gap.walls, ground)} if fill.gap.walls else {}),
        **values,
        "costs": dict(fill.chain.costs),
        "drawn_m": float(np.linalg.norm(fill.chain.away)),
        "turned_deg": abs(math.degrees(fill.chain.aside)),
    }


# --- how suddenly clips move


def _suddenness(stock: Stock, transition: TransitionSettings) -> Array | None:
    """Return how many times more suddenly than around the gap each frame of the database (frames,) moves.

    0 stands for no more. Suddenness is the change of velocity from frame to frame, see :func:`changes`.
    Return None for a rig that Blender has to play.
    """
    if not stock.plain:
        return None
    base, by_clip = stock.database, {clip.action.name: _all_changes(stock, clip) for clip in stock.clips}
    sudden = np.zeros(base.frames)
    for source, start, stop in zip(base.sources, base.starts.tolist(), base.stops.tolist(), strict=True):
        clip, change = stock.clip(source.name), by_clip[source.name]
        # a frame of the database stands for those up to the next one
        at = source.first - clip.start + source.step * np.arange(stop - start)
        frames = at[:, None] + np.arange(source.step)
        sudden[start:stop] = change[np.clip(np.round(frames), 0, len(change) - 1).astype(int)].max(axis=1)
    assert transition.destination_frame is not None
    around = change_around(
        stock.rig,
        (stock.clip(transition.source), transition.cut),
        (stock.clip(transition.destination), transition.destination_frame),
        stock.fps,
    )
    usual = max(around, float(np.quantile(sudden, USUAL)), 1e-9)
    # the last digits may differ from machine to machine
    return np.asarray(np.round(np.maximum(sudden / usual - 1.0, 0.0), 3))


def changes(rig: Rig, clip: Clip, frames: Array, fps: float) -> Array:
    """Return the change of velocity of all joints, rms, at a clip's frames (n,) but both ends: (n - 2,).

    In world units a second, for rigs that nothing but keys moves.
    """
    heads = joint_motion.joint_positions(rig, clip.curves, frames, clip.unkeyed)
    return np.asarray(np.sqrt(np.sum(np.diff(heads, 2, axis=0) ** 2, axis=-1).mean(axis=-1)) * fps)


def _all_changes(stock: Stock, clip: Clip) -> Array:
    """Return the change of velocity (n,), as :func:`changes` has it, at each whole frame of a clip from its
    start; 0 at both ends.
    """
    frames = clip.start + np.arange(-1.0, clip.end - clip.start + 1.5)
    parts = (frames[i : i + AT_ONCE + 2] for i in range(0, len(frames) - 2, AT_ONCE))
    change = np.concatenate([changes(stock.rig, clip, each, stock.fps) for each in parts])
    # beyond its ends a clip stands still, which is nothing that is played
    change[[0, -1]] = 0.0
    return change


def change_around(rig: Rig, departure: tuple[Clip, float], arrival: tuple[Clip, float], fps: float) -> float:
    """Return the highest change of velocity just before and behind a gap, see :func:`changes`.

    departure, arrival: the clip at either end, with its own frame there.
    """
    reach, highest = AROUND_SECONDS * fps, 0.0
    (source, cut), (destination, entry) = departure, arrival
    for clip, first, last in ((source, cut - reach, cut), (destination, entry, entry + reach)):
        frames = whole_frames(max(first, clip.start), min(last, clip.end))
        if len(frames) > 2:
            highest = max(highest, float(changes(rig, clip, frames, fps).max()))
    return highest
