"""Pages of a listing, of which the last says so; no model is asked."""
from openai import OpenAI


def all_files(client: OpenAI):
    found, after = [], None
    while True:
        page = client.files.list(limit=100, after=after) if after else client.files.list(limit=100)
        found.extend(page.data)
        if not page.has_more:
            return found
        after = page.data[-1].id
