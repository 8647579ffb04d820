# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run is to write, looked at all at once before any work: nothing takes the place of an input."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ..errors import InertiaError, UsageError
from ..records import record
from ..storage import places


@record(frozen=True)
class Output:
    """A file that is asked for. flag: by which option. path: None when it is not. endings: that fit.

    in_place: whether it may be the very .blend file that is read, all of which it will hold. makes_folder:
    whether its folder is made where there is none. replaces: raises InertiaError for a file that it must not
    take the place of; None where it may take that of any.
    """

    flag: str
    path: Path | None
    endings: Sequence[str]
    in_place: bool = False
    makes_folder: bool = False
    replaces: Callable[[Path], None] | None = None


def make_folders(*folders: Path) -> None:
    """Make folders, and those above them, that are not there. Raise InertiaError if one can't be made, also
    where a file has its name; those before it stay.
    """
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InertiaError(f'The folder "{folder}" could not be made: {error.strerror}.') from error


def check(outputs: Iterable[Output], inputs: Iterable[Path], new_folder: Path | None = None) -> None:
    """Raise UsageError for outputs that are inputs, that would write one another's files (companions of a
    file included), or whose names have other endings than their options allow.

    Raise InertiaError for what can't be written, or must not be replaced. Nothing is written. Outputs without
    a path are left out. A .blend output with in_place may be a .blend input. inputs: the files that are read.
    new_folder: one that the run will make, so that it need not be there; nor need the folder of an output
    with makes_folder.
    """
    wanted = [(output, output.path) for output in outputs if output.path is not None]
    inputs = list(inputs)
    for output, path in wanted:
        kept = ".blend" if output.in_place and path.suffix.lower() == ".blend" else None
        _check_apart(output, path, [file for file in inputs if file.suffix.lower() != kept])
    for (output, path), (other, another) in itertools.combinations(wanted, 2):
        written = itertools.product(places.written_with(path), places.written_with(another))
        if any(places.is_same(*pair) for pair in written):
            both = f"{output.flag} and {other.flag}"
            raise UsageError(f'{both} write the same file, "{another}"; give each one of its own.')
    for output, path in wanted:
        places.check(path, path.parent if output.makes_folder else new_folder)
        if output.replaces is not None:
            output.replaces(path)
    for output, path in wanted:
        if path.suffix.lower() not in output.endings:
            raise UsageError(f"{output.flag} takes a name that ends in {', '.join(output.endings)}.")


def check_apart(outputs: Iterable[Output], inputs: Sequence[Path]) -> None:
    """Raise UsageError for outputs that are inputs; none may be in place."""
    for output in outputs:
        if output.path is not None:
            _check_apart(output, output.path, inputs)


def _check_apart(output: Output, path: Path, inputs: Sequence[Path]) -> None:
    taken = places.ReadFiles(inputs).taken_by(path)
    if taken is not None:
        raise UsageError(f'{output.flag} would write over "{taken}", which is read; give another file.')
