# SPDX-License-Identifier: GPL-3.0-or-later
"""What each kind of result is to an animator: what it is called, what makes it anew, what is said of it, and
what usually comes next. Each room says so of its own kind."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator, Mapping
from typing import Any

from ...blender.data import recipe, rewriting
from ...blender.data.rewriting import Report
from ...blender.judging.verdict import Verdict
from ...records import record
from ...settings.fields import Record

Rebaker = Callable[[Any, Any, Any], Generator[float, None, None] | None]
"""Makes an action anew for a :class:`LongWork`, in a context, and says what came of it; long work is a
generator."""


NOT_COMPARED = frozenset({"result", "assign", "assign_others"})
"""Settings of transitions that say nothing of what a result is like."""


@record(frozen=True)
class Step:
    """A button that leads on from a result. values: what its operator is given."""

    text: str
    operator: str
    icon: str
    values: Mapping[str, Any] = dataclasses.field(default_factory=dict)


@record(eq=False)
class Kind:
    """A kind of result.

    label: what it is called. rebake: makes one anew by its recipe. anew: the operator that makes one anew by
    the panels' settings, where these ask for the same result with others; "" else. changed: a sentence on
    what else has changed since it was baked, or "". verdict: what is seen of one, None where nothing is
    known. steps: what usually comes after one. load: has the panels ask for the settings of one; None for
    kinds of which nobody asks again.
    """

    label: str
    rebake: Rebaker
    anew: Callable[[Any, Any], str] = lambda _armature, _action: ""
    changed: Callable[[Any, Any], str] = lambda _armature, _action: ""
    verdict: Callable[[Any, Any], Verdict | None] = lambda _armature, _action: None
    steps: Callable[[Any, Any], tuple[Step, ...]] = lambda _armature, _action: ()
    load: Callable[[Any, Any], None] | None = None


@record(frozen=True)
class Unbaked:
    """What is known of an action that is none of Inertia's results, and what usually comes next."""

    text: str
    steps: tuple[Step, ...]


_tellers: list[Callable[[Any, Any], Unbaked | None]] = []


def tell_of_unbaked(teller: Callable[[Any, Any], Unbaked | None]) -> None:
    """Have a function say what is known of actions that are no results, of an armature and an action."""
    _tellers.append(teller)


def unbaked(armature: Any, action: Any) -> Unbaked:
    """What is known of an action that is no result."""
    answers = (teller(armature, action) for teller in _tellers)
    return next((answer for answer in answers if answer is not None), Unbaked("Not baked by Inertia", ()))


_kinds: dict[str, Kind] = {}
"""By :func:`recipe.kind`."""


def add(name: str, kind: Kind) -> None:
    """Have results be known as a kind."""
    _kinds[name] = kind


def remaking(
    name: str,
    record: type[Record],
    making: Callable[[Any, Any, Any], Generator[float, None, Report]],
    tell: Callable[[Any, Any], None],
) -> Rebaker:
    """What makes one action that was rewritten anew, with the settings of its recipe.

    name: of its kind. making: makes one of an armature, by settings, in the place of an action. tell: says
    for an operator what was made.
    """

    def remake(operator: Any, context: Any, action: Any) -> Generator[float, None, None]:
        settings = rewriting.settings_of(action, name, record)
        tell(operator, (yield from making(context.object, settings, action)))

    return remake


def kind_of(action: Any | None) -> Kind | None:
    """The kind of a result; None for what is none of Inertia's."""
    return _kinds.get(recipe.kind(action))


def judged_by(name: str, verdict: Callable[[Any, Any], Verdict | None]) -> None:
    """Have a function say what is seen of a kind's results."""
    _kinds[name].verdict = verdict


def differ(values: dict[str, Any], others: dict[str, Any], leave: frozenset[str]) -> bool:
    """Whether two records' values differ, but for some names of theirs."""
    return any(values[name] != others.get(name) for name in values if name not in leave)
