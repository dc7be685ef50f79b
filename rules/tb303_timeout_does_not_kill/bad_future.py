"""The future gives up, the thread does not."""
from concurrent.futures import ThreadPoolExecutor

pool = ThreadPoolExecutor(4)


def run_tool(table: dict, tool_name: str, arguments: dict) -> object:
    future = pool.submit(table[tool_name], **arguments)
    return future.result(timeout=30)  # expect: TB303
