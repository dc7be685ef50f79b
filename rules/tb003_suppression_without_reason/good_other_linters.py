"""The comments of other tools follow their own customs."""
import litellm  # noqa


def explain(messages):
    return litellm.completion(model="gpt-4.1", messages=messages)  # type: ignore
