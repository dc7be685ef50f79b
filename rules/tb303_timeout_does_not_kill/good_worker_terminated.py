"""A worker process is ended at the deadline, and the wait for it with it."""
import multiprocessing


def run_tool(table: dict, tool_name: str, arguments: dict) -> None:
    worker = multiprocessing.Process(target=table[tool_name], kwargs=arguments)
    worker.start()
    worker.join(timeout=20)
    if worker.is_alive():
        worker.terminate()
        worker.join()
