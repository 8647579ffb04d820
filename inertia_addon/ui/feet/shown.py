# SPDX-License-Identifier: GPL-3.0-or-later
"""The contacts that the panel Feet and its overlays show: found when asked for, kept until something changes.

Of plain rigs they are found at once; others have to be played by Blender, which is left to an operator.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

from ...blender.data import actions as blender_actions
from ...blender.data import clip_store, compat
from ...blender.evaluation import character as characters
from ...blender.evaluation import joint_motion
from ...blender.feet import contacts, legs
from ...errors import InertiaError
from ...motion.feet import contacts as spans_of
from ...motion.steps import Steps, finish, part
from ...records import record
from ..shared import cache, tool

if TYPE_CHECKING:
    from ...blender.feet.contacts import Contacts
    from ...motion.feet.contacts import FootFigures, Span

KEPT = "contacts "
"""What contacts that were found are kept under."""
MOST_KEPT = 16


class NotFound(InertiaError):
    """To find contacts would hold up the panels, so that an operator has to do it."""


@record(frozen=True, eq=False)
class ContactsView:
    """An action's contacts. figures: what each foot does."""

    action: str
    contacts: Contacts
    figures: tuple[FootFigures, ...]


def action_of(armature: Any) -> Any | None:
    """Return the action whose contacts are shown: the assigned one, or the source or destination, as the
    armature's panel chooses; None without one.
    """
    which = armature.inertia_feet.shown
    if which == "ASSIGNED":
        return compat.assigned(armature)[0]
    return getattr(armature.inertia, which.lower())


def chosen(armature: Any) -> Any:
    """Return the action whose contacts are shown. Raise InertiaError if there is none."""
    action = action_of(armature)
    if action is None:
        raise InertiaError("There is no action whose contacts could be shown; assign or choose one.")
    return action


def contacts_of(armature: Any) -> ContactsView:
    """Return the contacts of the action that is shown, with what was edited in place of what is found, and
    figures of the feet; the same object until something changes.

    Raise NotFound if finding them would take long or Blender would have to play the action; other
    InertiaErrors without an action or legs, or where stored contacts can't be read.
    """
    character = characters.read_character(armature, may_play=False)
    action = chosen(armature)

    def compute() -> Contacts:
        legs.required(armature)
        if not joint_motion.is_quick(armature, action, blender_actions.choose_slot(action, armature)):
            raise NotFound(
                'Press Find Contacts to see them, as "{action}" is so long that it takes a while.',
                action=action.name,
            )
        clip = clip_store.read_later(armature, action)
        try:
            return finish(contacts.find_steps(character, clip))
        except characters.HasToPlay as error:
            raise NotFound(
                "Press Find Contacts to see them, as Blender has to play this rig: {why}.", why=error.reason
            ) from None

    detected = cache.answer(*_key(armature, action), compute)
    stored = tuple(str(action.get(key, "")) for key in (contacts.HELD, contacts.STORED))

    def join() -> ContactsView:
        joined = contacts.with_edits(detected, contacts.stored_and_held(action), contacts.stored(action))
        return ContactsView(action.name, joined, contacts.figures_of(character, joined))

    return cache.answer(
        f"shown contacts {action.session_uid}", armature, (detected, stored), join, at_once=True
    )


def find_steps(armature: Any) -> Steps[ContactsView]:
    """Find the contacts of the action that is shown, whatever it takes, keep them and return them with what
    was edited; yield the part that is done, nothing if they are known.

    The contacts of the last MOST_KEPT actions stay, of all armatures together. The scene moves meanwhile if
    Blender has to play the action. Raise InertiaError without an action or legs, or where stored contacts
    can't be read.
    """
    cache.settle()
    action = chosen(armature)
    name, _, key = _key(armature, action, at_once=True)

    def find() -> Steps[Contacts]:
        clip = yield from part(clip_store.read_stored_steps(armature, action), 0.0, 0.3)
        return (yield from part(contacts.find_steps(characters.read_character(armature), clip), 0.3, 1.0))

    yield from cache.answer_steps(name, armature, key, find)
    cache.trim(KEPT, MOST_KEPT)
    return contacts_of(armature)


def fault(armature: Any, row: Mapping[str, Any], index: int) -> str:
    """Return why a row of the list of legs can't be used, or "" where it can. index: the row's."""
    key = tuple(row.values())
    return cache.rig_answer(f"rig:leg {index}", armature, lambda rig: legs.fault(rig, row), question=key)


def _key(armature: Any, action: Any, *, at_once: bool = False) -> tuple[str, Any, Hashable]:
    """Return what an action's contacts are kept under: a name, the armature, and a value that changes with
    all that they depend on but edits.

    The name is the action's own, by its session_uid. The value holds the listed legs, the contact settings,
    what is shown, and the states of scene, rig and action. at_once: look at action and rig now; without, they
    are looked at again only now and then where that is slow.
    """
    rows = tuple(tuple(row.values()) for row in legs.listed(armature))
    settings = contacts.stored_settings(armature)
    states = cache.rig_key(armature, at_once=at_once), cache.action_state(action, at_once=at_once)
    key = (rows, settings, armature.inertia_feet.shown, cache.scene_state(), *states)
    return f"{KEPT}{action.session_uid}", armature, key


def put(armature: Any, foot: str, old: Span | None, new: Span | None) -> None:
    """Change the contacts of a foot in the action that is shown, and redraw windows.

    foot: the name of a leg's foot bone; ValueError for another. old: one of the foot's spans, which goes;
    None for none, and nothing goes if it is not among them. new: the one that comes, None for none. All spans
    of the foot are stored with the action then, and count as edited; other feet stay as they are. Raise
    InertiaError, with nothing stored, for spans that overlap or lie outside of the clip, for a linked action,
    and where contacts can't be had.
    """
    planted = contacts_of(armature).contacts
    spans = spans_of.replaced(planted.spans[planted.index(foot)], old, new, planted.clip, planted.period)
    action = chosen(armature)
    contacts.store(action, {**contacts.stored(action), foot: spans})
    cache.redraw()


poll_shown = tool.need(lambda context: contacts_of(context.object))
"""There are contacts to edit; else a tooltip says why not."""
