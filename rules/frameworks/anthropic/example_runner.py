"""The tool runner has no bound unless it is given one."""

from anthropic import Anthropic

client = Anthropic()


def answer(messages: list, tools: list) -> None:
    for message in client.beta.messages.tool_runner(model="x", max_tokens=9, messages=messages, tools=tools):  # expect: TB107
        print(message)
    bounded = client.beta.messages.tool_runner(
        model="x", max_tokens=9, messages=messages, tools=tools, max_iterations=8
    )
    print(bounded.until_done())
