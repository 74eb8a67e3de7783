"""Settings: one frozen value, errors that name the file and the key."""

from __future__ import annotations

import json

import pytest

from omoide.errors import BadSettings
from omoide.settings import Settings, read_settings, zone_of

OPENCLAW = """
{"agents": {"defaults": {"memorySearch": {"query": {
   "maxResults": 8, "minScore": 0.35,
   "hybrid": {"vectorWeight": 0.7, "textWeight": 0.3, "mmr": {"enabled": true, "lambda": 0.5},
              "temporalDecay": {"enabled": true, "halfLifeDays": 365}}}}},
  "list": [{"id": "main"}]},
 "gateway": {"port": 18789}}
"""


def test_mmr_10_openclaws_json_is_read_as_it_is() -> None:
    """Weights, MMR and decay of an OpenClaw file are taken over; its other sections are not ours."""
    search = read_settings(OPENCLAW, "omoide.json").search
    assert (search.limit, search.min_score) == (8, 0.35)
    assert (search.hybrid.vector_weight, search.hybrid.text_weight) == (0.7, 0.3)
    assert (search.mmr.enabled, search.mmr.lambda_) == (True, 0.5)
    assert (search.decay.enabled, search.decay.half_life_days) == (True, 365)


def test_ocw_04_openclaws_sources() -> None:
    """Which sources an OpenClaw file searches is taken over; one that there is not is an error."""
    text = json.dumps({"agents": {"defaults": {"memorySearch": {"sources": ["memory"]}}}})
    assert read_settings(text, "x.json").search.sources == ("memory",)
    assert read_settings(OPENCLAW, "x.json").search.sources == ("memory", "sessions")
    with pytest.raises(BadSettings, match=r"x\.json: search\.sources"):
        read_settings(text.replace('"memory"]', '"wiki"]'), "x.json")


def test_mmr_10_the_smallest_file() -> None:
    """The two keys of the document alone switch MMR off and set λ."""
    text = json.dumps({"agents": {"defaults": {"memorySearch": {"query": {"hybrid": {"mmr": {"enabled": False, "lambda": 1}}}}}}})
    assert (read_settings(text, "x.json").search.mmr.enabled, read_settings(text, "x.json").search.mmr.lambda_) == (False, 1.0)


@pytest.mark.parametrize(
    ("text", "where", "said"),
    [
        (OPENCLAW.replace('"lambda"', '"lamda"'), "omoide.json", r"omoide\.json: unknown key .*hybrid\.mmr\.lamda"),
        ("[search.mmr]\nlamda = 1\n", "omoide.toml", r"omoide\.toml: unknown key search\.mmr\.lamda.*lambda"),
        ("[serach]\nlimit = 1\n", "omoide.toml", r"unknown key serach"),
        ("search = 3\n", "omoide.toml", "search is a section"),
        ("[search.limit]\nx = 1\n", "omoide.toml", r"search\.limit.* is a value"),
        ("[search.mmr]\nlambda = 1.5\n", "omoide.toml", r"search\.mmr\.lambda lies between 0.* and 1"),
        ("[search.mmr]\nenabled = 'maybe'\n", "omoide.toml", r"search\.mmr\.enabled is true or false"),
        ("[search]\nlimit = 'many'\n", "omoide.toml", r"search\.limit takes int"),
        ("[search]\nlimit = true\n", "omoide.toml", r"search\.limit takes int"),
        ("[lexical]\nidf = 'best'\n", "omoide.toml", r"lexical\.idf is one of plus-one, textbook, log"),
        ("[home]\nzone = 'Mars/Base'\n", "omoide.toml", "IANA"),
        ("[home]\nzone = 9\n", "omoide.toml", r"home\.zone takes str"),
        ("[search.hybrid]\nvector_weight = 0\ntext_weight = 0\n", "omoide.toml", "both 0"),
        ("[search.hybrid]\nvector_weight = -1\n", "omoide.toml", "vector_weight lies between"),
        ("[search]\nsources = ['mail']\n", "omoide.toml", r"search\.sources is a list of memory and sessions or of one of them, not 'mail'"),
        ("[search]\nsources = []\n", "omoide.toml", r"search\.sources .*not empty"),
        ("[logs]\nkeep_days = -1\n", "omoide.toml", r"logs\.keep_days lies between 0"),
        ("no toml at all [", "omoide.toml", r"omoide\.toml cannot be read"),
        ("[1, 2]", "omoide.json", r"omoide\.json cannot be read"),
        ("{", "omoide.json", r"omoide\.json cannot be read"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(text: str, where: str, said: str) -> None:
    """An unknown key, a wrong type, a value out of range or no file format at all is an error with the file and the key."""
    with pytest.raises(BadSettings, match=said):
        read_settings(text, where)


FOREIGN = """
{"agents": {"defaults": {"model": "x", "memorySearch": {
   "provider": "openai", "model": "text-embedding-3-small", "fallback": "none", "sync": {"watch": true}, "store": {"path": "a"}, "remote": {"batch": {"enabled": true}},
   "extraPaths": ["../team"], "query": {"maxResults": 8, "hybrid": {"enabled": true, "candidateMultiplier": 4}}}}}}
"""


def test_what_openclaw_has_beside_is_ignored_by_name() -> None:
    """Keys of OpenClaw's memory search that mean nothing here stop nothing: what is known is taken, and the others are named."""
    found = read_settings(FOREIGN, "openclaw.json")
    assert found == Settings().with_values({"search.limit": 8})
    names = [
        "provider",
        "model",
        "fallback",
        "sync.watch",
        "store.path",
        "remote.batch.enabled",
        "extraPaths",
        "query.hybrid.enabled",
        "query.hybrid.candidateMultiplier",
    ]
    assert found.ignored == tuple(f"agents.defaults.memorySearch.{name}" for name in names)
    assert found.with_values({"search.limit": 9}).ignored == found.ignored
    assert "ignored" not in found.values()
    with pytest.raises(BadSettings, match="unknown key ignored"):
        read_settings("ignored = ['x']", "omoide.toml")


@pytest.mark.parametrize("text", ["// mine\n{}", "{/* mine */}", "{agents: {}}", "{'agents': {}}", '{"agents": {},}', '{"a": [1,]}'])
@pytest.mark.parametrize("where", ["openclaw.json", "openclaw.json5"])
def test_json5_is_called_by_its_name(text: str, where: str) -> None:
    """A file with comments, bare keys, single quotes or commas at the end is said to be JSON5, with a way out."""
    with pytest.raises(BadSettings, match=rf"{where} is JSON5.*line \d.*npx json5 {where}"):
        read_settings(text, where)


def test_toml() -> None:
    """A TOML file changes what it names and nothing else."""
    found = read_settings('[search]\nlimit = 3\n[search.decay]\nevergreen = ["A.md"]\n[home]\nzone = "Asia/Tokyo"\n', "omoide.toml")
    assert found == Settings().with_values({"search.limit": 3, "search.decay.evergreen": ("A.md",), "home.zone": "Asia/Tokyo"})
    assert str(zone_of(found)) == "Asia/Tokyo"
    assert zone_of(Settings()) is None
    assert read_settings("", "omoide.toml") == Settings()


def test_values_typed_by_hand() -> None:
    """Text is read as the type of its key."""
    found = Settings().with_values(
        {"search.mmr.enabled": "off", "search.limit": "4", "search.mmr.lambda": "0.5", "search.decay.evergreen": "A.md,B.md"}
    )
    assert (found.search.mmr.enabled, found.search.limit, found.search.mmr.lambda_) == (False, 4, 0.5)
    assert found.search.decay.evergreen == ("A.md", "B.md")


def test_every_value_can_be_given_back() -> None:
    """All keys with their defaults are listed, and giving them back changes nothing."""
    values = Settings().values()
    assert {"search.mmr.lambda", "lexical.k1", "home.zone", "embedding.model"} <= set(values)
    assert Settings().with_values(values) == Settings()
    assert Settings().with_values({}) == Settings()
