"""What a text looks like to somebody who reads in a hurry: two texts with one look can be taken for each other.

Two sources. The skeleton of UTS 39 (Unicode's list of confusable characters: Cyrillic а and Latin a, 0 and O, カ and
力, ー and 一), for which the package `homoglyphs_fork` brings the data. And what that list leaves out because it is
not about single glyphs: hiragana and katakana, small kana and large, forms of one kanji, marks on Latin letters.

A look is for warnings only. It says nothing about who somebody is and nothing is ever joined by it.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import cache
from importlib.resources import files

# Forms of one kanji, by which families tell themselves apart; Chinese names in simplified and traditional letters.
_KANJI = """
    高髙 崎﨑嵜碕 斉斎齋齊 辺邉邊 藤籐 沢澤 浜濱濵 吉𠮷 広廣 国國 桜櫻 真眞 島嶋嶌 円圓 当當 会會 学學 関關关 鉄鐵铁 栄榮荣 竜龍龙
    滝瀧 恵惠 徳德 黒黑 曽曾 富冨 峰峯 柳栁 弥彌 寿壽 実實实 豊豐丰 礼禮 万萬 与與 内內 蔵藏 薫薰 亜亞亚 桧檜 桑桒 松枩 芦蘆 鴎鷗
    顕顯 衛衞卫 剣劍剑 静靜 清淸 青靑 橋槗桥 穂穗 為爲为 巌巖 梅楳 来來 沖冲 涼凉 渕淵渊 瀬瀨 禄祿 稲稻 経經经 緑綠绿 県縣县
    聡聰聪 芸藝艺 郎郞 黄黃 仏佛 伝傳 児兒儿 単單单 厳嚴严 双雙 塩鹽盐 奥奧 将將 尭堯尧 帯帶 応應 恒恆 暁曉晓 歩步 渋澁 湾灣 灯燈
    総總 蛍螢 覚覺 観觀观 遥遙 郷鄕乡 霊靈灵 渓溪谿 鶏鷄 館舘 條条 荘莊庄 剛刚 張张 陳陈 劉刘 楊杨 趙赵 呉吳吴 孫孙 馬马 鄭郑 謝谢
    許许 鄧邓 馮冯 蘇苏 盧卢 葉叶 鍾鐘钟 宮宫 東东 偉伟 華华 麗丽
"""
_ONE_KANJI = {ord(other): group[0] for group in _KANJI.split() for other in group[1:]}
_ONE_KANA = {0x3041 + at: chr(0x30A1 + at) for at in range(86)} | {0x309D: "\u30fd", 0x309E: "\u30fe"}
_LARGE_KANA = str.maketrans("ァィゥェォッャュョヮヵヶ", "アイウエオツヤユヨワカケ")
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−〜～─-", "ー"))
_UNSEEN = re.compile("[\u0300-\u036f\u180b-\u180d\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Marks of Latin, Greek and Cyrillic, and selectors of variants."""
_ONE_STROKE = str.maketrans("i", "l")


def look(text: str) -> str:
    """What the text looks like. Not for people to read. Spaces and invisible letters count for nothing."""
    text = unicodedata.normalize("NFKC", text)
    text = "".join(char for char in text if not char.isspace() and unicodedata.category(char) != "Cf")
    text = text.translate(_ONE_KANA).translate(_LARGE_KANA).translate(_ONE_KANJI).translate(_DASHES)
    return _skeleton(_skeleton(text).casefold()).translate(_ONE_STROKE)


def _skeleton(text: str) -> str:
    """UTS 39, section 4: decomposed, each letter replaced by the one that stands for all of its look; without Latin marks."""
    text = _UNSEEN.sub("", unicodedata.normalize("NFD", text))
    return text if text.isascii() and not _MAPPED_ASCII.search(text) else "".join(_prototypes().get(char, char) for char in text)


_MAPPED_ASCII = re.compile("[^a-ln-z]")
"""Of small Latin letters only m has another look (rn): most names need no table."""


@cache
def _prototypes() -> dict[str, str]:
    """Letter → what stands for it. The data tie each letter to its prototype, both ways: a prototype may have many
    letters or consist of several; where two single letters have only each other, the first in order is taken."""
    read = json.loads(files("homoglyphs_fork").joinpath("confusables.json").read_text(encoding="utf-8"))
    table = {letter.strip(_DIRECTION): [one.strip(_DIRECTION) for one in alike] for letter, alike in read.items()}
    return {
        letter: max([letter, *alike], key=lambda one: (len(one) > 1, len(table.get(one, ())), -ord(one[0])))
        for letter, alike in table.items()
        if len(letter) == 1
    }


_DIRECTION = "\u200e"
"""Stands around letters that are written from the right."""


def unlike(one: str, other: str) -> str:
    """The letters of `other` that `one` does not have, with their code points: what the eye cannot tell apart."""
    letters = dict.fromkeys(char for char in unicodedata.normalize("NFC", other) if char not in unicodedata.normalize("NFC", one))
    return ", ".join(f"{char} U+{ord(char):04X}" for char in letters if not char.isspace())
