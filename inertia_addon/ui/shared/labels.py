# SPDX-License-Identifier: GPL-3.0-or-later
"""What labels say, and as much of it as fits.

Names of bones and actions are shown without what all begin and end with: whoever shows one says the whole
name in its tooltip; operators and files have whole names only. Sentences are broken into lines that fit a
panel, as Blender's labels don't wrap.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import blf
import bpy

from ...blender.data import clip_store, compat
from . import cache

OPENING = "\u300a\u300c\uff08"
CLOSING = "\u201d\u3001\u3002\u300b\u300d\uff01\uff09\uff0c\uff1a\uff1b\uff1f"
WITH_UNIT = r"(?:[^\s\u2e80-\uffef]*\d\s(?=(?:%|[cm]?m|s)(?!\w)))?"
PIECE = rf"(?:[\u2e80-\uffef][{CLOSING}]*|{WITH_UNIT}[^\s\u2e80-\uffef]+[{CLOSING}]*)"
PIECES = rf"(\s*)([{OPENING}]*{PIECE})"
"""The blank before a piece, and the piece: a word, a number with its unit, or a letter of East Asia, with the
marks that open and close it. A text: to compile it takes 10 ms, which only who reads a panel should wait
for."""
FONT = 0
MARGIN = 62.0
"""What a panel keeps free at its sides, the category tabs included, at a UI scale of 1; pixels."""
ICON = 20.0
"""The width of an icon before a label, likewise; and what popovers count their width by."""
PADDING = 8.0
"""What a label without one keeps free, likewise."""
BOX = 12.0
"""What a box keeps free at its sides, likewise."""


def wrap(text: str, width: float, measure: Callable[[str], float]) -> list[str]:
    """Return the lines of a text, broken at its blanks so that none is wider than width; a longer word stands
    alone. [] for a blank text.

    Blanks in a row become one. Chinese and Japanese are written without blanks: there it may break after
    every letter, though not before a closing mark, or behind one that opens. A number stays with its unit.
    measure: returns the width of a text, in the unit of ``width``.
    """
    lines: list[str] = []
    for blank, piece in re.findall(PIECES, text.strip()):
        if lines and measure(f"{lines[-1]}{blank and ' '}{piece}") <= width:
            lines[-1] += f"{blank and ' '}{piece}"
        else:
            lines.append(piece)
    return lines


def wrap_for(
    context: Any, text: str, fraction: float = 1.0, *, icon: bool = True, occupied: float = 0.0
) -> list[str]:
    """Break a text for a part of the width of the region that is drawn now.

    occupied: pixels, at a UI scale of 1, that something else takes there.
    """
    beside = (ICON if icon else PADDING) + occupied
    return wrap(text, room_for(context, fraction, beside), measure_for(context))


def room_for(context: Any, fraction: float, beside: float = PADDING) -> float:
    """Return the pixels that a text may take of a part of the region that is drawn now.

    fraction: of the region's width. beside: what is kept free, or taken by an icon; pixels at a UI scale of
    1.
    """
    scale = float(context.preferences.system.ui_scale)
    if _popover_units is None:
        width = context.region.width - MARGIN * scale
    else:
        width = (_popover_units - 1.0) * ICON * scale
    return float((width - _kept_by_box * scale) * fraction - beside * scale)


_kept_by_box = 0.0
"""What the box that is drawn into keeps free at its sides, pixels at a UI scale of 1; 0 outside of boxes."""


@contextlib.contextmanager
def in_box() -> Iterator[None]:
    """Have texts in the block fit a box of what is drawn."""
    global _kept_by_box
    before, _kept_by_box = _kept_by_box, BOX
    try:
        yield
    finally:
        _kept_by_box = before


_popover_units: float | None = None
"""How wide the popover is that is drawn now; None outside of popovers."""


@contextlib.contextmanager
def in_popover(units: float) -> Iterator[None]:
    """Have texts in the block fit a popover of so many units instead of the region, as Blender does not say
    how wide a popover is; what counted before counts again behind the block.

    units: the popover's ui_units_x, each as wide as an icon.
    """
    global _popover_units
    before, _popover_units = _popover_units, units
    try:
        yield
    finally:
        _popover_units = before


def measure_for(context: Any) -> Callable[[str], float]:
    """Return a function that measures the width of a label's text in pixels."""
    points = context.preferences.ui_styles[0].widget.points
    blf.size(FONT, points * context.preferences.system.ui_scale)
    return lambda text: float(blf.dimensions(FONT, text)[0])


SEPARATORS = ":|_- "
"""A prefix ends with one of these: ``mixamorig:``, ``Armature|``, ``dataset-2_``, ``DEF-``, ``Bip01 ``."""
LEAST = 3
"""So many names must share a prefix: that of two may be what they are about."""
DOTS = "…"


def shared_prefix(names: Sequence[str]) -> str:
    """Return what all names begin with, up to and with a separator (see SEPARATORS) behind which every name
    goes on with a letter; the longest such beginning.

    "" for none, or for fewer than LEAST names.
    """
    if len(names) < LEAST:
        return ""
    first, last = min(names), max(names)
    same = next((i for i, pair in enumerate(zip(first, last, strict=False)) if len({*pair}) > 1), len(first))
    prefix = first[:same]
    while prefix and not (
        prefix[-1] in SEPARATORS and all(name.removeprefix(prefix)[:1].isalpha() for name in names)
    ):
        prefix = prefix[:-1]
    return prefix


def shared_suffix(names: Sequence[str]) -> str:
    """Return what all names end with, from a separator (see SEPARATORS) on, behind which there are only
    letters and underscores, such as ``_Armature``.

    "" where there is no such ending, or for fewer than LEAST names. At least one character of each name is
    left before it.
    """
    if len(names) < LEAST:
        return ""
    same = 0
    while all(len(name) > same + 1 and name[-same - 1] == names[0][-same - 1] for name in names):
        same += 1
    suffix = names[0][len(names[0]) - same :]
    while suffix and not (suffix[0] in SEPARATORS and suffix[1:].replace("_", "").isalpha()):
        suffix = suffix[1:]
    return suffix


def bone(armature: Any, name: str) -> str:
    """Return a bone's or control's name without the prefix that the armature's bones share."""
    return name.removeprefix(
        cache.rig_answer(
            "rig:prefix", armature, lambda rig: shared_prefix(rig.data.bones.keys()), at_once=True
        )
    )


def action(armature: Any, name: str) -> str:
    """Return an action's name without the prefix and the suffix that the names of all unbaked actions of the
    armature share; the whole name where these share none.

    Only a beginning up to a separator and an ending from one on count. A name that lacks them stays as it is.
    """
    key = (tuple(bpy.data.actions.keys()), compat.assigned(armature)[0] is None)

    def look() -> tuple[str, str]:
        every = [each.name for each in clip_store.unbaked(armature)]
        return shared_prefix(every), shared_suffix(every)

    prefix, suffix = cache.answer("actions:shared", armature, key, look)
    return name.removeprefix(prefix).removesuffix(suffix)


def fitted(text: str, room: float, measure: Callable[[str], float]) -> str:
    """Return a text as it is if it is no wider than room, else the longest shortening that fits, cut in its
    middle, as names differ at their ends: ``LeftHa…humb4``.

    As many letters are kept before the ellipsis (one character) as behind it, or one more before it. At least
    two letters, the ellipsis and the last letter stay, even where these don't fit.

    measure: returns a text's width, in the unit of room.
    """
    if measure(text) <= room:
        return text
    for kept in range(len(text) - 1, 2, -1):
        head = (kept + 1) // 2
        shown = f"{text[:head]}{DOTS}{text[head - kept :]}"
        if measure(shown) <= room:
            return shown
    return f"{text[:2]}{DOTS}{text[-1:]}"


def fitted_for(context: Any, text: str, fraction: float, occupied: float = 0.0) -> str:
    """Shorten a text to a part of the width of the region that is drawn now.

    occupied: pixels, at a UI scale of 1, that something else takes there.
    """
    room = room_for(context, fraction) - occupied * float(context.preferences.system.ui_scale)
    return fitted(text, room, measure_for(context))
