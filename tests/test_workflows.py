# SPDX-License-Identifier: GPL-3.0-or-later
"""The workflows take the code of others by its commit, and may do no more than they need."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINNED = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_an_action_is_named_by_its_commit_and_version(path: Path) -> None:
    used = re.findall(r"uses: (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert used
    assert [each for each in used if not PINNED.fullmatch(each)] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_nothing_and_each_job_what_it_says(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.search(r"^permissions: \{\}$", text, re.MULTILINE)
    jobs = re.split(r"^  (?=\w+:$)", text.split("\njobs:\n")[1], flags=re.MULTILINE)[1:]
    assert jobs
    assert all("\n    permissions:\n" in job for job in jobs)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_commands_of_workflows_name_files_that_are_there(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    commands = " ".join(re.findall(r"run: (.*)$", text, re.MULTILINE)).split()
    named = [word for word in commands if word.startswith(("tests/", "tools/", "examples/", ".ci/"))]
    assert [word for word in named if not (ROOT / word).exists()] == []
