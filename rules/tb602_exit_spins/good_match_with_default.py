"""A `match` with a default that leaves."""
from anthropic import AsyncAnthropic


async def write(client: AsyncAnthropic, messages, tools, handlers):
    while True:
        reply = await client.messages.create(
            model="claude-sonnet-4-5", max_tokens=512, messages=messages, tools=tools
        )
        match reply.stop_reason:
            case "end_turn" | "stop_sequence":
                return reply
            case "tool_use":
                messages.append({"role": "assistant", "content": reply.content})
                results = []
                for block in reply.content:
                    if block.type == "tool_use":
                        text = await handlers[block.name](**block.input)
                        results.append({"type": "tool_result", "tool_use_id": block.id, "content": text})
                messages.append({"role": "user", "content": results})
            case other:
                raise RuntimeError(f"reply ended with {other}")
