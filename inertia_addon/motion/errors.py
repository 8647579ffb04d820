# SPDX-License-Identifier: GPL-3.0-or-later
"""The one error that a user sees, see :mod:`inertia_addon.errors`."""

from ..errors import InertiaError

__all__ = ["InertiaError"]
