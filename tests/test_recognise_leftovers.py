"""What a time limit of a tool leaves running, and what only looks so."""

from __future__ import annotations

import pytest
from recognising import subject

HEAD = """\
import asyncio
import os
import signal
import subprocess
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

"""


def hows(body: str) -> list[str]:
    """The faults of the tool timeout of the dispatcher in a module."""
    return [f.how for f in subject(HEAD + body, "dispatcher").verdict("tool-timeout").faults]


TOOL = "TOOLS = {{'shell': shell}}\n\ndef run_tool(tool_name, arguments):\n    return TOOLS[tool_name](**arguments)\n"


def handler(body: str) -> str:
    return "def shell(command, limit=60):\n" + body + "\n\n" + TOOL.format()


RUN = "async def run_tool(table, tool_name, arguments):\n"
CASES = {
    "a process pool": (
        "pool = ProcessPoolExecutor()\n\ndef run_tool(table, tool_name, arguments):\n"
        "    return pool.submit(table[tool_name], **arguments).result(timeout=9)\n",
        ["does-not-kill"],
    ),
    "an executor": (
        RUN + "    loop = asyncio.get_running_loop()\n"
        "    return await asyncio.wait_for(loop.run_in_executor(None, lambda: table[tool_name](**arguments)), 9)\n",
        ["does-not-kill"],
    ),
    "a coroutine": (RUN + "    return await asyncio.wait_for(table[tool_name](**arguments), 9)\n", []),
    "a thread inside, a block around": (
        RUN
        + "    async with asyncio.timeout(9):\n        return await asyncio.to_thread(table[tool_name], **arguments)\n",
        ["does-not-kill"],
    ),
    "gathered in place": (RUN + "    await asyncio.wait_for(asyncio.gather(table[tool_name](**arguments)), 9)\n", []),
    "shielded and cancelled": (
        RUN + "    task = asyncio.ensure_future(table[tool_name](**arguments))\n    try:\n"
        "        return await asyncio.wait_for(asyncio.shield(task), 9)\n    except OSError:\n        task.cancel()\n",
        [],
    ),
    "a shell without a limit": (handler("    return subprocess.run(command, shell=True).stdout"), ["none"]),
    "a shell in a session of its own": (
        handler("    return subprocess.run(command, shell=True, timeout=limit, start_new_session=True).stdout"),
        [],
    ),
    "shell=False": (handler("    return subprocess.run(command, shell=False, timeout=limit).stdout"), []),
    "a shell under timeout": (
        handler("    return subprocess.run(command, shell=True, timeout=limit).stdout"),
        ["misses-children"],
    ),
}


@pytest.mark.parametrize(("body", "expected"), CASES.values(), ids=CASES)
def test_what_is_left(body: str, expected: list[str]) -> None:
    assert hows(body) == expected


def test_of_two_limits_the_one_that_ends_the_work_counts() -> None:
    body = (
        RUN + "    async with asyncio.timeout(9):\n"
        "        return await asyncio.wait_for(table[tool_name](**arguments), arguments.get('limit'))\n"
    )
    assert hows(body) == []
