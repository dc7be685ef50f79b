"""Translators for three provider interfaces, streaming and plain: they ask once, and hold no loop, policy or retry.

Each takes an asynchronous client of the provider's SDK, or something that makes one (``AsyncOpenAI`` itself). A made
client serves one turn and is closed; a given one stays the caller's, and like every asynchronous client belongs to one
event loop, so ``run_loop`` wants the maker and ``run_loop_async`` may have the client. The SDK's own retries are off,
since each would be a hidden turn, and its timeout is what is left of the run. The SDK's exceptions pass as they are.

A maker that shares one ``ssl.SSLContext`` among its clients saves some 80 ms a turn.

``price`` is the cost of an input and of an output token; without it ``Budget.max_cost`` cannot be used. All other
keywords go into every request as they are.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Literal

from toolbind_lint.runtime.core import Answer, Call, Tool
from toolbind_lint.runtime.loop import Turn

Finish = Literal["stop", "calls", "length", "refused"]
Price = tuple[float, float]


class ModelError(Exception):
    """A reply without what a reply has. Its text says what is missing and quotes nothing of it."""


class _Adapter:
    _reserved: frozenset[str] = frozenset(
        {"model", "tools", "tool_choice", "stream", "stream_options", "messages", "input"}
    )

    def __init__(
        self,
        client: Any | Callable[[], Any],
        model: str,
        *,
        stream: bool = False,
        price: Price | None = None,
        **params: Any,
    ) -> None:
        if taken := sorted(self._reserved & set(params)):
            raise TypeError(f"the adapter sets {', '.join(taken)} itself")
        self._client, self._model, self._stream, self._price, self._params = client, model, stream, price, params

    @asynccontextmanager
    async def _open(self, timeout_s: float) -> AsyncIterator[Any]:
        options = {"max_retries": 0, "timeout": max(timeout_s, 0.001)}
        if callable(self._client):
            async with self._client() as client:
                yield client.with_options(**options)
        else:
            yield self._client.with_options(**options)

    def _cost(self, into: int | None, out: int | None) -> float | None:
        if self._price is None or into is None or out is None:
            return None
        return into * self._price[0] + out * self._price[1]


def _text(answer: Answer) -> str:
    return json.dumps(answer.value, ensure_ascii=False)


def _read(reply: Any, *names: str) -> Any:
    """``reply.a.b``, ModelError where a link is missing."""
    for name in names:
        reply = getattr(reply, name, None)
        if reply is None:
            raise ModelError(f"a reply without {'.'.join(names)}")
    return reply


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise ModelError(f"a reply with {type(value).__name__} where text belongs")
    return value


def _checked(call: Call) -> Call:
    for part in call:
        _string(part)
    return call


def _finish(calls: Sequence[Call]) -> Finish:
    return "calls" if calls else "stop"


class OpenAIChat(_Adapter):
    """OpenAI chat completions, and every server that speaks them. ``messages`` are chat messages."""

    async def turn(self, messages: Sequence[Any], tools: Sequence[Tool], last: bool, timeout_s: float) -> Turn:
        """Ask once. ModelError for a reply that cannot be read; a stream that ends early is one."""
        request: dict[str, Any] = {"model": self._model, "messages": list(messages), **self._params}
        if tools:
            offered = [{"name": t.name, "description": t.description, "parameters": dict(t.parameters)} for t in tools]
            request["tools"] = [{"type": "function", "function": function} for function in offered]
            request["tool_choice"] = "none" if last else "auto"
        if self._stream:
            request |= {"stream": True, "stream_options": {"include_usage": True}}
        async with self._open(timeout_s) as client:
            reply = await client.chat.completions.create(**request)
            if self._stream:
                return await self._streamed(reply)
        choices = _read(reply, "choices")
        if not isinstance(choices, list) or not choices:
            raise ModelError("a reply without a choice")
        message = _read(choices[0], "message")
        calls = []
        for call in message.tool_calls or ():
            _read(call, "function")
            calls.append(_checked(Call(call.id, call.function.name, call.function.arguments)))
        text = _string(message.content or getattr(message, "refusal", None) or "")
        refused = bool(getattr(message, "refusal", None))
        return self._made(text, calls, choices[0].finish_reason, reply.usage, refused)

    async def _streamed(self, reply: Any) -> Turn:
        text, reason, usage, refused = "", None, None, False
        parts: dict[int, list[str]] = {}
        async for chunk in reply:
            usage = getattr(chunk, "usage", None) or usage
            for choice in (getattr(chunk, "choices", None) or ())[:1]:
                delta = _read(choice, "delta")
                refused = refused or bool(getattr(delta, "refusal", None))
                text += delta.content or getattr(delta, "refusal", None) or ""
                for piece in delta.tool_calls or ():
                    part = parts.setdefault(piece.index, ["", "", ""])
                    part[0] = piece.id or part[0]
                    part[1] += (piece.function and piece.function.name) or ""
                    part[2] += (piece.function and piece.function.arguments) or ""
                reason = choice.finish_reason or reason
        if reason is None:
            raise ModelError("a stream that ended early")
        return self._made(text, [Call(*parts[index]) for index in sorted(parts)], reason, usage, refused)

    def _made(self, text: str, calls: list[Call], reason: Any, usage: Any, refused: bool) -> Turn:
        message: dict[str, Any] = {"role": "assistant", "content": text or None}
        if calls:
            named = [(call.id, {"name": call.name, "arguments": call.arguments}) for call in calls]
            message["tool_calls"] = [{"id": id_, "type": "function", "function": function} for id_, function in named]
        finish: Finish = "length" if reason == "length" else _finish(calls)
        if refused or reason == "content_filter":
            finish = "refused"
        cost = self._cost(getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None))
        return Turn(text, tuple(calls), getattr(usage, "total_tokens", None), finish, (message,), cost)

    def answers(self, answers: Sequence[Answer]) -> Sequence[Any]:
        """One ``tool`` message a call."""
        return [{"role": "tool", "tool_call_id": answer.call.id, "content": _text(answer)} for answer in answers]


class OpenAIResponses(_Adapter):
    """OpenAI responses. ``messages`` are input items; a reply's output goes back in: no state on the server."""

    async def turn(self, messages: Sequence[Any], tools: Sequence[Tool], last: bool, timeout_s: float) -> Turn:
        """Ask once. ModelError for a failed response and for a reply that cannot be read."""
        request: dict[str, Any] = {"model": self._model, "input": list(messages), **self._params}
        if tools:
            offered = [{"name": t.name, "description": t.description, "parameters": dict(t.parameters)} for t in tools]
            request["tools"] = [{"type": "function", "strict": False, **function} for function in offered]
            request["tool_choice"] = "none" if last else "auto"
        async with self._open(timeout_s) as client:
            if self._stream:
                reply = None
                async for event in await client.responses.create(**request, stream=True):
                    if event.type in ("response.completed", "response.incomplete", "response.failed"):
                        reply = event.response
                if reply is None:
                    raise ModelError("a stream that ended early")
            else:
                reply = await client.responses.create(**request)
        status, output = _read(reply, "status"), _read(reply, "output")
        if status not in ("completed", "incomplete") or not isinstance(output, list):
            raise ModelError("a response that failed")
        text, calls, refused = "", [], False
        for item in output:
            if item.type == "function_call":
                calls.append(_checked(Call(item.call_id, item.name, item.arguments)))
            for part in (item.content or ()) if item.type == "message" else ():
                refused = refused or part.type == "refusal"
                text += _string(part.refusal if part.type == "refusal" else getattr(part, "text", ""))
        reason = getattr(reply.incomplete_details, "reason", None)
        finish: Finish = "length" if status == "incomplete" else _finish(calls)
        if refused or reason == "content_filter":
            finish = "refused"
        usage = reply.usage
        cost = self._cost(getattr(usage, "input_tokens", None), getattr(usage, "output_tokens", None))
        items = tuple(item.to_dict() for item in output)
        return Turn(text, tuple(calls), getattr(usage, "total_tokens", None), finish, items, cost)

    def answers(self, answers: Sequence[Answer]) -> Sequence[Any]:
        """One ``function_call_output`` item a call."""
        return [{"type": "function_call_output", "call_id": each.call.id, "output": _text(each)} for each in answers]


class AnthropicMessages(_Adapter):
    """Anthropic messages. ``max_tokens`` is a keyword that the provider demands; ``system`` is another."""

    async def turn(self, messages: Sequence[Any], tools: Sequence[Tool], last: bool, timeout_s: float) -> Turn:
        """Ask once. ModelError for a reply that cannot be read; a stream that ends early is one."""
        request: dict[str, Any] = {"model": self._model, "messages": list(messages), **self._params}
        if tools:
            request["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}
                for tool in tools
            ]
            request["tool_choice"] = {"type": "none" if last else "auto"}
        async with self._open(timeout_s) as client:
            if self._stream:
                async with client.messages.stream(**request) as stream:
                    try:
                        reply = await stream.get_final_message()
                    except AssertionError as error:  # how the SDK says that no message began
                        raise ModelError("a stream that ended early") from error
            else:
                reply = await client.messages.create(**request)
        reason, content = _read(reply, "stop_reason"), _read(reply, "content")
        if not isinstance(content, list):
            raise ModelError("a reply without blocks")
        text = "".join(_string(block.text) for block in content if block.type == "text")
        calls = []
        for block in content:
            if block.type == "tool_use":
                if not isinstance(block.input, Mapping):
                    raise ModelError("a call whose input is no object")
                calls.append(_checked(Call(block.id, block.name, json.dumps(block.input))))
        short = reason in ("max_tokens", "model_context_window_exceeded", "pause_turn")
        finish: Finish = "refused" if reason == "refusal" else "length" if short else _finish(calls)
        blocks = [block.to_dict() for block in content]
        added = ({"role": "assistant", "content": blocks},) if blocks else ()
        tokens, cost = self._used(reply.usage)
        return Turn(text, tuple(calls), tokens, finish, added, cost)

    def _used(self, usage: Any) -> tuple[int | None, float | None]:
        into, out = getattr(usage, "input_tokens", None), getattr(usage, "output_tokens", None)
        if not isinstance(into, int) or not isinstance(out, int):
            return None, None
        for name in ("cache_creation_input_tokens", "cache_read_input_tokens"):
            into += getattr(usage, name, None) or 0
        return into + out, self._cost(into, out)

    def answers(self, answers: Sequence[Answer]) -> Sequence[Any]:
        """One user message with a ``tool_result`` a call; what is no result carries ``is_error``."""
        blocks = []
        for each in answers:
            block = {"type": "tool_result", "tool_use_id": each.call.id, "content": _text(each)}
            blocks.append({**block, "is_error": True} if each.code else block)
        return [{"role": "user", "content": blocks}] if blocks else []
