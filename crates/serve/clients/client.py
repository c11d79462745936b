"""Calls every tool of a server through the official MCP client for Python, and prints what came of it, one JSON object
a line.

    client.py PLAN stdio COMMAND ARGUMENT...
    client.py PLAN http URL

The plan is a list of [tool, arguments]; a text such as "$button:Go" among the arguments stands for the ref that `find`
gives for it.
"""

import asyncio
import json
import re
import sys

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client


def say(**row):
    print(json.dumps(row), flush=True)


def text_of(result):
    return "".join(part.text for part in result.content if part.type == "text")


async def resolved(client, value):
    if isinstance(value, list):
        return [await resolved(client, one) for one in value]
    if isinstance(value, dict):
        return {name: await resolved(client, one) for name, one in value.items()}
    if not (isinstance(value, str) and value.startswith("$")):
        return value
    role, _, text = value[1:].partition(":")
    found = text_of(await client.call_tool("find", {"role": role, "text": text, "limit": 1}))
    match = re.search(r"@e[0-9.]+", found)
    return match.group(0) if match else "@e0"


async def main():
    plan = json.loads(sys.argv[1])
    target = sys.argv[3] if sys.argv[2] == "http" else stdio_client(
        StdioServerParameters(command=sys.argv[3], args=sys.argv[4:])
    )
    async with Client(target) as client:
        listed = await client.list_tools()
        say(tools=[tool.name for tool in listed.tools])
        for tool, arguments in plan:
            given = {name: await resolved(client, value) for name, value in arguments.items()}
            result = await client.call_tool(tool, given)
            failed = bool(getattr(result, "is_error", getattr(result, "isError", False)))
            images = sum(part.type == "image" for part in result.content)
            say(tool=tool, failed=failed, text=text_of(result), images=images)


asyncio.run(main())
