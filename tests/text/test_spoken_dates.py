"""`spoken_dates`: what people say, read against the moment it was said."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.text.spoken_dates import ends, spoken_dates
from omoide.text.when import period, written

SAID = datetime(2026, 5, 13, 10, 0, tzinfo=timezone(timedelta(hours=9)))
"""A Wednesday."""


def read(text: str, said: datetime = SAID) -> list[tuple[str, str]]:
    """Role and date of each; a range as first/last."""
    out = []
    for found in spoken_dates(text, said):
        first, last = ends(found, said.tzinfo or UTC)
        several = found.role == "range" and first and last
        out.append((found.role, f"{written(first)}/{written(last)}" if several and first and last else written(found.value)))
    return out


CASES = {
    "ja": [
        ("6月30日まで産休です", "until 2026-06-30"),
        ("契約は来年の3月31日まで", "until 2027-03-31"),
        ("4月10日まで不在", "until 2027-04-10"),  # over in this year: the next one
        ("８月１０日〜１５日は実家", "since 2026-08-10, until 2026-08-15"),
        ("7月6日から9日まで試験", "since 2026-07-06, until 2026-07-09"),
        ("12月28日から1月4日まで休業", "since 2026-12-28, until 2027-01-04"),
        ("21日から23日まで留守", "since 2026-05-21, until 2026-05-23"),
        ("2022年4月から2024年9月まで大阪", "since 2022-04, until 2024-09"),
        ("6月1日から2029年5月31日までの契約", "since 2026-06-01, until 2029-05-31"),
        ("2025年の6月から8月は留学", "since 2025-06, until 2025-08"),
        ("20日9時から22日17時まで停電", "since 2026-05-20T09:00:00+09:00, until 2026-05-22T17:00:00+09:00"),
        ("今日は17時半まで会社", "until 2026-05-13T17:30:00+09:00"),
        ("明日の午後3時までに返信", "until 2026-05-14T15:00:00+09:00"),
        ("今日は5時まで", "until 2026-05-13"),  # morning or afternoon?
        ("今日10時から15時まで会議", "since 2026-05-13T10:00:00+09:00, until 2026-05-13T15:00:00+09:00"),
        ("8/1から異動します", "since 2026-08-01"),
        ("8/1(土)は休み", "on 2026-08-01"),
        ("10/12〜10/16は留守", "since 2026-10-12, until 2026-10-16"),
        ("2026/07/01から有効", "since 2026-07-01"),
        ("10月まで借りる", "until 2026-10"),
        ("10月から新しい席", "since 2026-10-01"),  # a beginning still to come is a day
        ("去年の11月から住んでいる", "since 2025-11"),
        ("2019年から続けている", "since 2019"),
        ("2019年以来の付き合い", "since 2019"),
        ("3年前から住んでいる", "since 2023"),
        ("昨日から熱がある", "since 2026-05-12"),
        ("来月から時短勤務", "since 2026-06-01"),
        ("来週からです", "since 2026-05-18"),
        ("来週いっぱい休みます", "until 2026-05-24"),
        ("今月中に返事する", "until 2026-05"),
        ("再来週まで不在", "until 2026-05-31"),
        ("月末まで待つ", "until 2026-05-31"),
        ("6月末で閉店", "until 2026-06-30"),
        ("先月末で解約しました", "until 2026-04-30"),
        ("金曜まで出張", "until 2026-05-15"),
        ("31日まで貸している", "until 2026-05-31"),
        ("来週の金曜に面談", "on 2026-05-22"),
        ("20日の水曜に届く", "on 2026-05-20"),
        ("明後日、引っ越す", "on 2026-05-15"),
        ("3日後に届く", "on 2026-05-16"),
        ("今週末は留守", "range 2026-05-16/2026-05-17"),
        ("先週は旅行だった", "range 2026-05-04/2026-05-10"),
        ("明日から3日間休みます", "since 2026-05-14, until 2026-05-16"),
        ("向こう2週間は在宅", "until 2026-05-26"),
        ("2週間休みます", "until 2026-05-26"),
        ("あと3日で締め切り", "until 2026-05-16"),
        ("締切は6月10日です", "until 2026-06-10"),
        ("5月20日の会議まで預かる", "until 2026-05-20"),
    ],
    "en": [
        ("away until the 31st", "until 2026-05-31"),
        ("She's away until 12 June", "until 2026-06-12"),
        ("the visa runs to 31 May 2028", "until 2028-05-31"),
        ("her card expires in June 2029", "until 2029-06"),
        ("no later than Nov 3", "until 2026-11-03"),
        ("on leave from 1 July to 15 August", "since 2026-07-01, until 2026-08-15"),
        ("out 3-7 June", "since 2026-06-03, until 2026-06-07"),
        ("off July 1-15", "since 2026-07-01, until 2026-07-15"),
        ("from the 1st to the 5th of June", "since 2026-06-01, until 2026-06-05"),
        ("from 20 December to 6 January", "since 2026-12-20, until 2027-01-06"),
        ("lived there from 2012 to March 2020", "since 2012, until 2020-03"),
        ("between March and May 2025", "since 2025-03, until 2025-05"),
        ("since 2019 she has been vegan", "since 2019"),
        ("here since January", "since 2026-01"),
        ("here since Monday", "since 2026-05-11"),
        ("starting next Monday", "since 2026-05-18"),
        ("from June 1st onwards", "since 2026-06-01"),
        ("as of today", "since 2026-05-13"),
        ("through the end of July", "until 2026-07-31"),
        ("by the end of next month", "until 2026-06-30"),
        ("by the end of the week", "until 2026-05-17"),
        ("by next Friday", "until 2026-05-22"),
        ("until Friday", "until 2026-05-15"),
        ("until 5 pm today", "until 2026-05-13T17:00:00+09:00"),
        ("out tomorrow until 15:00", "until 2026-05-14T15:00:00+09:00"),
        ("from 9am on 16 May until 5pm on 20 May", "since 2026-05-16T09:00:00+09:00, until 2026-05-20T17:00:00+09:00"),
        ("she flies the day after tomorrow", "on 2026-05-15"),
        ("he starts in two weeks", "on 2026-05-27"),
        ("moved two weeks ago", "on 2026-04-29"),
        ("surgery in October", "on 2026-10"),
        ("party on Saturday, June 20", "on 2026-06-20"),
        ("the trip is 20 January 2027", "on 2027-01-20"),
        ("hiking this weekend", "range 2026-05-16/2026-05-17"),
        ("covers for the next two weeks", "until 2026-05-26"),
        ("he's out for three days", "until 2026-05-15"),
        ("for the rest of the month", "until 2026-05-31"),
        ("until 3/31", "until 2027-03-31"),
        ("until 2026-06-30.", "until 2026-06-30"),
    ],
    "zh": [
        ("从明天起请假", "since 2026-05-14"),
        ("到下周五为止", "until 2026-05-22"),
        ("下周五开会", "on 2026-05-22"),
        ("住到六月底", "until 2026-06-30"),
        ("月底前搬走", "until 2026-05-31"),
        ("九月十五号之前交", "until 2026-09-15"),
        ("有效期至2027年3月", "until 2027-03"),
        ("5月10日到5月20日出差", "since 2026-05-10, until 2026-05-20"),
        ("6月10号到15号在北京", "since 2026-06-10, until 2026-06-15"),
        ("明天到下午三点", "until 2026-05-14T15:00:00+09:00"),
        ("后天去上海", "on 2026-05-15"),
        ("改到7月2日", "on 2026-07-02"),  # moved to, not lasting to
        ("接下来两周在家", "until 2026-05-26"),
        ("二〇二八年毕业", "on 2028"),
        ("去年开始学琴", "since 2025"),
    ],
    "ko": [
        ("6월 30일까지 휴가", "until 2026-06-30"),
        ("다음 주 금요일까지", "until 2026-05-22"),
        ("내일부터 3일간 쉬어요", "since 2026-05-14, until 2026-05-16"),
        ("3월 1일부터 5월 31일까지", "since 2026-03-01, until 2026-05-31"),
        ("작년부터 다닌다", "since 2025"),
        ("월말까지 낸다", "until 2026-05-31"),
        ("내일 오후 3시까지", "until 2026-05-14T15:00:00+09:00"),
        ("5월 20일에 만나요", "on 2026-05-20"),
    ],
}


@pytest.mark.parametrize(("text", "expected"), [case for cases in CASES.values() for case in cases])
def test_what_people_say(text: str, expected: str) -> None:
    """Role and date of sayings in four languages, said on Wednesday 2026-05-13 in Japan."""
    assert ", ".join(f"{role} {value}" for role, value in read(text)) == expected


NOTHING = [
    "v2026.4.10を使う", "Version 2026.4.10 is out", "file 2026-05-13.log", "id 2026-05-13-ab", "電話は03-1234-5678", "5-7 people came", "open 24/7",
    "1/2 cup of milk", "成績は1/3に落ちた", "until 4/1", "meet at 10/12 maybe", "from page 3 to 7", "room 2019 is free", "by 2000 yen", "up to 2025 items",
    "may I ask", "I may 5 times", "march on", "April is my sister", "heard from April", "sun until noon", "the 2nd floor", "by the 3rd attempt",
    "on Fridays", "Monday to Friday 9-5", "every Sunday", "once a week", "he was out for two weeks", "two weeks' notice", "in 5 minutes", "since then",
    "by car from home", "2月30日まで", "2026-13-40", "月曜から金曜まで営業", "毎月25日は給料日", "誕生日は8月23日", "8月23日生まれ", "born on 3 June",
    "5日に1回飲む", "1日2回飲む", "1日は24時間", "月に3日だけ出社", "週3日勤務", "第3月曜日", "二日酔い", "四日市から来た", "日本まで", "明日香さん",
    "今日子さん", "令和8年3月まで", "2026年度から", "90年代から", "3年生まで", "12月号の雑誌", "3か月間の試用", "2週間ごとに通院", "3日間出張でした",
    "1か月前までに書面で", "手術の3日後に抜糸", "去年より元気", "5号楼", "3号线到站", "每周五之前", "目前天气很好", "以后天天跑步", "生日是八月二十三日",
    "매월 25일", "매주 금요일", "이번 주제는", "",
]  # fmt: skip


@pytest.mark.parametrize("text", NOTHING)
def test_ordinary_words_are_no_dates(text: str) -> None:
    """Versions, phones, fractions, names, habits, birthdays and unclear dates give nothing."""
    assert read(text) == []


def test_the_day_is_the_speakers() -> None:
    """One instant, two calendars; midnight belongs to the new day."""
    assert read("明日まで", datetime(2026, 3, 31, 23, 59, tzinfo=ZoneInfo("Asia/Tokyo"))) == [("until", "2026-04-01")]
    assert read("明日まで", datetime(2026, 4, 1, 0, 0, tzinfo=ZoneInfo("Asia/Tokyo"))) == [("until", "2026-04-02")]
    instant = datetime(2026, 3, 31, 15, 30, tzinfo=UTC)
    assert read("out tomorrow", instant.astimezone(ZoneInfo("America/Los_Angeles"))) == [("on", "2026-04-01")]
    assert read("out tomorrow", instant.astimezone(ZoneInfo("Asia/Tokyo"))) == [("on", "2026-04-02")]


@pytest.mark.parametrize(
    ("text", "said", "expected"),
    [
        ("until 29 February", "2026-05-13", "until 2028-02-29"),
        ("1か月後", "2026-01-31", "on 2026-02"),
        ("until the 31st", "2026-06-01", "until 2026-07-31"),
        ("来月まで", "2026-12-31", "until 2027-01"),
        ("the 30th at noon, on the 30th", "2026-09-01", "on 2026-09-30"),
        ("since December", "2026-01-05", "since 2025-12"),
        ("surgery was on 3 March", "2026-05-13", "on 2026-03-03"),
        ("surgery on 3 February", "2026-12-01", "on 2027-02-03"),
        ("今週", "2026-05-17", "range 2026-05-11/2026-05-17"),  # Sunday ends the week
        ("next Friday", "2026-05-17", "on 2026-05-22"),
        ("until Friday", "2026-05-15", "until 2026-05-22"),  # said on a Friday
    ],
)
def test_what_is_not_said_is_filled_in(text: str, said: str, expected: str) -> None:
    """Year, month and day come from the moment of speaking."""
    assert ", ".join(f"{role} {value}" for role, value in read(text, period(said, UTC).first + timedelta(hours=12))) == expected


def test_words_and_places_are_those_of_the_text() -> None:
    """Offsets count in the text as given, full-width letters and all."""
    text = "　えーと、３月３１日まで。then from  1 June onwards"
    first, second = spoken_dates(text, SAID)
    assert (first.words, second.words) == ("３月３１日まで", "from  1 June onwards")
    assert text[first.start : first.end] == first.words and text[second.start : second.end] == second.words


def test_ends_of_each_role() -> None:
    """`ends` gives since and until of each role."""
    zone = SAID.tzinfo or UTC
    day = period("2026-05-14", zone)
    assert ends(spoken_dates("明日から", SAID)[0], zone) == (day, None)
    assert ends(spoken_dates("明日まで", SAID)[0], zone) == (None, day)
    assert ends(spoken_dates("明日", SAID)[0], zone) == (day, day)
    assert ends(spoken_dates("next week", SAID)[0], zone) == (period("2026-05-18", zone), period("2026-05-24", zone))


def test_a_moment_without_a_zone_is_refused() -> None:
    """A naive moment has no calendar day."""
    with pytest.raises(ValueError, match="zone"):
        spoken_dates("明日", datetime(2026, 5, 13))


def test_a_long_text_is_read_in_time() -> None:
    """No pattern runs away on repeated pieces."""
    for piece in ("1日", "a 1 ", "3月", "from to ", "の朝", "2026年", " ", "12/"):
        begun = time.process_time()
        spoken_dates(piece * (20_000 // len(piece)), SAID)
        assert time.process_time() - begun < 5


SAYINGS = [text for cases in CASES.values() for text, _ in cases]
PIECES = st.lists(st.sampled_from([*SAYINGS, *NOTHING, "から", "まで", "until ", "from ", "-", "〜", "3", "31日", "May", "2026", "年", "月", " ", "。"]), max_size=8)
MOMENTS = st.datetimes(timezones=st.sampled_from([UTC, ZoneInfo("Asia/Tokyo"), ZoneInfo("America/Sao_Paulo"), timezone(timedelta(hours=-12))]))


@given(text=st.one_of(st.text(), PIECES.map("".join)), said=MOMENTS)
def test_any_text_is_legal_at_any_moment(text: str, said: datetime) -> None:
    """Never an error; places in order, inside the text and equal to the words; every value can be written."""
    end = 0
    for found in spoken_dates(text, said):
        assert end <= found.start < found.end <= len(text)
        assert found.words == text[found.start : found.end]
        assert found.role in ("since", "until", "on", "range")
        assert found.value.first <= found.value.after
        end = found.end
        if found.role != "range":
            assert period(written(found.value), said.tzinfo or UTC) == found.value


@given(text=st.sampled_from(SAYINGS), before=st.sampled_from(["", "ところで、", "Well, you know. ", "他说：", "저기요. "]), after=st.sampled_from(["", "。以上", ". That is all", "，好吗", " 네"]))
def test_the_words_around_do_not_matter(text: str, before: str, after: str) -> None:
    """Sentences before and after change nothing."""
    assert read(before + text + after) == read(text)
    assert all(found.start >= len(before) for found in spoken_dates(before + text + after, SAID))
