"""Months of a home in seconds: entries, messages and facts come, facts change, and somebody asks in between."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from omoide import Omoide
from omoide.api.people import Event, Room, Saying, Stay
from omoide.settings import Settings
from omoide.types import Embedder, Scope

ZONE = ZoneInfo("Asia/Tokyo")
START = datetime(2025, 10, 1, tzinfo=ZONE)
ANN, BOB, BOT = "chat:w:ann", "chat:w:bob", "chat:w:bot"
ROOM, ALONE = "chat:w:club", "chat:w:ann-alone"
PARTS = (
    "the boiler", "the library card", "バックアップ", "ピアノ教室", "the train to Aomori", "猫の餌", "スケッチ", "invoice 1182", "サーバー",
    "the garden gate", "当番表", "a bicycle lamp", "梅干し", "the deploy", "健康診断",
)  # fmt: skip
WHAT = (
    "was repaired by Otto", "を保存した", "came a day late", "の予約を取り直した", "costs 4,200 yen now", "は来週に延ばす", "was moved to the north shelf",
    "を二つに分けた", "needs a new key", "について話した",
)  # fmt: skip
ABSENT = ("giraffe", "決裁", "オンライン", "tuba")


class Life:
    """A home and its clock. `ask` and `happen` move it by a few minutes each."""

    def __init__(self, home: Path, cache: Path, seed: int, embedder: Embedder | None = None, model: str = "none") -> None:
        self.random, self.at = random.Random(seed), START
        home.mkdir()
        settings = Settings().with_values({"home.zone": "Asia/Tokyo", "embedding.model": model})
        self.omoide = Omoide(home, settings=settings, cache=cache, clock=lambda: self.at, embedder=embedder)
        self.facts: list[str] = []
        self.days = 0
        people = self.omoide.people
        for account, name in ((ANN, "Ann"), (BOB, "Bob")):
            people.meet(account, name, at=self.at)
        people.meet(BOT, "helper", at=self.at, bot=True)
        people.open_room(Room(ROOM, "club", "group", "members", (Stay(ANN), Stay(BOB), Stay(BOT))), self.at)
        people.open_room(Room(ALONE, "alone", "dm", "members", (Stay(ANN), Stay(BOT))), self.at)

    def live(self, days: int, calls: int) -> None:
        """So many days with so many calls in them, evenly."""
        for day in range(days):
            self.at = START + timedelta(days=self.days, hours=7)
            self.days += 1
            asked = (day + 1) * calls // days - day * calls // days
            todo = [self.happen] * self.random.randint(1, 3) + [self.ask] * asked
            self.random.shuffle(todo)
            for do in todo:
                self.at += timedelta(seconds=self.random.randint(1, 3000), microseconds=self.random.randint(0, 999_999))
                do()

    def happen(self) -> None:
        """An entry, a message, a fact, or the end of a fact."""
        text = f"{self.random.choice(PARTS)} {self.random.choice(WHAT)}, number {self.random.randint(1, 40)}"
        kind = self.random.choice(("entry", "entry", "summary", "room", "message", "fact", "undo"))
        people = self.omoide.people
        if kind == "message":
            people.say(ROOM, Event(self.random.choice((ANN, BOB)), self.at, text))
        elif kind == "fact":
            self.facts.append(people.remember(Saying(f"{text}.", ANN, ANN, self.random.choice((ROOM, ALONE)), self.at)).id)
        elif kind == "undo" and self.facts:
            record = people.history(people.folders(ANN)[0])[-1]
            if record.verb != "undo":
                people.undo(record.id, self.at)
        else:
            session = f"s-{self.random.randint(1, 10**9)}" if kind == "summary" else ""
            self.omoide.log(text, title=self.random.choice(("", "Note", "覚え")), session=session, room=ROOM if kind == "room" else "")

    def ask(self) -> None:
        """A recall, by words or a period, or a search, of the owner or of a room."""
        scope = self.random.choice((None, None, self._scope(ROOM), self._scope(ALONE)))
        since = self.random.choice((None, None, self.at - timedelta(days=30)))
        until = self.random.choice((None, None, None, self.at - timedelta(days=3)))
        part = self.random.choice(PARTS)
        if self.random.random() < 0.3:
            recipe = self.random.choice(("lexical", "default"))
            self.omoide.search(f"{part} {self.random.choice(WHAT)}", scope=scope, since=since, until=until, recipe=recipe, limit=5)
            return
        words = [] if since and self.random.random() < 0.1 else [*part.split()[-2:], self.random.choice((*ABSENT, "保存", "key"))]
        rule = self.random.choice(("recall", "all-words"))
        self.omoide.recall(words, scope=scope, since=since, until=until, rule=rule, limit=self.random.choice((3, 20)))

    def _scope(self, room: str) -> Scope:
        return self.omoide.people.scope(room, self.at)
