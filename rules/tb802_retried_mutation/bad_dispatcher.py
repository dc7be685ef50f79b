"""A dispatcher under a retry runs whatever is in its table."""
import backoff
from shop import payments


def transfer_funds(source: str, target: str, cents: int):
    return payments.transfer(source, target, cents)


TOOLS = {"transfer_funds": transfer_funds}


@backoff.on_exception(backoff.expo, ConnectionError, max_tries=4)  # expect: TB802
def execute(tool_name, arguments):
    return TOOLS[tool_name](**arguments)
