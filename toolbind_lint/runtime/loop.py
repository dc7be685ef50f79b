"""The loop itself: ask, dispatch, answer, over a dispatcher that holds every gate; one step is kept for a last turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Literal, NamedTuple, Protocol, cast

from toolbind_lint.runtime.core import Allowlist, Answer, Budget, Call, Dispatcher, Run, Tool, blocking

Sink = Callable[[Mapping[str, Any]], None]


class Turn(NamedTuple):
    """One reply. ``messages`` is what it adds to the transcript, in the provider's form; ``tokens`` in and out."""

    text: str
    calls: tuple[Call, ...]
    tokens: int | None
    finish: Literal["stop", "calls", "length", "refused"]
    messages: tuple[Any, ...]
    cost: float | None = None


class Model(Protocol):
    """Translates to and from one provider: no loop, no policy, no retry."""

    async def turn(self, messages: Sequence[Any], tools: Sequence[Tool], last: bool, timeout_s: float) -> Turn:
        """Ask once, with tools off in the ``last`` turn. Cancelled after ``timeout_s``; the SDK's exceptions pass."""

    def answers(self, answers: Sequence[Answer]) -> Sequence[Any]:
        """Say the messages that answer one turn's calls."""


class Outcome(NamedTuple):
    """How a run ended. ``capped`` answers in the reserved last turn; ``truncated`` and ``refused`` are no answers."""

    text: str
    status: Literal["answered", "capped", "truncated", "refused"]
    run: Run
    messages: tuple[Any, ...]


async def run_loop_async(
    model: Model,
    tools: Iterable[Tool] | Allowlist | Dispatcher,
    budget: Budget,
    messages: Sequence[Any],
    *,
    sink: Sink | None = None,
    parent_run_id: str | None = None,
) -> Outcome:
    """Ask, dispatch, answer until the model answers or a gate ends it; one step is kept for a last turn, tools off.

    Raises GateError, ToolError for a failure that no model can mend, and what the provider's SDK raises. ``tools`` may
    be a Dispatcher, whose workers outlive the run; else ``sink`` is needed. ``messages`` is not changed.
    """
    if sink is None and not isinstance(tools, Dispatcher):
        raise TypeError("a run needs a sink for its evidence")
    made = nullcontext(tools) if isinstance(tools, Dispatcher) else Dispatcher(tools, cast(Sink, sink))
    with made as dispatcher, dispatcher.start(budget, parent_run_id) as run:
        return await _answered(model, dispatcher, run, list(messages))


def run_loop(
    model: Model,
    tools: Iterable[Tool] | Allowlist | Dispatcher,
    budget: Budget,
    messages: Sequence[Any],
    *,
    sink: Sink | None = None,
    parent_run_id: str | None = None,
) -> Outcome:
    """The blocking twin of ``run_loop_async``, for where no event loop runs."""
    return blocking(run_loop_async(model, tools, budget, messages, sink=sink, parent_run_id=parent_run_id))


async def _answered(model: Model, dispatcher: Dispatcher, run: Run, transcript: list[Any]) -> Outcome:
    offered = tuple(dispatcher.allowlist.tools.values())
    while True:
        run.charge()  # ends the loop: it raises when the steps or the time are spent
        last = run.steps >= run.budget.max_steps
        turn = await run.ask(model.turn(transcript, offered, last, run.remaining_s))
        run.spend(turn.tokens, turn.cost)
        over = last or not turn.calls or turn.finish == "refused"
        transcript += turn.messages
        answers = []
        for call in turn.calls:  # each gets an answer, so that the transcript stays legal
            short = run.steps >= run.budget.max_steps - 1
            if short or over or turn.finish == "length":
                run.emit("steps" if short else "turn", "not_run", tool=call.name)
                why = "run_ended" if over else "reply_cut" if turn.finish == "length" else "no_steps_left"
                answers.append(Answer(call, {"not_run": why}, "not_run"))
            else:
                answers.append(await dispatcher.answer_async(run, call))
        transcript += model.answers(answers) if answers else ()
        if last and answers and not turn.text:
            raise run.stop("steps", "budget_exceeded", "the last turn asked for a tool again")
        if over:
            return _outcome(turn, last, run, transcript)


def _outcome(turn: Turn, last: bool, run: Run, transcript: Sequence[Any]) -> Outcome:
    ends: dict[str, Literal["truncated", "refused"]] = {"length": "truncated", "refused": "refused"}
    status = ends.get(turn.finish) or ("capped" if last else "answered")
    run.end(None if status == "answered" else status)
    return Outcome(turn.text, status, run, tuple(transcript))
