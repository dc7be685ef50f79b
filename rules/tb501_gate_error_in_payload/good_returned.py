"""The error ends the run with a marked result."""
from anthropic import Anthropic

TOOLS = {"lookup": lambda key: key.upper()}


class GateError(Exception):
    def __init__(self, code):
        super().__init__(code)
        self.code = code


def dispatch(name, arguments):
    if name not in TOOLS:
        raise GateError("unknown_tool")
    return TOOLS[name](**arguments)


def serve(client: Anthropic, messages, tools):
    for _ in range(12):
        reply = client.messages.create(model="claude-sonnet-4-5", max_tokens=1024, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return {"status": "done", "reply": reply}
        results = []
        for call in calls:
            try:
                text = dispatch(call.name, call.input)
            except GateError as error:
                return {"status": error.code, "reply": None}
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": text})
        messages.append({"role": "user", "content": results})
    raise GateError("budget_exceeded")
