# SPDX-License-Identifier: GPL-3.0-or-later
"""The translations are complete, none is left over, and sentences are translated with what is in them."""

from __future__ import annotations

import gettext
import re
import string
from pathlib import Path
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")
catalogs = pytest.importorskip("babel.messages", reason="Babel is not installed here")

from inertia_addon.blender.transition import bake
from inertia_addon.errors import InertiaError, Sentence
from inertia_addon.plots import plot
from inertia_addon.settings import fields
from inertia_addon.ui import panels, translations
from inertia_addon.ui.shared import cache, labels
from inertia_addon.ui.transition import properties
from tests.ui.recorder import context, drawn
from tools import texts
from tools import translations as tool

LABELS, SENTENCES = translations.labels_and_sentences("zh_HANS")
KNOWN = LABELS | SENTENCES
SOURCE = translations.FOLDER / "zh_HANS.po"


def messages(catalog: Any) -> dict[tuple[str | None, str], str]:
    """What a catalogue has translated, by context and text."""
    return {(each.context, each.id): each.string for each in catalog if each.id and each.string}


@pytest.mark.parametrize("language", translations.LANGUAGES)
def test_compiled_translations_are_what_a_translator_edits(language: str, tmp_path: Path) -> None:
    """`make translations` compiles one to the other."""
    compiled = translations.FOLDER / f"{language}.mo"
    tool.compile_to(tmp_path / "new.mo", tool.read(compiled.with_suffix(".po")))
    with compiled.open("rb") as shipped, (tmp_path / "new.mo").open("rb") as new:
        assert messages(tool.mofile.read_mo(shipped)) == messages(tool.mofile.read_mo(new))


@pytest.mark.parametrize("language", translations.LANGUAGES)
def test_a_language_is_read_as_python_reads_it(language: str) -> None:
    with (translations.FOLDER / f"{language}.mo").open("rb") as file:
        python = gettext.GNUTranslations(file)
    labels, sentences = translations.labels_and_sentences(language)
    assert {text: python.pgettext(translations.OWN_CONTEXT, text) for text in labels} == labels
    assert {text: python.gettext(text) for text in sentences} == sentences


@pytest.mark.slow  # it reads the sources, whatever the version
def test_every_text_is_translated() -> None:
    """What is registered, what the interface says, errors and warnings from below, numbers of things."""
    places = texts.places()
    assert {text: places.get(text) for text in texts.needed() if text not in KNOWN} == {}


def test_labels_are_looked_up_as_labels() -> None:
    labels, tips = texts.registered()
    assert (labels - {*LABELS}, tips - {*SENTENCES}) == (set(), set())


@pytest.mark.slow  # it reads the sources, whatever the version
def test_no_translation_is_left_over() -> None:
    assert {*KNOWN} - {*texts.needed(), *texts.places()} == set()


def test_no_text_is_translated_twice() -> None:
    ids = re.findall(r"^msgid (.*)$", SOURCE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(ids) == sorted(set(ids))
    assert len(ids) == len(KNOWN) + 1  # an empty one is the file's own


@pytest.mark.slow  # it reads the sources, whatever the version
def test_new_texts_wait_for_a_translator_and_old_ones_go() -> None:
    before, catalog = messages(tool.read(SOURCE)), tool.read(SOURCE)
    for text in ("Bake Hop", '"{action}" has no keys for {lone}, which go to their rest pose.'):
        context = "Inertia" if text in LABELS else None
        catalog.delete(text, context)
        catalog.add(text.replace(" ", " some "), KNOWN[text], context=context)
    catalog.add("It was said by an earlier version.", "过去的话。")
    tool.bring_up(catalog)
    # what is much like a text that went is proposed, and says so
    proposed = {each.id for each in catalog if each.id and each.fuzzy}
    assert proposed == {"Bake Hop", '"{action}" has no keys for {lone}, which go to their rest pose.'}
    assert messages(catalog) == before


@pytest.mark.slow  # it reads the sources, whatever the version
def test_a_new_language_has_every_text(tmp_path: Path) -> None:
    catalog = tool.begun("fr_FR")
    tool.bring_up(catalog)
    tool.write(catalog, tmp_path / "fr_FR.po")
    read = {each.id: each.context for each in tool.read(tmp_path / "fr_FR.po") if each.id}
    assert read == dict.fromkeys(LABELS, "Inertia") | dict.fromkeys(SENTENCES)


def test_translations_have_the_places_of_their_source() -> None:
    assert {
        text: to
        for text, to in KNOWN.items()
        if sorted(texts.PLACE.findall(text)) != sorted(texts.PLACE.findall(to))
    } == {}


def test_translations_end_as_their_source() -> None:
    marks = {".": "。", ":": "："}
    assert {
        text: to
        for text, to in KNOWN.items()
        if (text[-1] in marks or to[-1] in marks.values()) and to[-1] != marks.get(text[-1])
    } == {}


def test_translations_are_chinese() -> None:
    same = {text for text, to in KNOWN.items() if not any(letter >= plot.WIDE_FROM for letter in to)}
    assert same == {"CSV", "JSON", "Inertia"}


@pytest.fixture
def in_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if Blender was in Chinese; Blender as a module has no languages."""

    entries = translations.entries("zh_HANS")

    def look_up(text: str) -> str:
        return entries.get((translations.OWN_CONTEXT, text)) or entries.get(("*", text), text)

    monkeypatch.setattr(translations, "language", lambda: "zh_HANS")
    monkeypatch.setattr(translations, "interface", look_up)


def test_a_sentence_does_not_change_in_english() -> None:
    text = Sentence('"{armature}" has no bone "{bone}"; choose another root.', armature="Rig", bone="hips")
    assert translations.sentence(text) == '"Rig" has no bone "hips"; choose another root.'
    assert translations.translated("{0} to {1}", 3, 4) == "3 to 4"


def test_names_in_a_sentence_stay_as_they_are(in_chinese: None) -> None:
    template = '"{armature}" has no bone "{bone}"; choose another root.'
    text = Sentence(template, armature="Select an armature", bone="the object")
    found = translations.sentence(text)
    assert found == "“Select an armature”没有骨骼“the object”；请选择其他根。"


@pytest.mark.parametrize("record", texts.RECORDS)
def test_a_refused_setting_is_told_in_chinese(in_chinese: None, record: Any) -> None:
    for name, setting in fields.settings(record).items():
        if setting.range is None:
            continue
        with pytest.raises(InertiaError) as refused:
            fields.check(record, name, (("A", 1e30),) if setting.has_pairs else 1e30)
        found = translations.sentence(refused.value.sentence)
        assert not texts.WORDS.search(found.replace("1e+30", "")), found


def test_a_sentence_in_a_sentence_is_translated(in_chinese: None) -> None:
    why = Sentence('"{holder}" has a constraint, "{constraint}"', holder="hips", constraint="IK")
    error = InertiaError("Press Evaluate Clips to see costs, as Blender has to play them: {why}.", why=why)
    found = translations.sentence(error.sentence)
    assert found == "请按“求值片段”以查看代价，因为必须由 Blender 播放它们：“hips”有约束“IK”。"


def test_a_text_without_a_template_stays_as_it_is(in_chinese: None) -> None:
    for text in ("", "No space left on device", "Walk to Run"):
        assert translations.sentence(text) == text


def test_labels_have_the_sense_they_have_here(in_chinese: None) -> None:
    assert translations.translated("Cut") == "切点"
    assert translations.translated("Feet") == "脚"


def test_plain_parts_of_a_sentence_are_translated(rig: Any, in_chinese: None) -> None:
    rig.inertia.use_destination_frame, rig.inertia.destination_frame = True, 900
    with pytest.raises(InertiaError) as refused:
        bake.plan_transition(rig, properties.settings_from(rig))
    assert translations.sentence(refused.value.sentence).startswith("目标帧 900 位于“Run”之外")


NAMES = {"Walk", "Run", "Idle", "Rig", "hips", "spine", "hand", "to", "CSV", "JSON", "NLA", "cm"}
"""Of the rig, its bones and actions, what joins two of these to a new name, kinds of files, and a unit."""


@pytest.mark.parametrize("situation", ["chosen", "baked", "nothing"])
def test_panels_have_no_english_left(
    rig: Any, situation: str, in_chinese: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What Blender translates itself is taken to be: it is in the labels."""
    monkeypatch.setattr(cache, "CHEAP_SECONDS", 60.0)
    cache.forget()
    rig.inertia.use_destination_frame = False
    rig.data.bones.active = rig.data.bones["spine"]
    rig.pose.bones["hips"].inertia.blend_scale = 0.5
    if situation == "baked":
        bpy.ops.inertia.bake_transition()
        bpy.ops.inertia.find_hops(every=True)
    elif situation == "nothing":
        rig.inertia.destination = None
    left = {}
    for panel in panels.CLASSES:
        if hasattr(panel, "poll") and not panel.poll(context()):
            continue
        found = drawn(panel)
        for text in {*found.texts, *found.pressed} - {*LABELS}:
            words = set(re.findall(r"[A-Za-z]{2,}", text)) - NAMES
            if words and not text.startswith(("inertia.", "screen.")):
                left[text] = panel.bl_label
    assert left == {}


NAMED = [text for text in SENTENCES if re.search(r"\{[a-z]", text)]
"""The templates of sentences; those with numbers are filled where they are translated."""


def test_sentences_are_translated_with_their_values(in_chinese: None) -> None:
    for template in NAMED:
        places = [place for place in string.Formatter().parse(template) if place[1] is not None]
        values = {str(name): 12.5 if spec else f"some {name}" for _, name, spec, _ in places}
        found = translations.sentence(Sentence(template, **values))
        assert found == SENTENCES[template].format(**values)


def test_chinese_is_broken_between_its_letters() -> None:
    text = SENTENCES["The file has no action of an object yet: animate the armature, or append actions."]

    def measure(line: str) -> float:
        return plot.width_of(line, 1.0)

    lines = labels.wrap(text, 8.0, measure)
    assert "".join(lines) == text
    assert len(lines) > 3
    assert max(map(measure, lines)) <= 9.0  # a closing mark goes with its letter
    assert not any(line[0] in "，。：；" for line in lines)


def test_no_line_ends_with_a_bracket_that_opens() -> None:
    text = "至多 0.0374 秒（0.0318 至 0.0485）"
    for width in range(4, 24):
        lines = labels.wrap(text, float(width), len)
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")
        assert not any(line[-1] in "（《「" or line[0] in "）》」" for line in lines), lines


def test_blanks_between_words_and_chinese_stay() -> None:
    assert labels.wrap("已由 Inertia 烘焙", 100.0, len) == ["已由 Inertia 烘焙"]
