"""A process of its own that is killed at the deadline."""
import multiprocessing


def _work(queue, tool, arguments: dict) -> None:
    queue.put(tool(**arguments))


def run_tool(table: dict, tool_name: str, arguments: dict) -> object:
    queue = multiprocessing.Queue()
    worker = multiprocessing.Process(target=table[tool_name], args=(queue, arguments))
    worker.start()
    worker.join(timeout=20)
    if worker.is_alive():
        worker.kill()
        raise TimeoutError(tool_name)
    return queue.get(timeout=1)
