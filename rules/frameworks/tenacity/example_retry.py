"""Stops that are joined: one that ends suffices with `|`, all must end with `&`."""

from openai import OpenAI
from tenacity import Retrying, retry, stop_after_attempt, stop_after_delay, stop_any, stop_never, wait_fixed

client = OpenAI()


@retry(stop=stop_after_attempt(4) | stop_never)
def ask(messages: list, tools: list) -> object:
    return client.chat.completions.create(model="gpt-5", messages=messages, tools=tools)


@retry(stop=stop_any(stop_never, stop_after_delay(30)))
def ask_for_a_while(messages: list, tools: list) -> object:
    return client.chat.completions.create(model="gpt-5", messages=messages, tools=tools)


@retry(stop=stop_after_attempt(4) & stop_never)  # expect: TB108
def ask_on(messages: list, tools: list) -> object:
    return client.chat.completions.create(model="gpt-5", messages=messages, tools=tools)


def ask_in_a_loop(messages: list, tools: list) -> None:
    for attempt in Retrying(wait=wait_fixed(1)):  # expect: TB108
        with attempt:
            client.chat.completions.create(model="gpt-5", messages=messages, tools=tools)
    for attempt in Retrying(wait=wait_fixed(1), stop=stop_after_attempt(3)):
        with attempt:
            client.chat.completions.create(model="gpt-5", messages=messages, tools=tools)
