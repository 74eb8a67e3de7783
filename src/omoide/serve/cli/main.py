"""The command `omoide`. Parsing only; each command is a function in a neighbouring file, imported when called."""

from __future__ import annotations

import argparse
import os
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from omoide.errors import BadInput, OmoideError

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

HOME_MARKS = ("omoide.toml", "omoide.json")


def main(argv: list[str] | None = None) -> int:
    """Run a command; 0 done, 1 a promise broken (verify, doctor), 2 bad usage or a failure that is explained."""
    _utf8()
    argv = _typed() if argv is None else argv
    parser = _parser(argv[0] if argv else "")
    args = parser.parse_args(argv)
    if not getattr(args, "run", None):
        parser.print_help()
        return 2
    args.started = time.perf_counter()
    if getattr(args, "json", False) or not (sys.stdout.isatty() or sys.stderr.isatty()):
        return _run(args)
    from omoide.serve.cli.printing import to_a_terminal

    with to_a_terminal():
        return _run(args)


def _run(args: argparse.Namespace) -> int:
    module, _, name = args.run.partition(":")
    try:
        return int(getattr(import_module(f"omoide.serve.cli.{module}"), name)(args) or 0)
    except OmoideError as error:
        print(f"omoide: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nomoide: stopped. What was done is kept; the same command goes on from there.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # `omoide search … | head` is no error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except UnicodeEncodeError as error:
        print(f"omoide: {error.object[:60]!r} is no text: a byte of it is no UTF-8. Nothing was done; send it as UTF-8", file=sys.stderr)
        return 2
    except OSError as error:  # a full disk behind the output, for example
        print(f"omoide: {error.strerror or error}; nothing in the home was changed by this", file=sys.stderr)
        return 2


def _utf8() -> None:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")


def _typed() -> list[str]:
    """The arguments as they were typed. Where Python takes the system for ASCII (LC_ALL=C without its UTF-8 mode), Japanese
    arguments and names of files would fall to pieces: there it begins once more, in that mode."""
    if sys.getfilesystemencoding() == "ascii" and os.environ.get("PYTHONUTF8") != "1" and sys.executable:
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**os.environ, "PYTHONUTF8": "1"})
    return sys.argv[1:]


def home_of(args: argparse.Namespace) -> Path:
    """--home, else $OMOIDE_HOME, else the nearest folder above with an omoide.toml, else this folder."""
    if args.home:
        place = Path(args.home).expanduser()
    elif os.environ.get("OMOIDE_HOME"):
        place = Path(os.environ["OMOIDE_HOME"]).expanduser()
    else:
        here = Path.cwd()
        marked = (up for up in (here, *here.parents) if any((up / mark).is_file() for mark in HOME_MARKS))
        place = next(marked, None) or _unmarked(here)
    if not place.is_dir():
        raise BadInput(f"there is no folder {args.home or place}. Make one with: omoide init FOLDER")
    return place


def _unmarked(here: Path) -> Path:
    print(f"(no omoide.toml here or above, and no --home: {here} is taken for the home)", file=sys.stderr)
    return here


class _Parser(argparse.ArgumentParser):
    """Says what to do about words that look like options."""

    def error(self, message: str) -> NoReturn:
        lacking = message.removeprefix("the following arguments are required: ")
        if lacking != message and any(not name.startswith("-") for name in lacking.split(", ")):
            message += " (write -- before words that begin with -)"
        super().error(message)


def _parser(first: str = "") -> argparse.ArgumentParser:
    """The parser of one command, or of all: making all takes longer than a search."""
    about = "A memory in plain Markdown files: find the right note, and show why."
    parser: argparse.ArgumentParser = _Parser(prog="omoide", description=about)
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(metavar="COMMAND")
    for name, add in COMMANDS.items():
        if first not in COMMANDS or name == first:
            add(commands)
    if first not in COMMANDS:
        _people(commands)
    return parser


def _people(commands: Commands) -> None:
    """The commands about people and rooms, all at once: there are as many of them as of all others."""
    from omoide.serve.cli.people_words import ALL

    def add(name: str, run: str, help_: str) -> argparse.ArgumentParser:
        parser = _command(commands, name, run, help_)
        _now(parser)
        _home_options(parser)
        return parser

    for words in ALL.values():
        words(add)


def _version() -> str:
    from omoide import __version__

    return f"omoide {__version__}"


def _command(commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, run: str, help_: str) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=help_, description=help_[0].upper() + help_[1:] + ".")
    parser.set_defaults(run=run, command=name)
    return parser


def _now(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--now", metavar="TIME", help="take this as the present moment")


def _calls(parser: argparse.ArgumentParser, which: str) -> None:
    """What commands about the log of calls share."""
    parser.add_argument("log", nargs="?", help="a log of calls (default: the home's own)")
    parser.add_argument("--all", action="store_true", help=f"print {which}")
    parser.add_argument("--lang", default="en", help="en or ja: the language of the answer (default en)")
    _home_options(parser)


def _home_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--home",
        metavar="FOLDER",
        help="the home (default: $OMOIDE_HOME, else the nearest folder above with an omoide.toml, else this folder)",
    )
    parser.add_argument("--config", metavar="FILE", help="settings file instead of the home's own (.toml, or .json with OpenClaw's keys)")
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="change one setting for this call")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")


def _recall(commands: Commands) -> None:
    recall = _command(commands, "recall", "find:recall", "find dated entries that hold some words, and say which word stands nowhere")
    recall.add_argument("words", nargs="*", help="a few words; without them all entries of the period or with the marks")
    recall.add_argument("-n", "--limit", type=int, default=20, help="entries to show (default 20)")
    recall.add_argument("--since", metavar="DATE", help="entries of this day and later")
    recall.add_argument("--until", metavar="DATE", help="entries of this day and earlier")
    _marks(recall, "only entries")
    recall.add_argument("--session", default="", help="only entries of this conversation")
    recall.add_argument("--rule", default="recall", help="recall, or all-words: without the second try by any word")
    recall.add_argument("--room", default="", metavar="ROOM", help="only what everybody who reads in this room may read")
    _now(recall)
    _home_options(recall)


def _marks(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("--about", action="append", metavar="NAME", help=f"{what} about this; repeatable, or several with commas")
    parser.add_argument("--mood", default="", metavar="WORDS", help=f"{what} of this mood")
    parser.add_argument("--task", default="", metavar="ID", help=f"{what} of this task")


def _log(commands: Commands) -> None:
    log = _command(commands, "log", "find:log", "add an entry to today's log")
    log.add_argument("text", nargs="*", help="what happened; without it the standard input")
    log.add_argument("--title", default="", help="words for its heading")
    log.add_argument("--session", default="", help="the conversation it sums up; the same again within a day is not added")
    _marks(log, "an entry")
    log.add_argument("--room", default="", help="into the log of this room instead of your own")
    log.add_argument("--nothing-found", action="store_true", help="it records a search that found nothing")
    _now(log)
    _home_options(log)


def _replay(commands: Commands) -> None:
    replay = _command(commands, "replay", "calls:replay", "make logged calls again, each on the home as it was at that moment")
    replay.add_argument("--rule", default="", help="all-words, recall or search instead of each call's own rule")
    _calls(replay, "the calls that give the same, too")


def _misses(commands: Commands) -> None:
    misses = _command(commands, "misses", "calls:misses", "why logged calls came back empty, and what would help")
    misses.add_argument("--labels", metavar="FILE", help='lines of the log with "gold": [ids] or "verdict" added')
    misses.add_argument("--no-hybrid", action="store_true", help="do not try what search by meaning would have found")
    _calls(misses, "each call that was judged")


def _search(commands: Commands) -> None:
    search = _command(commands, "search", "find:search", "search all notes")
    search.add_argument("query", nargs="+", help="words or a question")
    search.add_argument("-n", "--limit", type=int, help="hits to show (default 6)")
    search.add_argument("--recipe", help="lexical, dense, hybrid, default, or a list such as hybrid,mmr")
    search.add_argument("--explain", action="store_true", help="show how each score came about")
    search.add_argument("--kind", action="append", help="only this kind (log, memory, note, card, …); may be repeated")
    search.add_argument("--source", action="append", help="only this source: memory, or sessions (logs of rooms); may be repeated")
    search.add_argument("--room", default="", help="only files that everybody in this room may read (default: all, for the owner)")
    search.add_argument("--about", metavar="PERSON", help="only what stands in the folder of this person (a name, an account or a folder)")
    search.add_argument("--subject", action="append", help="only this person, room or project (its folder name)")
    search.add_argument("--under", default="", metavar="PATH", help="only files whose path begins with this (memory/2026-11)")
    search.add_argument("--since", metavar="DATE", help="not older than this day or time")
    search.add_argument("--until", metavar="DATE", help="not newer than this day or time")
    _now(search)
    _home_options(search)


def _get(commands: Commands) -> None:
    get = _command(commands, "get", "find:get", "print lines of one file")
    get.add_argument("path", help="path inside the home, for example memory/2026-11-24.md; path:12 begins at line 12")
    get.add_argument("--from", dest="first", type=int, help="first line (default 1)")
    get.add_argument("--lines", type=int, default=120, help="how many lines (default 120)")
    _home_options(get)


def _start(commands: Commands) -> None:
    start = _command(commands, "start", "find:start", "print what a session begins with: MEMORY.md and the newest logs")
    start.add_argument("--days", type=int, default=2, help="how many of the newest daily logs (default 2)")
    _now(start)
    _home_options(start)


def _tool(commands: Commands) -> None:
    tool = _command(commands, "tool", "find:tool", "call memory_search, memory_recall or memory_get as an agent would")
    tool.add_argument("name", nargs="?", help="memory_search, memory_recall or memory_get; without it the schemas are printed")
    tool.add_argument("arguments", nargs="?", default="{}", help="a JSON object")
    _home_options(tool)


def _demo(commands: Commands) -> None:
    _home_options(_command(commands, "demo", "find:demo", "a search in Japanese and one in English over the sample home"))


def _init(commands: Commands) -> None:
    init = _command(commands, "init", "care:init", "make a new home")
    init.add_argument("folder", help="where; it may exist, nothing in it is changed")
    init.add_argument("--json", action="store_true", help="print JSON for programs")


def _index(commands: Commands) -> None:
    index = commands.add_parser("index", help="look after the index").add_subparsers(metavar="WHAT", required=True)
    status = _command(index, "status", "care:status", "numbers of files, chunks, vectors, problems")
    build = _command(index, "build", "care:build", "bring the index up to date, vectors included")
    build.add_argument("--force", action="store_true", help="make it anew from the files")
    build.add_argument("--no-vectors", action="store_true", help="words only")
    watch = _command(index, "watch", "care:watch", "build now and after every change, until stopped")
    watch.add_argument("--no-vectors", action="store_true", help="words only")
    verify = _command(index, "verify", "care:verify", "compare the index with the files byte for byte")
    for parser in (status, build, watch, verify):
        _home_options(parser)


def _inspect(commands: Commands) -> None:
    inspect = commands.add_parser("inspect", help="see inside: a query, a file, a word").add_subparsers(metavar="WHAT", required=True)
    query = _command(inspect, "query", "care:inspect_query", "what a query becomes, and every candidate with its trace")
    query.add_argument("query", nargs="+")
    query.add_argument("-n", "--limit", type=int, default=20)
    query.add_argument("--recipe")
    chunks = _command(inspect, "chunks", "care:inspect_chunks", "how a file is cut")
    chunks.add_argument("path")
    word = _command(inspect, "index", "care:inspect_word", "posting lists of a word")
    word.add_argument("word")
    word.add_argument("-n", "--limit", type=int, default=20)
    for parser in (query, chunks, word):
        _home_options(parser)


def _doctor(commands: Commands) -> None:
    _home_options(_command(commands, "doctor", "care:doctor", "what is not as it should be, and what to do"))


def _config(commands: Commands) -> None:
    config = _command(commands, "config", "care:config", "print the settings in force")
    config.add_argument("key", nargs="?", help="one key")
    _home_options(config)


def _eval(commands: Commands) -> None:
    measure = commands.add_parser("eval", help="measure on labelled data").add_subparsers(metavar="WHAT", required=True)
    retrieval = _command(measure, "retrieval", "evaluating:retrieval", "find the right passages of a labelled set")
    add = retrieval.add_argument
    add("--data", action="append", required=True, metavar="FOLDER", help="corpus.jsonl, queries.jsonl, qrels.tsv; repeatable")
    add("--recipe", default="default", help="lexical, dense, hybrid, default, or a list such as hybrid,mmr")
    add("--against", action="append", default=[], metavar="RECIPE", help="another recipe beside it, and what each misses; repeatable")
    add("--k", default="1,5,10,20", help="cut-offs (default 1,5,10,20)")
    add("--by", metavar="FIELD", help="numbers for each value of a query field too")
    add("--scope-field", metavar="FIELD", help="rank only documents whose field equals the query's (meta.conv, …)")
    add("--docs", action="append", default=[], metavar="FIELD=VALUE", help="only these documents")
    add("--queries", action="append", default=[], metavar="FIELD=VALUE", help="only these queries")
    add("--qrels", metavar="FILE", help="another judgement file of the folder")
    add("--limit", type=int, metavar="N", help="only the first N queries")
    add("--out", metavar="FILE", help="write the result with its command as JSON")
    add("--model", help="embedding model: auto, none, local, local-fast, hashing (default: auto)")
    add("--cache", metavar="FILE", help="where vectors of texts are kept (default: in the cache folder)")
    add("--set", metavar="KEY=VALUE", action="append", default=[], help="change one setting")
    add("--json", action="store_true", help="print JSON for programs")

    recall = _command(measure, "recall", "evaluating:recall", "calls of an agent again, each as of its moment, by three rules")
    recall.add_argument("--data", action="append", required=True, metavar="FOLDER", help="corpus.jsonl and recall_log.jsonl; repeatable")
    recall.add_argument("--limit", type=int, metavar="N", help="only the first N calls")
    recall.add_argument("--results", type=int, default=20, metavar="N", help="entries that a call gives at most (default 20)")
    recall.add_argument("--model", help="embedding model of the hybrid rule (default: auto)")
    recall.add_argument("--cache", metavar="FILE", help="where vectors of texts are kept (default: in the cache folder)")
    recall.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="change one setting")
    recall.add_argument("--out", metavar="FILE", help="write the result as JSON")
    recall.add_argument("--json", action="store_true", help="print JSON for programs")

    people = _command(measure, "people", "evaluating:people", "stories of people in rooms: who is meant, does it hold, who may hear it")
    people.add_argument("--data", action="append", required=True, metavar="FOLDER", help="scenarios.jsonl or its folder; repeatable")
    people.add_argument("--feed", default="told", help="told, found or raw")
    people.add_argument("--limit", type=int, metavar="N", help="only the first N stories")
    people.add_argument("--out", metavar="FILE", help="write the result as JSON")
    people.add_argument("--json", action="store_true", help="print JSON for programs")


COMMANDS = {
    "search": _search, "recall": _recall, "log": _log, "replay": _replay, "misses": _misses, "get": _get, "start": _start, "init": _init,
    "index": _index, "inspect": _inspect, "doctor": _doctor, "config": _config, "tool": _tool, "eval": _eval, "demo": _demo,
}  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
