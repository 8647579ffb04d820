# SPDX-License-Identifier: GPL-3.0-or-later
"""Names from anybody's files, made harmless for who reads them: a terminal, a page, a spreadsheet.

Nothing here needs Blender.
"""

from __future__ import annotations

import unicodedata

FORMULAS = "=+-@\t\r\uff1d\uff0b\uff0d\uff20"
"""A cell that begins with one of these is computed by some spreadsheet; the last four are full-width."""

_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Unicode's categories of what is not seen but obeyed: controls, formats, halves of pairs, line breaks."""

_JOINERS = "\u200c\u200d"
"""They belong to some languages' letters and do no harm."""


def plain(text: str) -> str:
    r"""Escape in a line of text what moves a cursor, breaks a line or turns its direction.

    Escapes are Python's, such as ``\x1b`` or ``\u202e``. A text that was escaped stays as it is.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c.encode("unicode_escape").decode("ascii") if is_hidden(c) else c for c in text)


def is_hidden(character: str) -> bool:
    """Tell whether a terminal obeys a character, rather than to show it."""
    return unicodedata.category(character) in _HIDDEN and character not in _JOINERS


def json_text(text: str) -> str:
    """Escape in JSON what a terminal would obey, so that its strings stay the same.

    text: JSON as ``json.dumps`` writes it; the line breaks between its values stay.
    """
    if text.isascii() and "\x7f" not in text:
        return text
    return "".join(_unit_escapes(c) if c != "\n" and is_hidden(c) else c for c in text)


def _unit_escapes(character: str) -> str:
    """Escape a character as JSON does: by its units of UTF-16."""
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))


def cell(text: str) -> str:
    """Return a name as a cell of a table that no spreadsheet takes for a formula; numbers are not for
    this.
    """
    return "'" + text if text.startswith(tuple(FORMULAS)) else text
