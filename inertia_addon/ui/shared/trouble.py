# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user is told of an error: its own sentence, or, of one that nobody foresaw, where to read on."""

from __future__ import annotations

import sys
import traceback

from ...errors import InertiaError
from ..translations import translated


def refusal(error: Exception, label: str) -> InertiaError:
    """An error as a sentence; the traceback of one that nobody foresaw goes to the console.

    label: of the operator whose work it ended.
    """
    if isinstance(error, InertiaError):
        return error
    traceback.print_exception(type(error), error, error.__traceback__, file=sys.stderr)
    return InertiaError(
        "{operator} failed: {error}. The system console has the details.",
        operator=translated(label),
        error=f"{type(error).__name__}: {error}".rstrip(". \n"),
    )
