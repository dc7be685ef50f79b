"""The decorator says when it gives up."""
from openai import OpenAI
from tenacity import retry, stop_after_attempt, wait_exponential

client = OpenAI()


@retry(stop=stop_after_attempt(4), wait=wait_exponential(max=20), reraise=True)
def ask(messages, tools):
    return client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools)
