# SPDX-License-Identifier: GPL-3.0-or-later
"""The text of BVH files as recorders write it, and in the one form that Blender's importer takes.

That reads UTF-8 without a mark before it, points in numbers, a frame a line, and how many frames there are,
and how long, with blanks in their places. It reads what is cut off as if that were all,
or fails within a row.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from pathlib import Path

from ...errors import InertiaError, Sentence
from ...records import record
from . import framerate

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_ENCODINGS = ("utf-8", "cp1252", "latin-1")
"""Tried in this order; the last one takes any bytes."""
_LINE_ENDS = re.compile(r"\r\n|\r|\n")
_MOTION = re.compile(r"\s*MOTION\s*", re.IGNORECASE)
_FRAMES = re.compile(r"\s*Frames\s*:?\s*(\S*)\s*", re.IGNORECASE)
_TIME = re.compile(r"\s*Frame\s*Time\s*:?\s*(\S*)\s*", re.IGNORECASE)
_NOTHING = re.compile(r"[+-]?(?=\.?0)0*\.?0*(e[+-]?\d+)?", re.IGNORECASE)
"""A number that is 0."""
_BETWEEN = re.compile(r",(?=\s|$)")
"""A comma that stands between numbers, not within one."""


@record(frozen=True)
class BvhText:
    """The lines of a BVH file.

    is_plain: whether Blender reads them as they stand in the file. skeleton: those before ``MOTION``.
    frames: how many there are to be. seconds: the time of a frame, as text. rows: the numbers of the frames.
    """

    is_plain: bool
    skeleton: Sequence[str]
    frames: int
    seconds: str
    rows: Sequence[str]

    @property
    def channels(self) -> int:
        """How many numbers a frame has."""
        words = (line.split() for line in self.skeleton)
        return sum(len(line) - 2 for line in words if line and line[0].upper() == "CHANNELS")

    def as_text(self) -> str:
        """Return the lines in the form that Blender's importer takes."""
        head = ["MOTION", f"Frames: {self.frames}", f"Frame Time: {self.seconds}"]
        return "\n".join([*self.skeleton, *head, *self.rows]) + "\n"


def frame_rate(path: Path) -> float:
    """Return the frame rate of a BVH file; a usual one where its frames take no time.

    Raise InertiaError when it is none, holds no motion, or has another frame time that cannot be.
    """
    seconds = _parse(path).seconds
    is_none = _NOTHING.fullmatch(seconds)
    return framerate.DEFAULT_KEY_RATE if is_none else framerate.of_frame_time(seconds)


def explain_no_rate(path: Path) -> str:
    """Return a sentence on a BVH file whose frames take no time, "" for any other."""
    if not _NOTHING.fullmatch(_parse(path).seconds):
        return ""
    return Sentence(
        '"{file}" has frames of 0 seconds, and is played at {rate:g} frames a second.',
        file=path.name,
        rate=framerate.DEFAULT_KEY_RATE,
    )


def read(path: Path) -> BvhText:
    """Return the text of a BVH file as a :class:`BvhText`: ``skeleton``, the lines before MOTION; ``frames``,
    the number that the file states; ``seconds``, the frame time as text; and ``rows``, one string for each
    frame, its numbers with blanks between them.

    ``is_plain`` tells whether Blender could read the file as it stands. Frames that are written on several
    lines are put together. If more rows follow than the file says it has frames, they are kept where all rows
    have as many numbers as there are channels, else dropped; ``frames`` stays. Where rows were put together
    or dropped ``is_plain`` is False. Raise InertiaError when it is no BVH file, holds no motion, is cut off,
    or one of the frames has a wrong number of numbers; OSError where it can't be read. Whether the numbers
    are numbers is not checked.
    """
    text = _parse(path)
    channels = text.channels
    counts = [len(row.split()) for row in text.rows]
    if all(count == channels for count in counts) and len(counts) >= text.frames:
        return text
    whole = next((i for i, count in enumerate(counts) if count != channels), len(counts))
    if whole >= text.frames:
        # nobody asks for what follows
        return BvhText(
            is_plain=False,
            skeleton=text.skeleton,
            frames=text.frames,
            seconds=text.seconds,
            rows=text.rows[: text.frames],
        )
    if sum(counts) == text.frames * channels:
        # some write a frame on several lines
        numbers = [number for row in text.rows for number in row.split()]
        rows = [" ".join(numbers[i : i + channels]) for i in range(0, len(numbers), channels)]
        return BvhText(
            is_plain=False, skeleton=text.skeleton, frames=text.frames, seconds=text.seconds, rows=rows
        )
    if whole < len(counts) - 1:
        raise InertiaError(
            '"{file}" is damaged: its frame {frame} has {count} numbers instead of {channels}.',
            file=path.name,
            frame=whole + 1,
            count=counts[whole],
            channels=channels,
        )
    raise InertiaError(
        '"{file}" is cut off: {missing} of its {frames} frames are missing.',
        file=path.name,
        missing=text.frames - whole,
        frames=text.frames,
    )


def _parse(path: Path) -> BvhText:
    """Return the text of a BVH file as a :class:`BvhText`, without a look at how many rows and numbers there
    are: ``rows`` has one string for each line behind the frame time, ``frames`` what the file states.

    Any encoding and line ends are read. In OFFSET lines and in rows commas become points, or blanks where
    they part numbers: in a line with a point all commas do, else those before a blank or at the end. In the
    frame time commas become points; empty lines in the motion are dropped. ``is_plain`` is False if anything
    of it, or the encoding, is otherwise than Blender's importer takes it. Raise InertiaError when it does not
    begin with HIERARCHY, or names no frame time, or no whole number of 1 or more frames before that, behind
    MOTION; OSError where it can't be read.
    """
    content, is_plain = _decode(path.read_bytes())
    lines = _LINE_ENDS.split(content)
    is_plain &= len(lines) > 1 and "\r" not in content.replace("\r\n", "")
    words = next((line.split() for line in lines if line.strip()), [""])
    if words[0].upper() != "HIERARCHY":
        raise InertiaError('"{file}" is not a BVH file: it does not begin with HIERARCHY.', file=path.name)
    end = next((i for i, line in enumerate(lines) if _MOTION.fullmatch(line)), len(lines))
    skeleton = [_with_points(line) if line.split()[:1] == ["OFFSET"] else line for line in lines[:end]]
    motion = [line for line in lines[end + 1 :] if line.strip()]
    frames, seconds = (
        pattern.fullmatch(line)
        for pattern, line in zip((_FRAMES, _TIME), [*motion[:2], "", ""], strict=False)
    )
    if seconds is None:
        raise InertiaError('"{file}" has no motion: its "Frame Time:" is missing.', file=path.name)
    if frames is None or not frames[1].isdecimal() or int(frames[1]) < 1:
        raise InertiaError('"{file}" has no motion: it states no frames.', file=path.name)
    time = seconds[1].replace(",", ".")
    rows = [*map(_with_points, motion[2:])]
    is_plain &= motion[0].split() == ["Frames:", frames[1]] and motion[1].split() == ["Frame", "Time:", time]
    is_plain &= rows == motion[2:] and skeleton == lines[:end]
    return BvhText(is_plain, skeleton, int(frames[1]), time, rows)


def _decode(content: bytes) -> tuple[str, bool]:
    """Return the text of a file, and whether it is UTF-8 without a mark. It takes any bytes.

    With a mark of UTF-8 or UTF-16 it is decoded so, without the mark; what is damaged becomes U+FFFD. Without
    one it is UTF-8 where that fits, else Windows-1252, else Latin-1.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, "replace"), False
    for encoding in _ENCODINGS[:-1]:
        try:
            return content.decode(encoding), encoding == "utf-8"
        except UnicodeDecodeError:
            continue
    return content.decode(_ENCODINGS[-1]), False


def _with_points(line: str) -> str:
    """Return a line of numbers with points in them and blanks between them, where commas were either."""
    if "," not in line:
        return line
    return line.replace(",", " ") if "." in line else _BETWEEN.sub(" ", line).replace(",", ".")
