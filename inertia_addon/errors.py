# SPDX-License-Identifier: GPL-3.0-or-later
"""The one error that a user sees, and the sentences that it and the warnings are made of."""

from __future__ import annotations

from collections.abc import Mapping


class Sentence(str):
    """An English sentence, or a part of one, that knows what it was made of, so that it can be translated.

    template: with a place for each value, ``'"{name}" has no action.'``; without values it is taken as it
    stands. values: by their places' names. Both survive pickling and copying.
    """

    template: str
    values: Mapping[str, object]

    def __new__(cls, template: str, /, **values: object) -> Sentence:
        """Return the template with its values filled in, as a string that remembers both.

        A Sentence given without values is returned as it is. Any other template without values is taken
        literally, braces included. Raise KeyError if a place in the template has no value; values without a
        place are kept, but not shown.
        """
        if isinstance(template, Sentence) and not values:
            return template
        sentence = super().__new__(cls, template.format(**values) if values else template)
        sentence.template, sentence.values = str(template), values
        return sentence


class InertiaError(ValueError):
    """Something the user asked for can't be done: one sentence that says what is wrong and what to do.

    Raised in ``settings``, ``motion`` and ``blender`` before anything in the file has changed, and reported
    by the operators and the command line. Made as a :class:`Sentence` is; what the command line alone says
    is never translated, and may be given whole.
    """

    def __init__(self, template: str, /, **values: object) -> None:
        super().__init__(Sentence(template, **values))

    @property
    def sentence(self) -> Sentence:
        """What is wrong and what to do."""
        sentence: Sentence = self.args[0]
        return sentence

    @property
    def facts(self) -> Mapping[str, object]:
        """What a program may want to know of it besides, as JSON values."""
        return {}


class UsageError(InertiaError):
    """The command line itself is wrong: one sentence."""


def sentence_of(error: Exception) -> str:
    """Return any error as one sentence that a user can read.

    An InertiaError says its own text; an OSError says '"file": reason.', without the file where it names
    none. Any other error becomes "Inertia itself failed: TypeName: message.".
    """
    if isinstance(error, InertiaError):
        return str(error)
    if isinstance(error, OSError):
        named = f'"{error.filename}": ' if error.filename else ""
        return f"{named}{error.strerror or error}."
    return f"Inertia itself failed: {type(error).__name__}: {error}."
