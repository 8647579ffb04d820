# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones of two skeletons that are called the same but for a prefix, case or separators.

Each download of one rig may come with a prefix of its own: "x:Hips", "x1:Hips", "mixamorigHips" and "hips"
are one bone.
"""

from __future__ import annotations

import collections
import functools
from collections.abc import Iterable, Mapping, Sequence

SPACES = ":|"
"""A prefix ends with the last of these, whatever it is."""
MOST = 0.8
"""A prefix that no such sign ends is what so many of a skeleton's names begin with."""
LETTERS = 3
"""A name has to have so many letters left without such a prefix: "L" is left of "Arm.L" and of "Leg.L"."""
SHARED, OF_LARGER = 2 / 3, 1 / 3
"""Skeletons are alike that share such a part of the smaller one's bones, and such a part of the larger
one's: one may have fingers that the other lacks."""


def find(names: Iterable[str], other_names: Iterable[str]) -> dict[str, str]:
    """Return, for each of ``other_names`` that has a twin among ``names``, that twin.

    A name has one twin at most: the same name, else the one that differs in its prefix, case or separators
    only, unless several do.
    """
    return dict(_find(tuple(names), tuple(other_names)))


@functools.lru_cache(maxsize=256)
def _find(names: tuple[str, ...], other_names: tuple[str, ...]) -> Mapping[str, str]:
    same = set(names)
    found = {other: other for other in other_names if other in same}
    if len(found) == len(other_names):
        return found
    # by what is left of each name, the least that has to be taken away first
    _add(
        found,
        {name: _without_space(name) for name in names},
        {name: _without_space(name) for name in other_names},
    )
    mine, theirs = ({name: _simplify_name(name) for name in each} for each in (names, other_names))
    best = _added(found, mine, theirs)
    for first in ("", _prefix(mine.values())):
        for second in ("", _prefix(theirs.values())):
            if first or second:
                shorter = _shortened(mine, first), _shortened(theirs, second)
                tried = _added(found, *shorter)
                said = sum(sum(map(str.isalpha, shorter[1][other])) >= LETTERS for other in tried)
                if len(tried) > len(best) and 2 * said >= len(tried):
                    best = tried
    return {**found, **best}


def are_alike(shared: int, count: int, other_count: int) -> bool:
    """Tell whether two skeletons that share some bones are one but for few bones.

    Parameters
    ----------
    shared
        How many bones they share; with 0 the result is False.
    count
        How many bones the first has.
    other_count
        How many bones the second has.

    Returns
    -------
    bool
        True if that is at least 2/3 of the smaller count and at least 1/3 of the larger.
    """
    least, most = sorted((count, other_count))
    return shared > 0 and shared >= SHARED * least and shared >= OF_LARGER * most


def nearest(bone: str, parents: Mapping[str, str], among: Iterable[str]) -> tuple[str, list[str]]:
    """Return the nearest ancestor of a bone that is in `among`, and the bones between the two.

    Parameters
    ----------
    bone
        The name of the bone, which is not looked for itself.
    parents
        The name of each bone's parent by bone name, "" for none.
    among
        Names; they are looked at several times, so that an iterator will not do.

    Returns
    -------
    tuple[str, list[str]]
        The ancestor, "" if none is in `among`; and the bones between, topmost first,
        without both ends: all ancestors if there is none.

    Raises
    ------
    KeyError
        The bone, or an ancestor that is looked at, is not in `parents`.
    """
    between: list[str] = []
    above = parents[bone]
    while above and above not in among:
        between.insert(0, above)
        above = parents[above]
    return above, between


def _add(twins: dict[str, str], mine: Mapping[str, str], theirs: Mapping[str, str]) -> None:
    twins.update(_added(twins, mine, theirs))


def _added(twins: Mapping[str, str], mine: Mapping[str, str], theirs: Mapping[str, str]) -> dict[str, str]:
    """Return twins, my bone by theirs, of bones that have none yet: those whose key one bone alone has on
    each side. twins: so far, my bone by theirs. mine, theirs: keys by name.
    """
    taken = set(twins.values())
    own, keys = _alone(mine, taken), _alone(theirs, set(twins))
    return {keys[key]: own[key] for key in keys if key in own}


def _alone(keys: Mapping[str, str], taken_names: set[str]) -> dict[str, str]:
    """Return the names by their keys, but for those that are taken and for keys that several names have,
    taken ones included.
    """
    counts = collections.Counter(keys.values())
    return {key: name for name, key in keys.items() if counts[key] == 1 and name not in taken_names}


def _without_space(name: str) -> str:
    """Return a name without the prefix that a sign ends."""
    last = max(name.rfind(sign) for sign in SPACES)
    return name[last + 1 :] or name


def _simplify_name(name: str) -> str:
    """Return a name without prefix, case and separators."""
    bare = _without_space(name)
    return "".join(sign for sign in bare.casefold() if sign.isalnum()) or bare


def _prefix(names: Iterable[str]) -> str:
    """Return the longest text with which at least 80 % of the names, rounded up, and at least two of them,
    begin; "" for none.

    Case counts, and it may end within a word. Of equally long ones it is the first by name.
    """
    known: Sequence[str] = sorted(names)
    needed = max(2, int(MOST * len(known) + 0.999))
    longest = ""
    for first, last in zip(known, known[needed - 1 :], strict=False):
        length = 0
        while length < min(len(first), len(last)) and first[length] == last[length]:
            length += 1
        longest = max(longest, first[:length], key=len)
    return longest


def _shortened(keys: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {name: key.removeprefix(prefix) for name, key in keys.items()}
