// Records and changes inside a chat: the protocol of MCP Apps (2026-01-26) over postMessage, and nothing else. What the
// tools answer is shown as it is; each button calls a tool. Without a host, or for an answer of another kind, the page
// stays empty, and the text of the answer is there.

const MAX_HEIGHT = 500;
const waiting = new Map();
let asked = 0;
let canTell = false;

const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");

const ask = (method, params) =>
  new Promise((resolve, reject) => {
    asked += 1;
    waiting.set(asked, { resolve, reject });
    post({ id: asked, method, params });
  });

const textOf = ({ content = [] }) => content.find(({ type }) => type === "text")?.text ?? "This did not work";

/** What a tool answers. Throws its own words if it refuses. */
async function call(name, args) {
  const result = await ask("tools/call", { name, arguments: args });
  if (result.isError) throw new Error(textOf(result));
  const answer = result.structuredContent ?? JSON.parse(textOf(result));
  const refused = (answer.results ?? []).find(({ ok }) => ok === false);
  if (refused) throw new Error(refused.detail);
  return answer;
}

/** So that the assistant knows what was done here; not every host passes it on. */
const tell = (text) =>
  canTell && ask("ui/update-model-context", { content: [{ type: "text", text }] }).catch(() => {});

function element(name, props = {}, ...children) {
  const made = Object.assign(document.createElement(name), props);
  made.append(...children.filter((child) => child !== undefined && child !== ""));
  return made;
}

// What is shown: rows, in groups.

const TITLES = {
  overdue: "Overdue",
  due_soon: "Due soon",
  stale: "Stale",
  blockers: "Blockers",
  recent_decisions: "Decided lately",
  preferences: "Preferences",
};

const OWED = { by_me: "I owe it", to_me: "owed to me" };

const days = (count) => `${count} ${count === 1 ? "day" : "days"}`;

function factsOf(item) {
  const late = item.days_overdue === undefined ? undefined : `${days(item.days_overdue)} late`;
  const stale = item.days_stale === undefined ? undefined : `unchanged for ${days(item.days_stale)}`;
  const due = item.due_date && `due ${item.due_date}`;
  const priority = ["high", "low"].includes(item.priority) && `${item.priority} priority`;
  const kind = item.what ?? (item.memory_type === "commitment" ? undefined : item.memory_type);
  return {
    late: item.days_overdue !== undefined,
    text: [priority, OWED[item.owed], kind, due, late, stale, item.project].filter(Boolean).join(" · "),
  };
}

const close = (id, outcome) => call("close_memories", { ids: [id], outcome });

/** What can be done with an open record; the key is a letter for the keyboard. */
const RECORD_ACTIONS = [
  { label: "Done", key: "d", told: "Done", act: ({ id }) => close(id, "resolved") },
  {
    label: "New day",
    key: "n",
    told: "Moved",
    day: true,
    act: ({ id }, due_date) => call("update_memory", { ids: [id], due_date }),
  },
  { label: "Drop", key: "x", told: "Dropped", act: ({ id }) => close(id, "archived") },
  { label: "Still right", key: "s", told: "Still right", act: ({ id }) => close(id, "confirmed") },
];

const CHANGE_ACTIONS = [
  {
    label: "Take back",
    key: "u",
    told: "Taken back",
    act: ({ ids }) => call("undo_changes", { ids }),
    final: true,
  },
];

const isOpen = (item) => item.status === undefined || item.status === "active";

const recordRow = (item, isHistory = false) => ({
  id: item.id,
  title: item.topic ?? item.title ?? item.id,
  text: item.content,
  facts: factsOf(item),
  actions:
    isOpen(item) && !isHistory ? RECORD_ACTIONS.filter(({ key }) => key !== "s" || !item.due_date) : [],
});

const changeRow = (change, isOwn) => ({
  id: change.record ?? "",
  ids: [change.id],
  title: change.title ?? change.record ?? "Several records",
  text: change.change ?? [change.outcome, change.status, change.detail].filter(Boolean).join(" · "),
  facts: {
    text: [change.by, change.at?.slice(0, 16).replace("T", " "), change.undone === true && "taken back"]
      .filter(Boolean)
      .join(" · "),
  },
  lines: change.lines,
  actions: isOwn && change.undone !== true ? CHANGE_ACTIONS : [],
});

/** The groups of an answer; undefined for one of another kind. */
function groupsOf(answer) {
  if (answer.sections)
    return answer.sections
      .filter(({ items }) => items.length > 0)
      .map(({ section, items, total }) => ({
        title: `${TITLES[section] ?? section} (${total})`,
        rows: items.map((one) => recordRow(one)),
      }));
  if (answer.items)
    return [
      {
        title: `Records (${answer.total})`,
        rows: answer.items.map((one) => recordRow(one, answer.view === "history")),
      },
    ];
  if (answer.changes) return [{ title: "Changes", rows: answer.changes.map((one) => changeRow(one, true)) }];
  if (answer.undone !== undefined)
    return [
      { title: `Taken back (${answer.undone})`, rows: answer.results.map((one) => changeRow(one, false)) },
    ];
  return undefined;
}

// The page.

const main = document.querySelector("main");
let heading = "Commonplace";
let entries = [];
let first = 0;

function say(row, text) {
  row.saying = text;
  const told = row.item?.querySelector(".told");
  if (told) told.textContent = text;
  else row.item?.append(element("p", { className: "told", role: "status", textContent: text }));
}

/** Does something with a row, shows what came of it, and offers to take it back. */
async function perform(row, action, ...more) {
  for (const button of row.item.querySelectorAll("button")) button.disabled = true;
  try {
    const { change_id } = await action.act(row, ...more);
    row.over = action.told;
    row.undo = action.final ? undefined : change_id;
    row.saying = undefined;
    tell(`In the view, the user chose “${action.label}” for ${row.id || row.title}.`);
  } catch (problem) {
    row.saying = problem.message;
  }
  row.asking = false;
  refresh(row);
}

async function takeBack(row) {
  try {
    await call("undo_changes", { ids: row.undo });
    Object.assign(row, { over: undefined, undo: undefined, saying: undefined });
    tell(`In the view, the user took back what was chosen for ${row.id}.`);
  } catch (problem) {
    row.saying = problem.message;
  }
  refresh(row);
}

const named = (row, label) => ({ ariaLabel: `${label}: ${row.title}`, textContent: label, type: "button" });

function dayForm(row, action) {
  const input = element("input", { type: "date", required: true, ariaLabel: `New day: ${row.title}` });
  const set = element("button", { textContent: "Set", type: "button" });
  set.onclick = () => input.reportValidity() && perform(row, action, input.value);
  input.onkeydown = ({ key }) => {
    if (key === "Enter") set.click();
    if (key === "Escape") {
      row.asking = false;
      refresh(row);
    }
  };
  return element("div", { className: "actions" }, input, set);
}

function actionsOf(row) {
  const asking = row.asking && row.actions.find(({ day }) => day);
  if (asking) return dayForm(row, asking);
  const buttons = row.over
    ? row.undo
      ? [element("button", { ...named(row, "Undo"), onclick: () => takeBack(row) })]
      : []
    : row.actions.map((action) =>
        element("button", { ...named(row, action.label), onclick: () => choose(row, action) }),
      );
  const keys = row.over ? ["u"] : row.actions.map(({ key }) => key);
  for (const [place, button] of buttons.entries()) button.dataset.key = keys[place];
  return element("div", { className: "actions" }, ...buttons);
}

function choose(row, action) {
  if (!action.day) return perform(row, action);
  row.asking = true;
  refresh(row);
  row.item.querySelector("input").focus();
}

function draw(row) {
  const { text, late } = row.facts;
  const words = element(
    "div",
    {},
    element("div", {
      className: "title",
      textContent: row.over ? `${row.over}: ${row.title}` : row.title,
      title: row.title,
    }),
    row.text && row.text !== row.title
      ? element("div", { className: "text", textContent: row.text, title: row.text })
      : undefined,
    text ? element("div", { className: late ? "facts late" : "facts", textContent: text }) : undefined,
    ...(row.lines ?? []).slice(0, 4).map((line) => element("div", { className: "facts", textContent: line })),
  );
  const item = element("li", { className: row.over ? "over" : "", tabIndex: -1 }, words, actionsOf(row));
  item.onkeydown = (event) => onKey(event, item);
  row.item = item;
  if (row.saying) say(row, row.saying);
  return item;
}

/** Draws a row again where it is; what had the focus has it still. */
function refresh(row) {
  const before = row.item;
  before.replaceWith(draw(row));
  row.item.tabIndex = before.tabIndex;
  row.item.focus();
  report();
}

function onKey(event, item) {
  if (event.target.tagName === "INPUT" || event.ctrlKey || event.metaKey || event.altKey) return;
  const items = [...main.querySelectorAll("li")];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const other = step && items[items.indexOf(item) + step];
  const button = item.querySelector(`button[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (other) other.focus();
  else if (button) button.click();
  if (other || button) event.preventDefault();
}

const height = () => Math.ceil(main.getBoundingClientRect().height);
const report = () => post({ method: "ui/notifications/size-changed", params: { height: height() } });

/** A row at the end of the page, below its heading if it begins a group. Returns what was added, outermost first. */
function append(place, { group, row }, isFirst) {
  const item = draw(row);
  if (isFirst) {
    const [title, list] = [element("h2", { textContent: group }), element("ul", {}, item)];
    place.before(title, list);
    return [title, list];
  }
  place.previousElementSibling.append(item);
  return [item];
}

/** Adds rows until the next one would make the page too high. Returns how many there are. */
function fill(place) {
  let group;
  for (const [count, entry] of entries.slice(first).entries()) {
    const added = append(place, entry, entry.group !== group);
    group = entry.group;
    if (height() <= MAX_HEIGHT || count === 0) continue;
    for (const one of added) one.remove();
    return count;
  }
  return entries.length - first;
}

/** As many rows as fit without scrolling, from `first` on, and the way to the others. */
function show() {
  const words = element("span", { className: "facts" });
  const place = element("footer", {}, words);
  main.replaceChildren(element("h1", { textContent: heading }), place);
  const count = fill(place);
  const left = entries.length - first - count;
  if (entries.length === 0) words.textContent = "Nothing is open here.";
  if (left > 0) words.textContent = `${left} more`;
  const ways = [...(first > 0 ? [["From the top", 0]] : []), ...(left > 0 ? [["Next", first + count]] : [])];
  for (const [label, to] of ways)
    place.append(element("button", { textContent: label, type: "button", onclick: () => go(to) }));
  if (entries.length > 0 && ways.length === 0) place.remove();
  const top = main.querySelector("li");
  if (top) top.tabIndex = 0;
  report();
}

function go(to) {
  first = to;
  show();
  main.querySelector("li")?.focus();
}

function receive({ structuredContent, isError, ...result }) {
  if (isError) return;
  let answer = structuredContent;
  try {
    answer ??= JSON.parse(textOf(result));
  } catch {
    return;
  }
  const groups = groupsOf(answer);
  if (!groups) return;
  heading = `Commonplace${answer.today ? `, ${answer.today}` : ""}`;
  entries = groups.flatMap(({ title, rows }) => rows.map((row) => ({ group: title, row })));
  first = 0;
  show();
}

function dress({ theme } = {}) {
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}

const HEARD = {
  "ui/notifications/tool-result": receive,
  "ui/notifications/host-context-changed": dress,
};

addEventListener("message", ({ source, data }) => {
  if (source !== parent || data?.jsonrpc !== "2.0") return;
  const { id, method, params = {}, result, error } = data;
  if (method === undefined) {
    const one = waiting.get(id);
    waiting.delete(id);
    if (error) one?.reject(new Error(error.message));
    else one?.resolve(result);
  } else if (id !== undefined) post({ id, result: {} });
  else if (Object.hasOwn(HEARD, method)) HEARD[method](params);
});

let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width || entries.length === 0) return;
  width = innerWidth;
  show();
});

if (parent !== window)
  ask("ui/initialize", {
    appInfo: { name: "commonplace", version: "1" },
    appCapabilities: {},
    protocolVersion: "2026-01-26",
  }).then(({ hostContext, hostCapabilities }) => {
    canTell = hostCapabilities?.updateModelContext !== undefined;
    dress(hostContext);
    post({ method: "ui/notifications/initialized", params: {} });
  });
