import { setTimeout as sleep } from "node:timers/promises";
import { busiestThreadMs, runtimeOf } from "../test/e2e/processes.ts";
import { freePorts, register } from "../test/e2e/service.ts";
import { here, startCopy } from "./copies.ts";
import { median, printTable } from "./table.ts";
import { frequentWords, makeLongText, makeText } from "./texts.ts";

// How long others wait for somebody with 41 MB of text: while that account sends each kind of request, another one asks
// for a short list all the time. A local copy computes for everybody in one thread, and D1 runs one call at a time.

const DOCUMENTS = 41;
const CHARACTERS = 1_000_000;
const TIMES = 3;
const QUIET_MS = 1000;
const MAX_QUERY = 500;
/** How long an access token is used, which is valid for 15 minutes. */
const TOKEN_MS = 600_000;
const PASSWORD = "a password for the bench";

/** What one of the other account's requests took, in milliseconds: on the clock, and of the runtime's processor time. */
type Wait = { clock: number; processor: number };

/** An account and how to send its requests. Each throws unless it succeeds. */
type Account = {
  send: (method: string, path: string, body?: unknown) => Promise<string>;
  sendFile: (path: string, file: string) => Promise<string>;
};

/** A new access token of an account. */
async function signIn(url: string, email: string): Promise<string> {
  const answer = await fetch(`${url}/api/auth/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  return ((await answer.json()) as { access_token: string }).access_token;
}

async function newAccount(url: string, email: string): Promise<Account> {
  let token = await register(url, { email, password: PASSWORD });
  let since = performance.now();
  const ask = async (method: string, path: string, type: string, body?: string) => {
    if (performance.now() - since > TOKEN_MS) {
      since = performance.now();
      token = await signIn(url, email);
    }
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": type };
    const answer = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
    return text;
  };
  return {
    send: (method, path, body) =>
      ask(method, path, "application/json", body === undefined ? undefined : JSON.stringify(body)),
    sendFile: (path, file) => ask("POST", path, "application/x-ndjson", file),
  };
}

/** Sends a small request again and again until it is stopped, and notes what each took. */
function keepAsking({ send }: Account, runtime: number) {
  const waits: Wait[] = [];
  let isStopped = false;
  const asking = (async () => {
    while (!isStopped) {
      const [clock, processor] = [performance.now(), busiestThreadMs(runtime)];
      await send("GET", "/api/documents?limit=1");
      waits.push({ clock: performance.now() - clock, processor: busiestThreadMs(runtime) - processor });
    }
  })();
  const stop = () => {
    isStopped = true;
    return asking;
  };
  return { take: () => waits.splice(0), stop };
}

/** Made before they are needed: idle connections are closed meanwhile. */
const texts = (make: (number: number) => string, count: number) =>
  Array.from({ length: count }, (_, number) => ({ format: "markdown", text: make(number) }));

const makeContents = () => ({
  stored: texts((number) => makeLongText(number, CHARACTERS), DOCUMENTS),
  natural: texts((number) => makeLongText(1000 + number, CHARACTERS), TIMES),
  different: texts((number) => makeText("Latin", CHARACTERS + number), TIMES),
});
type Contents = ReturnType<typeof makeContents>;

/** A request, sent once in each turn. */
type Requests = Record<string, (turn: number) => Promise<unknown>>;

/** The requests on single texts and searches to measure, by name. */
function requestsOf({ send }: Account, ids: string[], { natural, different }: Contents): Requests {
  const document = (turn: number) => `/api/documents/${ids[turn]}`;
  const search = (q: string, more = "") => send("GET", `/api/search?q=${encodeURIComponent(q)}${more}`);
  return {
    "nothing else": () => sleep(QUIET_MS),
    "create 1 MB": (turn) => send("POST", "/api/documents", { title: "New", content: natural[turn] }),
    "create 1 MB of 150,000 different words": (turn) =>
      send("POST", "/api/documents", { title: "New", content: different[turn] }),
    "change the title of 1 MB": (turn) => send("PUT", document(turn), { title: `Changed ${turn}` }),
    "append to 1 MB": (turn) =>
      send("POST", `${document(turn)}/edit`, { operation: "append", text: "one more line" }),
    "restore a version of 1 MB": (turn) => send("POST", `${document(turn)}/versions/1/restore`),
    "read 1 MB": (turn) => send("GET", document(turn)),
    list: () => send("GET", "/api/documents?limit=100"),
    "search for 3 frequent words": () => search(frequentWords(12)),
    "… of a text of 300 characters": () => search(makeLongText(3, 300)),
    "… all frequent words that fit": () => search(frequentWords(MAX_QUERY)),
    "… with OR between them": () => search(frequentWords(MAX_QUERY, " OR ")),
    "… a phrase, 100 results, explained": () => search('"ba de"', "&limit=100&explain=true"),
    "… four beginnings": () => search("b* d* f* g*"),
    suggest: () => send("GET", "/api/search/suggest?q=ba"),
    export: () => send("GET", "/api/export"),
    "rename the tag of 41 documents": (turn) =>
      send("PUT", `/api/tags/${turn === 0 ? "large" : `large${turn}`}`, { name: `large${turn + 1}` }),
    "move to the trash": (turn) => send("DELETE", document(10 + turn)),
    "restore from the trash": (turn) => send("POST", `${document(10 + turn)}/restore`),
  };
}

/** How many of the texts one request may change. */
const MANY = 7;

/** The requests on many texts. */
function bulkRequestsOf({ send }: Account, ids: string[]): Requests {
  const bulk = (operation: object, turn: number) => {
    const some = ids.slice(MANY * turn, MANY * (turn + 1));
    return send("POST", "/api/documents/bulk", { operations: some.map((id) => ({ id, ...operation })) });
  };
  return {
    "change 7 titles at once": (turn) => bulk({ operation: "update", title: `Together ${turn}` }, turn),
    "tag 7 at once": (turn) => bulk({ operation: "add_tags", tags: ["together"] }, turn),
    "undo 7 changes": async () => {
      const { items } = JSON.parse(await send("GET", `/api/activity?limit=${MANY}`)) as Listed;
      await send("POST", "/api/activity/undo", { ids: items.map(({ id }) => id) });
    },
    "delete a folder of 7": async (turn) => {
      const { id } = JSON.parse(await send("POST", "/api/folders", { name: "Long" })) as { id: string };
      await bulk({ operation: "move", folder_id: id }, turn);
      await send("DELETE", `/api/folders/${id}?on_content=trash`);
    },
    "empty the trash": () => send("DELETE", "/api/trash"),
  };
}
type Listed = { items: { id: number }[] };

/** The import of everything that an account has into others, and the erasure of those. */
const accountRequestsOf = (accounts: Account[], exported: string): Requests => ({
  "import 41 MB": (turn) => accounts[turn]?.sendFile("/api/import", exported) ?? Promise.reject(),
  "erase an account with 41 MB": (turn) =>
    accounts[turn]?.send("DELETE", "/api/auth/me", { password: PASSWORD }) ?? Promise.reject(),
});

/** The median of the longest that others wait while each of these requests is sent. */
async function waitsFor(requests: Requests, small: Account, runtime: number): Promise<string[][]> {
  const others = keepAsking(small, runtime);
  const rows: string[][] = [];
  for (const [name, request] of Object.entries(requests)) {
    const longest: Wait[] = [];
    for (let turn = 0; turn < TIMES; turn++) {
      others.take();
      await request(turn);
      // The request that was under way when this one was answered.
      await small.send("GET", "/api/documents?limit=1");
      const waits = others.take();
      const most = (of: keyof Wait) => Math.max(0, ...waits.map((wait) => wait[of]));
      longest.push({ clock: most("clock"), processor: most("processor") });
    }
    const middle = (of: keyof Wait) => median(longest.map((wait) => wait[of])).toFixed(0);
    rows.push([name, middle("clock"), middle("processor")]);
  }
  await others.stop();
  return rows;
}

/**
 * Measures and prints how long others wait for requests of an account with 41 MB of text.
 *
 * @param only a pattern of the names of the requests to measure; all without it
 */
export async function benchBlocking(stateDir: string, only = ""): Promise<void> {
  const contents = makeContents();
  const { apiUrl, pid, stop } = await startCopy(here, stateDir, await freePorts());
  const large = await newAccount(apiUrl, "large@example.com");
  const small = await newAccount(apiUrl, "small@example.com");
  const accounts: Account[] = [];
  for (let turn = 0; turn < TIMES; turn++) accounts.push(await newAccount(apiUrl, `copy${turn}@example.com`));
  await small.send("POST", "/api/documents", { title: "Small" });
  const ids: string[] = [];
  for (const content of contents.stored) {
    const created = await large.send("POST", "/api/documents", { title: "Long", tags: ["large"], content });
    ids.push((JSON.parse(created) as { id: string }).id);
  }
  const exported = await large.send("GET", "/api/export");
  const requests = {
    ...requestsOf(large, ids, contents),
    ...bulkRequestsOf(large, ids.slice(-MANY * TIMES)),
    ...accountRequestsOf(accounts, exported),
  };
  const wanted = Object.entries(requests).filter(([name]) => new RegExp(only).test(name));
  const rows = await waitsFor(Object.fromEntries(wanted), small, runtimeOf(pid));
  await stop();
  printTable(
    `The longest that others wait while an account with ${DOCUMENTS} MB sends a request, in ms (median of ${TIMES})`,
    ["", "on the clock", "of processor time"],
    rows,
  );
}
