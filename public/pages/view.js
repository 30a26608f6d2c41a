// Shows records and changes inside a chat, using only the protocol of MCP Apps (2026-01-26) over postMessage. It renders the
// answers of tools, and each button calls a tool. Without a host, or for any other answer, the page stays empty: the chat
// shows the answer's text.

const MAX_HEIGHT = 500;
const pendingRequests = new Map();
let requestCount = 0;
let canUpdateContext = false;

const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");

const request = (method, params) =>
  new Promise((resolve, reject) => {
    requestCount += 1;
    pendingRequests.set(requestCount, { resolve, reject });
    post({ id: requestCount, method, params });
  });

const resultText = ({ content = [] }) =>
  content.find(({ type }) => type === "text")?.text ?? "Something went wrong. Try again.";

/** The answer of a tool. Throws with its message if it refuses. */
async function callTool(name, args) {
  const result = await request("tools/call", { name, arguments: args });
  if (result.isError) throw new Error(resultText(result));
  const answer = result.structuredContent ?? JSON.parse(resultText(result));
  const rejected = (answer.results ?? []).find(({ ok }) => ok === false);
  if (rejected) throw new Error(rejected.detail);
  return answer;
}

/** Tells the assistant what the user did here, if the host supports it. */
const updateContext = (text) =>
  canUpdateContext &&
  request("ui/update-model-context", { content: [{ type: "text", text }] }).catch(() => {});

function element(name, props = {}, ...children) {
  const created = Object.assign(document.createElement(name), props);
  created.append(...children.filter((child) => child !== undefined && child !== ""));
  return created;
}

// Rows, in groups.

const TITLES = {
  overdue: "Overdue",
  due_soon: "Due soon",
  stale: "Stale",
  blockers: "Blockers",
  recent_decisions: "Recent decisions",
  preferences: "Preferences",
};

const OWED = { by_me: "I owe this", to_me: "owed to me" };

const dayCount = (count) => `${count} ${count === 1 ? "day" : "days"}`;

function recordFacts(item) {
  const late = item.days_overdue === undefined ? undefined : `${dayCount(item.days_overdue)} late`;
  const stale = item.days_stale === undefined ? undefined : `unchanged for ${dayCount(item.days_stale)}`;
  const due = item.due_date && `due ${item.due_date}`;
  const priority = ["high", "low"].includes(item.priority) && `${item.priority} priority`;
  const kind = item.what ?? (item.memory_type === "commitment" ? undefined : item.memory_type);
  return {
    isLate: item.days_overdue !== undefined,
    text: [priority, OWED[item.owed], kind, due, late, stale, item.project].filter(Boolean).join(" · "),
  };
}

const close = (id, outcome) => callTool("close_memories", { ids: [id], outcome });

/** Actions of an open record. `key`: its keyboard shortcut; `done`: what the row says afterwards. */
const RECORD_ACTIONS = [
  { label: "Done", key: "d", done: "Done", act: ({ id }) => close(id, "resolved") },
  {
    label: "Reschedule",
    key: "n",
    done: "Rescheduled",
    day: true,
    act: ({ id }, due_date) => callTool("update_memory", { ids: [id], due_date }),
  },
  { label: "Drop", key: "x", done: "Dropped", act: ({ id }) => close(id, "archived") },
  { label: "Still true", key: "s", done: "Still true", act: ({ id }) => close(id, "confirmed") },
];

const CHANGE_ACTIONS = [
  {
    label: "Undo",
    key: "u",
    done: "Undone",
    act: ({ ids }) => callTool("undo_changes", { ids }),
    isFinal: true,
  },
];

const isOpen = (item) => item.status === undefined || item.status === "active";

const recordRow = (item, isHistory = false) => ({
  id: item.id,
  title: item.topic ?? item.title ?? item.id,
  text: item.content,
  facts: recordFacts(item),
  actions:
    isOpen(item) && !isHistory ? RECORD_ACTIONS.filter(({ key }) => key !== "s" || !item.due_date) : [],
});

const changeRow = (change, isOwn) => ({
  id: change.record ?? "",
  ids: [change.id],
  title: change.title ?? change.record ?? "Several records",
  text: change.change ?? [change.outcome, change.status, change.detail].filter(Boolean).join(" · "),
  facts: {
    text: [change.by, change.at?.slice(0, 16).replace("T", " "), change.undone === true && "undone"]
      .filter(Boolean)
      .join(" · "),
  },
  lines: change.lines,
  actions: isOwn && change.undone !== true ? CHANGE_ACTIONS : [],
});

/** The groups of an answer; undefined for one of another kind. */
function answerGroups(answer) {
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
    return [{ title: `Undone (${answer.undone})`, rows: answer.results.map((one) => changeRow(one, false)) }];
  return undefined;
}

// The page.

const main = document.querySelector("main");
let heading = "Commonplace";
let entries = [];
let first = 0;

function showMessage(row, text) {
  row.message = text;
  const shown = row.item?.querySelector(".message");
  if (shown) shown.textContent = text;
  else row.item?.append(element("p", { className: "message", role: "status", textContent: text }));
}

/** Performs an action on a row, shows the outcome and offers to undo it. */
async function perform(row, action, ...more) {
  for (const button of row.item.querySelectorAll("button")) button.disabled = true;
  try {
    const { change_id } = await action.act(row, ...more);
    row.outcome = action.done;
    row.undoId = action.isFinal ? undefined : change_id;
    row.message = undefined;
    updateContext(`In the view, the user chose “${action.label}” for ${row.id || row.title}.`);
  } catch (problem) {
    row.message = problem.message;
  }
  row.isChoosingDay = false;
  refresh(row);
}

async function undo(row) {
  try {
    await callTool("undo_changes", { ids: row.undoId });
    Object.assign(row, { outcome: undefined, undoId: undefined, message: undefined });
    updateContext(`In the view, the user undid the change of ${row.id}.`);
  } catch (problem) {
    row.message = problem.message;
  }
  refresh(row);
}

const buttonProps = (row, label) => ({
  ariaLabel: `${label}: ${row.title}`,
  textContent: label,
  type: "button",
});

function dayForm(row, action) {
  const input = element("input", { type: "date", required: true, ariaLabel: `New due date: ${row.title}` });
  const set = element("button", { textContent: "Set", type: "button" });
  set.onclick = () => input.reportValidity() && perform(row, action, input.value);
  input.onkeydown = ({ key }) => {
    if (key === "Enter") set.click();
    if (key === "Escape") {
      row.isChoosingDay = false;
      refresh(row);
    }
  };
  return element("div", { className: "actions" }, input, set);
}

function actionButtons(row) {
  const dayAction = row.isChoosingDay && row.actions.find(({ day }) => day);
  if (dayAction) return dayForm(row, dayAction);
  const buttons = row.outcome
    ? row.undoId
      ? [element("button", { ...buttonProps(row, "Undo"), onclick: () => undo(row) })]
      : []
    : row.actions.map((action) =>
        element("button", { ...buttonProps(row, action.label), onclick: () => choose(row, action) }),
      );
  const keys = row.outcome ? ["u"] : row.actions.map(({ key }) => key);
  for (const [place, button] of buttons.entries()) button.dataset.key = keys[place];
  return element("div", { className: "actions" }, ...buttons);
}

function choose(row, action) {
  if (!action.day) return perform(row, action);
  row.isChoosingDay = true;
  refresh(row);
  row.item.querySelector("input").focus();
}

function drawRow(row) {
  const { text, isLate } = row.facts;
  const words = element(
    "div",
    {},
    element("div", {
      className: "title",
      textContent: row.outcome ? `${row.outcome}: ${row.title}` : row.title,
      title: row.title,
    }),
    row.text && row.text !== row.title
      ? element("div", { className: "text", textContent: row.text, title: row.text })
      : undefined,
    text ? element("div", { className: isLate ? "facts late" : "facts", textContent: text }) : undefined,
    ...(row.lines ?? []).slice(0, 4).map((line) => element("div", { className: "facts", textContent: line })),
  );
  const item = element(
    "li",
    { className: row.outcome ? "over" : "", tabIndex: -1 },
    words,
    actionButtons(row),
  );
  item.onkeydown = (event) => onKey(event, item);
  row.item = item;
  if (row.message) showMessage(row, row.message);
  return item;
}

/** Redraws a row in place and keeps the focus. */
function refresh(row) {
  const before = row.item;
  before.replaceWith(drawRow(row));
  row.item.tabIndex = before.tabIndex;
  row.item.focus();
  reportHeight();
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
const reportHeight = () => post({ method: "ui/notifications/size-changed", params: { height: height() } });

/** Appends a row, with a heading if it is the first of its group. Returns the added elements, outermost first. */
function append(place, { group, row }, isFirst) {
  const item = drawRow(row);
  if (isFirst) {
    const [title, list] = [element("h2", { textContent: group }), element("ul", {}, item)];
    place.before(title, list);
    return [title, list];
  }
  place.previousElementSibling.append(item);
  return [item];
}

/** Adds rows until the page has its maximum height. Returns the number of rows. */
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

/** Shows as many rows as fit without scrolling, from `first` on, and buttons for the others. */
function show() {
  const words = element("span", { className: "facts" });
  const place = element("footer", {}, words);
  main.replaceChildren(element("h1", { textContent: heading }), place);
  const count = fill(place);
  const left = entries.length - first - count;
  if (entries.length === 0) words.textContent = "Nothing open.";
  if (left > 0) words.textContent = `${left} more`;
  const pages = [...(first > 0 ? [["Back to top", 0]] : []), ...(left > 0 ? [["Next", first + count]] : [])];
  for (const [label, to] of pages)
    place.append(element("button", { textContent: label, type: "button", onclick: () => showFrom(to) }));
  if (entries.length > 0 && pages.length === 0) place.remove();
  const top = main.querySelector("li");
  if (top) top.tabIndex = 0;
  reportHeight();
}

function showFrom(to) {
  first = to;
  show();
  main.querySelector("li")?.focus();
}

function onToolResult({ structuredContent, isError, ...result }) {
  if (isError) return;
  let answer = structuredContent;
  try {
    answer ??= JSON.parse(resultText(result));
  } catch {
    return;
  }
  const groups = answerGroups(answer);
  if (!groups) return;
  heading = `Commonplace${answer.today ? `, ${answer.today}` : ""}`;
  entries = groups.flatMap(({ title, rows }) => rows.map((row) => ({ group: title, row })));
  first = 0;
  show();
}

function applyTheme({ theme } = {}) {
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}

const HANDLERS = {
  "ui/notifications/tool-result": onToolResult,
  "ui/notifications/host-context-changed": applyTheme,
};

addEventListener("message", ({ source, data }) => {
  if (source !== parent || data?.jsonrpc !== "2.0") return;
  const { id, method, params = {}, result, error } = data;
  if (method === undefined) {
    const one = pendingRequests.get(id);
    pendingRequests.delete(id);
    if (error) one?.reject(new Error(error.message));
    else one?.resolve(result);
  } else if (id !== undefined) post({ id, result: {} });
  else if (Object.hasOwn(HANDLERS, method)) HANDLERS[method](params);
});

let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width || entries.length === 0) return;
  width = innerWidth;
  show();
});

if (parent !== window)
  request("ui/initialize", {
    appInfo: { name: "commonplace", version: "1" },
    appCapabilities: {},
    protocolVersion: "2026-01-26",
  }).then(({ hostContext, hostCapabilities }) => {
    canUpdateContext = hostCapabilities?.updateModelContext !== undefined;
    applyTheme(hostContext);
    post({ method: "ui/notifications/initialized", params: {} });
  });
