"""Before: a loop comes without cap and budget."""
from openai import OpenAI

client = OpenAI()
TOOLS = {"search": print}
