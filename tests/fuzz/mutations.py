# SPDX-License-Identifier: GPL-3.0-or-later
"""Spoils files: their bytes, words and lines of texts, the values of JSON, also within .glb and .blend."""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from random import Random
from typing import Any

NUMBERS = ("0", "-1", "1", "nan", "inf", "-inf", "1e308", "-1e38", "1e-320", "2147483648", "99999999999", "")
WORDS = (*NUMBERS, "}", "{", '"', "End", "\x00", "\x1b[31m", "\u202eevil", "=1+1", "../..", "x" * 300, "é\n")
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 7, 0.5, 1e300, -1e38, 1e-320, 2**31, 2**70, float("nan"), float("inf")),
    *("", "Walk", "best", "all", "nan", "\x1b[31m", "../../out", "x" * 300, "{source.__class__}", "con"),
    *([], [[]], {}, [1, 2], ["Walk", "Run"], [0] * 40, {"source": "Walk"}),
)
_WORD = re.compile(r"[^\s]+")
_STORED = re.compile(rb'(\{"[ -~]{8,}\})\x00')
"""JSON as a custom property of a .blend that is not compressed has it."""


def cut(data: bytes, chance: Random) -> bytes:
    """A file's content up to anywhere, as what a disk that is full, or a line that breaks, leaves of it."""
    return data[: chance.randrange(max(1, len(data)))]


def spoil(data: bytes, ending: str, chance: Random) -> bytes:
    """A file's content, changed in one to four places in a way that suits its kind, or any."""
    for _ in range(chance.choice((1, 1, 2, 4))):
        ways: list[Callable[[bytes, Random], bytes]] = [spoil_bytes]
        if ending in (".json", ".gltf"):
            ways += [spoil_json] * 4 + [spoil_text]
        elif ending == ".glb":
            ways += [spoil_glb] * 4
        elif ending == ".blend":
            ways += [spoil_stored]
        elif ending == ".npz":
            ways += [spoil_npz] * 4
        elif ending in (".toml", ".bvh", ".csv"):
            ways += [spoil_text] * 4
        data = chance.choice(ways)(data, chance)
    return data


def spoil_bytes(data: bytes, chance: Random) -> bytes:
    """Cut off, left out, doubled, overwritten or filled in."""
    if not data:
        return bytes(chance.randbytes(chance.randrange(64)))
    at = chance.randrange(len(data))
    if chance.random() < 0.5:
        at = min(at, chance.choice((16, 256, 4096)))  # where the headers are
    length = min(chance.choice((1, 1, 2, 4, 8, 64, 1024)), len(data) - at)
    way = chance.randrange(7)
    if way == 0:
        return data[:at]
    if way == 1:
        return data[:at] + data[at + length :]
    if way == 2:
        return data[:at] + data[at : at + length] * chance.choice((2, 3, 100)) + data[at + length :]
    if way == 3:
        return data[:at] + chance.choice((b"\x00", b"\xff", b"\x7f", b"\x80")) * length + data[at + length :]
    if way == 4:
        return data[:at] + chance.randbytes(length) + data[at:]
    if way == 5:
        return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]
    return data[:at] + chance.randbytes(length) + data[at + length :]


def spoil_npz(data: bytes, chance: Random) -> bytes:
    """An array of an .npz, or the JSON in one, within an archive that is whole."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as held:
            parts = {name: held.read(name) for name in held.namelist()}
    except (zipfile.BadZipFile, ValueError, KeyError, NotImplementedError, EOFError, zlib.error):
        return spoil_bytes(data, chance)
    if not parts:
        return data
    name = chance.choice([*parts])
    way = chance.randrange(5)
    if way == 0:
        del parts[name]
    elif way == 1:
        parts[chance.choice((*WORDS, *parts)).replace("\x00", "") or "none"] = parts[name]
    elif way == 2:
        parts[name] = parts[chance.choice([*parts])]
    else:
        parts[name] = chance.choice((spoil_bytes, spoil_inside))(parts[name], chance)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for own, content in parts.items():
            # with no time of its own: the same seed spoils in the same way, whenever it does
            archive.writestr(zipfile.ZipInfo(own), content)
    return made.getvalue()


def spoil_inside(data: bytes, chance: Random) -> bytes:
    """A value of the JSON in an array of bytes, which keeps its size; or a few numbers of any other."""
    begin = data.find(b"{", 128)
    try:
        text = spoil_json(data[begin:], chance) if begin >= 0 and json.loads(data[begin:]) else b""
    except ValueError:
        text = b""
    if text:
        return data[:begin] + text[: len(data) - begin].ljust(len(data) - begin)
    numbers = bytearray(data)
    for _ in range(chance.choice((1, 8, 64))):
        if len(numbers) > 140:
            at = 128 + 4 * chance.randrange((len(numbers) - 132) // 4)
            numbers[at : at + 4] = struct.pack("<f", chance.choice((0.0, -1.0, 1e30, float("nan"), 1e-30)))
    return bytes(numbers)


def spoil_text(data: bytes, chance: Random) -> bytes:
    """A line or a word left out, doubled, moved or replaced."""
    text = data.decode("utf-8", "replace")
    lines = text.splitlines(keepends=True)
    way = chance.randrange(6)
    if way < 3 and lines:
        at = min(chance.randrange(len(lines)), chance.choice((len(lines) - 1, 40)))
        taken = lines.pop(at)
        if way == 1:
            lines[at:at] = [taken] * chance.choice((2, 2, 500))
        elif way == 2:
            lines.insert(chance.randrange(len(lines) + 1), taken)
        return "".join(lines).encode()
    # the words that say most stand at the beginning
    words = list(_WORD.finditer(text, 0, chance.choice((len(text), 4000))))
    if not words:
        return data
    word = chance.choice(words)
    return (text[: word.start()] + chance.choice(WORDS) + text[word.end() :]).encode("utf-8", "replace")


def spoil_json(data: bytes, chance: Random) -> bytes:
    """A value anywhere replaced, left out, doubled or put under another name."""
    try:
        whole = json.loads(data)
    except (ValueError, RecursionError):
        return spoil_bytes(data, chance)
    spoil_value(whole, chance)
    return json.dumps(whole).encode()


def spoil_value(whole: Any, chance: Random) -> None:
    """Change one entry of nested lists and dictionaries, in place."""
    holders = [holder for holder in _holders(whole) if holder]
    if not holders:
        return
    holder = chance.choice(holders)
    key = chance.choice(list(holder)) if isinstance(holder, dict) else chance.randrange(len(holder))
    way = chance.randrange(5)
    if way == 0:
        del holder[key]
    elif way == 1 and isinstance(holder, dict):
        holder[chance.choice((*WORDS, "cut", "files", "source"))] = holder.pop(key)
    elif way == 2 and isinstance(holder, list):
        holder.extend([holder[key]] * chance.choice((1, 100)))
    elif way == 3 and isinstance(holder[key], int | float):
        holder[key] = holder[key] * chance.choice((-1, 0, 2, 1000, 0.5)) + chance.choice((0, 1, -1))
    else:
        holder[key] = chance.choice(VALUES)


def _holders(value: Any) -> list[Any]:
    found = [value] if isinstance(value, dict | list) else []
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        found += _holders(child)
    return found


def spoil_stored(data: bytes, chance: Random) -> bytes:
    """A text of JSON that a .blend holds, such as contacts that were edited, within its room there."""
    found = list(_STORED.finditer(data))
    if not found:
        return spoil_bytes(data, chance)
    at = chance.choice(found)
    text = chance.choice((spoil_json, spoil_text))(at[1], chance).replace(b"\x00", b"0")
    room = len(at[1])
    return data[: at.start()] + text[:room].ljust(room) + data[at.start() + room :]


def spoil_glb(data: bytes, chance: Random) -> bytes:
    """The JSON within a .glb, the sizes in its headers put right again."""
    try:
        (length,) = struct.unpack_from("<I", data, 12)
        text, rest = spoil_json(data[20 : 20 + length], chance), data[20 + length :]
    except struct.error:
        return spoil_bytes(data, chance)
    text += b" " * (-len(text) % 4)
    return struct.pack("<4sIII4s", b"glTF", 2, 20 + len(text) + len(rest), len(text), b"JSON") + text + rest
