"""What becomes of a result on its way back: parsed, cut, repaired, or sent as it came."""

from __future__ import annotations

import pytest
from recognising import RUN, at, loop, stands, subjects, verdict

H = "for _ in range(8):"
CUT = "[:4000]"
MODEL = "from pydantic import BaseModel, ValidationError\nclass Hit(BaseModel):\n    title: str"


def sent(content: str, *, run: str = f"result = {RUN}", module: str = "") -> str:
    """A capped loop that sends an expression back as the tool's answer."""
    answer = f'messages.append({{"role": "tool", "tool_call_id": call.id, "content": {content}}})'
    return loop(H, run=run, answer=answer, module=module)


def steps(text: str) -> str:
    return f"result = {RUN}\n{text}"


BOTH = {
    "text": sent("str(result)"),
    "json": sent("json.dumps(result)"),
    "as it is": sent("result"),
    "f-string": sent("f'Result: {result}'"),
    "loads alone": sent("json.dumps(data)", run=steps("data = json.loads(result)")),
    "through names": sent("text", run=steps("value = result\ntext = str(value)")),
    "through a list": sent("results[0]", run=steps("results = []\nresults.append(result)")),
    "through a dict": sent("out['text']", run=steps("out = {}\nout['text'] = str(result)")),
    "through a helper": sent("render(result)", module="def render(value):\n    return json.dumps({'value': value})"),
    "through a comprehension": sent("''.join(parts)", run=steps("parts = [str(item) for item in result]")),
    "cut for the log": sent("str(result)", run=steps("print(str(result)[:80])")),
    "another name is cut": sent("str(result)", run=steps("head = str(result)[:80]\nprint(head)")),
    "rebound on one way only": sent(
        "result", run=steps("if tools:\n    result = Hit.model_validate_json(result[:9]).title"), module=MODEL
    ),
    "type alone is looked at": sent(
        "json.dumps(result)", run=steps("if not isinstance(result, dict):\n    raise TypeError(call)")
    ),
    "emptiness is looked at": sent("result", run=steps("if len(result) > 0:\n    result = result.strip()")),
}
PARSED = {
    "model": sent(f"Hit.model_validate_json(result{CUT}).model_dump_json()", module=MODEL),
    "model by keywords": sent("Hit(**json.loads(result[:99])).title", module=MODEL),
    "in a name": sent("hit.title", run=steps("hit = Hit.model_validate_json(result[:99])"), module=MODEL),
    "same name": sent("result.title", run=steps("result = Hit.model_validate_json(result[:99])"), module=MODEL),
    "statement": sent(
        "json.dumps(result)[:99]",
        run=steps("jsonschema.validate(result, SHAPE)"),
        module="import jsonschema\nSHAPE = {}",
    ),
    "by hand": sent("json.dumps(result)[:99]", run=steps("if 'hits' not in result:\n    raise KeyError(call)")),
    "by a helper that raises": sent(
        "json.dumps(result)[:99]",
        run=steps("check(result)"),
        module="def check(value):\n    if 'hits' not in value:\n        raise KeyError(value)",
    ),
    "the failure answers": sent(
        "content",
        run=steps(
            "try:\n    content = Hit.model_validate_json(result[:99]).title\n"
            "except ValidationError:\n    content = 'schema_invalid'"
        ),
        module=MODEL,
    ),
}
SHORT = {
    "slice": sent("str(result)[:4000]"),
    "tail": sent("str(result)[-4000:]"),
    "first": sent("str(result)", run=steps("result = result[:4000]")),
    "when long": sent("text", run=steps("text = str(result)\nif len(text) > 4000:\n    text = text[:4000]")),
    "when long, by conditional": sent("result if len(result) < 4000 else result[:4000]"),
    "refused": sent("result", run=steps("if len(result) > 4000:\n    raise ValueError(call)")),
    "refused by a measured size": sent(
        "result", run=steps("size = len(result)\nif size > 4000:\n    raise ValueError(call)")
    ),
    "another's function": sent("truncate_text(result)", module="from elsewhere import truncate_text"),
    "a helper": sent("shorten(result)", module="def shorten(text):\n    return text[:4000]"),
}
FALLBACK = {
    "assigned": "try:\n    data = json.loads(result)\nexcept ValueError:\n    data = result",
    "kept": "try:\n    result = json.loads(result)\nexcept json.JSONDecodeError:\n    pass",
    "wrapped": "try:\n    data = json.loads(result)\nexcept Exception:\n    data = {'text': result}",
    "validated": "try:\n    data = Hit.model_validate_json(result)\nexcept ValidationError:\n    data = result",
}
NO_FALLBACK = {
    "raised": "try:\n    data = json.loads(result)\nexcept ValueError as error:\n    raise TypeError(call) from error",
    "an error": "try:\n    data = json.loads(result)\nexcept ValueError:\n    data = {'error': 'schema_invalid'}",
    "of the arguments": "try:\n    data = json.loads(call.function.arguments)\nexcept ValueError:\n    data = call",
    "another failure": "try:\n    data = json.loads(result)\nexcept OSError:\n    data = result",
}


@pytest.mark.parametrize("text", BOTH.values(), ids=BOTH.keys())
def test_what_is_sent_as_it_came_is_neither_parsed_nor_bounded(text: str) -> None:
    assert stands(text, "schema") == "missing none unbounded-size"


@pytest.mark.parametrize("text", PARSED.values(), ids=PARSED.keys())
def test_what_is_parsed_and_cut_holds(text: str) -> None:
    assert [f.how for f in verdict(text, "schema").faults if f.how != "cut-late"] == []


@pytest.mark.parametrize("text", SHORT.values(), ids=SHORT.keys())
def test_what_is_cut_is_bounded(text: str) -> None:
    assert stands(text, "schema") == "missing none"


@pytest.mark.parametrize("parse", FALLBACK.values(), ids=FALLBACK.keys())
def test_a_failed_parse_that_goes_on_with_the_text_is_a_fallback(parse: str) -> None:
    name = "result" if "result = json" in parse else "data"
    text = sent(f"json.dumps({name})", run=steps(parse), module=MODEL)
    fault = verdict(text, "schema").faults[0]
    assert fault.how == "raw-fallback"
    assert at(fault, text).startswith("except")


@pytest.mark.parametrize("parse", NO_FALLBACK.values(), ids=NO_FALLBACK.keys())
def test_a_failed_parse_that_ends_in_an_error_is_none(parse: str) -> None:
    text = sent("json.dumps([data, result])", run=steps(parse))
    assert "raw-fallback" not in stands(text, "schema")


def test_a_cut_behind_the_parse_is_late() -> None:
    text = sent("Hit.model_validate_json(result).model_dump_json()[:99]", module=MODEL)
    assert stands(text, "schema") == "leaks cut-late"
    assert stands(text.replace("(result)", "(result[:99])"), "schema") == "held"


def test_a_result_is_told_where_the_tool_runs_and_shown_where_it_goes() -> None:
    text = sent("str(result)")
    fault = verdict(text, "schema").faults[0]
    assert at(fault, text) == f"result = {RUN}"
    (shown,) = fault.related
    assert at(fault._replace(place=shown.place), text).startswith("messages.append")


@pytest.mark.parametrize(("returned", "state"), [("{'sum': a + b}", "held"), ("fetch(a, b)", "missing")])
def test_tools_that_are_seen_and_build_what_they_return_need_no_parse(returned: str, state: str) -> None:
    tools = f"def add(a: int, b: int):\n    return {returned}\nTOOLS = {{'add': add}}"
    run = "result = TOOLS[call.function.name](**json.loads(call.function.arguments))"
    assert verdict(sent("json.dumps(result)", run=run, module=tools), "schema").state == state


def test_the_inner_of_two_loops_owns_its_results() -> None:
    text = """
    import json
    from openai import OpenAI
    client = OpenAI()
    def run(messages, tools, handlers):
        for _ in range(3):
            for _ in range(8):
                message = client.chat.completions.create(messages=messages, tools=tools).choices[0].message
                messages.append(message)
                if not message.tool_calls:
                    break
                for call in message.tool_calls:
                    result = handlers[call.function.name](**json.loads(call.function.arguments))
                    messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
            if "done" in message.content:
                return message.content
    """
    loops = [s for s in subjects(text) if s.kind == "tool-loop"]
    assert [(s.header.line, s.verdict("schema").state) for s in loops] == [(6, "not-applicable"), (7, "missing")]


CHAIN = (
    'if call.function.name == "search":\n    result = search(**json.loads(call.function.arguments))\n'
    'elif call.function.name == "fetch":\n    wanted = json.loads(call.function.arguments)\n'
    "    result = fetch(**wanted)\n"
)
CHAINED = (
    "def search(query):\n    return ask(query)\ndef fetch(url):\n    return ask(url)\ndef now():\n    return ask()"
)


def test_a_tool_that_a_chain_runs_with_the_arguments_is_told_once() -> None:
    text = sent("result", run=CHAIN, module=CHAINED)
    found = [(f.how, at(f, text)) for f in verdict(text, "schema").faults]
    calls = [line.strip() for line in CHAIN.splitlines() if "result" in line]
    assert sorted(found) == sorted((how, call) for how in ("none", "unbounded-size") for call in calls)


def test_a_branch_that_runs_its_tool_without_arguments_is_told_at_the_chain() -> None:
    text = sent("result", run=CHAIN + "else:\n    result = now()\n", module=CHAINED)
    text = text.replace("else:\n", 'elif call.function.name == "now":\n')
    found = [at(f, text) for f in verdict(text, "schema").faults if f.how == "none"]
    assert sorted(found)[0] == CHAIN.splitlines()[0] and len(found) == 3
