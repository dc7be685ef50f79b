"""One turn for each case of a data set: the data ends the loop."""
from anthropic import Anthropic


def score(client: Anthropic, cases, tools):
    right = 0
    for case in cases:
        reply = client.messages.create(
            model="claude-haiku-4-5",
            max_tokens=300,
            messages=[{"role": "user", "content": case["question"]}],
            tools=tools,
        )
        names = [block.name for block in reply.content if block.type == "tool_use"]
        right += names == case["expected_tools"]
    return right / len(cases)
