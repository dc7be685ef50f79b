"""An inventory assistant whose bounds live in a budget object. The call budget is told to the model instead of ending the run."""

import json

import anthropic

from .budget import BudgetExceeded, RunBudget

client = anthropic.Anthropic()

STOCK = {"bolt": 120, "nut": 75}
TOOLS = [{"name": "stock", "description": "Pieces in stock", "input_schema": {"type": "object"}}]


def stock(item):
    return {"item": item, "pieces": STOCK.get(item, 0)}


HANDLERS = {"stock": stock}


def call_tool(budget, use):
    budget.take_call()
    return json.dumps(HANDLERS[use.name](**use.input))


def run(question):
    budget = RunBudget()
    messages = [{"role": "user", "content": question}]
    while True:
        budget.take_turn()
        reply = client.messages.create(model="claude-sonnet-4-5", max_tokens=1000, messages=messages, tools=TOOLS)
        messages.append({"role": "assistant", "content": reply.content})
        uses = [block for block in reply.content if block.type == "tool_use"]
        if not uses:
            return reply.content[0].text
        results = []
        for use in uses:
            try:
                content = call_tool(budget, use)
            except BudgetExceeded as exc:
                content = f"error: {exc}"
            results.append({"type": "tool_result", "tool_use_id": use.id, "content": content})
        messages.append({"role": "user", "content": results})
