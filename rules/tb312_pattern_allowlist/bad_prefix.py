"""Whatever begins with the prefix is let through."""
from anthropic import Anthropic


class Warehouse:
    def tool_count(self, sku):
        return "12"

    def tool_purge(self, sku):
        return "gone"

    def run(self, client: Anthropic, messages, tools):
        for _ in range(8):
            reply = client.messages.create(model="claude-sonnet-4-5", max_tokens=512, messages=messages, tools=tools)
            messages.append({"role": "assistant", "content": reply.content})
            calls = [block for block in reply.content if block.type == "tool_use"]
            if not calls:
                return reply
            results = []
            for call in calls:
                if not call.name.startswith("tool_"):  # expect: TB312
                    raise LookupError(call.name)
                text = getattr(self, call.name)(**call.input)
                results.append({"type": "tool_result", "tool_use_id": call.id, "content": text})
            messages.append({"role": "user", "content": results})
        raise RuntimeError("out of steps")
