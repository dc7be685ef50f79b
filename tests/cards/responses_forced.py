"""A triage assistant over the Responses API. A tool is forced on every turn, so no turn can be the answer."""

import json
import time

from openai import OpenAI

client = OpenAI(timeout=30)

MAX_ROUNDS = 10
WALL_S = 90
OPTIONS = {"model": "gpt-4.1", "tool_choice": "required", "parallel_tool_calls": False}


class TriageStopped(Exception):
    """A bound of the run was reached."""


def label_ticket(ticket_id, label):
    return {"ticket": ticket_id, "label": label}


def assign_ticket(ticket_id, team):
    return {"ticket": ticket_id, "team": team}


ACTIONS = {"label_ticket": label_ticket, "assign_ticket": assign_ticket}


def triage(ticket, tools):
    deadline = time.monotonic() + WALL_S
    pending = [{"role": "user", "content": ticket}]
    previous = None
    rounds = 0
    while True:
        if time.monotonic() >= deadline:
            raise TriageStopped("wall")
        response = client.responses.create(input=pending, tools=tools, previous_response_id=previous, **OPTIONS)
        previous = response.id
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            return response.output_text
        pending = []
        for call in calls:
            if call.name not in ACTIONS:
                raise TriageStopped("unknown tool")
            result = ACTIONS[call.name](**json.loads(call.arguments))
            pending.append({"type": "function_call_output", "call_id": call.call_id, "output": json.dumps(result)})
        rounds += 1
        if rounds >= MAX_ROUNDS:
            raise TriageStopped("rounds")
