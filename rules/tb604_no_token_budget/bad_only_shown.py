"""Usage is added up for the report at the end."""
from anthropic import Anthropic


class Worker:
    def __init__(self, client: Anthropic, tools, handlers):
        self.client = client
        self.tools = tools
        self.handlers = handlers
        self.tokens_in = 0
        self.tokens_out = 0

    def ask(self, messages):
        reply = self.client.messages.create(
            model="claude-sonnet-4-5", max_tokens=1024, messages=messages, tools=self.tools
        )
        self.tokens_in += reply.usage.input_tokens
        self.tokens_out += reply.usage.output_tokens
        return reply

    def run(self, messages):
        for _ in range(10):  # expect: TB604
            reply = self.ask(messages)
            messages.append({"role": "assistant", "content": reply.content})
            calls = [block for block in reply.content if block.type == "tool_use"]
            if not calls:
                print(f"{self.tokens_in} in, {self.tokens_out} out")
                return reply
            results = [
                {"type": "tool_result", "tool_use_id": c.id, "content": self.handlers[c.name](**c.input)} for c in calls
            ]
            messages.append({"role": "user", "content": results})
        raise RuntimeError("out of steps")
