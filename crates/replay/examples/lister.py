"""A strategy of one's own: controls and texts in the order of the page, as a list in Playwright's spelling."""
import json
import sys


def observation(step, page):
    lines, refs, nodes = [], {}, page["nodes"]
    for node in nodes:
        named = json.dumps(node.get("name", ""), ensure_ascii=False)
        if node.get("interactive") and node.get("role"):
            handle = f"e{len(refs) + 1}"
            refs[handle] = node["key"]
            states = "".join(f" [{state}]" for state in node.get("states", []) if state in ("checked", "disabled"))
            value = json.dumps(node["value"], ensure_ascii=False) if node.get("value") else ""
            lines.append(f"- {node['role']} {named}{states} [ref={handle}]: {value}".removesuffix(": "))
        elif node["kind"] in ("text", "pseudo") and node.get("visible") and node.get("text", "").strip():
            lines.append(f"- text: {json.dumps(node['text'], ensure_ascii=False)}")
    return {"type": "observation", "step": step, "text": "\n".join(lines), "refs": refs}


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = {"type": "ready", "protocol": 1, "version": "1"}
    else:
        answer = observation(message["step"], message["page"])
    print(json.dumps(answer), flush=True)
