"""The words of dates in Japanese, English, Chinese and Korean, as tables and patterns for `spoken_dates`.

All patterns are read with ASCII classes and without letter case, on a text whose full-width letters
were made narrow. Group names say what was found: y ry = year, as number or word; m rm = month;
d = day of the month; w = weekday; n u = number and unit; end = the last day is meant.
"""

from __future__ import annotations

DAY_WORDS = {
    "今日": 0, "本日": 0, "きょう": 0, "今夜": 0, "今晩": 0, "今朝": 0, "昨日": -1, "きのう": -1, "昨夜": -1, "昨晩": -1, "一昨日": -2,
    "おととい": -2, "明日": 1, "あした": 1, "明朝": 1, "明晩": 1, "明後日": 2, "あさって": 2, "明々後日": 3, "しあさって": 3,
    "今天": 0, "今晚": 0, "今早": 0, "明天": 1, "明晚": 1, "明早": 1, "后天": 2, "後天": 2, "大后天": 3, "昨天": -1, "昨晚": -1, "前天": -2,
    "오늘": 0, "내일": 1, "모레": 2, "내일모레": 2, "글피": 3, "어제": -1, "그저께": -2, "엊그제": -2,
    "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0, "tomorrow": 1, "the day after tomorrow": 2,
    "day after tomorrow": 2, "yesterday": -1, "last night": -1, "the day before yesterday": -2, "day before yesterday": -2,
}  # fmt: skip
WEEK_WORDS = {
    "今週": 0, "来週": 1, "再来週": 2, "先週": -1, "先々週": -2, "这周": 0, "本周": 0, "这个星期": 0, "这星期": 0, "这礼拜": 0, "下周": 1,
    "下个星期": 1, "下星期": 1, "下礼拜": 1, "下个礼拜": 1, "下下周": 2, "上周": -1, "上个星期": -1, "上星期": -1, "上礼拜": -1,
    "이번 주": 0, "이번주": 0, "다음 주": 1, "다음주": 1, "다다음 주": 2, "다다음주": 2, "지난주": -1, "지난 주": -1,
    "this week": 0, "next week": 1, "last week": -1, "the week after next": 2, "the following week": 1,
}  # fmt: skip
MONTH_WORDS = {
    "今月": 0, "来月": 1, "再来月": 2, "先月": -1, "先々月": -2, "这个月": 0, "本月": 0, "这月": 0, "下个月": 1, "下月": 1, "下下个月": 2,
    "上个月": -1, "上月": -1, "이번 달": 0, "이번달": 0, "다음 달": 1, "다음달": 1, "지난달": -1, "지난 달": -1,
    "this month": 0, "next month": 1, "last month": -1,
}  # fmt: skip
YEAR_WORDS = {
    "今年": 0, "本年": 0, "来年": 1, "再来年": 2, "去年": -1, "昨年": -1, "一昨年": -2, "明年": 1, "后年": 2, "前年": -2,
    "올해": 0, "내년": 1, "후년": 2, "작년": -1, "지난해": -1, "this year": 0, "next year": 1, "last year": -1,
}  # fmt: skip
MONTHS = {name: i for i, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}  # noqa: SIM905
WEEKDAYS = {
    **{name: i for i, name in enumerate("mon tue wed thu fri sat sun".split())},  # noqa: SIM905
    **{sign: i for signs in ("月火水木金土日", "一二三四五六日", "월화수목금토일") for i, sign in enumerate(signs)},
    "天": 6,
}  # fmt: skip
NUMBER_WORDS = {
    **{word: i for i, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)},  # noqa: SIM905
    "a": 1, "an": 1, "another": 1, "두": 2, "세": 3, "네": 4, "한": 1, "다섯": 5, "两": 2, "兩": 2,
}  # fmt: skip
UNITS = {
    "日": "day", "天": "day", "일": "day", "day": "day", "週": "week", "周": "week", "星期": "week", "주": "week", "week": "week",
    "月": "month", "개월": "month", "달": "month", "month": "month", "年": "year", "년": "year", "year": "year",
}  # fmt: skip


def _one_of(words: dict[str, int]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


def _cjk(words: dict[str, int]) -> str:
    return _one_of({word: 0 for word in words if not word.isascii()})


def _latin(words: dict[str, int]) -> str:
    return _one_of({word: 0 for word in words if word.isascii()})


_N = "[0-9]{1,3}|[一二三四五六七八九十]{1,3}|两|兩"
_M = "(?P<m>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])"
_D = "(?P<d>3[01]|[12][0-9]|0?[1-9]|二十[一二三四五六七八九]?|三十一?|十[一二三四五六七八九]?|[一二三四五六七八九])"
_Y = "(?P<y>(?:19|20)[0-9]{2}|[一二][〇零九八七六五四三二一]{3})"
_FREE = "(?<![0-9一二三四五六七八九十百千万第毎每])"  # not the tail of a longer number, not a habit
_NO_ERA = "(?<![0-9一二三四五六七八九十百千万第毎每年년])"  # 令和8年3月 is not read
_YEAR = rf"(?:{_FREE}{_Y}\s*[年년]\s*の?\s*|(?P<ry>{_cjk(YEAR_WORDS)})(?:の|的)?\s*)"
_WEEKDAY_AFTER = (
    r"(?:\s*の?[(（](?P<w>[月火水木金土日월화수목금토일])(?:曜日?|요일)?[)）]|\s*の?(?P<w2>[月火水木金土日])曜日?|\s*(?P<w3>[월화수목금토일])요일)?"
)
_SPAN = rf"(?P<n>{_N}|(?:한|두|세|네|다섯)\s?)\s*(?P<u>日|天|週|周|[个個]?星期|[かカヶケヵ箇個个]月|年|일|주|개월|달|년)"
_NOT_COUNTED = r"(?!\s*(?:間|间|간|동안|ごと|おき|目|分|以内|ほど|くらい|ぐらい|程度|連続|連休|[0-9一二三]+(?:回|度|泊|晩|食|錠)))"
_NO_COUNT = "(?<![0-9月週/年約毎々全計第各中.+-])(?<!あと)"
_END = "(?P<end>末|底|いっぱい|말)"
_PARTICLE = "까지|부터|에|엔|은|는|의|도|중|내|말|이|날|밤|아침|저녁|오전|오후"
_KO_END = rf"(?=$|[^가-힣]|{_PARTICLE})"

# --- English
_MONTH = (
    r"(?P<m>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
    r"(?![a-z])\.?"
)
_DAY = r"(?P<d>3[01]|[12][0-9]|0?[1-9])(?:st|nd|rd|th)?(?![0-9a-z%])"
_FIRST_DAY = "(?:the\\s+)?(?P<d1>3[01]|[12][0-9]|0?[1-9])(?:st|nd|rd|th)?"
_TO = "(?:-|–|to|until|till|through)"
_IN_YEAR = rf"(?:,?\s+(?:(?:of\s+)?(?P<y>(?:19|20)[0-9]{{2}})(?![0-9a-z]|[.,:/-][0-9])|(?P<ry>{_latin(YEAR_WORDS)})\b))"
_WEEKDAY = r"(?P<w>mon|tue|wed|thu|fri|sat|sun)(?:day|s(?=day)|nes(?=day)|rs(?=day)|ur(?=day))?(?:day)?(?![a-z])"
_Y4 = "(?P<y>(?:19|20)[0-9]{2})"
_APART, _APART_AFTER = r"(?<![a-z0-9_./:-])", r"(?![a-z0-9_/:-]|\.[a-z0-9])"  # no part of a path, a version, a number
_B = r"(?<![a-z0-9_.@#/'-])"
_COUNT = rf"(?P<n>[0-9]{{1,3}}|{'|'.join(word for word in NUMBER_WORDS if word.isascii() and word != 'another')})"
_UNIT = r"(?P<u>day|week|month|year)s?\b"
_SMALL = (
    "and|or|but|to|until|till|through|i|i'm|i've|i'll|we|we're|he|he's|she|she's|they|it|it's|you|because|so|if|when|while|at|in|on|for|with|as"
    "|is|was|are|were|now|then|the|my|our|her|his|please|inclusive|onwards?|there|this"
)
FOLLOWED = rf"(?=\s*(?:$|[,.;:!?)\"](?![0-9])|[^\x00-\x7f]|[-–](?![a-z])|(?:{_SMALL})\b))"
_ABSENT = "(?:の?お?休み(?:です|ます|を|し(?:ます|てい))|休む|の?(?:休業|留守|不在|出張|入院|旅行)(?:です|します|中です))"
_STATE = (
    r"(?<!was )(?<!were )(?<!been )(?<!took )\b(?:out|off|away|gone|closed|unavailable|unreachable|offline|leave|holidays?|vacation"
    r"|travell?ing|visiting|staying"
    r"|(?:is|am|are|'m|'s|'re|be) (?:here|sick|abroad|home|ill))(?:\s+(?!for\b|was\b|were\b)[a-z']+){0,2}\s+"
)

EXPRESSIONS: tuple[tuple[str, str, bool], ...] = (
    # kind, pattern, weak: a weak one counts only beside a word such as "until"
    ("named", rf"{_APART}{_Y4}(?P<s>[-/])(?P<m>1[0-2]|0?[1-9])(?P=s)(?P<d>3[01]|[12][0-9]|0?[1-9]){_APART_AFTER}", False),
    ("named", rf"{_APART}{_Y4}[-/](?P<m>0[1-9]|1[0-2]){_APART_AFTER}", True),
    ("pair", r"(?<![a-z0-9_./:~-])(?P<m>1[0-2]|0?[1-9])/(?P<d1>[0-9]{1,2})\s*[~〜]\s*(?P<d>3[01]|[12][0-9]|0?[1-9])(?![0-9/:.])", False),
    ("slash", r"(?<![a-z0-9_./:~-])(?P<m>[0-9]{1,2})/(?P<d>[0-9]{1,2})(?![a-z0-9_/:%-]|\.[a-z0-9])" + _WEEKDAY_AFTER, True),
    ("named", rf"(?:{_YEAR}|{_NO_ERA}){_M}\s*[月월]\s*の?\s*{_D}\s*[日号일]{_NOT_COUNTED}{_WEEKDAY_AFTER}", False),
    ("pair", rf"(?:{_YEAR}|{_NO_ERA}){_M}\s*[月월]\s*(?P<d1>[0-9]{{1,2}})[日号일]?\s*[-~〜–至到]\s*{_D}\s*[日号일]{_NOT_COUNTED}", False),
    ("named", rf"{_YEAR}{_M}\s*[月월]\s*の?{_END}?(?![号分期度])", False),
    ("named", rf"{_NO_ERA}{_M}\s*[月월]\s*の?{_END}", False),
    ("named", rf"{_NO_ERA}{_M}\s*[月월](?![号分期度生曜요])", True),
    ("named", rf"(?P<rm>{_cjk(MONTH_WORDS)})(?:(?:の|的)?\s*(?:{_D}\s*[日号일]{_NOT_COUNTED}{_WEEKDAY_AFTER}|{_END}))?", False),
    ("named", rf"{_FREE}{_Y}\s*[年년](?:\s*{_END})?(?![度生式型間代問版제생도간産])", False),
    ("named", rf"(?P<ry>{_cjk(YEAR_WORDS)})(?:\s*年?{_END})?(?!度)", False),
    ("month end", r"(?<![0-9一-龥々毎每])(?:这个?)?月[末底]|(?<![가-힣]\s)(?<![가-힣0-9])월말", True),
    ("year end", r"(?<![0-9一-龥々毎每])年[末底](?!年|調整)|(?<![가-힣0-9])연말", True),
    ("weekend", rf"(?P<rw>{_cjk(WEEK_WORDS)})(?:末|말)|(?:这个?|本)周末", False),
    ("week", rf"(?P<rw>{_cjk(WEEK_WORDS)})(?:の?\s*(?P<w>[月火水木金土日])曜日?|\s*(?P<w3>[월화수목금토일])요일)", False),
    ("week", rf"(?P<rw>{_cjk(WEEK_WORDS)})(?P<w>[一二三四五六](?![个十号])|日(?!本)|天(?!气))", False),
    ("week", rf"(?P<rw>{_cjk(WEEK_WORDS)}){_KO_END}", False),
    ("weekday", r"(?<![0-9一-龥々毎每])(?:(?P<w>[月火水木金土日])曜日?|(?:周|星期|礼拜)(?P<w2>[一二三四五六日天])(?![本气]))", True),
    ("weekday", r"(?<![가-힣])(?P<w>[월화수목금토일])요일(?!마다)", True),
    ("coming", r"(?:今度|次)の(?P<w>[月火水木金土日])曜日?", False),
    ("day", rf"(?<![証発説声透表照判文目以之然])(?P<rd>{_cjk(DAY_WORDS)})(?![香子美加菜奈花葉実])(?!(?<=天)[气氣天空性然免])", False),
    ("later", rf"{_FREE}(?<!の){_SPAN}間?\s*(?:後|后|之后|후|뒤)(?!半|ろ|期)", False),
    ("within", rf"{_FREE}{_SPAN}間?\s*(?:以?[内內]|이내)", True),
    ("ago", rf"{_FREE}(?<!の){_SPAN}間?\s*(?:前|전)(?!後|后|後|半)", True),
    ("more", rf"(?:あと|残り|还有|还剩)\s*{_SPAN}間?(?![後前目])", False),
    ("lasting", rf"(?:向こう|この先|今後|これから|接下来的?|未来|앞으로)\s*{_SPAN}間?(?![後前目])", False),
    ("lasting", rf"{_FREE}(?P<x>{_SPAN}間?)(?:ほど|くらい|ぐらい)?{_ABSENT}", False),
    ("bare day", rf"{_NO_COUNT}(?P<d>3[01]|[12][0-9]|[1-9])\s*(?:日|일){_NOT_COUNTED}(?![後后前]){_WEEKDAY_AFTER}", True),
    ("bare day", rf"(?<![0-9月年第一二三四五六七八九十.-])(?:这个月)?{_D}号(?![楼线房室机池院店门館车])", True),
    ("length", rf"{_FREE}{_SPAN}\s*(?:[間间간]|동안)?(?![後前目])", True),
    # --- English
    ("pair", rf"{_B}{_FIRST_DAY}\s*{_TO}\s*(?:the\s+)?{_DAY}\s+(?:of\s+)?{_MONTH}{_IN_YEAR}?", False),
    ("pair", rf"{_B}{_MONTH}\s+{_FIRST_DAY}\s*{_TO}\s*(?:the\s+)?{_DAY}(?!\s+(?:of\s+)?(?:{'|'.join(MONTHS)})){_IN_YEAR}?", False),
    ("pair", rf"\bbetween\s+{_FIRST_DAY}\s+and\s+(?:the\s+)?{_DAY}\s+(?:of\s+)?{_MONTH}{_IN_YEAR}?", False),
    ("named", rf"{_B}(?:{_WEEKDAY},?\s+)?(?:the\s+)?{_DAY}\s+(?:of\s+)?{_MONTH}{_IN_YEAR}?", False),
    ("named", rf"{_B}(?:{_WEEKDAY},?\s+)?{_MONTH}\s+(?:the\s+)?{_DAY}(?!\s*(?:people|km|kg|%|:|/|-[0-9])|[.,:][0-9]){_IN_YEAR}?", False),
    ("named", rf"{_B}(?P<end>(?:the\s+)?end\s+of\s+){_MONTH}{_IN_YEAR}?", False),
    ("named", rf"{_B}(?P<end>(?:the\s+)?end\s+of\s+){_Y4}(?![0-9a-z])", False),
    ("named", rf"{_B}(?:(?:early|late|mid)[ -])?{_MONTH}{_IN_YEAR}", False),
    ("named", rf"{_B}{_MONTH}(?!\s+[0-9])", True),
    ("named", rf"(?<![a-z0-9_.@#/$€£¥'-])(?P<y>(?:19|20)[0-9]{{2}})(?![0-9a-z年년月]|[.,:/][0-9]){FOLLOWED}", True),
    ("the day", rf"{_B}(?:{_WEEKDAY}\s+)?the\s+(?P<d>3[01]|[12][0-9]|[1-9])(?:st|nd|rd|th)(?![a-z-]){FOLLOWED}", True),
    ("week", rf"{_B}(?P<rw>{_latin(WEEK_WORDS)})(?:\s+on)?\s+{_WEEKDAY}", False),
    ("week", rf"{_B}{_WEEKDAY}\s+(?:of\s+)?(?P<rw>{_latin(WEEK_WORDS)})\b", False),
    ("week", rf"{_B}(?P<rw>{_latin(WEEK_WORDS)})\b(?!\s*'s)", False),
    ("week end", rf"{_B}(?:the\s+)?end\s+of\s+(?:(?P<rw>{_latin(WEEK_WORDS)})|the\s+week)\b", False),
    ("week", rf"{_B}(?P<this>this|next|last|this\s+coming|coming)\s+{_WEEKDAY}(?!\s+(?:morning|evening|night|afternoon)s)", False),
    ("weekday", rf"{_B}{_WEEKDAY}(?!\s+(?:morning|evening|night|afternoon)s)", True),
    ("weekend", rf"{_B}(?P<this>this|next|last|this\s+coming)\s+weekend\b", False),
    ("day", rf"{_B}(?P<rd>{_latin(DAY_WORDS)})\b(?!\s*'s\s+(?:world|kids|youth))", False),
    ("named", rf"{_B}(?P<end>(?:the\s+)?end\s+of\s+)?(?P<rm>{_latin(MONTH_WORDS)})\b", False),
    ("named", rf"{_B}(?P<end>(?:the\s+)?end\s+of\s+)?(?P<ry>{_latin(YEAR_WORDS)})\b", False),
    ("month end", rf"{_B}(?:the\s+)?end\s+of\s+(?:the\s+)?month\b", True),
    ("year end", rf"{_B}(?:the\s+)?end\s+of\s+(?:the\s+)?year\b", True),
    ("today", rf"{_B}(?:the\s+)?end\s+of\s+(?:the\s+)?day\b", True),
    ("later", rf"(?<!once )(?<!twice )(?<!times )\bin\s+{_COUNT}\s+{_UNIT}(?!\s+of\b)(?:'?\s+time)?", False),
    ("later", rf"{_B}{_COUNT}\s+{_UNIT}\s+from\s+(?:now|today)\b", False),
    ("within", rf"\bwithin\s+(?:the\s+next\s+)?{_COUNT}\s+{_UNIT}(?!\s+(?:of|after|before)\b)", False),
    ("ago", rf"{_B}{_COUNT}\s+{_UNIT}\s+ago\b", False),
    ("lasting", rf"\b(?:for|over|in|during)\s+the\s+(?:next|coming)\s+(?:{_COUNT}\s+)?{_UNIT}", False),
    ("lasting", rf"\bfor\s+another\s+(?:{_COUNT}\s+)?{_UNIT}", False),
    ("more", rf"\b(?:for\s+)?(?P<n>[0-9]{{1,3}}|two|three|four|five|six|ten|twelve)\s+more\s+{_UNIT}", False),
    ("lasting", rf"{_STATE}(?P<x>for\s+{_COUNT}\s+{_UNIT})(?!\s+(?:now|already|ago|every|each|a|per|in)\b)", False),
    ("rest", rf"\bfor\s+the\s+(?:rest|remainder)\s+of\s+(?:the|this)\s+{_UNIT}", False),
    ("length", rf"{_B}{_COUNT}\s+{_UNIT}", True),
)  # fmt: skip

# --- what stands beside a date and says its role
_CLOCK_CJK = (
    r"(?P<half>午前|午後|上午|下午|早上|晚上|朝|夜|夕方|昼|오전|오후|저녁|아침)?の?\s*"
    r"(?:(?P<h>2[0-4]|1[0-9]|0?[0-9])|(?P<hw>十[一二]?|[一二三四五六七八九两]))"
    r"(?:\s*(?:時(?!間)|点|點|시(?!간))\s*(?:(?P<min>[0-5]?[0-9])\s*[分분]|(?P<half_past>半|반))?|:(?P<min2>[0-5][0-9]))"
)
_CLOCK_EN = r"(?:(?P<h>1[0-9]|2[0-4]|0?[0-9])(?::(?P<min>[0-5][0-9])\s*(?P<half>am|pm)?|\s*(?P<half2>am|pm))|(?P<noon>noon|midday))\b"

UNTIL_BEFORE = (
    r"(?:\b(?:(?:up\s+)?until|up\s+till|till|'til|til|through|thru|up\s+to(?:\s+and\s+including)?|no\s+later\s+than|not\s+later\s+than|not\s+after"
    r"|(?:expir(?:es?|ing|y)|ends?|ending|runs?\s+out|running\s+out|laps(?:es|ing)|finish(?:es)?)(?:\s+date)?(?:\s+(?:on|at|in|by|is|to|for))?"
    r"|(?:deadline|due\s+date|last\s+day|expiry(?:\s+date)?)(?:\s+is|:|\s+of)?(?:\s+on)?"
    r"|(?<!ed )(?<!ten )by|(?:good|valid|paid|runs?|running|lasts?|lasting|goes|open|extended|here|booked)\s+(?:up\s+)?to)\s+"
    r"|(?:期限|締め?切り?|〆切|満期|最終日|期日)(?:は|が|日は|日が|:|、|\s)+(?:今のところ)?"
    r"|(?<![改推迟前延调挪移换报遲調換報定])(?:直?到|至|截止?[到至]?|截止日期?是?)(?!时|時)\s*)(?:about\s+)?$"
)
SINCE_BEFORE = (
    r"(?:\b(?P<strict>since|ever\s+since)\s+|\b(?:(?:starting|beginning|effective)(?:\s+(?:from|on|in|at))?|as\s+(?:of|from)"
    r"|starts?\s+(?:on|in|from)|begins?\s+(?:on|in)"
    r"|(?<!heard )(?<!got it )(?<!away )(?<!letter )(?<!message )(?<!gift )(?<!mail )(?<!call )from)\s+"
    r"|(?<![一-龥]不)(?:从|從|自从|自|由)\s*)$"
)
ON_BEFORE = r"\b(?:in|during|all|throughout|on|at|for)\s+$"
CLOCK_BEFORE = rf"\b(?P<role>until|till|'til|by|from|starting\s+at)\s+{_CLOCK_EN}\s*(?:,|\bon\b)?\s*$"

_DAYPART = "(?:の|的)?(?:早朝|朝|昼|正午|夕方|夜|晩|深夜|午前中?|午後|いっぱい|終日|早上|上午|中午|下午|晚上?|저녁|아침|밤|오전|오후|\\s)*"
UNTIL_AFTER = (
    rf"{_DAYPART}(?P<mark>(?P<inside>[中内](?:に|は)?|\s*(?:중에|중으로|내로))|まで(?:に|は|の|も)?|迄|\s*까지|いっぱい|限り|为止|為止|(?:之|以)?前(?![後后半回日年月期])"
    r"|(?:付け?で|をもって|で|に)(?=(?:自動)?(?:終わ|終了|切れ|満了|更新|失効|退職|退任|退会|解約|辞め|やめ|閉店|閉館|締め?切|廃止|おしまい|期限))"
    r"|の[^、。,.\s0-9でにがをはへから]{1,8}まで(?:に|は)?)"
)
SINCE_AFTER = (
    rf"{_DAYPART}(?P<mark>から(?:は|の)?|(?P<only_dates>より)|以降|以後|(?P<strict>以来)|付け?で|\s*부터|\s*이후|起|开始|開始|(?:之|以)[后後]|スタート|\s+onwards?\b)"
)
ON_AFTER_DAY = (
    r"(?=に(?!\s*[0-9一二三]+(?:回|度))|は|も|と[0-9]|、|,|の?一?(?:早朝|朝|昼|夕方|夜|晩|午前|午後)|の?\s*[0-9]{1,2}(?:時(?!間)|:)"
    r"|上午|下午|晚上|早上|去|回|에|은|의?\s*(?:저녁|아침|오전|오후|밤))"
)
ON_AFTER_MONTH = r"(?=と[0-9]|に(?!\s*[0-9一二三]+(?:回|度))|中|は|에|엔)"
ON_AFTER_SLASH = "(?=に|は|の|も|、)"
CLOCK_BETWEEN = rf"\s*,?\s*\b(?:until|till|to)\s+{_CLOCK_EN}\s*(?:,|\bon\b)?\s*"
COMPARED = r"より(?!前)|\s*보다"
CLOCK_AFTER_CJK = (
    rf"(?:は|の|、|,|に|も|到|至)?\s*{_CLOCK_CJK}\s*"
    r"(?:(?P<until>まで(?:に|は)?|까지|为止|(?:之|以)?前(?!後))|(?P<since>から|以降|부터|起|开始))"
)
CLOCK_AFTER_ZH = r"(?:到|至)" + _CLOCK_CJK
CLOCK_AFTER_EN = rf"\s*,?\s+(?P<role>until|till|by|from|at)\s+{_CLOCK_EN}"
JOINED = (
    r"\s*(?:(?P<opens>から(?:は|の)?|부터|起|开始)|より|[~〜～–—-]|to|until|till|up\s+to|through|(?P<and>and)|(?P<long>for)|到|至|에서)\s*(?:on\s+)?"
)
STARTING = r"(?:start|begin|effective|as\s)"
BETWEEN = r"\bbetween\s+$"
RECURRING_BEFORE = (
    r"(?:毎[年月週日]|每[年月周天]|매[년달주월]|\b(?:every|each|annual(?:ly)?|birthday|born|anniversary)\b|誕生日|生まれ|生日|생일|記念日)"
    r"[^。.!?！？;；\n]{0,20}$"
)
RECURRING_AFTER = r"[^。.!?！？;；\n]{0,6}(?:生まれ|が?誕生日|生日|생일|出生|\bbirthday|\banniversary|\bevery\s+year|ごと|마다)"
