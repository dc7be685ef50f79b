"""The helper that runs a tool returns the text in place of the result."""
from anthropic import Anthropic


class Toolbox:
    def __init__(self, handlers):
        self.handlers = handlers

    def use(self, name, arguments):
        try:
            return self.handlers[name](**arguments)
        except Exception as problem:  # expect: TB505
            return f"Tool {name} failed: {problem}"


def serve(client: Anthropic, messages, tools, toolbox: Toolbox):
    for _ in range(10):
        reply = client.messages.create(model="claude-sonnet-4-5", max_tokens=1024, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return reply
        results = []
        for call in calls:
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": toolbox.use(call.name, call.input)})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("out of steps")
