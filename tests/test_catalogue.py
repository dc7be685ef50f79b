"""What recognition knows of the world outside a project: the schema of its tables, and a project's own."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
import tomli
from recognising import Tables, kinds, loop, shipped, stands, subject, subjects, verdict

from toolbind_lint.catalogue import CHOICES, SCHEMAS, Catalogue, CatalogueError, Row, json_schema, load_catalogue

# ---- the schema


@pytest.mark.parametrize(
    ("table", "key"),
    [
        ({"trun": [{"call": "x"}]}, "trun"),
        ({"turn": {"call": "x"}}, "turn"),
        ({"turn": "x"}, "turn"),
        ({"turn": ["x"]}, "turn[0]"),
        ({"turn": [{"call": "x"}, {"cal": "y"}]}, "turn[1].cal"),
        ({"turn": [{"call": 1}]}, "turn[0].call"),
        ({"turn": [{"call": ["a", 1]}]}, "turn[0].call"),
        ({"turn": [{"stream": ["a"]}]}, "turn[0].stream"),
        ({"clock": [{"call": "x", "monotonic": "yes"}]}, "clock[0].monotonic"),
        ({"clock": [{"monotonic": 1}]}, "clock[0].monotonic"),
        ({"turn": [{"call": None}]}, "turn[0].call"),
        ({"bound": [{"where": ["call", "elsewhere"]}]}, "bound[0].where"),
        ({"bound": [{"gate": "caps"}]}, "bound[0].gate"),
    ],
)
def test_what_does_not_fit_the_schema_is_an_error_that_names_the_key(table: dict[str, object], key: str) -> None:
    with pytest.raises(CatalogueError) as caught:
        load_catalogue([table])
    assert caught.value.key == key
    assert str(caught.value).startswith(f"{key}: ")
    assert caught.value.message


def test_an_unknown_key_is_told_with_those_that_are_known() -> None:
    with pytest.raises(CatalogueError, match=r"unknown key; one of .*\bcall\b.*\btools\b"):
        load_catalogue([{"turn": [{"cal": "x"}]}])


def test_an_unknown_kind_is_told_with_those_that_are_known() -> None:
    with pytest.raises(CatalogueError, match=r"unknown kind; one of .*\bdispatch\b.*\bturn\b"):
        load_catalogue([{"trun": []}])


@pytest.mark.parametrize("kind", sorted(SCHEMAS))
def test_every_kind_takes_its_own_keys(kind: str) -> None:
    values: dict[str, object] = {"text": "x", "texts": ["x", "y"], "flag": True}
    table = {key: values[wanted] for key, wanted in SCHEMAS[kind].items()}
    closed = {key: sorted(CHOICES[kind, key]) for key in table if (kind, key) in CHOICES}
    table |= {key: words if SCHEMAS[kind][key] == "texts" else words[0] for key, words in closed.items()}
    row = load_catalogue([{kind: [{**table, "source": "s", "versions": ">=1"}]}]).rows[-1]
    assert (row.kind, row.framework) == (kind, "project")
    for key, wanted in SCHEMAS[kind].items():
        assert (row.flags[key] is True) if wanted == "flag" else (row.all(key)[0] == closed.get(key, ["x"])[0])


def test_one_text_stands_for_a_list_of_one() -> None:
    row = load_catalogue([{"turn": [{"call": "a.b"}]}]).rows[-1]
    assert row.all("call") == ("a.b",)
    assert (row.one("call"), row.one("tools"), row.all("tools")) == ("a.b", "", ())


# ---- files


def folder(tmp_path: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "catalogue.toml").write_text(text, encoding="utf-8")
    return tmp_path


def test_a_file_names_its_framework_and_roots(tmp_path: Path) -> None:
    text = 'schema = 1\nname = "acme"\npackages = ["acme-sdk"]\nroots = ["acme"]\n[[turn]]\ncall = "acme.ask"\n'
    found = load_catalogue(folder=folder(tmp_path, a=text))
    assert found.roots == {"acme": "acme"}
    assert [(row.kind, row.framework) for row in found.rows] == [("turn", "acme")]


def test_another_schema_version_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError) as caught:
        load_catalogue(folder=folder(tmp_path, acme='schema = 2\nname = "acme"\n'))
    assert caught.value.key == "acme.schema"


def test_a_broken_row_of_a_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match=r"turn\[0\]\.cal"):
        load_catalogue(folder=folder(tmp_path, acme='[[turn]]\ncal = "x"\n'))


def test_files_are_read_in_order_and_the_projects_tables_last(tmp_path: Path) -> None:
    base = folder(tmp_path, b='[[turn]]\ncall = "b"\n', a='[[turn]]\ncall = "a"\n')
    found = load_catalogue([{"turn": [{"call": "c"}]}], folder=base)
    assert [(row.framework, row.one("call")) for row in found.rows] == [("a", "a"), ("b", "b"), ("project", "c")]


@pytest.mark.parametrize(
    "path", sorted((Path(__file__).parent.parent / "rules" / "frameworks").glob("*/*.toml")), ids=str
)
def test_a_shipped_file_is_named_after_its_folder(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.search(r"^schema = 1$", text, re.MULTILINE)
    assert re.search(rf'^name = "{path.parent.name}"$', text, re.MULTILINE)


# ---- asking


def rows(*made: tuple[str, str, dict[str, tuple[str, ...]]], roots: tuple[str, ...] = ()) -> Catalogue:
    return Catalogue([Row(kind, framework, texts, {}) for kind, framework, texts in made], dict.fromkeys(roots, "acme"))


def test_client_stands_for_every_client_of_its_framework() -> None:
    found = rows(
        ("client", "acme", {"call": ("acme.Client", "acme.AsyncClient")}),
        ("client", "other", {"call": ("other.Client",)}),
        ("turn", "acme", {"call": ("{client}.chat.send", "acme.send")}),
    )
    assert found.find("turn", "acme.Client().chat.send") is not None
    assert found.find("turn", "acme.AsyncClient().chat.send") is not None
    assert found.find("turn", "acme.send") is not None
    assert found.find("turn", "other.Client().chat.send") is None
    assert found.find("turn", "acme.Client.chat.send") is None


def test_a_module_can_be_the_client() -> None:
    found = rows(
        ("client", "acme", {"call": ("acme", "acme.Client")}),
        ("turn", "acme", {"call": ("{client}.send",)}),
        roots=("acme",),
    )
    assert found.find("turn", "acme.send") is not None
    assert found.find("turn", "acme.Client().send") is not None
    assert found.find("turn", "acme().send") is None


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("acme.Client().chat.send", True),
        ("acme.Client().with_options().chat.send", True),
        ("acme.Client().with_options().raw.chat.send", True),
        ("acme.Client().raw.with_options().chat.send", True),
        ("acme.Client().options().chat.send", False),
        ("acme.Client().chat.send.raw2", False),
    ],
)
def test_what_gives_the_same_client_back_is_passed_over(name: str, known: bool) -> None:
    found = rows(
        ("client", "acme", {"call": ("acme.Client",), "through": ("with_options()", "raw")}),
        ("turn", "acme", {"call": ("{client}.chat.send",)}),
    )
    assert (found.find("turn", name) is not None) is known


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("chat.send", True),
        ("self.client.chat.send", True),
        ("a.b().chat.send", True),
        ("self.client.with_options().chat.send", True),
        ("send", False),
        ("chat.send.raw", False),
        ("mychat.send", False),
        ("", False),
    ],
)
def test_a_method_is_the_end_of_a_path(path: str, known: bool) -> None:
    found = rows(
        ("client", "acme", {"call": ("acme.Client",), "through": ("with_options()",)}),
        ("turn", "acme", {"method": ("chat.send",)}),
    )
    assert (found.by_method("turn", path) is not None) is known


def test_a_kind_that_nobody_speaks_of_has_no_rows() -> None:
    found = rows()
    assert found.find("turn", "x") is None
    assert found.by_method("turn", "x") is None
    assert found.words("turn", "call") == frozenset()
    assert found.seeds == frozenset()


def test_a_row_of_another_kind_does_not_answer() -> None:
    assert rows(("timer", "acme", {"call": ("acme.wait",)})).find("turn", "acme.wait") is None


def test_words_are_gathered_over_frameworks() -> None:
    found = rows(
        ("reply", "a", {"calls": ("x",)}), ("reply", "b", {"calls": ("y", "x")}), ("turn", "a", {"calls": ("z",)})
    )
    assert found.words("reply", "calls") == {"x", "y"}


@pytest.mark.parametrize(
    ("kind", "texts", "seed"),
    [
        ("word", {"names": ("agent_step",)}, "agent_step"),
        ("reply", {"calls": ("tool_asks",)}, "tool_asks"),
        ("reply", {"one-call": ("fn_call",)}, "fn_call"),
        ("reply", {"call-types": ("ask",)}, "ask"),
        ("turn", {"method": ("completions.create",)}, "completions"),
        ("dispatch", {"method": ("call_tool",)}, "call_tool"),
        ("turn", {"call": ("brain.think",)}, "brain"),
        ("retry", {"call": ("again.retry",)}, "again"),
    ],
)
def test_a_statement_is_worth_reading_for_words_of_the_rows(
    kind: str, texts: dict[str, tuple[str, ...]], seed: str
) -> None:
    assert seed in rows((kind, "acme", texts)).seeds


def test_the_root_of_a_framework_with_turns_is_a_seed() -> None:
    found = rows(
        ("client", "acme", {"call": ("acme.Client",)}), ("turn", "acme", {"call": ("{client}.send",)}), roots=("acme",)
    )
    assert "acme" in found.seeds
    assert "acme" not in rows(("client", "acme", {"call": ("acme.Client",)}), roots=("acme",)).seeds


def test_common_words_are_no_seeds() -> None:
    common = {"name", "function", "create", "content", "input", "type", "id", "time", "os", "builtins", "re"}
    assert shipped().seeds & common == set()


# ---- the shipped catalogue


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("turn", "openai.OpenAI().chat.completions.create"),
        ("turn", "openai.AsyncAzureOpenAI().responses.create"),
        ("turn", "openai.chat.completions.create"),
        ("turn", "openai.OpenAI().with_options().chat.completions.create"),
        ("turn", "anthropic.Anthropic().messages.create"),
        ("turn", "anthropic.AsyncAnthropic().beta.messages.stream"),
        ("turn", "litellm.acompletion"),
        ("turn", "boto3.client().invoke_model"),
        ("turn", "openai.OpenAI().completions.create"),
        ("turn", "anthropic.Anthropic().completions.create"),
        ("dispatch", "mcp.ClientSession().call_tool"),
        ("mcp-intake", "mcp.ClientSession().list_tools"),
        ("retry", "tenacity.retry"),
        ("clock", "time.monotonic"),
        ("timer", "asyncio.timeout"),
        ("unpinned", "os.environ[]"),
        ("infinite", "math.inf"),
        ("code-by-name", "builtins.getattr"),
        ("pattern-test", "re.compile().match"),
        ("wait-for-person", "builtins.input"),
        ("no-return", "sys.exit"),
    ],
)
def test_the_shipped_catalogue_knows_the_usual_names(kind: str, name: str) -> None:
    assert shipped().find(kind, name) is not None


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("turn", "openai.OpenAI().files.list"),
        ("turn", "openai.OpenAI().embeddings.create"),
        ("turn", "anthropic.Anthropic().messages.count_tokens"),
        ("clock", "time.sleep"),
        ("infinite", "math.pi"),
        ("no-return", "os.system"),
    ],
)
def test_the_shipped_catalogue_does_not_know_their_neighbours(kind: str, name: str) -> None:
    assert shipped().find(kind, name) is None


def test_every_turn_names_its_parameters() -> None:
    for row in shipped().rows:
        if row.kind == "turn":
            assert row.all("messages"), row
            told_in_a_text = row.all("messages") in {("prompt",), ("body",)}
            assert row.all("tools") or told_in_a_text, row
            assert row.all("needs") or not row.all("method"), "a method alone would match anything"


def test_a_clock_says_whether_it_can_jump() -> None:
    assert all("monotonic" in row.flags for row in shipped().rows if row.kind == "clock")


# ---- a project's own tables

HOUSE = """\
    import json
    from house import model, registry
    def run(messages, tools, handlers):
        while True:
            answer = model.think(messages, tools)
            messages.append(answer)
            if answer.done:
                return answer
            for ask in answer.wishes:
                messages.append({"role": "tool", "content": handlers[ask.wanted](**ask.given)})
"""
HOUSE_TURN: Tables = [
    {
        "turn": [{"call": "house.model.think", "tools": "tools", "messages": "messages"}],
        "reply": [{"calls": "wishes", "name": "wanted", "args": "given"}],
    }
]


def test_a_turn_of_the_house_is_known_once_it_is_told() -> None:
    assert kinds(HOUSE) == []
    assert kinds(HOUSE, HOUSE_TURN) == [("tool-loop", "run")]
    assert stands(HOUSE, "cap", tables=HOUSE_TURN) == "missing none"


def test_a_turn_of_the_house_may_be_a_method_of_an_unknown_receiver() -> None:
    text = HOUSE.replace("from house import model, registry", "from lib import model").replace(
        "(messages, tools)", "(messages, tools=tools)"
    )
    tables: Tables = [
        {
            "turn": [{"method": "model.think", "needs": ["tools"], "tools": "tools", "messages": "messages"}],
            "reply": [{"calls": "wishes", "name": "wanted", "args": "given"}],
        }
    ]
    found = subject(text, tables=tables)
    assert (found.framework, [step.message for step in found.turns]) == ("project", ["model.think"])


def test_a_wrapper_of_the_project_is_known_by_its_dotted_name() -> None:
    files = {
        "app/agent.py": HOUSE.replace("from house import model, registry", "from app import model"),
        "app/model.py": "def think(messages, tools):\n    return SOCKET.send(messages, tools)\n",
    }
    tables: Tables = [
        {
            "turn": [{"call": "app.model.think", "tools": "tools", "messages": "messages"}],
            "reply": [{"calls": "wishes", "name": "wanted", "args": "given"}],
        }
    ]
    assert kinds(files, tables) == [("tool-loop", "run")]


def test_a_dispatch_of_the_house_is_known_once_it_is_told() -> None:
    text = loop(
        "for _ in range(8):",
        module="from house import registry",
        run="result = registry.perform(json.loads(call.function.arguments), call.function.name)",
    )
    tables: Tables = [{"dispatch": [{"call": "house.registry.perform", "name": "tool"}]}]
    assert [step.message for step in subject(text, tables=tables).dispatches] == ["registry.perform"]


def test_a_clock_of_the_house_makes_a_deadline() -> None:
    text = loop(
        "for _ in range(8):",
        module="from house import now",
        before="end = now() + 60",
        top="if now() > end:\n    break",
    )
    tables: Tables = [{"clock": [{"call": "house.now", "monotonic": True}]}]
    assert stands(text, "wall") == "missing none"
    assert stands(text, "wall", tables=tables) == "held"


def test_a_job_limit_of_the_house_is_a_wall_budget() -> None:
    text = loop("for _ in range(8):", module="from house import job").replace("def run(", "@job(seconds=60)\ndef run(")
    tables: Tables = [{"enclosing-limit": [{"call": "house.job", "param": "seconds"}]}]
    assert stands(text, "wall") == "missing none"
    assert stands(text, "wall", tables=tables) == "held"


def test_a_wait_of_the_house_makes_a_prompt() -> None:
    text = loop(
        "for _ in range(8):",
        rest="from house import ask_user\ndef main():\n    m = []\n    while True:\n"
        "        m.append(ask_user())\n        run(m, [], {})\n",
    )
    tables: Tables = [{"wait-for-person": [{"call": "house.ask_user"}]}]
    assert [kind for kind in kinds(text, tables) if kind[1] == "main"] == []


def test_a_number_of_the_house_is_unpinned_once_it_is_told() -> None:
    text = loop("for _ in range(flag('steps')):", module="from house import flag")
    tables: Tables = [{"unpinned": [{"call": "house.flag", "origin": "remote"}]}]
    assert stands(text, "cap") == "unknown"
    assert stands(text, "cap", tables=tables) == "leaks unpinned"


def test_a_retry_of_the_house_needs_an_end() -> None:
    text = """\
    from house import again
    from openai import OpenAI
    client = OpenAI()
    @again(pause=1)
    def ask(messages, tools):
        return client.chat.completions.create(model="m", messages=messages, tools=tools)
    """
    tables: Tables = [{"retry": [{"call": "house.again", "stop": "times"}]}]
    assert subjects(text) == ()
    assert stands(text, "cap", "retry", tables) == "missing unbounded-retry"
    assert stands(text.replace("pause=1", "times=3"), "cap", "retry", tables) == "held"


def test_a_pattern_test_of_the_house_is_known_once_it_is_told() -> None:
    text = loop(
        "for _ in range(8):",
        module="from house import like",
        inner="if not like(call.function.name, 'db_*'):\n    raise LookupError",
    )
    tables: Tables = [{"pattern-test": [{"call": "house.like"}]}]
    assert verdict(text, "allowlist").how == ""
    assert verdict(text, "allowlist", tables=tables).how == "pattern"


# ---- for editors

FOLDER = Path(__file__).parent.parent / "rules" / "frameworks"


def test_the_json_schema_is_that_of_the_loader() -> None:
    """It is written anew with ``json.dumps(json_schema(), indent=1)``."""
    assert json.loads((FOLDER / "catalogue.schema.json").read_text(encoding="utf-8")) == json_schema()


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*/catalogue.toml")), ids=lambda path: path.parent.name)
def test_every_shipped_file_fits_the_json_schema(path: Path) -> None:
    jsonschema.validate(tomli.loads(path.read_text(encoding="utf-8")), json_schema())


@pytest.mark.parametrize(
    "text",
    ["[[turn]]\ncal = 'x'", "[[trun]]\ncall = 'x'", "[[turn]]\ncall = 1", "[[bound]]\nwhere = 'there'", "surprise = 1"],
)
def test_the_json_schema_refuses_what_the_loader_refuses(text: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(tomli.loads("schema = 1\nname = 'acme'\n" + text), json_schema())


# ---- read where it is needed


def test_files_without_words_wait_until_their_roots_are_imported(tmp_path: Path) -> None:
    texts = {
        "acme": 'schema = 1\nname = "acme"\nroots = ["acme"]\n[[agent]]\ncall = "acme.Agent"\n',
        "other": 'schema = 1\nname = "other"\nroots = ["other"]\nshares = ["acme"]\n[[agent]]\ncall = "other.Agent"\n',
        "words": 'schema = 1\nname = "words"\nroots = ["words"]\n[[turn]]\ncall = "words.ask"\n',
    }
    base = folder(tmp_path, **texts)
    lazy = load_catalogue([{"agent": [{"call": "mine.Agent"}]}], folder=base, lazy=True)
    assert {row.framework for row in lazy.rows} == {"words", "project"}
    assert lazy.run_roots == {"acme", "other", "mine"}
    assert lazy.completed(["elsewhere"]) is lazy
    assert [row.framework for row in lazy.completed(["other"]).rows] == ["words", "other", "project"]
    both = lazy.completed(["acme"])
    assert [row.framework for row in both.rows] == ["words", "acme", "other", "project"]
    assert both.find("agent", "acme.Agent") is not None
    assert both.waiting == ()
    assert both.run_roots == load_catalogue([{"agent": [{"call": "mine.Agent"}]}], folder=base).run_roots


def test_the_shipped_catalogue_is_the_same_whole_or_completed() -> None:
    whole = load_catalogue()
    lazy = load_catalogue(lazy=True)
    assert lazy.waiting
    done = lazy.completed(whole.roots)
    assert sorted(map(repr, done.rows)) == sorted(map(repr, whole.rows))
    assert done.seeds == lazy.seeds == whole.seeds
    assert lazy.run_roots == whole.run_roots


def test_a_broken_file_that_waited_is_told_when_it_is_read(tmp_path: Path) -> None:
    text = 'schema = 1\nname = "acme"\nroots = ["acme"]\n[[agent]]\ncal = "acme.Agent"\n'
    lazy = load_catalogue(folder=folder(tmp_path, acme=text), lazy=True)
    with pytest.raises(CatalogueError, match=r"agent\[0\]\.cal"):
        lazy.completed(["acme"])
