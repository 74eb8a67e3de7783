"""Settings: one frozen value, read from `omoide.toml`, from an OpenClaw JSON, or given in code.

Every key has a default here and nowhere else. An unknown key is an error that names the file and the
key; a bad value says what is allowed. `Settings().with_values({"search.mmr.lambda": "0.5"})` changes one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from omoide.errors import BadSettings


@dataclass(frozen=True, slots=True)
class Home:
    """`zone`: the owner's time zone, an IANA name; "" is the machine's. `max_file_mb`: larger files are reported, not indexed.
    `card_chars`: most characters of facts on a card."""

    zone: str = ""
    max_file_mb: float = 20.0
    card_chars: int = 1200


@dataclass(frozen=True, slots=True)
class Lexical:
    """BM25. `idf`: "plus-one" is ln(1 + (N−df+0.5)/(df+0.5)) and never negative; "textbook" is
    ln((N−df+0.5)/(df+0.5)), floored at 0 unless `idf_floor` says otherwise (a word in more than half of
    the texts would count against them); "log" is ln(N/df). `weighting`: "bm25" or "tfidf".
    `analyzer`: "terms", or "words" (white space only).
    """

    k1: float = 1.2
    b: float = 0.75
    idf: str = "plus-one"
    idf_floor: float = 0.0
    weighting: str = "bm25"
    analyzer: str = "terms"


@dataclass(frozen=True, slots=True)
class Embedding:
    """`model`: "auto" (the local one if its extra is installed), "none", "local", "local-fast", "hashing",
    or "openai" with `base_url` and `name` of any OpenAI-compatible endpoint. The key is read from the
    environment variable `api_key_env`, never from a file."""

    model: str = "auto"
    base_url: str = ""
    name: str = ""
    api_key_env: str = "OPENAI_API_KEY"
    dimensions: int = 0
    threads: int = 1


@dataclass(frozen=True, slots=True)
class Hybrid:
    """`fusion`: "weighted" is vector_weight × vectorScore + text_weight × textScore; "rrf" is
    Σ weight / (rrf_k + rank). `candidates`: at most so many of each lane."""

    fusion: str = "weighted"
    vector_weight: float = 0.5
    text_weight: float = 0.5
    rrf_k: int = 60
    candidates: int = 200


@dataclass(frozen=True, slots=True)
class Support:
    """Neighbours: `neighbours` × the scores of the chunks before and after in the same file; `session` ×
    the best score of the file."""

    enabled: bool = True
    neighbours: float = 0.3
    session: float = 0.2


@dataclass(frozen=True, slots=True)
class Decay:
    """score × e^(−λt), λ = ln 2 / half_life_days, t in days. Undated and `evergreen` files keep their score."""

    enabled: bool = True
    half_life_days: float = 30.0
    evergreen: tuple[str, ...] = ("MEMORY.md", "USER.md")


@dataclass(frozen=True, slots=True)
class Mmr:
    """`lambda_` (key "lambda"): 1 is relevance only, 0 is diversity only. `pool`: how many of the best are
    reordered at most, and only those with at least `least` × the best score: diversity among relevant notes."""

    enabled: bool = True
    lambda_: float = 0.7
    pool: int = 50
    least: float = 0.8


@dataclass(frozen=True, slots=True)
class Logs:
    """Logs of rooms. `keep_days`: what was said longer ago is dropped by `omoide rooms tidy`; 0 keeps everything."""

    keep_days: int = 0


SOURCES = ("memory", "sessions")
"""What a search looks through: files of the memory; logs of rooms, which hold what was said in sessions."""


@dataclass(frozen=True, slots=True)
class Search:
    """`limit`: hits of a search. `min_score`: hits below it are left out (relevance after decay). `sources`: what is looked
    through where a call does not say."""

    limit: int = 6
    min_score: float = 0.0
    sources: tuple[str, ...] = SOURCES
    recipe: str = "default"
    hybrid: Hybrid = field(default_factory=Hybrid)
    support: Support = field(default_factory=Support)
    decay: Decay = field(default_factory=Decay)
    mmr: Mmr = field(default_factory=Mmr)


@dataclass(frozen=True, slots=True)
class Fields:
    """Kinds of facts (`kind address`; "address" and others are known from words too). Of those under `latest` only the
    newest value is ever told; of those under `history` what is over is told along, marked. Files keep everything."""

    latest: tuple[str, ...] = ()
    history: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Review:
    """`automatic`: looking at the queue carries out its moves between card and drawer; claims wait all the same.
    `unused_days`: a fact on a card that nobody has spoken of for so long could move to the drawer."""

    automatic: bool = False
    unused_days: int = 180


@dataclass(frozen=True, slots=True)
class Calls:
    """The log of calls, beside the index. `keep`: whether there is one. `max_mb`: its two files never hold more."""

    keep: bool = True
    max_mb: float = 8.0


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of a home. `ignored`: keys of an OpenClaw file that mean nothing here; it is no setting."""

    home: Home = field(default_factory=Home)
    fields: Fields = field(default_factory=Fields)
    review: Review = field(default_factory=Review)
    logs: Logs = field(default_factory=Logs)
    calls: Calls = field(default_factory=Calls)
    lexical: Lexical = field(default_factory=Lexical)
    embedding: Embedding = field(default_factory=Embedding)
    search: Search = field(default_factory=Search)
    ignored: tuple[str, ...] = field(default=(), compare=False)

    def with_values(self, values: Mapping[str, Any], where: str = "settings") -> Settings:
        """A copy with dotted keys changed; text is read as the type of the key. Raises `BadSettings`."""
        changed = self
        for key, value in values.items():
            changed = _set(changed, key.split("."), value, where, key)
        return _checked(changed, where)

    def values(self) -> dict[str, Any]:
        """Every dotted key with its value."""
        return dict(_flat(self, ""))


def read_settings(text: str, where: str) -> Settings:
    """Settings from the text of a file named `where`: TOML, or JSON when the name ends in .json or .json5."""
    try:
        if where.endswith((".json", ".json5")):
            data = _json(text, where)
            values, ignored = _openclaw(data, where) if "agents" in data else (dict(_dotted(data)), ())
            return replace(Settings().with_values(values, where), ignored=ignored)
        import tomllib

        return Settings().with_values(dict(_dotted(tomllib.loads(text))), where)
    except BadSettings:
        raise
    except (ValueError, AttributeError, TypeError) as error:
        raise BadSettings(f"{where} cannot be read: {error}. Correct the file or remove it.") from error


def zone_of(settings: Settings) -> ZoneInfo | None:
    """The owner's zone; None is the machine's own."""
    return ZoneInfo(settings.home.zone) if settings.home.zone else None


# -- OpenClaw --------------------------------------------------------------------------------------

_OPENCLAW = {
    "sources": "search.sources",
    "query.maxResults": "search.limit",
    "query.minScore": "search.min_score",
    "query.hybrid.vectorWeight": "search.hybrid.vector_weight",
    "query.hybrid.textWeight": "search.hybrid.text_weight",
    "query.hybrid.mmr.enabled": "search.mmr.enabled",
    "query.hybrid.mmr.lambda": "search.mmr.lambda",
    "query.hybrid.temporalDecay.enabled": "search.decay.enabled",
    "query.hybrid.temporalDecay.halfLifeDays": "search.decay.half_life_days",
}
_OPENCLAW_SECTION = "agents.defaults.memorySearch."


_OPENCLAW_ONLY = ("query.hybrid.enabled", "query.hybrid.candidateMultiplier")
"""Keys of OpenClaw's `query` without a meaning here; any other that is not known there is a mistake in writing."""


def _openclaw(data: Mapping[str, Any], where: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Values of the keys below agents.defaults.memorySearch that mean something here, and the names of the other keys
    there. Other sections are not ours."""
    out: dict[str, Any] = {}
    ignored = []
    for key, value in _dotted(data):
        name = key.removeprefix(_OPENCLAW_SECTION)
        if name in _OPENCLAW:
            out[_OPENCLAW[name]] = value
        elif name.startswith("query.") and name not in _OPENCLAW_ONLY:
            raise BadSettings(f"{where}: unknown key {key}. Known here: {', '.join(_OPENCLAW)}.")
        elif name != key:
            ignored.append(key)
    return out, tuple(ignored)


_JSON5 = r"//|/\*|'|[{,]\s*[A-Za-z_$][\w$]*\s*:|,\s*[}\]]"  # comments, quotes, bare keys, commas at the end


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        import re

        if not re.search(_JSON5, re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)):
            raise
        what = f"{where} is JSON5 (comments, bare keys, single quotes or commas at the end); only plain JSON is read here"
        raise BadSettings(f"{what}: {error}. Give a plain copy, for example of `npx json5 {where}`.") from error


# -- reading and checking --------------------------------------------------------------------------


def _dotted(data: Mapping[str, Any], prefix: str = "") -> Any:
    for key, value in data.items():
        if isinstance(value, Mapping):
            yield from _dotted(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _settable(section: Any) -> Any:
    return (spec for spec in fields(section) if spec.compare)


def _flat(section: Any, prefix: str) -> Any:
    for spec in _settable(section):
        value = getattr(section, spec.name)
        if is_dataclass(value):
            yield from _flat(value, f"{prefix}{spec.name}.")
        else:
            yield prefix + spec.name.rstrip("_"), value


def _set(section: Any, path: list[str], value: Any, where: str, key: str) -> Any:
    names = {spec.name.rstrip("_"): spec.name for spec in _settable(section)}
    if path[0] not in names:
        raise BadSettings(f"{where}: unknown key {key}. Known here: {', '.join(sorted(names))}.")
    name = names[path[0]]
    old = getattr(section, name)
    if is_dataclass(old) != (len(path) > 1):
        raise BadSettings(f"{where}: {key} is {'a section' if is_dataclass(old) else 'a value, not a section'}.")
    new = _set(old, path[1:], value, where, key) if is_dataclass(old) else _typed(old, value, where, key)
    return replace(section, **{name: new})


def _typed(old: Any, value: Any, where: str, key: str) -> Any:
    if isinstance(old, tuple):
        return tuple(value.split(",") if isinstance(value, str) else value)
    if isinstance(old, bool):
        known = {"true": True, "false": False, "1": True, "0": False, "on": True, "off": False}
        if isinstance(value, bool) or str(value).lower() in known:
            return value if isinstance(value, bool) else known[str(value).lower()]
        raise BadSettings(f"{where}: {key} is true or false, not {value!r}.")
    if isinstance(value, bool) or (isinstance(old, str) and not isinstance(value, str)):
        raise BadSettings(f"{where}: {key} takes {type(old).__name__}, not {value!r}.")
    try:
        return type(old)(value)
    except (TypeError, ValueError):
        raise BadSettings(f"{where}: {key} takes {type(old).__name__}, not {value!r}.") from None


_CHOICES = {
    "lexical.idf": ("plus-one", "textbook", "log"),
    "lexical.weighting": ("bm25", "tfidf"),
    "lexical.analyzer": ("terms", "words"),
    "search.hybrid.fusion": ("weighted", "rrf"),
    "embedding.model": ("auto", "none", "local", "local-fast", "hashing", "openai"),
}
_LISTS = {"search.sources": SOURCES}
"""Keys whose values are some of these, one at least."""
_RANGES = {
    "lexical.k1": (0.0, 100.0),
    "lexical.b": (0.0, 1.0),
    "search.mmr.lambda": (0.0, 1.0),
    "search.mmr.pool": (1, 1000),
    "search.mmr.least": (0.0, 1.0),
    "search.limit": (1, 10_000),
    "search.hybrid.vector_weight": (0.0, 1e6),
    "search.hybrid.text_weight": (0.0, 1e6),
    "search.hybrid.rrf_k": (0, 1_000_000),
    "search.hybrid.candidates": (1, 10_000),
    "search.support.neighbours": (0.0, 1.0),
    "search.support.session": (0.0, 1.0),
    "search.decay.half_life_days": (1e-6, 1e9),
    "home.max_file_mb": (0.001, 1e5),
    "review.unused_days": (1, 100_000),
    "logs.keep_days": (0, 100_000),
    "calls.max_mb": (1.0, 1e5),
    "embedding.threads": (1, 1024),
    "embedding.dimensions": (0, 100_000),
}


def _checked(settings: Settings, where: str) -> Settings:
    values = settings.values()
    for key, allowed in _CHOICES.items():
        if values[key] not in allowed:
            raise BadSettings(f"{where}: {key} is one of {', '.join(allowed)}, not {values[key]!r}.")
    for key, allowed in _LISTS.items():
        if not values[key] or not set(values[key]) <= set(allowed):
            given = ", ".join(map(repr, values[key])) or "empty"
            raise BadSettings(f"{where}: {key} is a list of {' and '.join(allowed)} or of one of them, not {given}.")
    for key, (low, high) in _RANGES.items():
        if not low <= values[key] <= high:
            raise BadSettings(f"{where}: {key} lies between {low} and {high}, not {values[key]!r}.")
    hybrid = settings.search.hybrid
    if hybrid.vector_weight == hybrid.text_weight == 0:
        raise BadSettings(f"{where}: vector_weight and text_weight are both 0; one must count.")
    try:
        zone_of(settings)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadSettings(f"{where}: home.zone {settings.home.zone!r} is not an IANA time zone such as Asia/Tokyo.") from None
    return settings
