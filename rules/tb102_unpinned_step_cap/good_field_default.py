"""The finite default of a field is committed with the class."""
from dataclasses import dataclass, field

from anthropic import Anthropic


@dataclass
class Librarian:
    client: Anthropic
    tools: list
    handlers: dict
    max_turns: int = 15
    messages: list = field(default_factory=list)

    def work(self):
        for _ in range(self.max_turns):
            reply = self.client.messages.create(
                model="claude-sonnet-4-5", max_tokens=1024, messages=self.messages, tools=self.tools
            )
            self.messages.append({"role": "assistant", "content": reply.content})
            calls = [block for block in reply.content if block.type == "tool_use"]
            if not calls:
                return reply
            results = [
                {"type": "tool_result", "tool_use_id": call.id, "content": self.handlers[call.name](**call.input)}
                for call in calls
            ]
            self.messages.append({"role": "user", "content": results})
        raise RuntimeError(f"stopped after {self.max_turns} turns")
