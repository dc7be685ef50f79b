"""The expiry is computed before the call and read after it."""
import time

from anthropic import Anthropic


class Clinic:
    def __init__(self, tools, handlers):
        self.client = Anthropic()
        self.tools = tools
        self.handlers = handlers

    def consult(self, messages):
        for _ in range(10):
            reply = self.client.messages.create(
                model="claude-sonnet-4-5", max_tokens=1024, messages=messages, tools=self.tools
            )
            messages.append({"role": "assistant", "content": reply.content})
            calls = [block for block in reply.content if block.type == "tool_use"]
            if not calls:
                return reply
            results = [
                {"type": "tool_result", "tool_use_id": call.id, "content": self._call(call.name, call.input)}
                for call in calls
            ]
            messages.append({"role": "user", "content": results})
        raise RuntimeError("out of steps")

    def _call(self, name, arguments):
        expires = time.monotonic() + 20
        text = self.handlers[name](**arguments)  # expect: TB302
        if time.monotonic() > expires:
            raise TimeoutError(name)
        return text
