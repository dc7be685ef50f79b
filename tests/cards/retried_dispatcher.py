"""A dispatcher that a service imports: each call is tried again, payments too."""

import time

from bank import gateway


class UnknownTool(Exception):
    pass


def transfer_funds(source: str, target: str, cents: int) -> dict:
    gateway.transfer(source, target, cents)
    return {"moved": cents}


def balance(account: str) -> dict:
    return {"cents": gateway.balance(account)}


TOOLS = {"transfer_funds": transfer_funds, "balance": balance}


def execute(run_id, tool_name, arguments):
    tool = TOOLS.get(tool_name)
    if tool is None:
        raise UnknownTool(tool_name)
    for attempt in range(3):
        try:
            return tool(**arguments)
        except ConnectionError:
            time.sleep(attempt)
    raise ConnectionError(run_id)
