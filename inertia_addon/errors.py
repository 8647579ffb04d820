# SPDX-License-Identifier: GPL-3.0-or-later
"""The one error that a user sees."""


class InertiaError(ValueError):
    """Something the user asked for can't be done: one sentence that says what is wrong and what to do.

    Raised in ``settings``, ``motion`` and ``blender`` before anything in the file has changed, and reported
    by the operators and the command line.
    """
