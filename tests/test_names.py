# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests are found by the word for what they test, so their names begin with that."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).resolve().parent
DEFINED = re.compile(r"^\s*def test_([a-z0-9]+)", re.MULTILINE)
NO_SUBJECTS = {
    *("all", "another", "any", "anything", "both", "each", "everything", "its", "many", "neither", "nobody"),
    *("none", "nothing", "one", "only", "other", "others", "several", "some", "somebody", "something"),
    *("how", "it", "that", "there", "they", "this", "those", "what", "whatever", "when", "where", "which"),
    *("while", "who", "whoever", "why"),
    *("also", "after", "at", "before", "behind", "beside", "between", "by", "for", "from", "if", "in", "of"),
    *("off", "on", "so", "to", "twice", "with", "within", "without"),
}
"""Words that begin a name which tells of no thing: ``it_is_...``, ``what_is_...``, ``nothing_changes``."""


def test_a_tests_name_begins_with_what_is_tested() -> None:
    wrong = [
        f"{path.relative_to(TESTS)}: test_{word}_..."
        for path in sorted(TESTS.rglob("test_*.py"))
        for word in DEFINED.findall(path.read_text(encoding="utf-8"))
        if word in NO_SUBJECTS
    ]
    assert wrong == []
