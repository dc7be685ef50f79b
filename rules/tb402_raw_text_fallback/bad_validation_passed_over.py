"""The validation's failure is passed over."""
from anthropic import Anthropic
from pydantic import BaseModel, ValidationError


class Hits(BaseModel):
    total: int
    titles: list[str]


def search_loop(client: Anthropic, messages, tools, registry):
    for _ in range(10):
        reply = client.messages.create(model="claude-sonnet-4-5", max_tokens=1024, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return reply
        results = []
        for call in calls:
            output = registry[call.name](**call.input)
            try:
                output = Hits.model_validate_json(output).model_dump_json()
            except ValidationError:  # expect: TB402
                pass
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": output})
        messages.append({"role": "user", "content": results})
    raise RuntimeError("out of steps")
