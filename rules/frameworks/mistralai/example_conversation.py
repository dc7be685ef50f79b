"""A conversation with functions has no bound; a single turn is none."""

from mistralai.client import Mistral

client = Mistral(api_key="x")


async def answer(question: str) -> None:
    client.chat.complete(model="mistral-large", messages=[question])
    await client.beta.conversations.run_async(run_ctx=None, inputs=question)  # expect: TB107
