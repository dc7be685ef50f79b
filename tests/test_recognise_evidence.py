"""The evidence of a run: its name on the way to the tools, and a record of each step with its cap."""

from __future__ import annotations

import pytest
from recognising import RUN, at, loop, verdict

H = "for step in range(max_steps):"
P = "run_id, log, emit, session, max_steps=8"


def hows(text: str, kind: str = "tool-loop") -> list[str]:
    return [f.how for f in verdict(text, "evidence", kind).faults]


NAMED = {
    "keyword of a record": loop(H, params=P, inner="log.info('tool', extra={'run_id': run_id})"),
    "text of a record": loop(H, params=P, inner="log.info('run_id=%s', run_id)"),
    "argument of a helper": loop(
        H,
        params=P,
        run="result = work(run_id, call, handlers)",
        rest=f"def work(owner, call, handlers):\n    return {RUN}",
    ),
    "made here": loop(H, params=P, before="rid = uuid.uuid4().hex", module="import uuid", inner="emit(rid, call)"),
    "attribute of an object": loop(H, params=P, inner="emit('tool', session.id)"),
    "object that has one": loop(
        H,
        params=f"{P}, owner: Owner = None",
        module="class Owner:\n    def __init__(self, run_id):\n        self.run_id = run_id",
        inner="emit(owner, call.function.name)",
    ),
}
NAMELESS = {
    "nothing": loop(H, params=P),
    "before the loop": loop(H, params=P, before="log.info('run_id=%s', run_id)"),
    "id of the call": loop(H, params=P, inner="log.info('tool', extra={'call_id': call.id})"),
    "made for each call": loop(
        H,
        params=P,
        module="import uuid",
        inner="call_key = uuid.uuid4().hex\nlog.info('call', extra={'key': call_key})",
    ),
    "only on failure": loop(
        H,
        params=P,
        run=f"try:\n    result = {RUN}\nexcept ValueError:\n    log.error('run_id=%s', run_id)\n    raise",
    ),
    "argument of the model": loop(
        H, params=P, inner="args = json.loads(call.function.arguments)\nlog.info(args['task_id'])"
    ),
}
OPEN = {
    "handed a context": loop(H, params=f"{P}, ctx=None", inner="emit(ctx, call)"),
    "in a span": loop(H, params=f"{P}, tracer=None", top="span = tracer.start_span('turn')"),
    "in a bound context": loop(
        H, params=P, before="bind_contextvars(owner=tools)", module="from structlog.contextvars import bind_contextvars"
    ),
    "decorated": loop(H, params=P, module="from langfuse import observe\n@observe()"),
}


@pytest.mark.parametrize("text", NAMED.values(), ids=NAMED.keys())
def test_a_run_that_is_named_where_its_tools_run_is_no_finding(text: str) -> None:
    assert "anonymous" not in hows(text)
    assert any("the id of the run" in e.message for e in verdict(text, "evidence").evidence)


@pytest.mark.parametrize("text", NAMELESS.values(), ids=NAMELESS.keys())
def test_a_run_that_is_not_is_told_at_the_header(text: str) -> None:
    fault = next(f for f in verdict(text, "evidence").faults if f.how == "anonymous")
    assert at(fault, text) == H


@pytest.mark.parametrize("text", OPEN.values(), ids=OPEN.keys())
def test_what_may_know_the_run_leaves_it_open(text: str) -> None:
    assert "anonymous" not in hows(text)
    assert not any("the id of the run" in e.message for e in verdict(text, "evidence").evidence)


@pytest.mark.parametrize(
    ("params", "named"),
    [("tool_name, arguments", False), ("run_id, tool_name, arguments", True), ("ctx, tool_name, arguments", True)],
)
def test_a_dispatcher_is_named_by_what_it_is_given(params: str, named: bool) -> None:
    text = f"TOOLS = {{}}\ndef execute({params}):\n    return TOOLS[tool_name](**arguments)"
    assert ("anonymous" not in hows(text, "dispatcher")) is named


WHOLE = {
    "fields of a log": "log.info('step', extra={'step': step, 'max_steps': max_steps})",
    "keywords": "emit('step', step=step, limit=max_steps)",
    "a record in a variable": "record = {'step': step, 'max_steps': max_steps}\nemit(record)",
    "constant cap": "emit('step', {'turn': step, 'of': max_steps})",
    "what is left": "log.info('step', extra={'step': step, 'steps_left': max_steps - step})",
}
PARTS = {
    "nothing": "",
    "step alone": "log.info('step', extra={'step': step})",
    "printed": "print(f'{step} of {max_steps}')",
    "a test": "check_limit(step=step, max_steps=max_steps)",
    "in the prompt": "messages.append({'role': 'system', 'content': f'{step} of {max_steps}'})",
    "on the way out": "if step > 5:\n    emit('end', step=step, limit=max_steps)\n    raise ValueError",
    "other caps": "emit('usage', step=step, max_tokens=100)",
    "for who asks": "if verbose:\n    emit('step', step=step, limit=max_steps)",
}
UNSURE = {
    "prose of a log": "log.info('step %d of %d', step, max_steps)",
    "now and then": "if step % 5 == 0:\n    emit('step', step=step, limit=max_steps)",
    "an object that nobody knows": "emit(session.state)",
    "a hook": "on_step(step)",
}


@pytest.mark.parametrize("top", WHOLE.values(), ids=WHOLE.keys())
def test_a_record_of_step_and_cap_on_each_pass_is_evidence(top: str) -> None:
    text = loop(H, params=P, top=top)
    assert "no-record" not in hows(text)
    assert any("step and cap" in e.message for e in verdict(text, "evidence").evidence)


@pytest.mark.parametrize("top", PARTS.values(), ids=PARTS.keys())
def test_anything_less_is_none(top: str) -> None:
    text = loop(H, params=f"{P}, verbose=False, check_limit=None", top=top)
    fault = next(f for f in verdict(text, "evidence").faults if f.how == "no-record")
    assert at(fault, text) == H
    assert bool(fault.related) is (top in {PARTS["step alone"], PARTS["other caps"]})


@pytest.mark.parametrize("top", UNSURE.values(), ids=UNSURE.keys())
def test_what_may_be_one_leaves_it_open(top: str) -> None:
    text = loop(H, params=f"{P}, on_step=None", top=top)
    assert "no-record" not in hows(text)
    assert not any("step and cap" in e.message for e in verdict(text, "evidence").evidence)


def test_a_record_in_a_helper_counts_as_often_as_the_helper_is_called() -> None:
    helper = "def note(step, cap, log):\n    log.info('step', extra={'step': step, 'max_steps': cap})"
    assert "no-record" not in hows(loop(H, params=P, top="note(step, max_steps, log)", rest=helper))
    late = "if step > 5:\n    note(step, max_steps, log)\n    break"
    assert "no-record" in hows(loop(H, params=P, top=late, rest=helper))


def test_what_belongs_to_the_runs_before_stands_beside_what_is_not_recorded() -> None:
    text = loop("while True:", module="used = 0", before="global used", top="used += 1\nif used > 8:\n    break")
    found = verdict(text, "evidence")
    assert found.state == "leaks"
    assert {f.how for f in found.faults} == {"shared-budget", "anonymous", "no-record"}
