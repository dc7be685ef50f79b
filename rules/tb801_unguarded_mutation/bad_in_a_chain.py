"""The tool that a chain of tests runs deletes rows."""
import json

from openai import OpenAI


def forget_customer(db, customer_id):  # expect: TB801
    db.execute("DELETE FROM customers WHERE id = %s", (customer_id,))
    return {"deleted": customer_id}


def answer(client: OpenAI, messages, tools):
    for _ in range(8):
        message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=tools).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            arguments = json.loads(call.function.arguments)
            if call.function.name == "forget_customer":
                result = forget_customer(tools.db, arguments["customer_id"])
            else:
                raise LookupError(call.function.name)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    raise LookupError("out of steps")
