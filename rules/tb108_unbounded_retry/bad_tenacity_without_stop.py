"""A tenacity decorator that waits nicely and never gives up."""
from anthropic import Anthropic
from tenacity import retry, wait_exponential

client = Anthropic()


@retry(wait=wait_exponential(max=60))  # expect: TB108
def ask(messages, tools):
    return client.messages.create(model="claude-sonnet-4-5", max_tokens=1024, messages=messages, tools=tools)
