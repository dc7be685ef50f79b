"""Every tool ends its own wait; an edit of a local file has none."""
import subprocess
from pathlib import Path

import requests


def shell(command: list) -> str:
    return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout


def fetch(url: str) -> str:
    return requests.get(url, timeout=(5, 20)).text


def edit(path: str, text: str) -> str:
    Path(path).write_text(text)
    return "written"


TOOLS = {"shell": shell, "fetch": fetch, "edit": edit}


def run_tool(tool_name: str, arguments: dict) -> str:
    return TOOLS[tool_name](**arguments)
