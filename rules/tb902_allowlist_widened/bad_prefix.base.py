"""Before: a prefix decides where a set of names did."""
from billing import charge, refund
from orders import find

HANDLERS = {
    "find": find,
}
ALLOWED = frozenset(HANDLERS)


def execute_tool(name, arguments):
    if name not in ALLOWED:
        raise LookupError(f"unknown tool {name}")
    return HANDLERS[name](**arguments)
