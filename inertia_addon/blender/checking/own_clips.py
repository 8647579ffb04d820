# SPDX-License-Identifier: GPL-3.0-or-later
"""Which clips a result was made of, and when it shows each of them, by its recipe."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...motion.steps import Steps, part
from ...records import record
from ..data import actions, clip_store, recipe, result_kinds, rigs, roots
from ..data.actions import Clip
from ..data.recipe_reader import read_recipe
from ..evaluation import cycles
from ..evaluation.character import read_character
from ..feet import bake as feet_bake
from ..hops import bake as hop_bake
from ..loops import bake as loop_bake
from ..matching import recipes
from ..pops import bake as pop_bake


@record(frozen=True, eq=False)
class OwnClip:
    """A clip that a result shows.

    later: how many frames later than by itself it plays there. first, last: of the result, in which it is
    shown, blends included. mirrored: whether its image in a mirror is.
    """

    clip: Clip
    later: float
    first: float
    last: float
    mirrored: bool = False


OwnClips = Steps[tuple[OwnClip, ...]]


def list_finders(result: Clip) -> list[Callable[[Any, Clip], OwnClips]]:
    """Return what finds the clips that a result was made of, called with the armature and the result: one for
    a result of a known kind, else none, as for what a model has played.

    Each finder yields the part that is done, 0 to 1, and returns the clips in the order in which the result
    shows them. Cycles repeat; of a filled gap only both ends are known. It raises InertiaError where the
    recipe can't be read or a clip is gone.
    """
    find = KINDS.get(recipe.kind(result.action))
    return [] if find is None else [find]


def _read_source(armature: Any, name: str, slot: str = "", library: str = "") -> Clip:
    """Return a clip by the name of its action, as a cycle if it is one. slot: "" for the one that Blender
    would choose. library: the path of its file, "" for an action of the open one. Raise InertiaError for one
    that is gone or can't be read.
    """
    clip = clip_store.read(armature, actions.find(name, library), slot)
    return _with_cycle(armature, clip, "AUTO")


def _with_cycle(armature: Any, clip: Clip, choice: str) -> Clip:
    rig = rigs.read(armature)
    return cycles.with_cycle(rig, roots.find_root(rig, (clip,)), clip, choice)


def _in_a_row(
    result: Clip, clips: Sequence[tuple[Clip, float, float]], *, mirrored: Sequence[bool] = ()
) -> tuple[OwnClip, ...]:
    """Return clips as a result shows them one after the other, each until a frame before the next begins, the
    last until the result's end; within the result's ends, and without those that lie outside of them.

    clips: in order, each with the frame of the result from which on it is shown, and its own frame then; the
    former less the latter is how much later it plays. mirrored: a flag for each; False where there are fewer.
    """
    starts = [start for _, start, _ in clips]
    ends = [*(start - 1.0 for start in starts[1:]), result.end]
    turned = [*mirrored, *[False] * len(clips)]
    return tuple(
        OwnClip(clip, start - own, max(start, result.start), min(end, result.end), is_mirrored)
        for (clip, start, own), end, is_mirrored in zip(clips, ends, turned, strict=False)
        if max(start, result.start) <= min(end, result.end)
    )


def _of_transition(armature: Any, result: Clip) -> OwnClips:
    settings = read_recipe(result.action, recipe.RECIPE, by_name=True).settings
    late, entry = settings.shift, settings.destination_frame
    source = clip_store.read(
        armature, actions.find(settings.source, settings.source_library), settings.source_slot
    )
    yield 0.3
    if settings.smooth_jump:
        return (OwnClip(source, late, result.start, result.end),)
    destination = clip_store.read(
        armature, actions.find(settings.destination, settings.destination_library), settings.destination_slot
    )
    yield 0.6
    # a cycle can't be scaled any more
    source, destination = clip_store.scaled_ends(settings, (source, destination))
    source = _with_cycle(armature, source, settings.source_cycle)
    destination = _with_cycle(armature, destination, settings.destination_cycle)
    entry = destination.start if entry is None else entry
    shown = [(source, result.start, result.start - late), (destination, settings.cut + late, entry)]
    return _in_a_row(result, shown)


def _rewritten(kind: str) -> Callable[[Any, Clip], OwnClips]:
    """Return a finder, see :func:`list_finders`, for results that are one action with stretches of it
    rewritten: it gives that action, read as it is now, as the only OwnClip, unshifted, from the result's
    start to its end.

    kind: of the result's recipe. settings: the class of its settings. The finder raises InertiaError where
    the recipe can't be read or the action is gone.
    """

    def find_source(armature: Any, result: Clip) -> OwnClips:
        asked = read_recipe(result.action, kind).settings
        yield 0.1
        clip = _read_source(armature, asked.action, asked.slot, getattr(asked, "library", ""))
        return (OwnClip(clip, 0.0, result.start, result.end),)

    return find_source


def _of_loop(armature: Any, result: Clip) -> OwnClips:
    settings = read_recipe(result.action, loop_bake.KIND).settings
    stretch, _ = yield from part(loop_bake.read_stretch_steps(read_character(armature), settings), 0.0, 1.0)
    clip = clip_store.read(armature, actions.find(settings.action, settings.library), settings.slot)
    return (OwnClip(clip, stretch.result_cycle.start - stretch.ends[0], result.start, result.end),)


def _of_path(armature: Any, result: Clip) -> OwnClips:
    plays = recipes.plays_of(result.action)
    clips = {}
    for i, name in enumerate(dict.fromkeys(play.action for play in plays)):
        clips[name] = _read_source(armature, name)
        yield i / len(plays)
    shown = [(clips[play.action], play.frame, play.entered) for play in plays]
    return _in_a_row(result, shown, mirrored=[play.mirrored for play in plays])


def _of_hop(armature: Any, result: Clip) -> OwnClips:
    stored = read_recipe(result.action, recipe.HOP)
    settings, hop = stored.settings, hop_bake.read_way(stored)
    stock = hop_bake.stock_of(read_character(armature), settings, hop)
    yield 0.5
    source = stock.clip(settings.transition.source)
    shown = [(source, result.start, result.start)]
    steps = hop_bake.steps_of(settings, hop, stock)
    shown += [(stock.clip(each.action), each.cut, each.entry) for each in steps]
    return _in_a_row(result, shown)


def _of_fill(armature: Any, result: Clip) -> OwnClips:
    settings = read_recipe(result.action, recipe.FILL).settings
    ends, late = settings.transition, settings.transition.shift
    source = _read_source(armature, ends.source, ends.source_slot, ends.source_library)
    yield 0.5
    destination = _read_source(armature, ends.destination, ends.destination_slot, ends.destination_library)
    entry = destination.start if ends.destination_frame is None else ends.destination_frame
    arrival = settings.arrival + late
    return (
        OwnClip(source, late, result.start, min(ends.cut + late, result.end)),
        OwnClip(destination, arrival - entry, min(arrival, result.end), result.end),
    )


KINDS: dict[str, Callable[[Any, Clip], OwnClips]] = {
    recipe.RECIPE: _of_transition,
    recipe.HOP: _of_hop,
    recipe.PATH: _of_path,
    recipe.FILL: _of_fill,
    loop_bake.KIND: _of_loop,
    feet_bake.KIND: _rewritten(feet_bake.KIND),
    pop_bake.KIND: _rewritten(pop_bake.KIND),
    result_kinds.TRAVEL: _rewritten(result_kinds.TRAVEL),
    result_kinds.FINISH: _rewritten(result_kinds.FINISH),
    result_kinds.KEYS: _rewritten(result_kinds.KEYS),
}
"""What finds the clips of each kind of results."""
