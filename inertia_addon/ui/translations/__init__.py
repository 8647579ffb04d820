# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface in other languages than English, by Blender's own means.

Labels and tooltips Blender translates itself. What is put together here from values is a template with
``{0}``, ``{1}`` and so on, which is translated before it is filled: :func:`translated`. Errors and reports
come as whole English sentences, also from below, where nobody knows of languages: these carry the template
that they were made from, which is looked up, see :func:`sentence`.
"""

from __future__ import annotations

import functools
import string
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import bpy

from ...errors import Sentence

NAME = "inertia"
"""What the translations are registered under."""
FOLDER = Path(__file__).parent
LANGUAGES = tuple(sorted(path.stem for path in FOLDER.glob("*.mo")))
"""By Blender's codes, which are the same in all supported versions. Each has a .po file, which is edited, and
a .mo file, which ``make translations`` makes of that."""
OWN_CONTEXT = "Inertia"
"""Where labels are looked for that Blender's own interface has in another sense: to it, feet are a unit of
length and a cut is made to the clipboard. What Blender has itself in a context goes before what is added.
In a .po file it is the context of all labels; tooltips and sentences have none."""
CONTEXTS = ("*", "Operator", OWN_CONTEXT)
"""Where labels are looked for: by Blender, those of operators, and what must not be taken for another."""


@functools.cache
def labels_and_sentences(language: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return two dicts of a language, the labels and then the tooltips and sentences, each from English text
    to translation.

    Labels are the texts in the context OWN_CONTEXT of the .mo file; texts without a context, or in any other,
    are in the second dict. The file's header is in neither. language: one of LANGUAGES; its .mo file is read
    once and kept, so both dicts are shared and must not be changed. Raise OSError for another language, on
    each call.
    """
    texts: tuple[dict[str, str], dict[str, str]] = {}, {}
    for key, to in _catalog(FOLDER / f"{language}.mo"):
        context, _, text = key.rpartition("\x04")
        # without a text it is what the file says of itself
        if text:
            texts[context != OWN_CONTEXT][text] = to
    return texts


def _catalog(path: Path) -> Iterator[tuple[str, str]]:
    """Return the texts of a .mo file, each with its context and U+0004 before it where it has one, beside
    their translations.

    Python's gettext reads that format too, but takes three times as long at each start of Blender, as it
    looks for plurals, which Blender has none of.
    """
    data = path.read_bytes()
    count, originals, translations = struct.unpack_from("<3I", data, 8)

    def read_column(start: int) -> Iterator[str]:
        places = struct.unpack_from(f"<{2 * count}I", data, start)
        for length, begin in zip(places[::2], places[1::2], strict=True):
            yield data[begin : begin + length].decode()

    return zip(read_column(originals), read_column(translations), strict=True)


def entries(language: str) -> dict[tuple[str, str], str]:
    """Return all texts of a language as Blender takes them: (context, English) to translated. Labels come in
    all of CONTEXTS, sentences in "*".
    """
    labels, sentences = labels_and_sentences(language)
    found = {(context, text): to for context in CONTEXTS for text, to in labels.items()}
    return found | {("*", text): to for text, to in sentences.items()}


def attach() -> None:
    """Give Blender the texts."""
    bpy.app.translations.register(NAME, {language: entries(language) for language in LANGUAGES})


def detach() -> None:
    """Take them back."""
    bpy.app.translations.unregister(NAME)


def language() -> str:
    """Return the code of Blender's language; what is kept of translated texts depends on it."""
    return str(bpy.app.translations.locale)


def interface(text: str) -> str:
    """Translate a text of the interface, if Blender's preferences say so."""
    found = bpy.app.translations.pgettext_iface(text, OWN_CONTEXT)
    return str(found if found != text else bpy.app.translations.pgettext_iface(text))


def tip(text: str) -> str:
    """Translate a tooltip, if Blender's preferences say so, of those that Blender does not translate
    itself.
    """
    return str(bpy.app.translations.pgettext_tip(text))


def report(text: str) -> str:
    """Translate a report, if Blender's preferences say so."""
    return str(bpy.app.translations.pgettext_rpt(text))


def translated(text: str, *values: object) -> str:
    """Translate a text of the interface, or a template with values for its places, into Blender's
    language.
    """
    return interface(text).format(*values)


def sentence(text: str, look_up: Callable[[str], str] | None = None) -> str:
    """Translate an English sentence into Blender's language; return it as it is if its template is not among
    the sentences of that language, or there is no such language.

    A Sentence is looked up by its template, and its values are filled into the translation. A plain text is
    looked up as a whole: values in it are not found out. Values that are texts are translated likewise,
    unless the template has a double quote right before their place, as it has for names.

    look_up: translates a template, by default :func:`interface`; it is asked only for templates that are
    known. The result is a plain str then, no Sentence.
    """
    template = text.template if isinstance(text, Sentence) else text
    if language() not in LANGUAGES or template not in labels_and_sentences(language())[1]:
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
