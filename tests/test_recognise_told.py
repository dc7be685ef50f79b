"""What handlers tell the model about a failure, and what they keep to themselves."""

from __future__ import annotations

from textwrap import indent

import pytest
from recognising import RUN, at, loop, verdict

H = "for _ in range(8):"
ANSWER = 'messages.append({"role": "tool", "tool_call_id": call.id, "content": result})'


def guarded(handler: str, *, module: str = "", answer: str = ANSWER) -> str:
    """A capped loop with a handler around its dispatch."""
    return loop(H, run=f"try:\n{indent(f'result = {RUN}', '    ')}\n{handler}", answer=answer, module=module)


def hows(text: str) -> list[str]:
    return [f.how for f in verdict(text, "errors").faults]


OWN = "class ToolFailure(Exception):\n    pass"
LEAKS = {
    "str": "except Exception as e:\n    result = str(e)",
    "repr": "except Exception as e:\n    result = repr(e)",
    "f-string": "except Exception as e:\n    result = f'failed: {e}'",
    "format": "except Exception as e:\n    result = 'failed: {}'.format(e)",
    "percent": "except Exception as e:\n    result = 'failed: %s' % e",
    "in a dict": "except Exception as e:\n    result = json.dumps({'error': str(e)})",
    "args": "except Exception as e:\n    result = e.args[0]",
    "tuple": "except (ValueError, Exception) as e:\n    result = str(e)",
    "base": "except BaseException as e:\n    result = str(e)\n    if tools:\n        raise",
    "trace": "except ValueError:\n    result = traceback.format_exc()",
    "through a name": "except Exception as e:\n    problem = e\n    result = str(problem)",
    "through a helper": "except Exception as e:\n    result = told(e)",
    "message of its own": (
        "except Exception as e:\n"
        "    messages.append({'role': 'tool', 'tool_call_id': call.id, 'content': str(e)})\n    continue"
    ),
}
QUIET = {
    "fixed": "except Exception:\n    result = 'failed'",
    "logged": "except Exception as e:\n    logging.error('failed %s', e)\n    result = 'failed'",
    "kind": "except Exception as e:\n    result = type(e).__name__",
    "code": "except Exception as e:\n    result = str(e.code)",
    "own class": "except ToolFailure as e:\n    result = str(e)",
    "looked at": (
        "except Exception as e:\n    result = 'failed'\n    if isinstance(e, ToolFailure):\n        result = str(e)"
    ),
    "narrow": "except (KeyError, ValueError) as e:\n    result = str(e)",
    "dropped": "except Exception as e:\n    problem = str(e)\n    result = 'failed'",
    "raised": "except Exception as e:\n    raise RuntimeError(str(e)) from e",
    "returned to the caller": "except Exception as e:\n    return str(e)",
    "breaks": "except Exception as e:\n    result = str(e)\n    break",
}


@pytest.mark.parametrize("handler", LEAKS.values(), ids=LEAKS.keys())
def test_the_text_of_any_exception_leaks(handler: str) -> None:
    module = f"import traceback\n{OWN}\ndef told(problem):\n    return f'failed: {{problem}}'"
    text = guarded(handler, module=module)
    faults = [f for f in verdict(text, "errors").faults if f.how == "leaks-text"]
    assert [at(f, text).split()[0] for f in faults] == ["except"]


@pytest.mark.parametrize("handler", QUIET.values(), ids=QUIET.keys())
def test_what_is_fixed_or_meant_for_the_model_does_not(handler: str) -> None:
    assert set(hows(guarded(handler, module=f"import logging\n{OWN}"))) <= {"unanswered-call"}


SIGNALS = {
    "bare": "except:\n    result = 'failed'",
    "base": "except BaseException:\n    result = 'failed'",
    "interrupt": "except KeyboardInterrupt:\n    result = 'interrupted'",
    "own": "except StopRun:\n    result = 'stopped'",
}


@pytest.mark.parametrize("handler", SIGNALS.values(), ids=SIGNALS.keys())
def test_a_signal_that_becomes_a_result_is_one(handler: str) -> None:
    assert hows(guarded(handler, module="class StopRun(Exception):\n    pass")) == ["stop-signal-as-payload"]


@pytest.mark.parametrize("end", ["raise", "return None"])
def test_a_signal_that_ends_the_run_is_none(end: str) -> None:
    assert hows(guarded(f"except BaseException:\n    result = 'failed'\n    {end}")) == []


@pytest.mark.parametrize(
    ("name", "how"), [("AuthError", []), ("PermissionDenied", ["unactionable"]), ("QuotaExceeded", ["unactionable"])]
)
def test_errors_that_nobody_but_an_operator_can_mend(name: str, how: list[str]) -> None:
    text = guarded(f"except {name}:\n    result = 'refused'", module=f"class {name}(Exception):\n    pass")
    assert [h for h in hows(text) if h == "unactionable"] == how
