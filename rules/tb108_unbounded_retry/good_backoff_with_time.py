"""Two minutes in all, then the error goes out."""
import backoff
import litellm


@backoff.on_exception(backoff.expo, litellm.RateLimitError, max_time=120)
def complete(messages, tools):
    return litellm.completion(model="gpt-4.1", messages=messages, tools=tools)
