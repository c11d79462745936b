"""BrowserGym 0.14.3: the accessibility tree as text, as AgentLab's default agent (AGENT_4o) asks for it: with `visible`
and `clickable`.

In: `browsergym.core.observation`, called in the order of `BrowserEnv._get_obs`, over Playwright's CDP connection.
Invariant: marks that later observations do not read are taken back, so the page keeps no attribute but `bid`.

Two departures, both from outside. Its marking script waits for an IntersectionObserver with setInterval in the page's
main world, which stands still here: `until` waits with Atomics.waitAsync instead, as often and as long. And the script
copies each element's `value` and `checked` into attributes and leaves them (an `<ol>` then counts from 0): what it
wrote is put back after the observation.
"""

import importlib.metadata
import re
import time
import types

# The same function but for its timer: 40 ms of real time between two looks, a second at most.
UNTIL = """async function until(f, timeout, interval=40) {
    const cell = new Int32Array(new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer);
    for (let waited = 0; !f(); waited += interval) {
        if (waited > timeout) throw undefined;
        await Atomics.waitAsync(cell, 0, 0, interval).value;
    }
}
"""
KEEP = """() => {
    const kept = [];
    const walk = (root) => {
        for (const e of root.querySelectorAll('*')) {
            if (typeof e.value !== 'undefined' || typeof e.checked !== 'undefined')
                kept.push([e, e.getAttribute('value'), e.getAttribute('checked')]);
            if (e.shadowRoot) walk(e.shadowRoot);
        }
    };
    walk(document);
    window[Symbol.for('browserlens.kept')] = kept;
}"""
PUT_BACK = """() => {
    const key = Symbol.for('browserlens.kept');
    const put = (e, name, old) => {
        if (e.getAttribute(name) === old) return;
        if (old === null) e.removeAttribute(name); else e.setAttribute(name, old);
    };
    for (const [e, value, checked] of window[key] ?? []) { put(e, 'value', value); put(e, 'checked', checked); }
    delete window[key];
    const walk = (root) => {
        for (const e of root.querySelectorAll('*')) {
            e.removeAttribute('browsergym_visibility_ratio');
            e.removeAttribute('browsergym_set_of_marks');
            if (e.shadowRoot) walk(e.shadowRoot);
        }
    };
    walk(document);
}"""
TRIES = 5


def attach(endpoint: str, viewport: dict, target: str, folder: str) -> "BrowserGym":
    return BrowserGym(endpoint, target)


class BrowserGym:
    version = importlib.metadata.version("browsergym-core")

    def __init__(self, endpoint: str, target: str):
        import playwright.sync_api
        from browsergym.core import observation
        from browsergym.utils.obs import flatten_axtree_to_str

        self._errors = (playwright.sync_api.Error, observation.MarkingError)
        self._failure = playwright.sync_api.Error
        self._observation = observation
        self._flatten = flatten_axtree_to_str
        self._axtrees = {}
        self._patch()
        self._playwright = playwright.sync_api.sync_playwright().start()
        self._playwright.selectors.set_test_id_attribute("bid")
        browser = self._playwright.chromium.connect_over_cdp(endpoint)
        self._page = self._find(browser, target)
        # With a listener Playwright leaves dialogs alone; without one it dismisses them.
        self._page.context.on("dialog", lambda dialog: None)

    def _patch(self) -> None:
        observation = self._observation
        plain = observation.pkgutil.get_data

        def get_data(package, resource):
            data = plain(package, resource)
            if not resource.endswith("frame_mark_elements.js"):
                return data
            text, count = re.subn(r"async function until\(.*?\n}\n", lambda _: UNTIL, data.decode(), flags=re.DOTALL)
            if count != 1:
                raise RuntimeError("the marking script has no function until")
            return text.encode()

        observation.pkgutil = types.SimpleNamespace(get_data=get_data)
        all_trees = observation.extract_all_frame_axtrees

        def kept_trees(page):
            self._axtrees = all_trees(page)
            return self._axtrees

        observation.extract_all_frame_axtrees = kept_trees

    @staticmethod
    def _find(browser, target: str):
        for context in browser.contexts:
            for page in context.pages:
                session = context.new_cdp_session(page)
                found = session.send("Target.getTargetInfo")["targetInfo"]["targetId"]
                session.detach()
                if found == target:
                    return page
        raise RuntimeError(f"playwright knows no page {target}")

    def _everywhere(self, script: str) -> None:
        for frame in self._page.frames:
            try:
                frame.evaluate(script)
            except self._failure:
                pass  # gone, or not allowed to run scripts, and then it was not marked either

    def observe(self) -> dict:
        observation = self._observation
        self._everywhere(KEEP)
        began = time.perf_counter_ns()
        try:
            for left in reversed(range(TRIES)):
                try:
                    observation._pre_extract(self._page, tags_to_mark="standard_html", lenient=left == 0)
                    dom = observation.extract_dom_snapshot(self._page)
                    axtree = observation.extract_merged_axtree(self._page)
                    observation.extract_focused_element_bid(self._page)
                    extra = observation.extract_dom_extra_properties(dom, scale_factor=1.0)
                    break
                except self._errors:
                    observation._post_extract(self._page)
                    if left == 0:
                        raise
                    time.sleep(0.5)
            observation._post_extract(self._page)
            text = self._flatten(axtree, extra_properties=extra, with_visible=True, with_clickable=True)
            micros = (time.perf_counter_ns() - began) // 1000
        finally:
            self._everywhere(PUT_BACK)
        return {"outputs": [{"variant": "axtree", "text": text, "micros": micros, "refs": self._refs(text)}]}

    def _refs(self, text: str) -> list:
        shown = set(re.findall(r"^\t*\[([a-zA-Z0-9]+)\]", text, flags=re.MULTILINE))
        refs = []
        for frame, tree in self._axtrees.items():
            for node in tree["nodes"]:
                bid = node.get("browsergym_id")
                if bid in shown:
                    refs.append([bid, node.get("backendDOMNodeId"), frame])
        return refs
