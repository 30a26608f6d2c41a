import { env } from "cloudflare:workers";
import type { RouteConfig } from "@hono/zod-openapi";
import { expect } from "vitest";
import type { Env } from "../../src/env.ts";
import { listActivityRoute, undoActivityRoute } from "../../src/features/activity/routes.ts";
import * as keys from "../../src/features/api-keys/routes.ts";
import { listChangesRoute } from "../../src/features/changes/routes.ts";
import {
  getSummaryRoute,
  listAlertsRoute,
  listCommitmentsRoute,
} from "../../src/features/dashboard/routes.ts";
import * as documents from "../../src/features/documents/routes.ts";
import * as folders from "../../src/features/folders/routes.ts";
import * as actions from "../../src/features/memories/action-routes.ts";
import * as memories from "../../src/features/memories/routes.ts";
import { listProjectsRoute, renameProjectRoute } from "../../src/features/projects/routes.ts";
import { searchRoute } from "../../src/features/search/routes.ts";
import { listTagsRoute, renameTagRoute } from "../../src/features/tags/routes.ts";
import { emptyTrashRoute, listTrashRoute } from "../../src/features/trash/routes.ts";
import * as hooks from "../../src/features/webhooks/routes.ts";
import { purge } from "../../src/purge.ts";
import type { Client, Parts } from "./client.ts";
import { Receiver } from "./hooks.ts";
import { ask } from "./mcp.ts";
import type { Sky } from "./weather.ts";

// A person and an assistant at work, beside a model in memory of what they must find afterwards.

type Document = { title: string; tags: string[]; isTrashed: boolean };
type Memory = { topic: string; status: string; project: string | null; isTrashed: boolean };

/** What somebody has, as they see it; `changes` is the length of the ledger. */
export type Belongings = {
  documents: Map<string, Document>;
  records: Map<string, Memory>;
  folders: Map<string, string>;
  keys: string[];
  hooks: string[];
  changes: number;
};

const ALL = { query: { limit: 100 } };
const WORD = "tent";

/** Nothing has the name of something else: each step gives its own. */
function mustBeUnique(names: string[]): void {
  expect(
    names.filter((name, at) => names.indexOf(name) !== at),
    "done twice",
  ).toEqual([]);
}

type Listed = { id: string | number };
const byId = <Item extends Listed, Shown>(items: Item[], shown: (item: Item) => Shown) =>
  items.map((item) => [String(item.id), shown(item)] as const);

const asDocument = ({ title, tags }: { title: string; tags: string[] }, isTrashed: boolean): Document => ({
  ...{ title, tags: tags.toSorted(), isTrashed },
});
const asRecord = ({ topic, status, project }: Omit<Memory, "isTrashed">, isTrashed: boolean): Memory => ({
  ...{ topic, status, project, isTrashed },
});

async function foundTexts(ada: Client): Promise<Pick<Belongings, "documents" | "records">> {
  const { items } = await ada.ok(documents.listDocumentsRoute, ALL);
  const kept = await ada.ok(memories.listMemoriesRoute, ALL);
  const trash = await ada.ok(listTrashRoute, { query: { limit: 100, type: "all" } });
  const { total } = await ada.ok(searchRoute, { query: { q: WORD, limit: 1 } });
  expect(total, "what the search finds").toBe(items.length);
  const gone = trash.items.flatMap((item) => (item.type === "document" ? item : []));
  const goneRecords = trash.items.flatMap((item) => (item.type === "memory" ? item : []));
  return {
    documents: new Map([
      ...byId(items, (item) => asDocument(item, false)),
      ...byId(gone, (item) => asDocument(item, true)),
    ]),
    records: new Map([
      ...byId(kept.items, (item) => asRecord(item, false)),
      ...byId(goneRecords, (item) => asRecord(item, true)),
    ]),
  };
}

const namesOf = (items: { name: string }[]) => items.map(({ name }) => name).sort();

/** What is really there. */
export async function found(ada: Client): Promise<Belongings> {
  const all = {
    ...(await foundTexts(ada)),
    folders: new Map(byId((await ada.ok(folders.listFoldersRoute, ALL)).items, ({ name }) => name)),
    keys: namesOf((await ada.ok(keys.listApiKeysRoute, ALL)).items),
    hooks: namesOf((await ada.ok(hooks.listWebhooksRoute, ALL)).items),
    changes: (await ada.ok(listActivityRoute, ALL)).items.length,
  };
  mustBeUnique([...all.documents.values()].map(({ title }) => title));
  mustBeUnique([...all.records.values()].map(({ topic }) => topic));
  for (const names of [[...all.folders.values()], all.keys, all.hooks]) mustBeUnique(names);
  return all;
}

export const nothing = (): Belongings => ({
  ...{ documents: new Map(), records: new Map(), folders: new Map() },
  ...{ keys: [], hooks: [], changes: 0 },
});

type Answer = { status: number; code: string | null; body: unknown; text: string; changeId: string | null };
type Headers = Record<string, string>;

/** How a request is sent, and what it leads to: `isKeyed` for one that takes a key. */
type Request = {
  isKeyed: boolean;
  send: (headers: Headers) => Promise<Answer>;
  /** Changes the model; where the effect is left to be looked up, how many entries of the ledger it has. */
  effect: (model: Belongings, answer: Answer) => number | undefined;
};

export type Step = { action: string; pick: number; isKeyed: boolean };

type Scene = { ada: Client; model: Belongings; pick: number; name: string; lastChange: string | null };

/** Builds the request of an action; undefined while there is nothing to do it to. */
type Action = (scene: Scene) => Request | undefined;

const pickOf = <Value>(all: Iterable<Value>, pick: number): Value | undefined => {
  const values = [...all];
  return values[pick % Math.max(1, values.length)];
};

function through(
  scene: Scene,
  route: RouteConfig,
  parts: Parts,
  effect: Request["effect"] = () => undefined,
) {
  const send = async (headers: Headers): Promise<Answer> => {
    const answer = await scene.ada.call(route, { ...parts, headers: { ...parts.headers, ...headers } });
    const [code, changeId] = ["Error-Code", "Change-Id"].map((name) => answer.headers.get(name));
    return { ...answer, code: code ?? null, changeId: changeId ?? null };
  };
  const takesKey = JSON.stringify(Object.keys((route.request?.headers as { shape?: object })?.shape ?? {}));
  return { isKeyed: takesKey.includes("idempotency-key"), send, effect } satisfies Request;
}

/** A call of a tool, as an assistant makes it. */
function tool(
  { ada }: Scene,
  name: string,
  args: object,
  effect: Request["effect"] = () => undefined,
): Request {
  const send = async (): Promise<Answer> => {
    const { status, headers, result, error } = await ask(ada, "tools/call", { name, arguments: args });
    const [content] = (result?.content ?? []) as { text: string }[];
    const code =
      (result?._meta as Headers | undefined)?.["commonplace/error-code"] ?? headers.get("Error-Code");
    const text = content?.text ?? JSON.stringify(error ?? "");
    const isRefused = Boolean(result?.isError);
    const refusedAs = code === "unavailable" || code === "outcome_unknown" ? 503 : 400;
    return {
      ...{ status: isRefused ? refusedAs : status, code: code ?? null, text, changeId: null },
      body: result?.structuredContent,
    };
  };
  return { isKeyed: false, send, effect };
}

const content = { format: "markdown", text: `Buy a ${WORD}` };
const idIn = ({ body }: Answer) => String((body as { id: string | number }).id);
const own = (model: Belongings, answer: Answer, document: Document) => {
  model.documents.set(idIn(answer), document);
  model.changes += 1;
  return undefined;
};

const living = (all: Map<string, Document | Memory>) =>
  [...all].filter(([, { isTrashed }]) => !isTrashed).map(([id]) => id);
const trashed = (all: Map<string, Document | Memory>) =>
  [...all].filter(([, { isTrashed }]) => isTrashed).map(([id]) => id);

/** A request about a document or record that is there, or in the trash; its change is made in the model. */
function about<Of extends "documents" | "records">(
  of: Of,
  [where, which]: ["living" | "trashed", (one: Document | Memory) => boolean],
  [route, json]: [RouteConfig, (scene: Scene) => Parts],
  change: (one: Document & Memory, scene: Scene) => void,
): Action {
  return (scene) => {
    const all = scene.model[of] as Map<string, Document | Memory>;
    const ids = (where === "living" ? living(all) : trashed(all)).filter((id) =>
      which(all.get(id) as Document),
    );
    const id = pickOf(ids, scene.pick);
    if (id === undefined) return undefined;
    const params = { [of === "documents" ? "document_id" : "memory_id"]: id };
    return through(scene, route, { params, ...json(scene) }, (model) => {
      change(model[of].get(id) as Document & Memory, scene);
      model.changes += 1;
      return undefined;
    });
  };
}

const any = () => true;
const inStatus =
  (...statuses: string[]) =>
  (one: Document | Memory) =>
    "status" in one && statuses.includes(one.status);
const empty = () => ({ json: {} });
const become = (status: string) => (one: Memory) => {
  one.status = status;
};

const read =
  (route: RouteConfig, parts: Parts = {}): Action =>
  (scene) =>
    through(scene, route, parts);

/** The effect is looked up afterwards: so many entries. */
const entries = (count: (answer: Answer) => number) => (_: Belongings, answer: Answer) => count(answer);

const asked =
  (name: string, args: object = {}): Action =>
  (scene) =>
    tool(scene, name, args);

/** A tool that changes one document or record. */
const onOne =
  (
    name: string,
    pickId: (scene: Scene) => string | undefined,
    args: (scene: Scene) => object = () => ({}),
  ): Action =>
  (scene) => {
    const id = pickId(scene);
    return id === undefined
      ? undefined
      : tool(
          scene,
          name,
          { id, ...args(scene) },
          entries(() => 1),
        );
  };

const someLiving = (of: "documents" | "records") => (scene: Scene) =>
  pickOf(living(scene.model[of] as Map<string, Document>), scene.pick);

export const READS: Record<string, Action> = {
  "list documents": (scene) =>
    through(scene, documents.listDocumentsRoute, ALL, (model, { body }) => {
      expect((body as { total: number }).total).toBe(living(model.documents).length);
      return undefined;
    }),
  "list records": (scene) =>
    through(scene, memories.listMemoriesRoute, ALL, (model, { body }) => {
      expect((body as { total: number }).total).toBe(living(model.records).length);
      return undefined;
    }),
  search: read(searchRoute, { query: { q: WORD } }),
  dashboard: read(getSummaryRoute),
  commitments: read(listCommitmentsRoute),
  alerts: read(listAlertsRoute),
  changes: read(listChangesRoute),
  ledger: read(listActivityRoute, ALL),
  "list tags": read(listTagsRoute),
  "list projects": read(listProjectsRoute),
  "list trash": read(listTrashRoute),
  "list webhooks": read(hooks.listWebhooksRoute),
  "tool search": asked("search", { query: WORD }),
  "tool list_changes": asked("list_changes", { since: "2020-01-01" }),
  ...Object.fromEntries(
    ["get_briefing", "whoami", "list_documents", "list_memories", "list_trash"].map((name) => [
      `tool ${name}`,
      asked(name),
    ]),
  ),
};

/** A tool answers for each of several records: so many were changed. */
const done = ({ text }: Answer) => text.match(/"ok":true/g)?.length ?? 0;

const record = (name: string) => ({ memory_type: "commitment", topic: name, content: `${name} for Grace` });

export const WRITES: Record<string, Action> = {
  "write document": (scene) =>
    through(
      scene,
      documents.createDocumentRoute,
      { json: { title: scene.name, content, tags: ["travel"] } },
      (model, answer) => own(model, answer, { title: scene.name, tags: ["travel"], isTrashed: false }),
    ),
  "rename document": about(
    "documents",
    ["living", any],
    [documents.updateDocumentRoute, ({ name }) => ({ json: { title: name } })],
    (one, { name }) => {
      one.title = name;
    },
  ),
  "edit document": about(
    "documents",
    ["living", any],
    [documents.editDocumentRoute, ({ name }) => ({ json: { operation: "append", text: name } })],
    () => undefined,
  ),
  "trash document": about(
    "documents",
    ["living", any],
    [documents.deleteDocumentRoute, () => ({})],
    (one) => {
      one.isTrashed = true;
    },
  ),
  "restore document": about(
    "documents",
    ["trashed", any],
    [documents.restoreDocumentRoute, () => ({})],
    (one) => {
      one.isTrashed = false;
    },
  ),
  "write documents at once": (scene) =>
    through(
      scene,
      documents.bulkDocumentsRoute,
      {
        json: {
          operations: ["a", "b"].map((part) => ({
            ...{ operation: "create", title: `${scene.name} ${part}`, content, tags: ["travel"] },
          })),
        },
      },
      entries(() => 2),
    ),
  "rename tag": (scene) => {
    const { model, name } = scene;
    const [old] =
      [...model.documents.values()].find(({ isTrashed, tags }) => !isTrashed && tags[0])?.tags ?? [];
    if (old === undefined) return undefined;
    const all = [...model.documents.values()];
    const tagged = all.filter(({ isTrashed, tags }) => !isTrashed && tags.includes(old)).length;
    const json = { name: name.replaceAll(" ", "-") };
    return through(
      scene,
      renameTagRoute,
      { params: { name: old }, json },
      entries(() => tagged),
    );
  },
  "make folder": (scene) =>
    through(scene, folders.createFolderRoute, { json: { name: scene.name } }, (model, answer) => {
      model.folders.set(idIn(answer), scene.name);
      model.changes += 1;
      return undefined;
    }),
  "rename folder": (scene) => {
    const id = pickOf(scene.model.folders.keys(), scene.pick);
    if (id === undefined) return undefined;
    const parts = { params: { folder_id: id }, json: { name: scene.name } };
    return through(scene, folders.updateFolderRoute, parts, (model) => {
      model.folders.set(id, scene.name);
      model.changes += 1;
      return undefined;
    });
  },
  "delete folder": (scene) => {
    const id = pickOf(scene.model.folders.keys(), scene.pick);
    if (id === undefined) return undefined;
    return through(scene, folders.deleteFolderRoute, { params: { folder_id: id } }, (model) => {
      model.folders.delete(id);
      model.changes += 1;
      return undefined;
    });
  },
  "write record": (scene) =>
    through(
      scene,
      memories.createMemoryRoute,
      { json: { ...record(scene.name), project: "Apollo" } },
      (model, answer) => {
        const one = { topic: scene.name, status: "active", project: "Apollo", isTrashed: false };
        model.records.set(idIn(answer), one);
        model.changes += 1;
        return undefined;
      },
    ),
  "change record": about(
    "records",
    ["living", any],
    [memories.updateMemoryRoute, ({ name }) => ({ json: { topic: name } })],
    (one, { name }) => {
      one.topic = name;
    },
  ),
  resolve: about(
    "records",
    ["living", inStatus("active")],
    [actions.resolveMemoryRoute, empty],
    become("resolved"),
  ),
  defer: about(
    "records",
    ["living", inStatus("active")],
    [actions.deferMemoryRoute, empty],
    become("deferred"),
  ),
  archive: about(
    "records",
    ["living", inStatus("active")],
    [actions.archiveMemoryRoute, empty],
    become("archived"),
  ),
  reopen: about(
    "records",
    ["living", inStatus("resolved", "deferred", "archived")],
    [actions.reopenMemoryRoute, empty],
    become("active"),
  ),
  "trash record": about("records", ["living", any], [memories.deleteMemoryRoute, () => ({})], (one) => {
    one.isTrashed = true;
  }),
  "restore record": about("records", ["trashed", any], [memories.restoreMemoryRoute, () => ({})], (one) => {
    one.isTrashed = false;
  }),
  supersede: (scene) => {
    const { model, pick, name } = scene;
    const id = pickOf(
      living(model.records).filter((one) => model.records.get(one)?.status === "active"),
      pick,
    );
    if (id === undefined) return undefined;
    const parts = { params: { memory_id: id }, json: record(name) };
    return through(
      scene,
      actions.supersedeMemoryRoute,
      parts,
      entries(() => 2),
    );
  },
  "rename project": (scene) => {
    const { model, name } = scene;
    const all = [...model.records.values()];
    const project = all.find((one) => one.project !== null && !one.isTrashed)?.project;
    if (!project) return undefined;
    const count = all.filter((one) => one.project === project).length;
    return through(
      scene,
      renameProjectRoute,
      { params: { name: project }, json: { name } },
      entries(() => count),
    );
  },
  undo: (scene) => {
    const { lastChange } = scene;
    if (lastChange === null) return undefined;
    return through(
      scene,
      undoActivityRoute,
      { json: { change_id: lastChange } },
      entries(
        ({ body }) =>
          (body as { results: { outcome: string }[] }).results.filter(({ outcome }) => outcome === "undone")
            .length,
      ),
    );
  },
  "empty trash": (scene) =>
    through(scene, emptyTrashRoute, {}, (model) => {
      for (const all of [model.documents, model.records])
        for (const [id, { isTrashed }] of all) if (isTrashed) all.delete(id);
      return undefined;
    }),
  "make key": (scene) =>
    through(scene, keys.createApiKeyRoute, { json: { name: scene.name, scopes: ["docs:read"] } }, (model) => {
      model.keys = [...model.keys, scene.name].sort();
      return undefined;
    }),
  "make webhook": (scene) => {
    if (scene.model.hooks.length > 8) return undefined;
    const json = { name: scene.name, url: new Receiver().url, events: ["document.created"] };
    return through(scene, hooks.createWebhookRoute, { json }, (model) => {
      model.hooks = [...model.hooks, scene.name].sort();
      return undefined;
    });
  },
  "tool remember": (scene) =>
    tool(
      scene,
      "remember",
      { records: ["a", "b"].map((part) => record(`${scene.name} ${part}`)) },
      entries(() => 2),
    ),
  "tool create document": (scene) =>
    tool(
      scene,
      "create_document",
      { title: scene.name, text: content.text },
      entries(() => 1),
    ),
  "tool edit document": onOne("edit_document", someLiving("documents"), ({ name }) => ({
    ...{ operation: "append", text: name },
  })),
  "tool update record": onOne("update_memory", someLiving("records"), ({ name }) => ({ content: name })),
  "tool delete document": onOne("delete_document", someLiving("documents")),
  "tool restore": onOne("restore", ({ model, pick }) => {
    const id = pickOf(trashed(model.documents), pick);
    return id && `doc:${id}`;
  }),
  "tool close": (scene) => {
    const { model, pick } = scene;
    const id = pickOf(
      living(model.records).filter((one) => model.records.get(one)?.status === "active"),
      pick,
    );
    if (id === undefined) return undefined;
    return tool(scene, "close_memories", { ids: [Number(id)], outcome: "resolved" }, entries(done));
  },
};

export const ACTIONS = { ...READS, ...WRITES };

const PURGE = "purge";
export const STEPS = [...Object.keys(ACTIONS), PURGE];

const MAX_ATTEMPTS = 100;

/** Requests that were answered, and those that failed visibly, of reads and of keyed writes. */
export type Count = { answered: number; failed: number; unknown: number };

/** Somebody at work under a sky. Throws when an answer does not agree with what is there. */
export class Worker {
  readonly count: Count = { answered: 0, failed: 0, unknown: 0 };
  private model = nothing();
  private lastChange: string | null = null;
  private readonly ada: Client;
  private readonly sky: Sky;

  constructor(ada: Client, sky: Sky) {
    this.ada = ada;
    this.sky = sky;
  }

  async take({ action, pick, isKeyed }: Step, at: number): Promise<void> {
    if (action === PURGE) return purge(env as unknown as Env);
    const { ada, model, lastChange } = this;
    const name = `Plan ${at}`;
    const request = ACTIONS[action]?.({ ada, model, pick, name, lastChange });
    if (!request) return;
    const answer =
      request.isKeyed && isKeyed
        ? await this.untilAnswered(request, `${at}`)
        : await this.once(request, action in READS);
    await this.believe(request, answer, `${at} ${action}`);
  }

  private async once(request: Request, isRead: boolean): Promise<Answer> {
    const answer = await request.send({});
    if (isRead) this.note(answer);
    return answer;
  }

  private note({ status }: Answer): void {
    this.count.answered += 1;
    if (status === 503) this.count.failed += 1;
  }

  private async untilAnswered({ send }: Request, key: string): Promise<Answer> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const answer = await send({ "Idempotency-Key": key });
      if (attempt === 0) this.note(answer);
      // Whether it was done stays unknown until the key is given up.
      if (answer.status === 409) return { ...answer, status: 503, code: "outcome_unknown" };
      if (answer.status !== 503) return answer;
    }
    throw new Error(`${MAX_ATTEMPTS} attempts were not answered`);
  }

  private async believe(request: Request, answer: Answer, name: string): Promise<void> {
    const { status, code, text } = answer;
    if (status >= 200 && status < 300) {
      this.lastChange = answer.changeId ?? this.lastChange;
      const changes = request.effect(this.model, answer);
      if (changes !== undefined) await this.lookUp([changes], `${name}: ${text}`);
      return;
    }
    expect([status, code], `${name}: ${text}`).toEqual([503, expect.stringMatching(/unavailable|unknown/)]);
    if (code === "unavailable") return;
    this.count.unknown += 1;
    await this.lookUp(undefined, name);
  }

  /** Adopts what is there, which has so many more entries, or what is not known. */
  private async lookUp(growths: number[] | undefined, name: string): Promise<void> {
    const now = await this.sky.calmly(() => found(this.ada));
    if (growths) expect(growths, name).toContain(now.changes - this.model.changes);
    this.model = now;
  }

  /** Compares what is there with what was answered. */
  async check(): Promise<void> {
    expect(await this.sky.calmly(() => found(this.ada))).toEqual(this.model);
  }
}
