"""The thread is no longer waited for after ten seconds."""
import threading


def run_tool(table: dict, tool_name: str, arguments: dict) -> dict:
    out: dict = {}
    worker = threading.Thread(target=lambda: out.update(result=table[tool_name](**arguments)), daemon=True)
    worker.start()
    worker.join(timeout=10)  # expect: TB303
    return out
