"""A support assistant that looks up orders. Every gate of its loop holds."""

import asyncio
import json
import logging
import time
import uuid

from openai import AsyncOpenAI
from pydantic import BaseModel, ValidationError

log = logging.getLogger(__name__)

MAX_STEPS = 8
MAX_WALL_S = 45.0
TOKEN_BUDGET = 40_000
TOOL_TIMEOUT_S = 5.0
MAX_RESULT_BYTES = 16_000

client = AsyncOpenAI(timeout=20.0, max_retries=0)


class OrderStatus(BaseModel):
    order_id: str
    state: str


class Refund(BaseModel):
    order_id: str
    amount_cents: int


class RunEnded(Exception):
    """The run must stop; ``code`` says which bound was reached."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


async def order_status(order_id: str) -> str:
    return OrderStatus(order_id=order_id, state="shipped").model_dump_json()


async def refund_amount(order_id: str) -> str:
    return Refund(order_id=order_id, amount_cents=1250).model_dump_json()


TOOLS = {"order_status": (order_status, OrderStatus), "refund_amount": (refund_amount, Refund)}
SCHEMAS = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
    for name in TOOLS
]


async def dispatch(run_id, call, remaining):
    entry = TOOLS.get(call.function.name)
    if entry is None:
        raise RunEnded("unknown_tool")
    handler, schema = entry
    arguments = json.loads(call.function.arguments)
    try:
        raw = await asyncio.wait_for(handler(**arguments), timeout=min(TOOL_TIMEOUT_S, remaining))
    except asyncio.TimeoutError:
        return {"error": "tool_timeout"}
    if len(raw) > MAX_RESULT_BYTES:
        raise RunEnded("result_too_large")
    try:
        return schema.model_validate_json(raw).model_dump()
    except ValidationError as exc:
        raise RunEnded("schema_invalid") from exc


async def answer(messages):
    run_id = uuid.uuid4().hex
    started = time.monotonic()
    spent = 0
    for step in range(MAX_STEPS):
        remaining = MAX_WALL_S - (time.monotonic() - started)
        if remaining <= 0:
            raise RunEnded("wall_exceeded")
        log.info("step", extra={"run_id": run_id, "step": step, "max_steps": MAX_STEPS})
        last = step == MAX_STEPS - 1
        response = await client.chat.completions.create(
            model="gpt-4o-mini",
            messages=messages,
            tools=SCHEMAS,
            tool_choice="none" if last else "auto",
        )
        spent += response.usage.total_tokens
        if spent > TOKEN_BUDGET:
            raise RunEnded("token_budget_exceeded")
        choice = response.choices[0]
        if choice.finish_reason == "length":
            raise RunEnded("truncated")
        if not choice.message.tool_calls:
            return choice.message.content
        messages.append(choice.message)
        for call in choice.message.tool_calls:
            remaining = MAX_WALL_S - (time.monotonic() - started)
            result = await dispatch(run_id, call, remaining)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise RunEnded("steps_exceeded")
