import { type Asked, ask, Refused } from "./asking.ts";
import { openSession, sessionRequest, statelessRequest, toolRequest } from "./mcp.ts";
import type { Kept, Person } from "./people.ts";
import { bodyOf } from "./subject.ts";
import { makeQuery } from "./texts.ts";

// What people and assistants send. Each notes in the account what was acknowledged, and throws unless it was.

export type Urls = { apiUrl: string; mcpUrl: string };

export type Operation = (person: Person) => Promise<void>;

/** Takes the first item out while `change` is under way, and puts it, or what it became, at the end. */
async function withNext<Item>(
  items: Item[],
  change: (item: Item) => Promise<Item | undefined>,
): Promise<void> {
  const item = items.shift();
  if (item === undefined) throw new Error("There is nothing left to change");
  const changed = await change(item).catch((problem: unknown) => {
    if (problem instanceof Refused) items.push(item);
    throw problem;
  });
  if (changed) items.push(changed);
}

const next = <Id>({ id, version }: Kept<Id>): Kept<Id> => ({ id, version: version + 1 });

export type OperationName = keyof ReturnType<typeof operationsOf>;

/** Operations on a running copy, by name. */
export function operationsOf({ apiUrl, mcpUrl }: Urls) {
  let turn = 1_000_000;
  const sessions = new Map<Person, Promise<string>>();
  const headersOf = ({ token }: Person) => ({
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/json",
  });
  const send = (person: Person, asked: Asked) => ask(apiUrl, { ...asked, headers: headersOf(person) });
  const get =
    (path: string): Operation =>
    async (person) =>
      void (await send(person, { path }));
  const search = () => makeQuery(turn++ % 10_000);
  const create = async <Id>(person: Person, path: string, body: string): Promise<Kept<Id>> => {
    const { id } = JSON.parse(await send(person, { method: "POST", path, body })) as { id: Id };
    return { id, version: 1 };
  };
  const record = (topic: string) => ({ memory_type: "commitment", topic, content: `Promised for ${topic}` });

  const someDocument = ({ documents }: Person) => documents[turn++ % documents.length]?.id;
  const tool =
    (request: (person: Person) => Asked | Promise<Asked>): Operation =>
    async (person) =>
      void (await ask(mcpUrl, await request(person)));

  return {
    read: (person: Person) => get(`/api/documents/${someDocument(person)}`)(person),
    list: get("/api/documents"),
    listRecords: get("/api/memories"),
    commitments: get("/api/dashboard/commitments?limit=20"),
    tags: get("/api/tags"),
    search: (person: Person) => get(`/api/search?q=${encodeURIComponent(search())}`)(person),

    create: async (person: Person) =>
      void person.documents.push(await create(person, "/api/documents", bodyOf(turn++))),
    update: (person: Person) =>
      withNext(person.documents, async (document) => {
        await send(person, { method: "PUT", path: `/api/documents/${document.id}`, body: bodyOf(turn++) });
        return next(document);
      }),
    append: (person: Person) =>
      withNext(person.documents, async (document) => {
        const body = JSON.stringify({ operation: "append", text: `Line ${turn++}` });
        await send(person, { method: "POST", path: `/api/documents/${document.id}/edit`, body });
        return next(document);
      }),
    trash: (person: Person) =>
      withNext(person.documents, async ({ id }) => {
        await send(person, { method: "DELETE", path: `/api/documents/${id}` });
        person.trashed.push(id);
        return undefined;
      }),
    createRecord: async (person: Person) => {
      const body = JSON.stringify(record(`Record ${turn++}`));
      person.records.push(await create(person, "/api/memories", body));
    },
    resolve: (person: Person) =>
      withNext(person.records, async (one) => {
        await send(person, { method: "POST", path: `/api/memories/${one.id}/resolve`, body: "{}" });
        person.resolved.push(next(one));
        return undefined;
      }),
    trashRecord: (person: Person) =>
      withNext(person.records, async ({ id }) => {
        await send(person, { method: "DELETE", path: `/api/memories/${id}` });
        person.trashed.push(id);
        return undefined;
      }),

    tool: tool(({ key }) => statelessRequest(key)),
    toolInSession: tool(async (person) => {
      const session = sessions.get(person) ?? openSession(mcpUrl, person.key);
      sessions.set(person, session);
      return sessionRequest(person.key, await session);
    }),
    searchTool: tool(({ key }) => toolRequest(key, "search", { query: search() })),
    remember: async (person: Person) => {
      const said = await ask(mcpUrl, toolRequest(person.key, "remember", record(`Told ${turn++}`)));
      const id = Number(/"id":"?(?:mem:)?(\d+)/.exec(said.slice(said.indexOf('"memory"')))?.[1]);
      person.records.push({ id, version: 1 });
    },
  };
}
