# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface in other languages than English, by Blender's own means.

Labels and tooltips Blender translates itself. What is put together here from values is a template with
``{0}``, ``{1}`` and so on, which is translated before it is filled: :func:`translated`. Errors and reports
come as whole English sentences, also from below, where nobody knows of languages: for these the template
that they were made from is found again, see :func:`sentence`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

import bpy

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

PLACE = re.compile(r"\{(\d)\}")


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
    """An English sentence in Blender's language; as it is where no template is known for it.

    look_up: translates the template, by default :func:`interface`.
    """
    if language() not in LANGUAGES:
        return text
    found = origin(text)
    if found is None:
        return text
    template, parts = found
    values = [part if quoted else sentence(part, look_up) for part, quoted in parts]
    return (look_up or interface)(template).format(*values)


@functools.lru_cache(maxsize=512)
def origin(text: str) -> tuple[str, tuple[tuple[str, bool], ...]] | None:
    """The template that a sentence was made from, with the values; and whether each is a quoted name."""
    for pattern, template, quoted in _patterns():
        match = pattern.fullmatch(text)
        if match is not None:
            return template, tuple(zip(match.groups(), quoted, strict=True))
    return None


@functools.cache
def _patterns() -> list[tuple[re.Pattern[str], str, tuple[bool, ...]]]:
    """A pattern for each template, the ones that say most by themselves first."""
    templates = {template for texts in LANGUAGES.values() for template in texts.SENTENCES}
    ordered = sorted(templates, key=lambda template: (-len(PLACE.sub("", template)), template))
    return [(_pattern(template), template, _quoted(template)) for template in ordered]


def _pattern(template: str) -> re.Pattern[str]:
    first, *others = PLACE.split(template)[::2]
    pattern = re.escape(first)
    for piece in others:
        # of two values side by side the first one may be of several words: the "destination frame 12"
        pattern += ("(.*)" if piece == " " else "(.*?)") + re.escape(piece)
    return re.compile(pattern, re.DOTALL)


def _quoted(template: str) -> tuple[bool, ...]:
    """For each place whether it stands in quotes, as names do, which nobody translates."""
    return tuple(template[match.start() - 1 : match.start()] == '"' for match in PLACE.finditer(template))
