# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of bones as one line of text, which an operator's properties can hold and a script can write.

Comma separated, with double quotes around a name that holds a comma: ``hips, "a, b", hand.L``.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from ...errors import InertiaError


def names_to_text(names: Iterable[str]) -> str:
    """Names as comma separated text."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(list(names))
    return line.getvalue()


def text_to_names(text: str) -> tuple[str, ...]:
    """The inverse of :func:`names_to_text`; blanks around the commas don't matter."""
    rows = csv.reader([text], skipinitialspace=True)
    return tuple(name.strip() for row in rows for name in row if name.strip())


def text_to_scales(text: str) -> tuple[tuple[str, float], ...]:
    """The (bone, multiplier) pairs of ``hand.L=0.5, head=2``. Raises InertiaError for what is none."""
    scales = []
    for entry in text_to_names(text):
        name, equals, number = entry.rpartition("=")
        try:
            scales.append((name.strip(), float(number)))
        except ValueError:
            equals = ""
        if not equals:
            raise InertiaError(
                '"{entry}" is not a blend scale; write bone=number, such as hand.L=0.5.', entry=entry
            )
    return tuple(scales)
