# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of outputs with fields in braces: plain names of fields, and nothing else that Python's formats know.

An index or an attribute would look into values, and a width write gigabytes.
"""

from __future__ import annotations

import string
from collections.abc import Mapping


def fill(template: str, values: Mapping[str, object]) -> str:
    """A template with its fields filled in. Raises ValueError where it has any but plain, known ones."""
    parts = []
    for text, field, form, conversion in string.Formatter().parse(template):
        parts.append(text)
        if field is None:
            continue
        if form or conversion or field not in values:
            raise ValueError(f'"{field}" is no plain field')
        parts.append(str(values[field]))
    return "".join(parts)
