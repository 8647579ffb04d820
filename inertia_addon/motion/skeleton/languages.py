# SPDX-License-Identifier: GPL-3.0-or-later
"""The words for parts of bodies, and for left and right, in other languages than English.

Rigs come with the words of who made them: French, Spanish, Portuguese, Italian, German, Dutch, Polish,
Russian, Japanese (as MikuMikuDance has them), Chinese and Korean. :func:`translate` gives their English ones,
so that :mod:`.naming` has to know one language only. Accents and full widths do not matter.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence

LANGUAGES: Mapping[str, Mapping[str, str]] = {
    "French": {
        **{"hips": "bassin hanche hanches", "spine": "colonne", "torso": "torse buste", "chest": "poitrine"},
        **{"belly": "ventre", "waist": "taille", "neck": "cou", "head": "tete"},
        **{"skull": "crane", "shoulder": "epaule", "clavicle": "clavicule", "arm": "bras", "elbow": "coude"},
        **{"forearm": "avantbras", "wrist": "poignet", "hand": "main", "palm": "paume", "finger": "doigt"},
        **{"thumb": "pouce", "leg": "jambe", "thigh": "cuisse", "knee": "genou", "calf": "mollet"},
        **{"ankle": "cheville", "foot": "pied", "heel": "talon", "toe": "orteil orteils", "paw": "patte"},
        **{"hoof": "sabot", "tail": "queue", "wing": "aile", "fin": "nageoire", "hair": "cheveux cheveu"},
        **{"ear": "oreille", "eye": "oeil yeux", "mouth": "bouche", "nose": "nez", "jaw": "machoire"},
        **{"tongue": "langue", "skirt": "jupe", "hat": "chapeau", "weapon": "arme", "sword": "epee"},
        **{"shield": "bouclier", "root": "racine", "front": "avant", "rear": "arriere"},
        **{"left": "gauche", "right": "droit droite"},
    },
    "Spanish": {
        **{"hips": "cadera caderas", "spine": "columna", "chest": "pecho", "back": "espalda"},
        **{"waist": "cintura", "neck": "cuello", "head": "cabeza", "shoulder": "hombro", "arm": "brazo"},
        **{"clavicle": "clavicula", "elbow": "codo", "forearm": "antebrazo", "wrist": "muneca"},
        **{"hand": "mano", "finger": "dedo", "thumb": "pulgar", "leg": "pierna", "thigh": "muslo"},
        **{"knee": "rodilla", "calf": "pantorrilla", "ankle": "tobillo", "foot": "pie", "paw": "pata"},
        **{"tail": "cola", "wing": "ala", "hair": "pelo cabello", "ear": "oreja", "eye": "ojo"},
        **{"mouth": "boca", "nose": "nariz", "weapon": "arma", "sword": "espada", "shield": "escudo"},
        **{"root": "raiz", "front": "delantera delantero", "rear": "trasera trasero"},
        **{"left": "izquierda izquierdo izq", "right": "derecha derecho"},
    },
    "Portuguese": {
        **{"hips": "quadril quadris", "spine": "coluna", "torso": "tronco", "chest": "peito"},
        **{"neck": "pescoco", "head": "cabeca", "shoulder": "ombro", "arm": "braco", "elbow": "cotovelo"},
        **{"forearm": "antebraco", "wrist": "pulso", "hand": "mao", "finger": "dedo", "thumb": "polegar"},
        **{"leg": "perna", "thigh": "coxa", "knee": "joelho", "ankle": "tornozelo", "foot": "pe"},
        **{"tail": "cauda rabo", "wing": "asa", "hair": "cabelo", "ear": "orelha", "eye": "olho"},
        **{"sword": "espada", "shield": "escudo", "root": "raiz"},
        **{"left": "esquerda esquerdo esq", "right": "direita direito"},
    },
    "Italian": {
        **{"hips": "bacino anca", "spine": "colonna", "chest": "petto", "back": "schiena"},
        **{"neck": "collo", "head": "testa", "shoulder": "spalla", "arm": "braccio", "elbow": "gomito"},
        **{"forearm": "avambraccio", "wrist": "polso", "hand": "mano", "finger": "dito", "thumb": "pollice"},
        **{"leg": "gamba", "thigh": "coscia", "knee": "ginocchio", "calf": "polpaccio", "foot": "piede"},
        **{"ankle": "caviglia", "heel": "tallone", "paw": "zampa", "tail": "coda", "hair": "capelli"},
        **{"ear": "orecchio", "eye": "occhio", "mouth": "bocca", "sword": "spada", "shield": "scudo"},
        **{"root": "radice", "left": "sinistra sinistro sx", "right": "destra destro dx"},
    },
    "German": {
        **{"hips": "becken hufte huefte huften hueften", "spine": "wirbelsaule wirbelsaeule"},
        **{"chest": "brust", "belly": "bauch", "back": "rucken ruecken", "neck": "hals nacken"},
        **{"head": "kopf", "skull": "schadel schaedel", "shoulder": "schulter", "arm": "oberarm"},
        **{"clavicle": "schlusselbein schluesselbein", "elbow": "ellbogen ellenbogen"},
        **{"forearm": "unterarm", "wrist": "handgelenk", "thumb": "daumen", "leg": "bein"},
        **{"thigh": "oberschenkel schenkel", "knee": "knie", "calf": "unterschenkel wade", "foot": "fuss"},
        **{"ankle": "knochel knoechel fussgelenk", "heel": "ferse", "toe": "zeh zehe zehen"},
        **{"paw": "pfote", "hoof": "huf", "tail": "schwanz", "wing": "flugel fluegel", "hair": "haar haare"},
        **{"ear": "ohr", "eye": "auge", "mouth": "mund", "nose": "nase", "jaw": "kiefer", "tongue": "zunge"},
        **{"weapon": "waffe", "sword": "schwert", "shield": "schild", "root": "wurzel"},
        **{"front": "vorne vorder", "rear": "hinten hinter"},
        **{"left": "links linker linke linkes", "right": "rechts rechter rechte rechtes"},
    },
    "Dutch": {
        **{"hips": "heup heupen bekken", "chest": "borst", "back": "rug", "neck": "nek", "head": "hoofd"},
        **{"shoulder": "schouder", "arm": "bovenarm", "elbow": "elleboog", "forearm": "onderarm"},
        **{"wrist": "pols", "thumb": "duim", "leg": "been", "thigh": "bovenbeen dij"},
        **{"calf": "onderbeen kuit", "foot": "voet", "ankle": "enkel", "toe": "teen tenen"},
        **{"tail": "staart", "wing": "vleugel", "ear": "oor", "eye": "oog", "sword": "zwaard"},
        **{"root": "wortel"},
    },
    "Polish": {
        **{"hips": "biodra biodro miednica", "spine": "kregoslup", "back": "plecy", "neck": "szyja"},
        **{"head": "glowa", "arm": "ramie", "elbow": "lokiec", "forearm": "przedramie", "hand": "dlon reka"},
        **{"wrist": "nadgarstek", "finger": "palec", "thumb": "kciuk", "leg": "noga", "thigh": "udo"},
        **{"knee": "kolano", "calf": "lydka golen", "foot": "stopa", "ankle": "kostka", "tail": "ogon"},
        **{"wing": "skrzydlo", "hair": "wlosy", "ear": "ucho", "sword": "miecz", "shield": "tarcza"},
        **{"left": "lewa lewy lewe", "right": "prawa prawy prawe"},
    },
    "Russian": {
        **{"pelvis": "таз", "spine": "позвоночник", "torso": "торс туловище", "back": "спина"},
        **{"chest": "грудь", "belly": "живот", "neck": "шея", "head": "голова", "shoulder": "плечо"},
        **{"clavicle": "ключица", "arm": "рука", "elbow": "локоть", "forearm": "предплечье"},
        **{"wrist": "запястье", "hand": "кисть ладонь", "finger": "палец", "leg": "нога", "thigh": "бедро"},
        **{"knee": "колено", "calf": "голень", "ankle": "лодыжка", "foot": "стопа ступня", "toe": "носок"},
        **{"paw": "лапа", "tail": "хвост", "wing": "крыло", "hair": "волосы", "ear": "ухо", "eye": "глаз"},  # noqa: RUF001
        **{"weapon": "оружие", "sword": "меч", "shield": "щит", "root": "корень"},
        **{"left": "лев левый левая левое", "right": "прав правый правая правое"},
    },
    "Japanese": {
        **{"pelvis": "下半身 骨盤", "torso": "上半身", "waist": "腰", "spine": "背骨", "chest": "胸"},
        **{"belly": "腹", "neck": "首", "head": "頭", "shoulder": "肩", "clavicle": "鎖骨"},
        **{"arm": "腕 上腕", "elbow": "ひじ 肘", "forearm": "前腕", "wrist": "手首", "hand": "手"},
        **{"palm": "手のひら", "finger": "指 人指 人差指 中指 薬指 小指", "thumb": "親指", "leg": "足"},
        **{"thigh": "もも 太もも 太腿", "knee": "ひざ 膝", "shin": "すね 脛", "ankle": "足首"},
        **{"heel": "かかと", "toe": "つま先 爪先 足先 足指", "tail": "尻尾 しっぽ", "wing": "羽 翼"},
        **{"hair": "髪 前髪 後髪 横髪", "ear": "耳", "eye": "目 両目 瞳", "mouth": "口", "jaw": "顎 あご"},
        **{"tongue": "舌", "skirt": "スカート", "sword": "剣 刀", "shield": "盾", "weapon": "武器"},
        **{"root": "全ての親 すべての親", "twist": "捩 捻", "front": "前", "rear": "後"},
        **{"left": "左", "right": "右"},
    },
    "Chinese": {
        **{"pelvis": "骨盆 盆骨", "hips": "臀部 髋 胯", "spine": "脊椎 脊柱", "neck": "颈 頸 脖子"},
        **{"head": "头", "clavicle": "锁骨", "arm": "手臂 胳膊 大臂 上臂", "forearm": "小臂 前臂"},
        **{"wrist": "手腕", "palm": "手掌", "finger": "手指 食指 无名指", "thumb": "拇指", "leg": "腿"},
        **{"thigh": "大腿", "calf": "小腿", "knee": "膝盖", "foot": "脚 脚掌", "ankle": "脚踝 踝"},
        **{"toe": "脚趾 脚尖 趾", "tail": "尾巴 尾", "wing": "翅膀 翅", "hair": "头发", "ear": "耳朵"},
        **{"eye": "眼 眼睛", "mouth": "嘴", "rear": "后"},
    },
    "Korean": {
        **{"pelvis": "골반", "waist": "허리", "spine": "척추", "chest": "가슴", "neck": "목", "head": "머리"},
        **{"shoulder": "어깨", "arm": "팔", "elbow": "팔꿈치", "hand": "손", "wrist": "손목"},
        **{"finger": "손가락", "leg": "다리", "thigh": "허벅지", "knee": "무릎", "calf": "종아리"},
        **{"foot": "발", "ankle": "발목", "toe": "발가락", "tail": "꼬리", "wing": "날개"},
        **{"left": "왼쪽 왼", "right": "오른쪽 오른"},
    },
}
"""Of each language, its words by the English one. A word of several languages has the sense of the first."""
SIDE_LETTERS: Mapping[str, Mapping[str, str]] = {
    "French": {"g": "left", "d": "right"},
    "Spanish": {"i": "left", "d": "right"},
    "Portuguese": {"e": "left", "d": "right"},
    "Italian": {"s": "left", "d": "right"},
    "Polish": {"p": "right"},
    "Russian": {"л": "left", "п": "right"},
}
"""Letters that are a side beside a word of the language: "bras.G" is a left arm."""
NEED_A_SIDE = frozenset(("main", "pie", "pe", "been", "teen", "cola", "ala", "asa"))
"""What means something else in English, or in files of any language, unless a side is said, too."""
GLUED_SIDES = ("gauche", "droite", "droit", "izquierda", "izquierdo", "derecha", "derecho", "links", "rechts")
"""Sides that are glued to other words: "piedgauche"."""

_WORD = re.compile(
    "[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[\u0410-\u042f]?[\u0430-\u044f]+|[\u0410-\u042f]+(?![\u0430-\u044f])"
    "|[\u3040-\u30ff\u4e00-\u9fff]+|[\uac00-\ud7a3]+"
)
"""A word of Latin or Cyrillic letters, or all that stands together in a script without spaces."""
_ACCENTS = re.compile("[\u0300-\u036f]")
_WITHOUT_PARTS = str.maketrans({"ß": "ss", "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "æ": "ae", "œ": "oe"})
"""Letters that are no letter with an accent to Unicode."""


def split(name: str) -> list[str]:
    """Return the words of a name as they are spelt, in lower case and without accents.

    "TêteGauche" gives tete and gauche, "左足首" is one word. Digits and separators are left out.
    """
    return [word.lower() for word in _WORD.findall(_fold(name))]


def translate(spelt: Sequence[str]) -> list[str]:
    """Return the English words for words of any language as :func:`split` gives them, in order; what is in no
    table stays as it is.

    Words that stand together are taken apart where the table has the pieces: "piedgauche" gives foot and
    left, "左足首" left and ankle; what is left of a script without spaces is dropped, so that there may be
    more or fewer words than before. Two neighbours that the table has as one are put together: "avant",
    "bras" gives forearm. Letters that stand for a side in a language of which another word is there become
    that side. What is no part of a body unless a side is said (NEED_A_SIDE), such as "main", stays as it is
    where the result says none.
    """
    found: list[tuple[str, str, tuple[str, ...]]] = []
    words, _ = _tables()
    for word in _put_together(spelt):
        for piece in _take_apart(word):
            found.append((piece, *words.get(piece, (piece, ()))))
    spoken = {language for _, _, languages in found for language in languages}
    letters = {a: b for language in sorted(spoken) for a, b in SIDE_LETTERS.get(language, {}).items()}
    # "l" of "l'oreille" is no side where another is said, and the last one counts
    english = [letters.get(piece, word) for piece, word, _ in found]
    if {"left", "right", "l", "r"} & {*english}:
        return english
    return [piece if piece in NEED_A_SIDE else word for piece, word, _ in found]


def _put_together(spelt: Sequence[str]) -> Iterator[str]:
    """Yield the words in order, two neighbours as one, without space, where the table has that one."""
    words, _ = _tables()
    i = 0
    while i < len(spelt):
        pair = "".join(spelt[i : i + 2])
        is_one = i + 1 < len(spelt) and pair in words
        yield pair if is_one else spelt[i]
        i += 1 + is_one


def _take_apart(word: str) -> list[str]:
    """Return the pieces that a folded word consists of, in order.

    A word of the table is itself, alone. One of a script without spaces gives the words of the table that are
    found in it, the longest first at each place, [] for none. Of any other a side at its end (GLUED_SIDES) is
    parted if the rest is in the table, else it stays, alone.
    """
    words, pieces = _tables()
    if word in words:
        return [word]
    if word > "\u3040":
        return pieces.findall(word)
    for side in GLUED_SIDES:
        if word.endswith(side) and word.removesuffix(side) in words:
            return [word.removesuffix(side), side]
    return [word]


def _fold(name: str) -> str:
    """Return a name with plain letters in place of those with accents, of full width, or ligatures; their
    case stays.
    """
    if name.isascii():
        return name
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", name.translate(_WITHOUT_PARTS)))
    return unicodedata.normalize("NFC", bare)


@functools.cache
def _tables() -> tuple[Mapping[str, tuple[str, tuple[str, ...]]], re.Pattern[str]]:
    """Return (words, pieces) of all languages; cached.

    words: by each folded word its English one and the languages that have it; a word of several languages has
    the English of the first one. pieces: a pattern that finds the words of scripts without spaces, the
    longest first.
    """
    words: dict[str, tuple[str, tuple[str, ...]]] = {}
    for language, known in LANGUAGES.items():
        for english, said in known.items():
            for word in map(_fold, said.split()):
                sense, languages = words.get(word, (english, ()))
                words[word] = (sense, (*languages, language))
    dense = sorted((word for word in words if word > "\u3040"), key=len, reverse=True)
    return words, re.compile("|".join(map(re.escape, dense)))
