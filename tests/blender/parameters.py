# SPDX-License-Identifier: GPL-3.0-or-later
"""The values that a run of the tests gives to a parameter."""

from __future__ import annotations

import pytest


def that_run(request: pytest.FixtureRequest, name: str) -> list[str]:
    """Return the values of a parameter that the tests of this file have in this run, each once."""
    of_file = [item for item in request.session.items if item.path == request.path]
    given = [item.callspec.params for item in of_file if hasattr(item, "callspec")]
    return sorted({params[name] for params in given if name in params})
