"""Whether code can hang, and which of its calls say how long they wait."""

from __future__ import annotations

import pytest
from recognising import world

from toolbind_lint.recognise.waits import Survey

HEAD = "import asyncio\nimport json\nimport subprocess\nfrom pathlib import Path\n\nimport httpx\nimport requests\n\n"


def survey(body: str) -> Survey:
    """What is known of the function ``tool``."""
    found = world(HEAD + body)
    return found.tools.waits.survey([found.function("tool")])


STATES = {
    "limited": [
        "def tool(u):\n    return requests.get(u, timeout=9).text\n",
        "def tool(c):\n    return subprocess.run(c, timeout=9)\n",
        "client = httpx.Client(timeout=9)\n\ndef tool(u):\n    return client.get(u)\n",
        "async def tool(c):\n    p = await asyncio.create_subprocess_exec(c)\n"
        "    await asyncio.wait_for(p.communicate(), 9)\n",
        "def tool(u):\n    return fetch(u)\n\ndef fetch(u):\n    return requests.get(u, timeout=9)\n",
        "import wiki\n\ndef tool(q):\n    return wiki.search(q, timeout_s=9)\n",
        "LIMITS = {'timeout': 9}\n\ndef tool(u):\n    return requests.get(u, **LIMITS)\n",
    ],
    "unlimited": [
        "def tool(u):\n    return requests.get(u).text\n",
        "def tool(u):\n    return requests.get(u, timeout=None).text\n",
        "def tool(c):\n    return subprocess.run(c, shell=True)\n",
        "def tool(u):\n    return httpx.get(u)\n",
        "def tool(c):\n    p = subprocess.Popen(c)\n    return p.communicate()\n",
        "def tool(u):\n    return fetch(u)\n\ndef fetch(u):\n    return requests.get(u)\n",
    ],
    "off": ["def tool(u, limit=None):\n    return requests.get(u, timeout=limit)\n"],
    "unknown": ["import wiki\n\ndef tool(q):\n    return wiki.search(q)\n"],
}


@pytest.mark.parametrize(("state", "body"), [(state, body) for state, bodies in STATES.items() for body in bodies])
def test_a_wait_is_told_with_its_limit(state: str, body: str) -> None:
    assert [wait.state for wait in survey(body).waits] == [state]


@pytest.mark.parametrize(
    ("body", "files"),
    [
        ("def tool(a, b):\n    return a + len(b)\n", False),
        ("def tool(text):\n    return json.loads(text.strip())\n", False),
        ("def tool(p, text):\n    Path(p).write_text(text)\n", True),
        ("def tool(p):\n    with open(p) as f:\n        return f.read()\n", True),
    ],
)
def test_what_computes_or_edits_a_file_cannot_hang(body: str, files: bool) -> None:
    found = survey(body)
    assert (found.waits, found.files) == ((), files)


def test_what_the_model_writes_can_hang_when_it_is_evaluated() -> None:
    assert [wait.state for wait in survey("def tool(e):\n    return eval(e)\n").waits] == ["unknown"]


def test_a_process_that_was_killed_is_not_waited_for_long() -> None:
    body = (
        "def tool(c):\n    p = subprocess.Popen(c)\n    try:\n        p.communicate(timeout=9)\n"
        "    except subprocess.TimeoutExpired:\n        p.kill()\n        p.communicate()\n"
    )
    assert [wait.state for wait in survey(body).waits] == ["limited"]
