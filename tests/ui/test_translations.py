# SPDX-License-Identifier: GPL-3.0-or-later
"""The translations are complete, none is left over, and sentences are translated with what is in them."""

from __future__ import annotations

import re
import string
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.transition import bake
from inertia_addon.errors import InertiaError, Sentence
from inertia_addon.plots import plot
from inertia_addon.settings import fields
from inertia_addon.settings.cost import Search
from inertia_addon.settings.feet import ContactSettings
from inertia_addon.settings.hops import HopSettings
from inertia_addon.settings.loops import LoopSearch, LoopSettings
from inertia_addon.settings.matching import PathSettings
from inertia_addon.settings.root_motion import Settings
from inertia_addon.settings.transition import TransitionSettings
from inertia_addon.ui import panels, translations
from inertia_addon.ui.shared import cache, wrap
from inertia_addon.ui.transition import properties
from inertia_addon.ui.translations import zh_hans
from tests.ui import texts
from tests.ui.recorder import context, drawn

KNOWN = {**zh_hans.LABELS, **zh_hans.TOOLTIPS, **zh_hans.SENTENCES}
WORDS = re.compile(r"[a-z]{2}")
PLACE = re.compile(r"\{[^{}]*\}")
"""Where a template takes a value, with the value's format."""

NAMES_OF_DATA = {"{} root motion", "Cost of {} to {}", "... along {}"}
"""Of files and images, which stay what they are when Blender's language changes."""
NOT_SHOWN = NAMES_OF_DATA | {
    *("by bone", "over cut", "over destination", "root motion ", "root motion {}", "time overlay"),
    *(
        "hop curves",
        "root histograms",
        "root plots",
        "contact bars",
        "rig:legs used",
        "path actions",
        "shown contacts {}",
    ),  # what is kept in the cache
    *("SpaceDopeSheetEditor", "SpaceGraphEditor", "SpaceView3D", "RegionInfo", "Fill"),  # classes
    *("Scene", "PoseBone"),  # what has properties
    *(
        "Inertia Plots",
        "Inertia Plots in Time",
        "Inertia Ramps",
        "Inertia Ramps in Time",
        "Inertia Contacts",
    ),  # groups of gizmos
    *("Pose", "Object Mode", "Dopesheet", "Frames"),  # Blender's keymaps
    *("how it blends", "own = bpy.context.object.inertia"),  # which settings presets hold, and of what
    *("Baked", "Rebaked", "Smoothed", "measured action", "single-frame jump"),  # by which a text is chosen
    "Savitzky-Golay, degree {}",  # written into files
}
COMPLETED = {
    "The root's own {} axis",
}
"""Templates of texts that are registered, and so looked for, when they are complete."""
RECORDS = (
    *(TransitionSettings, HopSettings, LoopSearch, LoopSettings, Search, Settings, ContactSettings),
    PathSettings,
)
"""The settings that the interface has."""
DOMAIN = ("preflight", "plain", "alignment", "judging/verdict", "root_motion/values")
"""The modules below the interface whose sentences it shows, beside their errors."""


def is_for_reading(text: str) -> bool:
    """Whether a string looks like words for an animator."""
    bare = PLACE.sub("", text)
    return bool(WORDS.search(bare)) and (" " in bare.strip() or re.match(r"[A-Z][a-z]", bare) is not None)


def test_all_that_is_registered_is_translated() -> None:
    labels, tips = texts.registered()
    assert labels - {*zh_hans.LABELS} == set()
    assert tips - {*zh_hans.TOOLTIPS} == set()


@pytest.mark.slow  # it reads the sources, whatever the version
def test_all_that_is_written_in_the_interface_is_translated() -> None:
    missing = {
        text: name
        for name, strings in texts.modules("ui")
        for text in {*strings.every, *strings.marked}
        if is_for_reading(text) and text not in KNOWN and text not in NOT_SHOWN | COMPLETED
    }
    assert missing == {}


@pytest.mark.slow  # it reads the sources, whatever the version
def test_errors_and_warnings_from_below_are_translated() -> None:
    missing = {}
    for name, strings in texts.modules("blender", "motion", "settings", "storage"):
        shown = strings.every if any(part in name for part in DOMAIN) else strings.marked
        for text in shown:
            if is_for_reading(text) and " " in text and text not in KNOWN and text not in NOT_SHOWN:
                missing[text] = name
    assert missing == {}


@pytest.mark.slow  # it reads the sources, whatever the version
def test_numbers_of_things_are_translated() -> None:
    nouns = {noun for _, strings in texts.modules("ui") for noun in strings.counted}
    assert {f"{{0}} {noun}{end}" for noun in nouns for end in ("", "s")} - {*KNOWN} == set()


@pytest.mark.slow  # it reads the sources, whatever the version
def test_no_translation_is_left_over() -> None:
    used: set[str] = set.union(*texts.registered())
    for _, strings in texts.modules("ui", "blender", "motion", "settings", "storage"):
        used |= strings.every | {f"{{0}} {noun}{end}" for noun in strings.counted for end in ("", "s")}
    for record in RECORDS:
        for setting in fields.settings(record).values():
            used |= {setting.label, setting.range.unit} if setting.range else set()
    assert {*KNOWN} - used == set()


def test_no_text_is_translated_twice() -> None:
    parts = [
        *(zh_hans.labels.LABELS, zh_hans.tooltips.TOOLTIPS, zh_hans.sentences.SENTENCES),
        *(zh_hans.settings.LABELS, zh_hans.settings.TOOLTIPS, zh_hans.settings.SENTENCES),
    ]
    assert sum(map(len, parts)) == len(KNOWN)


def test_translations_have_the_places_of_their_source() -> None:
    assert {
        text: to for text, to in KNOWN.items() if sorted(PLACE.findall(text)) != sorted(PLACE.findall(to))
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


def test_in_english_nothing_changes() -> None:
    text = Sentence('"{armature}" has no bone "{bone}"; choose another root.', armature="Rig", bone="hips")
    assert translations.sentence(text) == '"Rig" has no bone "hips"; choose another root.'
    assert translations.translated("{0} to {1}", 3, 4) == "3 to 4"


def test_names_in_a_sentence_stay_as_they_are(in_chinese: None) -> None:
    template = '"{armature}" has no bone "{bone}"; choose another root.'
    text = Sentence(template, armature="Select an armature", bone="the object")
    found = translations.sentence(text)
    assert found == "“Select an armature”没有骨骼“the object”；请选择其他根。"


@pytest.mark.parametrize("record", RECORDS)
def test_what_a_setting_takes_is_said_in_chinese(in_chinese: None, record: Any) -> None:
    for name, setting in fields.settings(record).items():
        if setting.range is None:
            continue
        with pytest.raises(InertiaError) as refused:
            fields.check_one(record, name, (("A", 1e30),) if setting.has_pairs else 1e30)
        found = translations.sentence(refused.value.sentence)
        assert not WORDS.search(found.replace("1e+30", "")), found


def test_a_sentence_in_a_sentence_is_translated(in_chinese: None) -> None:
    why = Sentence('"{holder}" has a constraint, "{constraint}"', holder="hips", constraint="IK")
    error = InertiaError("Press Evaluate Clips to see costs, as Blender has to play them: {why}.", why=why)
    found = translations.sentence(error.sentence)
    assert found == "请按“求值片段”以查看代价，因为必须由 Blender 播放它们：“hips”有约束“IK”。"


def test_what_has_no_template_stays_as_it_is(in_chinese: None) -> None:
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
        for text in {*found.texts, *found.pressed} - {*zh_hans.LABELS}:
            words = set(re.findall(r"[A-Za-z]{2,}", text)) - NAMES
            if words and not text.startswith("inertia."):
                left[text] = panel.bl_label
    assert left == {}


NAMED = [text for text in zh_hans.SENTENCES if re.search(r"\{[a-z]", text)]
"""The templates of sentences; those with numbers are filled where they are translated."""


def test_sentences_are_translated_with_their_values(in_chinese: None) -> None:
    for template in NAMED:
        places = [place for place in string.Formatter().parse(template) if place[1] is not None]
        values = {str(name): 12.5 if spec else f"some {name}" for _, name, spec, _ in places}
        found = translations.sentence(Sentence(template, **values))
        assert found == zh_hans.SENTENCES[template].format(**values)


def test_chinese_is_broken_between_its_letters() -> None:
    text = zh_hans.SENTENCES[
        "The file has no action of an object yet: animate the armature, or append actions."
    ]

    def measure(line: str) -> float:
        return plot.width_of(line, 1.0)

    lines = wrap.wrap(text, 8.0, measure)
    assert "".join(lines) == text
    assert len(lines) > 3
    assert max(map(measure, lines)) <= 9.0  # a closing mark goes with its letter
    assert not any(line[0] in "，。：；" for line in lines)


def test_blanks_between_words_and_chinese_stay() -> None:
    assert wrap.wrap("已由 Inertia 烘焙", 100.0, len) == ["已由 Inertia 烘焙"]
