"""The words of the commands about people and rooms. Parsing only; what they do is in `people.py`."""

from __future__ import annotations

import argparse
from collections.abc import Callable

Parser = argparse.ArgumentParser
Add = Callable[[str, str, str], Parser]
"""Makes the parser of one command: name, function, help."""


def who(add: Add) -> None:
    command = add("who", "people:who", "list everybody a name may mean, with what tells them apart")
    command.add_argument("name", nargs="*", help="a name as typed; without it everybody is listed")
    command.add_argument("--room", help="as somebody in this room means it (a room id such as slack:T01:C1)")


def remember(add: Add) -> None:
    command = add("remember", "people:remember", "keep one fact about somebody")
    command.add_argument("text", nargs="+", help="the fact, complete in itself")
    command.add_argument("--about", default="", metavar="ACCOUNT", help="whom it is about (default: the one person in the room)")
    command.add_argument("--by", metavar="ACCOUNT", help="who said it (default: the person)")
    command.add_argument("--room", default="", help="the room it was said in; without one it is private")
    command.add_argument("--place", default="", help="card, drawer or drawer/TOPIC (default: by rules, which say why)")
    command.add_argument("--because", default="", metavar="WHY", help="why it goes there")
    command.add_argument("--kind", default="", metavar="FIELD", help="which field it fills, such as address")
    command.add_argument("--each", action="store_true", help="a message of several details: each sentence is kept for itself")
    command.add_argument("--since", default="", metavar="DATE", help="true from: 2026, 2026-03, 2026-03-31 or a time")
    command.add_argument("--until", default="", metavar="DATE", help="true through this day, month or year")
    command.add_argument("--supersedes", default="", metavar="ID", help="the fact about the same thing that this one ends")
    command.add_argument("--wrong", action="store_true", help="the superseded fact was never true")
    heard = command.add_mutually_exclusive_group()
    heard.add_argument("--open", action="store_true", help="anybody may hear it")
    heard.add_argument("--secret", action="store_true", help="only those who heard it may hear it again")
    command.add_argument("--source", default="", help="where it comes from, to forget it by")
    command.add_argument("--claim", action="store_true", help="said by another: kept as a claim, not as a fact")
    command.add_argument("--session", default="", help="the session of the message it was learned from")
    command.add_argument("--message", type=int, metavar="N", help="the number of that message in the session")
    command.add_argument("--call", default="", metavar="ID", help="the id of the call that keeps it")


def about(add: Add) -> None:
    command = add("about", "people:about", "what is known of somebody, best first")
    command.add_argument("person", help="a name, an account or a folder")
    command.add_argument("question", nargs="*", help="words or a question")
    command.add_argument("--room", help="what may be said in this room (default: all, for the owner)")
    command.add_argument("--as-of", default="", metavar="DATE", help="what held then")
    command.add_argument("--history", action="store_true", help="what is over, too, marked so")
    command.add_argument("--planned", action="store_true", help="what has not begun, too, marked so")
    command.add_argument("--pending", action="store_true", help="claims, too, marked so")
    command.add_argument("-n", "--limit", type=int, default=6)


def card(add: Add) -> None:
    command = add("card", "people:card", "what is before the agent's eyes in every turn with somebody")
    command.add_argument("person", nargs="?", default="", help="a name, an account or a folder; without it everybody in --room")
    command.add_argument("--room", help="as this room may see it (default: all, for the owner)")


def grep(add: Add) -> None:
    command = add("grep", "people:grep", "search the files of one person, straight in the text")
    command.add_argument("pattern", help="a regular expression")
    command.add_argument("--about", required=True, metavar="PERSON", help="a name, an account or a folder")
    command.add_argument("--room", help="only what may be said in this room (default: all, for the owner)")
    command.add_argument("--literal", action="store_true", help="the text itself, no expression")
    command.add_argument("-C", "--around", type=int, default=0, metavar="N", help="lines around each hit")


def why(add: Add) -> None:
    add("why", "people:why", "where a fact comes from").add_argument("fact", help="its id, for example ^k7f3")


def history(add: Add) -> None:
    add("history", "people:history", "every change of somebody's folder").add_argument("person", help="a name, an account or a folder")


def undo(add: Add) -> None:
    command = add("undo", "people:undo", "put back what a change did")
    command.add_argument("change", help="its id, from `omoide history`; or ^FACT: the last that was done to this fact")
    command.add_argument("--fact", default="", metavar="ID", help="only what it did to this fact")
    command.add_argument("--reason", default="", help="why, for the history")


def move(add: Add) -> None:
    command = add("move", "people:move", "move a fact between card and drawer")
    command.add_argument("fact", help="its id")
    command.add_argument("place", help="card, drawer or drawer/TOPIC")
    command.add_argument("--because", default="", metavar="WHY", help="why it goes there")


def review(add: Add) -> None:
    command = add("review", "review:review", "what waits for the owner: claims, and what could move between card and drawer")
    command.add_argument("do", nargs="?", default="list", choices=("list", "accept", "reject"))
    command.add_argument("ids", nargs="*", help="what is accepted or rejected, by its id")
    command.add_argument("--reason", default="", help="why, for the history")


def forget(add: Add) -> None:
    command = add("forget", "people:forget", "forget facts, in the files, in the history and in the index")
    command.add_argument("fact", nargs="?", default="", help="the id of one fact")
    command.add_argument("--person", default="", help="everything about this person (a name, an account or a folder)")
    command.add_argument("--source", default="", help="everything from this source")
    command.add_argument("--room", default="", help="everything said in this room")


def people(add: Add) -> None:
    command = add("people", "people:people", "list people; meet, rename, link, unlink, merge and split them")
    command.add_argument("do", nargs="?", default="list", choices=("list", "meet", "rename", "link", "unlink", "merge", "split"))
    command.add_argument(
        "words", nargs="*", help="meet ACCOUNT NAME… | rename ACCOUNT NAME | link, unlink ACCOUNT ACCOUNT | merge, split PERSON PERSON"
    )
    command.add_argument("--reason", default="", help="merge, split: why, for the history")
    command.add_argument("--bot", action="store_true", help="meet: an account that nobody reads behind")
    command.add_argument("--proof", action="store_true", help="link: both sides have shown that they are one person")
    command.add_argument("--kind", default="person", choices=("person", "project", "team", "agent"))


def rooms(add: Add) -> None:
    command = add("rooms", "people:rooms", "list rooms, make them, let accounts come and go; keep and print what was said")
    command.add_argument("do", nargs="?", default="list", choices=("list", "open", "join", "leave", "say", "log", "tidy"))
    command.add_argument(
        "words", nargs="*", help="open ROOM NAME ACCOUNT… | join, leave ROOM ACCOUNT | say ROOM ACCOUNT TEXT… | log ROOM | tidy"
    )
    command.add_argument("--type", default="group", choices=("dm", "group", "channel"))
    command.add_argument("--past", choices=("members", "since_join"), help="whether newcomers see what was said before them")
    command.add_argument("--session", default="", help="say: the session it belongs to (default: the day); log: only this one")
    command.add_argument("--message", type=int, metavar="N", help="say: its number in the session (default: the next)")
    command.add_argument("--role", default="user", choices=("user", "reply", "tool"), help="say: whose words they are")
    command.add_argument("--tool", default="", metavar="NAME", help="say: the tool whose result it is")
    command.add_argument("--call", default="", metavar="ID", help="say: the id of the call that it answers")
    command.add_argument("--for", dest="reading", default="", metavar="ROOM", help="log: what may be told in this room (default: all)")


def migrate(add: Add) -> None:
    command = add("migrate", "people:migrate", "move what an old MEMORY.md says of people into their folders")
    command.add_argument("--person", action="append", default=[], metavar="NAME[=ACCOUNT]", help="somebody it is about; may be repeated")
    command.add_argument("--dry", action="store_true", help="say what would be done, and do nothing")


def days(add: Add) -> None:
    command = add("days", "said:count", "how many days off the dates in a text are")
    command.add_argument("text", nargs="+", help="for example: June 15th, or in three days")


ALL = {
    "who": who, "remember": remember, "about": about, "card": card, "grep": grep, "why": why, "history": history, "undo": undo,
    "move": move, "review": review, "forget": forget, "people": people, "rooms": rooms, "days": days, "migrate": migrate,
}  # fmt: skip
