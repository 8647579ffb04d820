# SPDX-License-Identifier: GPL-3.0-or-later
"""Names in other languages say what English ones do, and English ones say nothing else than before."""

from __future__ import annotations

import pytest

from inertia_addon.motion.skeleton import languages
from inertia_addon.motion.skeleton.naming import (
    ARM,
    FINGER,
    FOOT,
    GROWN,
    HAND,
    HEAD,
    HELD,
    HIPS,
    LEG,
    NECK,
    SPINE,
    TOE,
    label,
    words,
)


@pytest.mark.parametrize(
    ("name", "part", "side"),
    [
        ("Main gauche", HAND, "L"),
        ("main.D", HAND, "R"),
        ("pied_droit", FOOT, "R"),
        ("PiedGauche", FOOT, "L"),
        ("piedgauche", FOOT, "L"),
        ("avant-bras.G", ARM, "L"),
        ("AvantBras_L", ARM, "L"),
        ("Tête", HEAD, ""),
        ("bassin", HIPS, ""),
        ("arme droit", HELD, "R"),
        ("Doigt.G", FINGER, "L"),
        ("Rodilla.I", LEG, "L"),
        ("pie_derecho", FOOT, "R"),
        ("Pé.E", FOOT, "L"),
        ("mão_esq", HAND, "L"),
        ("gamba sx", LEG, "L"),
        ("Hüfte", HIPS, ""),
        ("Huefte", HIPS, ""),
        ("Oberschenkel rechts", LEG, "R"),
        ("FussLinks", FOOT, "L"),
        ("Been_L", LEG, "L"),
        ("Głowa", HEAD, ""),
        ("dłoń prawa", HAND, "R"),
        ("Левая_стопа", FOOT, "L"),
        ("Кисть.П", HAND, "R"),
        ("左足首", FOOT, "L"),
        ("左足", LEG, "L"),
        ("足首.R", FOOT, "R"),
        ("右ひざ", LEG, "R"),
        ("右つま先", TOE, "R"),
        ("左人指1", FINGER, "L"),
        ("下半身", HIPS, ""),
        ("上半身2", SPINE, ""),
        ("首", NECK, ""),
        ("右髪", GROWN, "R"),
        ("左小腿", LEG, "L"),
        ("右脚", FOOT, "R"),
        ("왼쪽 손목", HAND, "L"),
        ("오른발", FOOT, "R"),
    ],
)
def test_parts_and_sides_in_other_languages(name: str, part: str, side: str) -> None:
    assert (label(name).part, label(name).side) == (part, side)


def test_a_target_is_one_in_full_width_letters_too() -> None:
    assert label("左足ＩＫ").is_control
    assert label("左腕捩").is_partial


@pytest.mark.parametrize("side", languages.GLUED_SIDES)
def test_a_word_that_only_ends_as_a_side_is_none(side: str) -> None:
    assert languages.translate([f"mal{side}"]) == [f"mal{side}"]
    assert not label(f"mal{side}").side


@pytest.mark.parametrize("name", ["Main", "main_ctrl", "MainBody_geo", "Pie", "been", "Ala", "d", "G"])
def test_words_that_mean_something_else_in_english_say_nothing_without_a_side(name: str) -> None:
    assert label(name).part in ("", SPINE)
    assert not label(name).side


def test_every_word_is_translated_to_one_that_names_are_read_by() -> None:
    known = {"left", "right", "front", "rear", "twist"}
    for said in languages.LANGUAGES.values():
        for english, foreign in said.items():
            assert label(english).part or english in known
            for word in foreign.split():
                assert words(f"{word} L") & words(english) or label(f"{word} L").part == label(english).part


@pytest.mark.parametrize(
    "name", ["mixamorig:LeftUpLeg", "Bip01 L Thigh", "J_Bip_C_UpperChest", "spine_03", "DEF-f_index.01.R"]
)
def test_english_stays_as_it_is(name: str) -> None:
    assert languages.translate(languages.split(name)) == languages.split(name)
