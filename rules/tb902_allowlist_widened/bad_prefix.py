"""A prefix decides where a set of names did."""
from billing import charge, refund
from orders import find

HANDLERS = {
    "find": find,
}
ALLOWED = frozenset(HANDLERS)


def execute_tool(name, arguments):
    if not name.startswith(("find", "refund")):  # expect: TB902
        raise LookupError(f"unknown tool {name}")
    return globals()[name](**arguments)
