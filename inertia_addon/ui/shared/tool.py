# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators have in common: when they can run, how they say what happened and follow the mouse."""

from __future__ import annotations

import functools
import sys
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...blender.data import rig
from ...errors import InertiaError, Sentence
from .. import translations
from ..translations import translated
from . import cache, character


def refusal(error: Exception, label: str) -> InertiaError:
    """Return an InertiaError for any error: itself if it is one, else a sentence that names the operator;
    then the traceback goes to standard error.

    label: of the operator whose work the error ended. Nothing is raised.
    """
    if isinstance(error, InertiaError):
        return error
    traceback.print_exception(type(error), error, error.__traceback__, file=sys.stderr)
    return InertiaError(
        "{operator} failed: {error}. The system console has the details.",
        operator=translated(label),
        error=f"{type(error).__name__}: {error}".rstrip(". \n"),
    )


Invoke = Callable[[Any, Any, Any], set[str]]
Need = Callable[[Any, Any], bool]
"""Whether an operator's class can run in a context; it has a tooltip say why not."""


def unavailable(cls: Any, why: str, /, **values: object) -> bool:
    """Have a tooltip say, in an English sentence, why an operator is greyed out; return False. Blender puts
    the full stop itself."""
    cls.poll_message_set(translations.sentence(Sentence(why, **values), translations.tip).rstrip(".\u3002"))
    return False


def need(has: Callable[[Any], object], why: str = "") -> Need:
    """Return a poll function that tells whether `has` finds something in a context.

    If it does not, or raises InertiaError, the function returns False, and the operator's tooltip says why,
    or the error's sentence. Other errors get through.
    """

    def poll(cls: Any, context: Any) -> bool:
        try:
            return bool(has(context)) or unavailable(cls, why)
        except InertiaError as error:
            return unavailable(cls, error.sentence)

    return poll


def poll_settings(cls: Any, context: Any) -> bool:
    """Tell whether the active object is an armature whose settings can be changed; if not, the operator's
    tooltip says why.

    A linked armature's can't be, unless it is a library override; False without an active object, too.
    """
    active = context.object
    if active is None or active.type != "ARMATURE":
        return unavailable(cls, "Select an armature")
    if not active.is_editable:
        return unavailable(
            cls, '"{active}" is linked; make a library override to give it settings', active=active.name
        )
    return True


def _is_readable(context: Any) -> bool:
    rig.check_armature(context.object)
    return True


poll_armature = need(_is_readable)
"""The active object is an armature that can be read."""
poll_actions = need(
    lambda context: None not in (context.object.inertia.source, context.object.inertia.destination),
    "Choose a source and a destination action first",
)
POLL_PAIR = (poll_settings, poll_actions)
"""What all that is about the transition's two actions needs."""


def _activate_before(invoke: Invoke) -> Invoke:
    """Return an operator's invoke that first makes the armature active which the active object means, where
    that is a mesh that it deforms, and then does what the given one does and returns that.
    """

    @functools.wraps(invoke)
    def activate_and_invoke(self: Any, context: Any, event: Any) -> set[str]:
        character.activate_meant(context)
        return invoke(self, context, event)

    return activate_and_invoke


class Tool:
    """An operator that says why it can't run, or has done nothing.

    needs: what must be so, one after the other. told_by: the property with a choice whose tooltip is the
    operator's.
    """

    bl_options = {"REGISTER", "UNDO"}
    if TYPE_CHECKING:
        # Blender evaluates each annotation of each base anew for each operator that it registers
        needs: tuple[Need, ...]
        bl_label: str
        bl_rna: Any
        invoke: Any
        report: Callable[[set[str], str], None]
    needs = (poll_settings,)
    told_by = ""

    def __init_subclass__(cls, **options: Any) -> None:
        """Have what a button begins work on the armature that the panel showed, to its end: work that goes on
        finds the active object, and not what the button took for it.
        """
        super().__init_subclass__(**options)
        if "invoke" in vars(cls):
            cls.invoke = _activate_before(vars(cls)["invoke"])

    @classmethod
    def poll(cls, context: Any) -> bool:
        return all(need(cls, context) for need in cls.needs)

    @classmethod
    def description(cls, _context: Any, properties: Any) -> str:
        """Return the tooltip of an operator that is told by one of its choices: that choice's, translated; ""
        for Blender to take the operator's own.
        """
        if not cls.told_by:
            return ""
        items = properties.bl_rna.properties[cls.told_by].enum_items
        return translations.tip(items[getattr(properties, cls.told_by)].description)

    def act(self, context: Any) -> set[str] | None:
        """Do it; return what Blender is told where that is not that it was done. Raise InertiaError. What
        the mouse alone does, does nothing where a script asks for it."""
        return {"CANCELLED"}

    def execute(self, context: Any) -> set[str]:
        try:
            character.activate_meant(context)
            return self.act(context) or {"FINISHED"}
        except Exception as error:
            # whatever it is becomes a sentence for the animator
            return self.refuse(refusal(error, self.bl_label))

    def say(self, text: str, kind: str = "INFO", /, **values: object) -> None:
        """Report an English sentence. kind: ``INFO``, ``WARNING`` or ``ERROR``."""
        self.report({kind}, translations.sentence(Sentence(text, **values), translations.report))

    def refuse(self, error: InertiaError) -> set[str]:
        self.say(error.sentence, "ERROR")
        return {"CANCELLED"}


class Drags(Tool):
    """An operator that moves what the mouse has grabbed; ESC, or a window that closes, puts that back."""

    bl_options = {"UNDO", "BLOCKING", "INTERNAL"}

    def modal(self, context: Any, event: Any) -> set[str]:
        if event.type in ("ESC", "RIGHTMOUSE") and event.value == "PRESS":
            self.cancel(context)
            return {"CANCELLED"}
        if event.type == "LEFTMOUSE" and event.value == "RELEASE":
            self.let_go(context)
            return {"FINISHED"} if self.is_moved() else {"CANCELLED"}
        if event.type == "MOUSEMOVE":
            self.follow(context, event)
        return {"RUNNING_MODAL"}

    def cancel(self, context: Any) -> None:
        """Put it back; Blender calls that, too, where it ends the operator itself."""
        if self.is_moved():
            self.put_back(context)
        self.let_go(context)

    def follow(self, context: Any, event: Any) -> None:
        """Move what was grabbed to where the mouse is."""
        raise NotImplementedError

    def is_moved(self) -> bool:
        raise NotImplementedError

    def put_back(self, context: Any) -> None:
        """Bring it to where it was."""
        raise NotImplementedError

    def let_go(self, context: Any) -> None:
        """Show no more what the mouse does."""
        context.area.header_text_set(None)
        cache.redraw()
