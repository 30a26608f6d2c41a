import { randomUUID } from "node:crypto";
import {
  type Account,
  callInSession,
  documentOf,
  type Kept,
  LEGACY,
  MODERN,
  Refused,
  recordOf,
  send,
  toolRequest,
} from "./account.ts";
import { makeQuery } from "./texts.ts";

// Requests of users and assistants. An operation updates the account with what was acknowledged, and returns the text of the
// answer. It throws if the request fails.

export type Operation = {
  run: (account: Account) => Promise<string>;
  /** Changes the size of the account, so it is measured in a different account than reads. */
  grows?: true;
};

/** Removes the first item during `change`, and then appends what it became, or the item itself if it was refused. */
async function withNext<Item>(
  items: Item[],
  change: (item: Item) => Promise<{ answer: string; became?: Item }>,
): Promise<string> {
  const item = items.shift();
  if (item === undefined) throw new Error("There is nothing left to change");
  const { answer, became } = await change(item).catch((problem: unknown) => {
    if (problem instanceof Refused) items.push(item);
    throw problem;
  });
  if (became) items.push(became);
  return answer;
}

const next = <Id>({ id, version }: Kept<Id>): Kept<Id> => ({ id, version: version + 1 });

/** Larger than the numbers of generated documents and records, so that the content is new. */
const newNumber = (account: Account) => 1e5 + account.turn++;

/** Iterates over the documents in an order that differs from every list. */
const someDocument = (account: Account) =>
  account.documents[(account.turn++ * 7919) % account.documents.length]?.id ?? "";

const read = (path: (account: Account) => string): Operation => ({
  run: (account) => account.send("GET", path(account)),
});

const search = (account: Account) => makeQuery(account.turn++ % 10_000);

const create = (
  kind: "documents" | "memories",
  bodyOf: (number: number) => object,
  headers: () => Record<string, string> = () => ({}),
): Operation => ({
  grows: true,
  run: async (account) => {
    const answer = await account.send("POST", `/api/${kind}`, bodyOf(newNumber(account)), headers());
    const { id } = JSON.parse(answer);
    if (kind === "documents") account.documents.push({ id, version: 1 });
    else account.records.push({ id, version: 1 });
    return answer;
  },
});

const change = (
  method: string,
  path: (id: string) => string,
  bodyOf: (number: number) => object,
): Operation => ({
  run: (account) =>
    withNext(account.documents, async (document) => ({
      answer: await account.send(method, path(document.id), bodyOf(newNumber(account))),
      became: next(document),
    })),
});

const trash = (kind: "documents" | "records", path: string): Operation => ({
  grows: true,
  run: (account) =>
    withNext<Kept<string | number>>(account[kind], async ({ id }) => {
      const answer = await account.send("DELETE", `${path}/${id}`);
      account.trashed.push(id);
      return { answer };
    }),
});

type Call = (account: Account) => { name: string; arguments: object };

/** A tool call in both generations of MCP. */
const tool = (call: Call): Record<typeof MODERN | typeof LEGACY, Operation> => ({
  [MODERN]: {
    run: async (account) => (await send(toolRequest(account.mcpUrl, account.mcpToken, call(account)))).text,
  },
  [LEGACY]: { run: (account) => callInSession(account, call(account)) },
});

const listMemories = tool(() => ({ name: "list_memories", arguments: { view: "active", limit: 20 } }));
const fetchDocument = tool((account) => ({ name: "fetch", arguments: { id: someDocument(account) } }));
const searchAll = tool((account) => ({ name: "search", arguments: { query: search(account) } }));
const remember = tool((account) => ({ name: "remember", arguments: recordOf(newNumber(account)) }));

export const OPERATIONS = {
  health: read(() => "/health"),
  get: read((account) => `/api/documents/${someDocument(account)}`),
  list: read(() => "/api/documents"),
  tags: read(() => "/api/tags"),
  folders: read(() => "/api/folders"),
  create: create("documents", documentOf),
  "create, Idempotency-Key": create("documents", documentOf, () => ({ "Idempotency-Key": randomUUID() })),
  update: change("PUT", (id) => `/api/documents/${id}`, documentOf),
  edit: change(
    "POST",
    (id) => `/api/documents/${id}/edit`,
    (number) => ({ operation: "append", text: `Line ${number}` }),
  ),
  delete: trash("documents", "/api/documents"),
  search: read((account) => `/api/search?q=${encodeURIComponent(search(account))}`),
  "search for all": read(
    (account) => `/api/search?type=all&limit=10&q=${encodeURIComponent(search(account))}`,
  ),
  commitments: read(() => "/api/dashboard/commitments?limit=20"),
  alerts: read(() => "/api/dashboard/alerts"),
  history: read(() => "/api/dashboard/commitment-history"),
  summary: read(() => "/api/dashboard/summary"),
  "memory: list": read(() => "/api/memories?status=active&sort=due_date&limit=20"),
  "memory: create": create("memories", recordOf),
  "memory: resolve": {
    grows: true,
    run: (account) =>
      withNext(account.records, async (record) => {
        const answer = await account.send("POST", `/api/memories/${record.id}/resolve`, {});
        account.resolved.push(next(record));
        return { answer };
      }),
  },
  "memory: delete": trash("records", "/api/memories"),
  [`list_memories, MCP ${MODERN}`]: listMemories[MODERN],
  [`list_memories, MCP ${LEGACY}`]: listMemories[LEGACY],
  [`fetch, MCP ${MODERN}`]: fetchDocument[MODERN],
  [`fetch, MCP ${LEGACY}`]: fetchDocument[LEGACY],
  [`search, MCP ${MODERN}`]: searchAll[MODERN],
  [`search, MCP ${LEGACY}`]: searchAll[LEGACY],
  [`remember, MCP ${LEGACY}`]: {
    run: async (account) => {
      const answer = await remember[LEGACY].run(account);
      const id = Number(/"id\W*(?:mem:)?(\d+)/.exec(answer.slice(answer.indexOf('"memory')))?.[1]);
      account.records.push({ id, version: 1 });
      return answer;
    },
  },
} satisfies Record<string, Operation>;

export type OperationName = keyof typeof OPERATIONS;
