"""The error's code goes back as a flagged result; the flag ends nothing."""
from anthropic import Anthropic

TOOLS = {"lookup": lambda key: key.upper()}


class GateError(Exception):
    def __init__(self, code):
        super().__init__(code)
        self.code = code


def dispatch(spent, name, arguments):
    if len(spent) >= 20:
        raise GateError("budget_exceeded")
    spent.append(name)
    return TOOLS[name](**arguments)


def serve(client: Anthropic, messages, tools):
    spent = []
    for _ in range(12):
        reply = client.messages.create(model="claude-sonnet-4-5", max_tokens=1024, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return reply
        results = []
        for call in calls:
            result = {"type": "tool_result", "tool_use_id": call.id}
            try:
                result["content"] = dispatch(spent, call.name, call.input)
            except GateError as error:  # expect: TB501
                result.update(content=error.code, is_error=True)
            results.append(result)
        messages.append({"role": "user", "content": results})
    raise GateError("budget_exceeded")
