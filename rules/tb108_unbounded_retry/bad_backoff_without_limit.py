"""A backoff decorator without a number of tries or a time."""
import backoff
import litellm


@backoff.on_exception(backoff.expo, litellm.RateLimitError)  # expect: TB108
def complete(messages, tools):
    return litellm.completion(model="gpt-4.1", messages=messages, tools=tools)
