"""Ten attempts by default; both stops as None go on for ever."""

import stamina
from openai import OpenAI

client = OpenAI()


@stamina.retry(on=Exception)
def ask(messages: list, tools: list) -> object:
    return client.chat.completions.create(model="gpt-5", messages=messages, tools=tools)


@stamina.retry(on=Exception, attempts=None)
def by_time(messages: list, tools: list) -> object:
    return client.chat.completions.create(model="gpt-5", messages=messages, tools=tools)


@stamina.retry(on=Exception, attempts=None, timeout=None)  # expect: TB108
def for_ever(messages: list, tools: list) -> object:
    return client.chat.completions.create(model="gpt-5", messages=messages, tools=tools)
