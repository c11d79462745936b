"""Scripts that solve tasks of MiniWoB++ by the server's tools, as an agent would: the goal, the controls and what
happened all come out of answers.

In: an `Agent`, whose page has been opened. Out: `TASKS`, a function a task; it returns when it believes the task done,
and raises `GaveUp` where the answers do not hold what it needs. No page's source is read, no selector and no code is
sent: what the answers do not tell cannot be acted on.
"""
import re
import time

TASKS = {}


class GaveUp(Exception):
    """An answer did not hold what the script needs."""


def task(*names):
    """Registers the script of these tasks."""

    def register(script):
        TASKS.update(dict.fromkeys(names, script))
        return script

    return register


QUOTED = r'"((?:[^"\\]|\\.)*)"(?:…(?: \+\d+ chars)?)?'
# States that end each other.
OPPOSITES = [{"checked", "unchecked"}, {"pressed", "unpressed"}, {"expanded", "collapsed"}]
# One element: its role, its name, its ref, one of the last two at least, then its states and its value.
ELEMENT = re.compile(
    rf"(?:(?P<role>[A-Za-z]+) )?(?:~?{QUOTED}(?: (?P<named>@e[\d.]+))?|(?P<bare>@e[\d.]+))"
    rf"(?P<states>(?: [a-z-]+(?![\w:]))*)(?: value: {QUOTED})?"
)


class Element:
    """One element as an answer writes it: role (empty for text), name, ref (None without), states, and value (None
    without)."""

    def __init__(self, role, name, ref, states="", value=None):
        self.role, self.name, self.ref, self.states = role or "", plain(name or ""), ref, states.strip()
        self.value = None if value is None else plain(value)

    def __repr__(self):
        return " ".join(part for part in (self.role, repr(self.name), self.ref, self.states, self.value) if part)


def plain(text):
    """Takes the escapes out of what an answer quotes."""
    return re.sub(r"\\(.)", r"\1", text)


def elements_of(text):
    """Returns the elements that stand in a piece of an answer, in its order."""
    found = ELEMENT.finditer(text)
    return [Element(each["role"], each[2], each["named"] or each["bare"], each["states"], each[6]) for each in found]


class Reader:
    """Unfolds an observation into its elements, in the order of the page. A pattern (`like @e7`) lasts as long as the
    reader."""

    def __init__(self):
        self.patterns = {}

    def read(self, observation):
        elements, left, pattern = [], 0, ""
        for line in observation.splitlines():
            line = re.sub(r"^\s*- ", "", line) if left == 0 else line
            head = re.search(r"(\d+) × (.*?)(?: @)?:(?: (.*))?$", line)
            if left:
                left -= 1
                elements += self.row(pattern, line)
            elif head and not head[3]:
                # Rows follow, one a line.
                elements += elements_of(line[: head.start()])
                left, pattern = int(head[1]), head[2]
                like = re.match(r"like (@e\d+)", pattern)
                pattern = self.patterns.get(like[1], "") if like else pattern
            elif head:
                # The rows stand on this line: `5 × button @: 9 No |10 Yes [disabled]`, or names alone, of what has no
                # ref.
                elements += elements_of(line[: head.start()])
                role, *shared = head[2].split()
                refs = line[: head.start(3)].rstrip().endswith("@:")
                for cell in re.split(r" ?(?<!\\)\|(?: |(?=\d))", head[3]):
                    number, name, states = re.match(
                        r"(\d+)? ?(.*?)(?: \[([^\]]*)\])?$", cell if refs else f" {cell}"
                    ).groups()
                    own = (states or "").split()
                    also = [
                        state
                        for state in shared
                        if not any({state, other} in OPPOSITES or other == f"-{state}" for other in own)
                    ]
                    own = [state for state in own if not state.startswith("-")]
                    elements.append(
                        Element(role, name.removeprefix("~"), f"@e{number}" if number else None, " ".join(also + own))
                    )
            else:
                elements += elements_of(line)
        return elements

    def row(self, pattern, line):
        """Fills one row into its pattern: `7 Tea | Buy` into `link "{1}" @, button "{2}" .1`."""
        number, fields = re.match(r" ?(\d*) ?(.*)", line).groups()
        fields = [field.strip() for field in re.split(r" ?(?<!\\)\|", fields)]
        fields = fields[1:] if not number and fields and not fields[0] else fields
        if number:
            self.patterns[f"@e{number}"] = pattern
        filled = re.sub(
            r"\{(\d+)\}", lambda field: fields[int(field[1]) - 1] if int(field[1]) <= len(fields) else "", pattern
        )
        filled = re.sub(r"(?<![\w.])@(?!e)", f"@e{number}", filled)
        filled = re.sub(r"(?<= )\.(\d+)", rf"@e{number}.\1", filled)
        return elements_of(filled)


class Agent:
    """What a script has: the tools, what was last answered, and the page as it was when it was opened."""

    def __init__(self, server, url):
        self.server, self.reader = server, Reader()
        self.last = server.call("navigate", url=url)
        # What stayed the same as on the page before is not in the answer, but is part of this task.
        if "[FULL PAGE STATE" not in self.last:
            self.observe()
        # The first line has the page's title, which is no part of the goal.
        self.page = "\n".join(
            line for line in plain(self.last).splitlines() if not re.match(r"\[(?:FULL|DELTA)|PAGE: ", line)
        )

    def call(self, tool, **given):
        self.last = self.server.call(tool, **given)
        return self.last

    def observe(self):
        """Returns the elements of the whole page, in its order."""
        return self.reader.read(self.call("observe", full=True))

    def goal(self, pattern):
        """Returns what the groups of the pattern match in the page as it was opened."""
        match = re.search(pattern, self.page)
        if not match:
            raise GaveUp(f"no goal like {pattern!r} in: {self.page[:300]}")
        return match.groups()

    def seen(self, pattern):
        """Returns the match of the pattern in the last answer, or None."""
        return re.search(pattern, plain(self.last))

    def find(self, text="", role="", **given):
        """Returns what `find` finds, in its order."""
        answer = self.call("find", text=text, role=role, **given)
        lines = [line[2:] for line in answer.splitlines() if line.startswith("- ")]
        return [element for line in lines for element in elements_of(line)[:1]]

    def all(self, role, text=""):
        """Returns the refs of every element of this role, in the order of the page."""
        return [element.ref for element in self.find(text, role, limit=200) if element.ref and element.role == role]

    def one(self, name, role="", nth=0):
        """Returns the ref of the element of exactly this name; `nth` of several."""
        found = self.find(name, role)
        same = [element.ref for element in found if element.ref and element.name.strip() == name.strip()]
        if len(same) <= nth:
            raise GaveUp(f"no {role or 'control'} {name!r} with a ref; find said: {self.last[:300]}")
        return same[nth]

    def click(self, name, role="", **given):
        """Clicks a ref, or the element of this name."""
        return self.call("click", ref=name if name.startswith("@e") else self.one(name, role), **given)

    def type(self, ref, text, **given):
        return self.call("type", ref=ref, text=text, **given)

    def submit(self, name="Submit"):
        return self.click(name, "button")


def number(text):
    """Reads `1st`, `2nd`, `-6`, `1.5`."""
    return float(re.match(r"-?[\d.]*\d", text)[0])


# What is only clicked: the goal gives the names, in order; the last element may be a button that is always the same.
CLICKS = {
    "click-button": (r'Click on the "([^"]+)" button', []),
    "click-link": (r'Click on the link "([^"]+)"', []),
    "click-button-sequence": (r"Click button (ONE), then click button (TWO)", []),
    "click-test-transfer": (r"Click button (\w+)", []),
    "click-test": (r'button "(Click Me!)"', []),
    "click-dialog": (r'button "(Close)"', []),
}


def clicks(agent, pattern, then):
    for name in [*agent.goal(pattern), *then]:
        agent.click(name)


for name, (pattern, then) in CLICKS.items():
    TASKS[name] = lambda agent, pattern=pattern, then=then: clicks(agent, pattern, then)


# What is typed into the only textbox and sent: the goal gives the text.
TEXTS = {
    "enter-text": (r'Enter "([^"]+)" into the text field', str),
    "enter-text-dynamic": (r'Enter "([^"]+)" into the text field', str),
    "find-word": None,
    "simple-arithmetic": (r"(\d+ [-+x] \d+) =", lambda asked: str(calculate(asked))),
}
TEXTS = {name: how for name, how in TEXTS.items() if how}


def calculate(asked):
    left, sign, right = asked.split()
    return {"+": int.__add__, "-": int.__sub__, "x": int.__mul__}[sign](int(left), int(right))


def text(agent, pattern, answer):
    agent.type(agent.all("textbox")[0], answer(*agent.goal(pattern)))
    agent.submit()


for name, (pattern, answer) in TEXTS.items():
    TASKS[name] = lambda agent, pattern=pattern, answer=answer: text(agent, pattern, answer)


@task("ascending-numbers")
def ascending_numbers(agent):
    shown = [element for element in agent.observe() if element.ref and element.name.isdigit()]
    for element in sorted(shown, key=lambda each: int(each.name)):
        agent.click(element.ref)


@task("button-delay")
def button_delay(agent):
    seconds, = agent.goal(r"Click button ONE, wait (\d+) seconds?, then click button TWO")
    one, two = agent.one("ONE"), agent.one("TWO")
    began = time.monotonic()
    agent.click(one)
    # Answers come later than what they tell of: the tool waits for a part, the script for the rest.
    left = began + int(seconds) - time.monotonic() - 0.6
    if left > 0:
        agent.call("wait", ms=int(left * 1000))
    time.sleep(max(0, began + int(seconds) - time.monotonic()))
    agent.click(two)


@task("click-checkboxes-large", "click-checkboxes-transfer")
def checkboxes(agent):
    names, = agent.goal(r"Select (.+?) and click Submit")
    agent.call("fill", fields=[{"ref": agent.one(name, "checkbox"), "value": True} for name in names.split(", ")])
    agent.submit()


# Words that the pages of click-checkboxes-soft take for alike; an agent knows them.
ALIKE = [
    "big large huge enormous gigantic",
    "small tiny little mini petite",
    "happy cheerful joyful delighted gleeful pleased",
    "sad unhappy sorrowful gloomy",
    "funny hilarious amusing comical humorous",
    "evil wicked sinister immoral sinful",
    "red crimson scarlet",
    "fire fires flame flames blaze",
    "brave courageous fearless bold heroic",
    "hate detest loathe despise",
    "love adore",
    "cut slice chop carve",
    "wrong incorrect mistaken erroneous",
    "pretty beautiful lovely gorgeous",
    "house houses home homes",
    "mad angry irritated furious",
    "pig pigs pork",
    "car cars vehicle vehicles automobile automobiles",
    "fat chubby plump",
    "stop end cease halt",
    "answer reply response respond",
    "afraid scared panicked frightened",
    "old aged archaic ancient elderly",
    "television televisions TV TVs",
    "stupid dumb unwise foolish",
    "real genuine actual authentic",
    "odd strange weird",
    "keep maintain preserve",
    "hide conceal camouflage",
    "rabbit rabbits bunny bunnies",
    "delicious savory appetizing tasty",
    "peaceful calm tranquil quiet",
    "water",
    "ocean oceans sea",
]


@task("click-checkboxes-soft")
def checkboxes_soft(agent):
    words, = agent.goal(r"Select words similar to (.+?) and click Submit")
    alike = {other for word in words.split(", ") for group in ALIKE if word in group.split() for other in group.split()}
    for box in agent.find(role="checkbox"):
        if box.name in alike:
            agent.click(box.ref)
    agent.submit()


@task("click-collapsible-2", "click-tab-2", "click-tab-2-hard")
def sections(agent):
    link, = agent.goal(r'find and click on the link "([^"]+)"')
    for tab in agent.all("tab"):
        agent.click(tab)
        found = [element.ref for element in agent.find(link) if element.name == link and element.ref]
        if found:
            return agent.click(found[0])
    raise GaveUp(f"no link {link!r} below any tab")


@task("click-collapsible-nodelay")
def collapsible(agent):
    agent.click(agent.all("tab")[0])
    agent.submit()


@task("click-menu-2")
def menu(agent):
    name = re.search(r'the item labeled "([^"]+)"', agent.page)
    agent.click("Menu")
    # Some items stand in a menu below "Playback" or "Zoom"; it comes when the pointer is on that.
    for over in ["", "Playback", "Zoom"]:
        if over and agent.find(over, "menuitem"):
            agent.call("hover", ref=agent.one(over, "menuitem"))
        wanted = name[1] if name else item_with_the_icon(agent)
        found = [element.ref for element in agent.find(wanted, "menuitem") if element.name == wanted] if wanted else []
        if found:
            return agent.click(found[0])
    raise GaveUp(f"no item {name[1] if name else 'with the icon'}")


def item_with_the_icon(agent):
    """Returns the name of the item that has the icon of the task; both are only drawn, and told by their classes."""
    task, *items = re.split(r"<li", agent.call("snapshot", mode="content", format="html"))
    icon = re.search(r"ui-icon-(?!caret)[\w-]+", task)
    for item in items if icon else []:
        own = item.split("<ul")[0]
        if f'{icon[0]}"' in own:
            return re.sub(r"<[^>]*>|^[^>]*>", "", own).strip()
    return ""


@task("click-pie")
def pie(agent):
    name, = agent.goal(r'click on the item labeled "([^"]+)"')
    agent.click("+")
    agent.click(name)


@task("click-scroll-list")
def scroll_list(agent):
    names, = agent.goal(r"Select (.+?) from the scroll list")
    agent.call("select", ref=agent.all("listbox")[0], option=names.split(", "))
    agent.submit()


@task("form-sequence-3")
def dropdown(agent):
    option, button = agent.goal(r'Choose (.+?) from the dropdown, then click the button labeled "(\w+)"')
    box = next(element.ref for element in agent.observe() if element.ref)
    agent.click(box)
    agent.click(option)
    agent.click(button)


@task("form-sequence-2")
def radio_and_text(agent):
    radio, value, box = agent.goal(
        r'Check the (\d)\w+ radio button and enter the number "(-?\d+)" into the (\d)\w+ textbox'
    )
    radios, boxes = agent.all("radio"), agent.all("textbox")
    agent.call(
        "fill", fields=[{"ref": radios[int(radio) - 1], "value": True}, {"ref": boxes[int(box) - 1], "value": value}]
    )
    agent.submit()


@task("focus-text-2")
def focus(agent):
    nth, = agent.goal(r"Focus into the (\d)\w+ input textbox")
    agent.click(agent.all("textbox")[int(nth) - 1])


@task("login-user")
def login(agent):
    user, password = agent.goal(r'username "([^"]+)" and the password "([^"]+)"')
    agent.call(
        "fill",
        fields=[{"ref": agent.one("Username"), "value": user}, {"ref": agent.one("Password"), "value": password}],
    )
    agent.submit("Login")


@task("multi-orderings")
def movies(agent):
    genre, director, year = agent.goal(r"Search for (.+?) movies directed by (.+?) from year (\d+)")
    values = {"Genre": genre, "Director": director, "Year": year}
    fields, label = [], ""
    for element in agent.observe():
        label = element.name if element.name in values else label
        if element.role == "textbox":
            fields.append({"ref": element.ref, "value": values[label]})
    agent.call("fill", fields=fields)
    agent.click("Submit")


@task("read-table", "read-table-2")
def read_table(agent):
    elements = agent.observe()
    cells = [element.name for element in elements if element.role in ("cell", "rowheader")]
    values = dict(zip(cells[::2], cells[1::2]))
    boxes = [element for element in elements if element.role == "textbox"]
    asked = re.search(r"Enter the value of (.+?) into", agent.page)
    names = [asked[1]] if asked else [box.name.rstrip(":") for box in boxes]
    for box, name in zip(boxes, names):
        agent.type(box.ref, values[name])
    agent.submit()


@task("enter-date")
def enter_date(agent):
    month, day, year = agent.goal(r"Enter (\d\d)/(\d\d)/(\d{4}) as the date")
    agent.type(next(element.ref for element in agent.observe() if element.ref), f"{year}-{month}-{day}")
    agent.submit()


MONTHS = "January February March April May June July August September October November December".split()


def shown_month(agent):
    """Returns months since year 0 of the calendar in the last answer, or in a new look."""
    pattern = rf"({'|'.join(MONTHS)}) (\d{{4}})"
    said = agent.seen(pattern)
    if not said:
        agent.find("20")
        said = agent.seen(pattern)
    if not said:
        raise GaveUp("no calendar")
    return int(said[2]) * 12 + MONTHS.index(said[1])


def pick_date(agent, field, month, day, year, turn):
    agent.click(field)
    back = shown_month(agent) - (int(year) * 12 + int(month) - 1)
    turn(agent, back)
    agent.click(str(int(day)), "link")


def turn_by_keys(agent, back):
    if back:
        agent.call("press", key="PageUp" if back > 0 else "PageDown", times=abs(back))


def turn_by_clicks(agent, back):
    for _ in range(abs(back)):
        agent.click("Prev" if back > 0 else "Next", "link")


@task("choose-date", "choose-date-easy", "choose-date-nodelay")
def choose_date(agent):
    month, day, year = agent.goal(r"Select (\d\d)/(\d\d)/(\d{4}) as the date")
    pick_date(agent, agent.all("textbox")[0], month, day, year, turn_by_keys)
    agent.submit()


@task("book-flight")
def flight(agent):
    which, start, end, month, day, year = agent.goal(
        r"Book the (\w+) one-way flight from: (.+?) to: (.+?) on (\d+)/(\d+)/(\d+)\."
    )
    boxes = agent.all("textbox")
    for box, place in zip(boxes, [start, end]):
        agent.type(box, place, keys=True)
        agent.call("wait", text=place if "," in place else f"({place})")
        agent.click(next(element.ref for element in agent.find(place) if element.ref and element.role != "textbox"))
    pick_date(agent, boxes[2], month, day, year, turn_by_clicks)
    agent.submit("Search")
    flights, minutes = [], 0
    for element in agent.observe():
        length = re.fullmatch(r"(\d+)h (\d+)m", element.name)
        minutes = int(length[1]) * 60 + int(length[2]) if length else minutes
        price = re.fullmatch(r"Book flight for \$(\d+)", element.name)
        if price:
            flights.append((int(price[1]), minutes, element.ref))
    agent.click(min(flights, key=lambda each: each[0 if which == "cheapest" else 1])[2])


@task("copy-paste")
def copy_paste(agent):
    boxes = [element for element in agent.find(role="textbox") if element.ref]
    source, to = sorted(boxes, key=lambda box: not box.value)
    agent.call("press", key="Control+a", ref=source.ref)
    agent.call("press", key="Control+c")
    agent.call("press", key="Control+v", ref=to.ref)
    agent.submit()


@task("scroll-text")
def scroll_text(agent):
    area, box = agent.all("textbox")[:2]
    value, = agent.goal(r'value: "([^"]+)"')
    agent.type(box, re.findall(r"\w+", value)[-1])
    agent.submit()


@task("find-word")
def find_word(agent):
    nth, paragraph = agent.goal(r'Find the (\d+)\w+ word in the paragraph.*?, (?:textbox )?~?"([^"]+)"')
    agent.type(agent.all("textbox")[0], re.findall(r"[\w'-]+", paragraph)[int(nth) - 1])
    agent.submit()


@task("email-inbox", "email-inbox-forward", "email-inbox-forward-nl-turk", "email-inbox-nl-turk", "email-inbox-reply")
def email(agent):
    goal, = agent.goal(r'- "(.+)')
    goal = goal.split('", heading')[0]
    elements = agent.observe()
    senders = {}
    for element, after in zip(elements, elements[1:]):
        # A card's first text is who wrote; a card that says nothing else has it for a name.
        name = (element.name if "derived" not in element.states else "") or ("" if after.ref else after.name)
        if element.role == "clickable" and element.ref and name and name[0].isupper():
            senders.setdefault(name.split()[0], element.ref)
    # The one who wrote is named before the one who gets it, but for "give Ann the email from Bob".
    written = re.search(rf"(?:from|by|sent by) ({'|'.join(senders)})\b", goal) or re.search(
        rf"\b({'|'.join(senders)})\b", goal
    )
    sender = written[1]
    agent.click(senders[sender])
    if re.search(r"forward|send|give", goal, re.I) and not re.search(r"reply|respon", goal, re.I):
        others = [name for name in re.findall(r"\b(?:to|with|give|send) ([A-Z]\w+)", goal) if name != sender]
        agent.click("Forward")
        agent.type(next(element.ref for element in agent.find(role="textbox")), others[0])
        agent.click(icon(agent, "send"))
    elif re.search(r"reply|respon|answer", goal, re.I):
        said = re.search(r'"([^"]+)"', goal)[1]
        agent.click("Reply")
        agent.type(agent.all("textbox")[-1], said)
        agent.click(icon(agent, "send"))
    elif re.search(r"star|important", goal, re.I):
        agent.click(icon(agent, "star|important"))
    else:
        agent.click(icon(agent, "trash|delete"))


def icon(agent, words):
    """Returns the ref of the control whose name, or what is said of it, has one of these words."""
    found = [
        element
        for element in agent.observe()
        if element.ref and re.search(words, f"{element.name} {element.states}", re.I)
    ]
    if not found:
        raise GaveUp(f"no control is named {words}; the page: {plain(agent.last)[:300]}")
    return found[0].ref


@task("social-media-all", "social-media-some")
def social(agent):
    button, count, person = agent.goal(r'Click the "(\w+)" button on (all|\d+) posts? by (@\w+)')
    refs, author = [], ""
    for element in agent.observe():
        author = (
            re.search(r"@\w+$", element.name)[0]
            if re.search(r"\w+ @\w+$", element.name) and not element.ref
            else author
        )
        if element.ref and author == person and element.name.lower() == button.lower():
            refs.append(element.ref)
    if not refs:
        raise GaveUp(f"no control is named {button}")
    for ref in refs if count == "all" else refs[: int(count)]:
        agent.click(ref)
    agent.submit()


@task("order-food")
def food(agent):
    items, = agent.goal(r'"Order ([^"]+)"')
    kinds = re.match(r"(\d+) items that are (.+)", items)
    names = [] if kinds else items.split(": ")[1].split(", ")
    dishes = []
    for element in agent.observe():
        if element.name == "+" and element.ref and dishes:
            dishes[-1]["plus"] = element.ref
        elif element.role == "image" and dishes:
            dishes[-1]["signs"].append(element.name)
        elif not element.role and "Order" not in element.name:
            dishes.append({"name": element.name, "signs": []})
    chosen = [
        dish["plus"]
        for dish in dishes
        if "plus" in dish and (dish["name"] in names or kinds and kinds[2] in dish["signs"])
    ]
    for ref in chosen[: int(kinds[1])] if kinds else chosen:
        agent.click(ref)
    agent.submit("Order!")


@task("search-engine")
def search(agent):
    words, nth = agent.goal(r'enter "([^"]+)" and press "Search", then find and click the (\d+)\w+ search result')
    agent.type(agent.all("textbox")[0], words)
    agent.submit("Search")
    left = int(nth) - 1
    while True:
        results = [element.ref for element in agent.find(role="link") if not re.fullmatch(r"\d+|<|>", element.name)]
        if left < len(results):
            return agent.click(results[left])
        left -= len(results)
        agent.click(">", "link")


@task("generate-number")
def generate(agent):
    than = re.search(r"number (less|greater) than (\d+)", agent.page)
    odd = re.search(r"an? (odd|even) number", agent.page)
    for _ in range(60):
        agent.click("Generate")
        shown = [int(element.name) for element in agent.observe() if not element.role and element.name.isdigit()]
        if not shown:
            raise GaveUp("no number is shown")
        value = shown[0]
        if (
            than
            and (value < int(than[2]) if than[1] == "less" else value > int(than[2]))
            or odd
            and value % 2 == (odd[1] == "odd")
        ):
            return agent.submit()
    raise GaveUp("60 numbers, none that fits")


@task("guess-number")
def guess(agent):
    low, high = (int(each) for each in agent.goal(r"number between (\d+)-(\d+)"))
    box = agent.all("spinbutton")[0]
    while low <= high:
        middle = (low + high) // 2
        agent.type(box, str(middle))
        agent.submit()
        if "Last reward: -" not in agent.last and agent.seen(r"Last reward: \d"):
            return
        agent.find("number is")
        if agent.seen("lower than"):
            high = middle - 1
        elif agent.seen("higher than|greater than"):
            low = middle + 1
        else:
            return


@task("use-autocomplete")
def autocomplete(agent):
    start, = agent.goal(r'starts with "([^"]+)"')
    end = re.search(r'ends with "([^"]+)"', agent.page)
    agent.type(agent.all("textbox")[0], start, keys=True)
    fits = [
        element
        for element in agent.find(start)
        if element.ref and element.role != "textbox" and element.name.startswith(start)
    ]
    fits = [element for element in fits if not end or element.name.endswith(end[1])]
    if not fits:
        raise GaveUp(f"no proposal fits; find said: {agent.last[:200]}")
    agent.click(fits[-1].ref)
    agent.submit()


COLOURS = {
    "red": "FF0000",
    "green": "00FF00",
    "blue": "0000FF",
    "yellow": "FFFF00",
    "cyan": "00FFFF",
    "magenta": "FF00FF",
    "black": "000000",
    "white": "FFFFFF",
    "gray": "808080",
    "grey": "808080",
    "orange": "FFA500",
    "pink": "FFC0CB",
    "purple": "800080",
    "brown": "A52A2A",
    "lime": "00FF00",
    "aqua": "00FFFF",
    "navy": "000080",
    "teal": "008080",
    "olive": "808000",
    "maroon": "800000",
}


@task("use-colorwheel")
def colour(agent):
    name, = agent.goal(r"Select (\w+) with the color picker")
    agent.type(agent.all("textbox")[0], COLOURS[name])
    agent.submit()


@task("use-slider")
def slider(agent):
    wanted, = agent.goal(r"Select (-?\d+) with the slider")
    elements = [element for element in agent.observe() if element.ref or re.fullmatch(r"-?\d+", element.name)]
    handle = next(element.ref for element in elements if element.ref)
    shown = next(int(element.name) for element in elements if not element.ref)
    by = int(wanted) - shown
    if by:
        agent.call("press", key="ArrowRight" if by > 0 else "ArrowLeft", ref=handle, times=abs(by))
    agent.submit()


@task("use-spinner")
def spinner(agent):
    wanted, = agent.goal(r"Select (-?\d+) with the spinner")
    by = int(wanted)
    if by:
        agent.call("press", key="ArrowUp" if by > 0 else "ArrowDown", ref=agent.all("spinbutton")[0], times=abs(by))
    agent.submit()


# How far a shape is dragged for a word of the goal; 40 px lie well inside the page.
WAYS = {"up": [0, -40], "down": [0, 40], "left": [-40, 0], "right": [40, 0]}


@task("drag-circle", "drag-single-shape")
def drag_shape(agent):
    way, = agent.goal(r"Drag the \w+ (\w+) then press Submit")
    shape = next(element.ref for element in agent.observe() if element.ref and element.name != "Submit")
    agent.call("drag", **{"from": shape, "by": WAYS[way]})
    agent.submit()


@task("drag-items")
def drag_items(agent):
    name, where = agent.goal(r"Drag (\w+) (.+?)\.")
    items = [element for element in agent.observe() if element.ref]
    names = [item.name for item in items]
    if name not in names:
        raise GaveUp(f"{name} has no ref of its own: {items}")
    at = names.index(name)
    by = re.match(r"(up|down) by (\w+) position", where)
    steps = {"one": 1, "two": 2, "three": 3}
    if by:
        to = at + steps.get(by[2], 1) * (1 if by[1] == "down" else -1)
    else:
        to = int(number(where.replace("to the ", ""))) - 1
    if to != at:
        agent.call("drag", **{"from": items[at].ref, "to": items[to].ref, "place": "after" if to > at else "before"})


@task("drag-shapes")
def drag_shapes(agent):
    kind, = agent.goal(r"Drag all (\w+?)s into the black box")
    shapes = [
        element
        for element in agent.observe()
        if element.ref and re.search(kind[:4], f"{element.name} {element.states}")
    ]
    box = [element for element in agent.observe() if element.ref and re.search("container|box", element.name)]
    if not shapes or not box:
        raise GaveUp(f"no ref is called {kind} or the box: {plain(agent.last)[:200]}")
    for shape in shapes:
        agent.call("drag", **{"from": shape.ref, "to": box[0].ref})
    agent.submit()


@task("find-greatest")
def greatest(agent):
    def cards():
        return [element for element in agent.observe() if element.role == "clickable"]

    values = []
    for nth in range(len(cards())):
        agent.click(cards()[nth].ref)
        shown = [int(card.name) for card in cards() if card.name.isdigit()]
        if not shown:
            raise GaveUp("the card does not say its number")
        values.append(shown[0])
    best = values.index(max(values))
    if best != len(values) - 1:
        agent.click(cards()[best].ref)
    agent.submit()


@task("stock-market")
def stock(agent):
    limit, = agent.goal(r"when the price is less than \$([\d.]+\d)")
    buy = agent.one("Buy")
    for _ in range(200):
        agent.find("Stock price")
        price = agent.seen(r"Stock price: \$([\d.]+)")
        if price and float(price[1]) < float(limit):
            return agent.click(buy)
    raise GaveUp("the price did not fall so far in 200 looks")


@task("text-editor")
def editor(agent):
    word, how, what = re.search(
        r"(?:give|make) (?:the text (\S+)|everything) the (style|color) (\w+)", agent.page
    ).groups()
    box = agent.all("textbox")[0]
    if word:
        content, = agent.goal(rf'textbox {box}[^"]*"([^"]+)"')
        agent.call("press", key="Control+Home", ref=box)
        before = content.index(word)
        if before:
            agent.call("press", key="ArrowRight", times=before)
        agent.call("press", key="Shift+ArrowRight", times=len(word))
    else:
        agent.call("press", key="Control+a", ref=box)
    if how == "style":
        agent.click(icon(agent, {"bold": "bold", "italics": "italic", "underlined": "underline"}[what]))
    else:
        agent.click(icon(agent, "colou?r"))
        agent.click(icon(agent, what))
    agent.submit()


@task("hover-shape")
def hover_shape(agent):
    shapes = [element for element in agent.observe() if element.ref]
    if not shapes:
        raise GaveUp("the shape has no ref")
    for _ in range(30):
        agent.call("hover", ref=shapes[0].ref)


@task("circle-center")
def circle_center(agent):
    circles = [element for element in agent.observe() if element.ref and "circle" in f"{element.name} {element.states}"]
    if not circles:
        raise GaveUp("the circle has no ref")
    agent.click(circles[0].ref)
    agent.submit()


@task("tic-tac-toe")
def tic_tac_toe(agent):
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    for _ in range(5):
        cells = [element for element in agent.observe() if element.ref][:9]
        marks = "".join((re.search(r"\b[XO]\b", f"{cell.name} {cell.states}".upper()) or [" "])[0] for cell in cells)
        if len(cells) < 9 or agent.seen(r"Episodes done: 1"):
            return
        free = [nth for nth in range(9) if marks[nth] == " "]
        wins = [
            n
            for player in "XO"
            for line in lines
            for n in line
            if marks[n] == " " and sum(marks[m] == player for m in line) == 2
        ]
        agent.click(cells[next(iter([*wins, *(n for n in (4, 0, 8, 2, 6, 1, 3, 5, 7) if n in free)]))].ref)
        if marks.strip() == "" and not re.search(
            r"\b[XO]\b", " ".join(element.name for element in agent.observe() if element.ref)
        ):
            raise GaveUp("what stands in a cell is not told")
