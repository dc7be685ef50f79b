"""A provider on the loopback interface: it speaks three dialects, and misbehaves as it is told."""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, NamedTuple

from anthropic import AsyncAnthropic
from anthropic import DefaultAsyncHttpxClient as AnthropicClient
from openai import AsyncOpenAI
from openai import DefaultAsyncHttpxClient as OpenAIClient

from toolbind_lint.runtime.adapters import AnthropicMessages, OpenAIChat, OpenAIResponses

Dialect = Literal["chat", "responses", "anthropic"]
DIALECTS: tuple[Dialect, ...] = ("chat", "responses", "anthropic")
CONTEXT = ssl.create_default_context()  # made once: it takes most of the time that a client takes
CUT = {"chat": "length", "responses": "max_output_tokens", "anthropic": "max_tokens"}


class Reply(NamedTuple):
    """What the model says: ``calls`` as (id, name, arguments as text)."""

    text: str = ""
    calls: tuple[tuple[str, str, str], ...] = ()
    cut: bool = False
    usage: bool = True


class Server:
    """Answers one request after the other with ``replies``, the last one for ever; keeps what was asked."""

    def __init__(self, dialect: Dialect, stream: bool, *replies: Reply | Callable[[Handler], None]) -> None:
        self.dialect, self.stream, self.replies = dialect, stream, list(replies)
        self.requests: list[dict[str, Any]] = []
        self.gone = threading.Event()
        outer = self

        class Bound(Handler):
            server_of_test = outer

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Bound)
        self.http.daemon_threads = True
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self) -> Server:
        self.thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.gone.set()
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.http.server_port}"

    def model(self, **more: Any) -> OpenAIChat | OpenAIResponses | AnthropicMessages:
        """The adapter under test, with the vendor's own client."""
        if self.dialect == "anthropic":

            def anthropic() -> AsyncAnthropic:
                return AsyncAnthropic(
                    base_url=self.address, api_key="test", http_client=AnthropicClient(verify=CONTEXT)
                )

            return AnthropicMessages(anthropic, "m", stream=self.stream, max_tokens=100, **more)

        def openai() -> AsyncOpenAI:
            return AsyncOpenAI(base_url=f"{self.address}/v1", api_key="test", http_client=OpenAIClient(verify=CONTEXT))

        kind = OpenAIChat if self.dialect == "chat" else OpenAIResponses
        return kind(openai, "m", stream=self.stream, **more)

    def body(self, reply: Reply) -> tuple[str, bytes]:
        """Content type and bytes of a reply."""
        made: Any = {"chat": chat, "responses": responses, "anthropic": anthropic}[self.dialect](reply, self.stream)
        if not self.stream:
            return "application/json", json.dumps(made).encode()
        lines = []
        for event in made:
            if isinstance(event, dict) and "type" in event:
                lines.append(f"event: {event['type']}\n")
            lines.append(f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n")
        return "text/event-stream", "".join(lines).encode()


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server_of_test: Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        server = self.server_of_test
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        server.requests.append(asked)
        reply = server.replies.pop(0) if len(server.replies) > 1 else server.replies[0]
        try:
            if isinstance(reply, Reply):
                self.send(*server.body(reply))
            else:
                reply(self)
        except OSError:
            self.close_connection = True

    def send(self, kind: str, body: bytes, status: int = 200, length: int | None = None) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


# --- ways to misbehave


def never(handler: Handler) -> None:
    handler.server_of_test.gone.wait(60)


def drips(handler: Handler) -> None:
    """A whole reply, a byte every 20 ms, its head too."""
    kind, body = handler.server_of_test.body(Reply("so"))
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n".encode()
    handler.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for byte in head + body:
        handler.wfile.write(bytes([byte]))
        if handler.server_of_test.gone.wait(0.02):
            return


def drops(handler: Handler) -> None:
    """The first half of a reply, and the end of the connection."""
    kind, body = handler.server_of_test.body(Reply("so"))
    handler.send(kind, body[: len(body) // 2], length=len(body))
    handler.close_connection = True


def hangs_up(handler: Handler) -> None:
    handler.close_connection = True


def stops_early(handler: Handler) -> None:
    """A stream that ends in good order and lacks its last events."""
    kind, body = handler.server_of_test.body(Reply("so"))
    events = body.split(b"\n\n")
    handler.send(kind, b"\n\n".join(events[:2]) + b"\n\n")


def says(kind: str, body: bytes, status: int = 200) -> Callable[[Handler], None]:
    return lambda handler: handler.send(kind, body, status)


# --- dialects


def chat(reply: Reply, stream: bool) -> Any:
    calls: list[dict[str, Any]] = [
        {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}
        for id_, name, arguments in reply.calls
    ]
    finish = CUT["chat"] if reply.cut else "tool_calls" if calls else "stop"
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10} if reply.usage else None
    head = {"id": "c", "created": int(time.time()), "model": "m"}
    if not stream:
        message = {"role": "assistant", "content": reply.text or None, **({"tool_calls": calls} if calls else {})}
        choice = {"index": 0, "finish_reason": finish, "message": message}
        return {**head, "object": "chat.completion", "choices": [choice], **({"usage": usage} if usage else {})}
    head["object"] = "chat.completion.chunk"
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}, *({"content": each} for each in reply.text)]
    for index, call in enumerate(calls):
        text = call["function"]["arguments"]
        deltas.append(
            {"tool_calls": [{"index": index, **call, "function": {"name": call["function"]["name"], "arguments": ""}}]}
        )
        deltas += [{"tool_calls": [{"index": index, "function": {"arguments": each}}]} for each in text]
    events: list[Any] = [{**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    events.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    if usage:
        events.append({**head, "choices": [], "usage": usage})
    return [*events, "[DONE]"]


def responses(reply: Reply, stream: bool) -> Any:
    output: list[dict[str, Any]] = []
    if reply.text:
        part = {"type": "output_text", "text": reply.text, "annotations": []}
        output.append({"type": "message", "id": "msg", "role": "assistant", "status": "completed", "content": [part]})
    for id_, name, arguments in reply.calls:
        item = {"type": "function_call", "id": f"fc_{id_}", "call_id": id_, "name": name, "arguments": arguments}
        output.append({**item, "status": "completed"})
    usage = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    whole = {
        **{
            "id": "r",
            "object": "response",
            "created_at": 1,
            "model": "m",
            "output": output,
            "tools": [],
            "error": None,
        },
        **{"status": "incomplete" if reply.cut else "completed", "parallel_tool_calls": True, "tool_choice": "auto"},
        **{
            "incomplete_details": {"reason": CUT["responses"]} if reply.cut else None,
            "metadata": {},
            "instructions": None,
        },
        **({"usage": {**usage, **details}} if reply.usage else {}),
    }
    if not stream:
        return whole
    started = {**whole, "status": "in_progress", "output": []}
    kind = "response.incomplete" if reply.cut else "response.completed"
    return [
        {"type": "response.created", "sequence_number": 0, "response": started},
        {"type": "response.in_progress", "sequence_number": 1, "response": started},
        {"type": kind, "sequence_number": 2, "response": whole},
    ]


def anthropic(reply: Reply, stream: bool) -> Any:
    finish = CUT["anthropic"] if reply.cut else "tool_use" if reply.calls else "end_turn"
    content: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
    for id_, name, arguments in reply.calls:
        given = {} if reply.cut else json.loads(arguments)
        content.append({"type": "tool_use", "id": id_, "name": name, "input": given})
    head = {"id": "m", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None}
    usage = {"usage": {"input_tokens": 7, "output_tokens": 3}} if reply.usage else {}
    if not stream:
        return {**head, "content": content, "stop_reason": finish, **usage}
    first: dict[str, Any] = {
        **head,
        "content": [],
        "stop_reason": None,
        **({"usage": {"input_tokens": 7, "output_tokens": 1}} if reply.usage else {}),
    }
    events: list[dict[str, Any]] = [{"type": "message_start", "message": first}]
    texts = ([reply.text] if reply.text else []) + [arguments for _, _, arguments in reply.calls]
    for index, block in enumerate(content):
        empty = {**block, "text": ""} if block["type"] == "text" else {**block, "input": {}}
        events.append({"type": "content_block_start", "index": index, "content_block": empty})
        for each in texts[index]:
            delta = (
                {"type": "text_delta", "text": each}
                if "text" in block
                else {"type": "input_json_delta", "partial_json": each}
            )
            events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    end = {"type": "message_delta", "delta": {"stop_reason": finish, "stop_sequence": None}}
    events.append({**end, **({"usage": {"output_tokens": 3}} if reply.usage else {})})
    return [*events, {"type": "message_stop"}]
