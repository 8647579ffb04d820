# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface in other languages than English, by Blender's own means.

Labels and tooltips Blender translates itself. What is put together here from values is a template with
``{0}``, ``{1}`` and so on, which is translated before it is filled: :func:`translated`. Errors and reports
come as whole English sentences, also from below, where nobody knows of languages: these carry the template
that they were made from, which is looked up, see :func:`sentence`.
"""

from __future__ import annotations

import string
from collections.abc import Callable

import bpy

from ...errors import Sentence
from . import zh_hans

NAME = "inertia"
"""What the translations are registered under."""
LANGUAGES = {"zh_HANS": zh_hans}
"""By Blender's codes, which are the same in all supported versions."""
OWN_CONTEXT = "Inertia"
"""Where labels are looked for that Blender's own interface has in another sense: to it, feet are a unit of
length and a cut is made to the clipboard. What Blender has itself in a context goes before what is added."""
CONTEXTS = ("*", "Operator", OWN_CONTEXT)
"""Where labels are looked for: by Blender, those of operators, and what must not be taken for another."""


def entries(language: str) -> dict[tuple[str, str], str]:
    """All texts of a language as Blender takes them: (context, English) to translated."""
    texts = LANGUAGES[language]
    found = {(context, text): to for context in CONTEXTS for text, to in texts.LABELS.items()}
    return found | {
        ("*", text): to for part in (texts.TOOLTIPS, texts.SENTENCES) for text, to in part.items()
    }


def attach() -> None:
    """Give Blender the texts."""
    bpy.app.translations.register(NAME, {language: entries(language) for language in LANGUAGES})


def detach() -> None:
    """Take them back."""
    bpy.app.translations.unregister(NAME)


def language() -> str:
    """The code of Blender's language; what is kept of translated texts depends on it."""
    return str(bpy.app.translations.locale)


def interface(text: str) -> str:
    """A text of the interface, if Blender's preferences say that these are translated."""
    found = bpy.app.translations.pgettext_iface(text, OWN_CONTEXT)
    return str(found if found != text else bpy.app.translations.pgettext_iface(text))


def tip(text: str) -> str:
    """Likewise a tooltip, for those that Blender does not translate itself."""
    return str(bpy.app.translations.pgettext_tip(text))


def report(text: str) -> str:
    """Likewise a report."""
    return str(bpy.app.translations.pgettext_rpt(text))


def translated(text: str, *values: object) -> str:
    """A text of the interface, or a template with values for its places, in Blender's language."""
    return interface(text).format(*values)


def sentence(text: str, look_up: Callable[[str], str] | None = None) -> str:
    """An English sentence in Blender's language; as it is where no translation is known of its template.

    look_up: translates the template, by default :func:`interface`.
    """
    template = text.template if isinstance(text, Sentence) else text
    if language() not in LANGUAGES or template not in LANGUAGES[language()].SENTENCES:
        return text
    found = (look_up or interface)(template)
    if not isinstance(text, Sentence) or not text.values:
        return found
    values = dict(text.values)
    for before, name, _, _ in string.Formatter().parse(template):
        # what stands in quotes is a name, which nobody translates
        value = values.get(name or "")
        if name and isinstance(value, str) and not before.endswith('"'):
            values[name] = sentence(value, look_up)
    return found.format(**values)
