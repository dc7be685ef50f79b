"""A refund desk: money goes back on the model's word, and a decorator may send it twice."""

import json

from anthropic import Anthropic
from shop import ledger
from tenacity import retry, stop_after_attempt

client = Anthropic(timeout=20, max_retries=0)


@retry(stop=stop_after_attempt(3))
def issue_refund(order_id: str, cents: int) -> dict:
    return {"receipt": ledger.refund(order_id, cents).number}


def order_total(order_id: str) -> dict:
    return {"cents": ledger.order(order_id).cents}


DESK = {"issue_refund": issue_refund, "order_total": order_total}


def serve(run_id, messages, specs):
    for step in range(6):
        reply = client.messages.create(model="claude-sonnet-4-5", max_tokens=800, messages=messages, tools=specs)
        messages.append({"role": "assistant", "content": reply.content})
        if reply.stop_reason == "max_tokens":
            raise OverflowError(run_id)
        uses = [block for block in reply.content if block.type == "tool_use"]
        if not uses:
            return reply.content[0].text
        answers = []
        for use in uses:
            ledger.audit(run_id=run_id, step=step, max_steps=6, tool=use.name)
            answers.append({"type": "tool_result", "tool_use_id": use.id, "content": json.dumps(DESK[use.name](**use.input))})
        messages.append({"role": "user", "content": answers})
    raise TimeoutError(run_id)
