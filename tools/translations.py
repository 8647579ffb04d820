# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings the translations up to what the sources say, and compiles them for the extension.

    make translations              # every language
    make translations ADD=fr_FR    # one more, by the code that Blender has for it

Each ``ui/translations/<language>.po`` gets the texts that it lacks, without a translation, or with that of a
similar text as a fuzzy entry, which waits for a translator's word. What no source says any longer goes. The
``.mo`` beside it is what the extension reads: an installed one has no Babel.
"""

from __future__ import annotations

import argparse
import datetime
from pathlib import Path

from babel.messages import Catalog, mofile, pofile

from inertia_addon import registration
from inertia_addon.ui.translations import FOLDER, OWN_CONTEXT
from tools import texts

HEADER = """# SPDX-License-Identifier: GPL-3.0-or-later
# The words that Blender's own interface has for the same things.
#"""


def main() -> None:
    """Renew every language, and say what is left to translate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--add", metavar="LANGUAGE", help="begin a language, such as fr_FR")
    added = parser.parse_args().add
    registration.register()
    paths = sorted(FOLDER.glob("*.po"))
    if added and added not in [path.stem for path in paths]:
        paths.append(FOLDER / f"{added}.po")
    for path in paths:
        catalog = read(path) if path.exists() else begun(path.stem)
        bring_up(catalog)
        write(catalog, path)
        left = sum(not message.string or message.fuzzy for message in catalog if message.id)
        print(f"{path.stem}: {len(catalog)} texts, {left} to translate")


def begun(language: str) -> Catalog:
    """A language's catalogue without a text."""
    who = dict.fromkeys(("last_translator", "language_team", "msgid_bugs_address"), "The Inertia developers")
    today = datetime.datetime.now(datetime.UTC)
    return Catalog(
        language,
        header_comment=HEADER,
        project="Inertia",
        version="0.1",
        revision_date=today,
        fuzzy=False,
        **who,
    )


def read(path: Path) -> Catalog:
    """The catalogue in a .po file; raises PoFileError, with the line, where that is none."""
    with path.open("rb") as file:
        return pofile.read_po(file, abort_invalid=True)


def bring_up(catalog: Catalog) -> None:
    """Give a catalogue the texts of the sources, with the modules that have them, and take others out.

    What is too short to look like words for an animator is known by the languages that have it.
    """
    places = texts.places()
    catalogs = [*map(read, sorted(FOLDER.glob("*.po"))), catalog]
    contexts = {message.id: message.context for each in catalogs for message in each if message.id}
    wanted = texts.needed()
    wanted |= {text: False for text in contexts if text in places and text not in wanted}
    sources = Catalog(fuzzy=False)
    for text, is_label in wanted.items():
        context = contexts.get(text, OWN_CONTEXT if is_label else None)
        sources.add(text, context=context, locations=[(place, None) for place in places.get(text, ())])
    catalog.update(sources, update_creation_date=False)
    for message in catalog:
        # no text is filled by %
        message.flags.discard("python-format")


def write(catalog: Catalog, path: Path) -> None:
    """Write a catalogue as a .po file, an entry a line and in order, and compile it."""
    with path.open("wb") as file:
        pofile.write_po(file, catalog, width=0, sort_output=True, ignore_obsolete=True)
    compile_to(path.with_suffix(".mo"), catalog)


def compile_to(path: Path, catalog: Catalog) -> None:
    """Write what is translated of a catalogue as a .mo file."""
    with path.open("wb") as file:
        mofile.write_mo(file, catalog)


if __name__ == "__main__":
    main()
