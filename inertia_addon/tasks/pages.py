# SPDX-License-Identifier: GPL-3.0-or-later
"""The page that plays what was judged, as tasks write it beside what they make."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InertiaError, UsageError
from ..settings.pops import PopSettings
from ..storage import safe_write
from .task import PAGE, Work

if TYPE_CHECKING:
    from ..blender.data.actions import Clip

Writes = Mapping[str, Callable[[Path], list[Path] | None]]
"""What writes a task's files, see :class:`Done`."""


def check_clip(work: Work, clip: Clip) -> tuple[Any, dict[str, Any]]:
    """Check a clip and look for its pops; return the :class:`ActionCheck`, and all there is to tell of it
    with its faults, as JSON values.

    The values are those of :meth:`ActionCheck.as_dict`, and of the list of faults. Raise InertiaError where
    the clip can't be checked; where pops can't be looked for, the list says so.
    """
    from ..blender.checking import check, fault_list
    from ..blender.pops import search

    checked = work.run(check.steps(work.armature, clip), "measuring")
    settings = PopSettings(action=clip.action.name)
    jumps: Any
    try:
        jumps = work.run(search.search_pops_steps(work.character, clip, settings), "looking for pops")
    except InertiaError as error:
        jumps = error
    listed = fault_list.list_faults(work.armature, clip, checked, jumps)
    return checked, {**listed.as_dict(), **checked.as_dict()}


def write_page(work: Work, clip: Clip, values: Mapping[str, Any]) -> Writes:
    """Read what a page plays of a clip, if one is wanted, and return what writes it, a function of its path
    by PAGE.name; else {}.

    values: of the check, as JSON values. Raise InertiaError where the clip can't be played, or plays as
    strips.
    """
    if PAGE.name not in work.wanted:
        return {}
    from ..blender.checking import played_page
    from ..pages import judged

    drawn = played_page.choose_bones(work.armature)
    shown = work.run(played_page.choose_clips_steps(work.armature, clip, drawn), "reading clips")
    read = work.run(played_page.read_points_steps(work.armature, shown.looks, drawn), "reading poses")
    text = judged.render_page(played_page.make_page(work.character, shown, drawn, read, values))

    def save_page(path: Path) -> None:
        with safe_write.replace_safely(path) as file:
            file.write_text(text, encoding="utf-8")

    return {PAGE.name: save_page}


def write_result_page(work: Work, action: str, slot: str) -> Writes:
    """Check an action that was made, and read what a page plays of it, if one is wanted; return what writes
    it, else {}. Raise as :func:`check_clip` and :func:`write_page`.
    """
    if PAGE.name not in work.wanted:
        return {}
    clip = work.clip(action, slot)
    _, values = check_clip(work, clip)
    return write_page(work, clip, values)


def check_page(values: Mapping[str, Any]) -> None:
    """Raise UsageError where a page is asked for and nothing is baked, or it is baked as strips. values: by
    option name, "output" always there.
    """
    if values.get(PAGE.name) is None:
        return
    if values["output"] is None:
        raise UsageError("--html plays what is baked; give -o, too.")
    if values.get("strips"):
        raise UsageError("--html plays an action; leave --strips out.")
