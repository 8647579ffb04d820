# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal counts as done only what is whole, whatever went wrong with its files."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inertia_addon.batch.jobs.job import Inputs
from inertia_addon.batch.work import journal
from inertia_addon.errors import InertiaError
from inertia_addon.storage import safe_write


@pytest.fixture
def kept(tmp_path: Path) -> journal.Journal:
    made = journal.Journal(tmp_path / "out")
    for name in ("a.blend", "b.glb"):
        (made.output / name).write_text(name)
    made.write_record("one", ["a.blend", "b.glb"], {"quality": {}})
    return made


def test_a_job_is_done_while_its_outputs_are_as_they_were(kept: journal.Journal) -> None:
    found = kept.record("one")
    assert found is not None
    assert set(found["outputs"]) == {"a.blend", "b.glb"}
    assert kept.record("two") is None
    (kept.output / "b.glb").write_text("b.glb, changed")
    assert kept.record("one") is None
    (kept.output / "b.glb").write_text("b.glb")
    assert kept.record("one") == found
    (kept.output / "a.blend").unlink()
    assert kept.record("one") is None


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"outputs": {}}', '{"outputs": []}', '{"outputs": {"a.blend": ""}}']
)
def test_a_record_that_is_none_counts_as_none(kept: journal.Journal, text: str) -> None:
    (kept.folder / "jobs" / "one.json").write_text(text)
    assert kept.record("one") is None


def spoiled(values: Any) -> Iterator[Any]:
    """JSON values with any one of them replaced, left out or put under another name."""
    yield from (other for other in (None, -1, "", [], {}, 1e308) if other != values)
    for key in values if isinstance(values, dict) else ():
        rest = {name: value for name, value in values.items() if name != key}
        yield from (rest, {**rest, "x": values[key]})
        yield from ({**rest, key: value} for value in spoiled(values[key]))


def test_a_damaged_record_counts_as_none_or_is_what_it_was(kept: journal.Journal) -> None:
    found = kept.write_record(
        "one", ["a.blend"], {"report": {"cut": 1.5}, "quality": {}, "job": {"kind": "x"}}
    )
    path = kept.folder / "jobs" / "one.json"
    for values in spoiled(json.loads(path.read_text())):
        path.write_text(json.dumps(values))
        record = kept.record("one")
        assert record is None or {name: record.get(name) for name in found} == found, values


def test_a_record_of_an_earlier_version_is_known(kept: journal.Journal) -> None:
    path = kept.folder / "jobs" / "one.json"
    record = json.loads(path.read_text())
    del record[journal.DIGEST]
    path.write_text(json.dumps(record))
    assert kept.record("one") is None
    record |= {"job": {}, "report": {}}
    path.write_text(json.dumps(record))
    assert kept.record("one") == record


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"contents": {}}',
        '{"contents": [], "armatures": [], "actions": []}',
        '{"contents": {}, "armatures": [1], "actions": []}',
    ],
)
def test_a_damaged_outline_of_inputs_counts_as_none(kept: journal.Journal, text: str) -> None:
    inputs = Inputs(("/in.blend",))
    kept.write_outline(inputs, {"contents": {}, "armatures": [], "actions": []})
    assert kept.outline(inputs) is not None
    (path,) = (kept.folder / "inputs").iterdir()
    path.write_text(text)
    assert kept.outline(inputs) is None


def test_a_folder_may_be_named_by_a_way_through_others(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    kept = journal.Journal(tmp_path / "here" / ".." / "out")
    (kept.output / "a.gltf").write_text(json.dumps({"buffers": [{"uri": "../a.bin"}]}))
    (tmp_path / "a.bin").write_text("")
    with pytest.raises(InertiaError, match="not written with it"):
        kept.write_record("one", ["a.gltf"], {})
    (kept.output / "a.gltf").write_text("{}")
    assert [*kept.write_record("one", ["a.gltf"], {})["outputs"]] == ["a.gltf"]
    assert kept.record("one") is not None


def test_buffers_beside_a_gltf_file_count_too(kept: journal.Journal) -> None:
    (kept.output / "c.gltf").write_text(json.dumps({"buffers": [{"uri": "c.bin"}]}))
    (kept.output / "c.bin").write_bytes(b"1")
    kept.write_record("three", ["c.gltf"], {})
    assert kept.record("three") is not None
    (kept.output / "c.bin").write_bytes(b"2")
    assert kept.record("three") is None


def test_an_outline_of_inputs_is_known_while_their_contents_are_the_same(
    kept: journal.Journal, tmp_path: Path
) -> None:
    file = tmp_path / "in.blend"
    file.write_text("1")
    inputs = Inputs((str(file),))
    assert kept.outline(inputs) is None
    kept.write_outline(inputs, {"contents": {str(file): journal.contents.digest(file)}, "armatures": []})
    assert kept.outline(inputs) is not None
    assert kept.outline(Inputs((str(file),), scale=2.0)) is None
    file.write_text("2")
    assert kept.outline(inputs) is None


def test_an_outline_of_inputs_that_can_not_be_read_any_longer_counts_as_none(
    kept: journal.Journal, tmp_path: Path, monkeypatch: Any
) -> None:
    file = tmp_path / "in.blend"
    file.write_text("1")
    inputs = Inputs((str(file),))
    kept.write_outline(inputs, {"contents": {str(file): journal.contents.digest(file)}})
    real = Path.open

    def refuses(self: Path, *arguments: Any, **options: Any) -> Any:
        if self == file:
            raise PermissionError(errno.EACCES, "Permission denied", str(self))
        return real(self, *arguments, **options)

    with monkeypatch.context() as refused:
        refused.setattr(Path, "open", refuses)
        assert kept.outline(inputs) is None
    assert kept.outline(inputs) is not None


@pytest.mark.parametrize("call", ["write_text", "replace"])
def test_a_disk_that_is_full_leaves_the_old_record(
    kept: journal.Journal, call: str, monkeypatch: Any
) -> None:
    before = kept.record("one")
    real = getattr(Path, call)

    def fails(self: Path, *arguments: Any, **options: Any) -> Any:
        if call == "write_text":
            # some of it is written
            real(self, arguments[0][:10], **options)
        raise OSError(errno.ENOSPC, "No space left on device", str(self))

    monkeypatch.setattr(Path, call, fails)
    with pytest.raises(InertiaError, match="No space left on device"):
        kept.write_record("one", ["a.blend"], {"quality": {}})
    monkeypatch.undo()
    assert kept.record("one") == before
    assert [path.name for path in (kept.folder / "jobs").iterdir()] == ["one.json"]


def test_a_cleaning_takes_only_what_a_run_may_have_left(kept: journal.Journal) -> None:
    left = [".0a1b2c3d-a.blend", ".0a1b2c3d-a.blend@"]
    own = [".0a1b2c3d-other.txt", ".hidden", "a.blend@", "x.0a1b2c3d-a.blend"]
    for name in (*left, *own):
        (kept.output / name).write_text("")
    (kept.output / ".0a1b2c3d-c" / "new").mkdir(parents=True)
    (kept.folder / "jobs" / ".0a1b2c3d-one.json").write_text("")
    long = "ü" * 120 + ".blend"
    with pytest.raises(InertiaError), safe_write.replace_safely(kept.output / long) as temporary:
        name = temporary.name
    # what a process that is killed leaves
    (kept.output / f"{name}@").write_text("")
    kept.clean(["a.blend", "c.gltf", long])
    assert {path.name for path in kept.output.iterdir()} == {*own, "a.blend", "b.glb", ".inertia"}
    assert [path.name for path in (kept.folder / "jobs").iterdir()] == ["one.json"]


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InertiaError, match="could not be made"):
        journal.Journal(tmp_path / "file" / "out")
