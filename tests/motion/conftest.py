# SPDX-License-Identifier: GPL-3.0-or-later
"""How hypothesis searches: the same examples on every run, so that a failure is never a matter of luck."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

_SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much]

settings.register_profile(
    "inertia", deadline=None, max_examples=60, derandomize=True, database=None, suppress_health_check=_SLOW
)
settings.register_profile("search", deadline=None, max_examples=1000, suppress_health_check=_SLOW)

# `pytest --hypothesis-profile=search` looks for new examples instead
if settings.get_current_profile_name() != "search":
    settings.load_profile("inertia")
