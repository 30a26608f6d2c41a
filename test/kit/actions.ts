import type { RouteConfig } from "@hono/zod-openapi";
import { expect } from "vitest";
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
import { ALL, type Belongings, type Document, type Memory, WORD } from "./belongings.ts";
import type { Client, Parts } from "./client.ts";
import { Receiver } from "./hooks.ts";
import { ask, type RpcAnswer } from "./mcp.ts";

// What people and assistants do: how they ask for it, and what that does to a model in memory.

export type Answer = {
  status: number;
  code: string | null;
  body: unknown;
  text: string;
  changeId: string | null;
};
type Headers = Record<string, string>;

/** How a request is sent, and what it leads to: `isKeyed` for one that takes a key. */
export type Request = {
  isKeyed: boolean;
  send: (headers: Headers) => Promise<Answer>;
  /** Changes the model; where the effect is left to be looked up, how many entries of the activity it may have. */
  effect: (model: Belongings, answer: Answer) => number | number[] | undefined;
};

export type Step = { action: string; pick: number; isKeyed: boolean };

export type Scene = { ada: Client; model: Belongings; pick: number; name: string; lastChange: string | null };

/** Builds the request of an action; undefined while there is nothing to do it to. */
export type Action = (scene: Scene) => Request | undefined;

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

/** An error of the protocol has no code, only words. */
function refusedAs(message: string): Omit<Answer, "text"> {
  const code = /^Internal/.test(message)
    ? "internal"
    : /unknown whether/.test(message)
      ? "outcome_unknown"
      : "unavailable";
  return { status: code === "internal" ? 500 : 503, code, body: undefined, changeId: null };
}

export function answerOf({ status, headers, result, error }: RpcAnswer): Answer {
  const [content] = (result?.content ?? []) as { text: string }[];
  if (error || !result)
    return { ...refusedAs(String(error?.message ?? status)), text: JSON.stringify(error) };
  const code = (result._meta as Headers | undefined)?.["commonplace/error-code"] ?? headers.get("Error-Code");
  const isPassing = code === "unavailable" || code === "outcome_unknown";
  return {
    ...{ status: !result.isError ? status : isPassing ? 503 : 400, code, changeId: null },
    ...{ text: content?.text ?? "", body: result.structuredContent },
  };
}

/** A call of a tool, as an assistant makes it. */
function tool(
  { ada }: Scene,
  name: string,
  args: object,
  effect: Request["effect"] = () => undefined,
): Request {
  const send = async () => answerOf(await ask(ada, "tools/call", { name, arguments: args }));
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

type Which = (one: Document | Memory) => boolean;
const isLiving: Which = ({ isTrashed }) => !isTrashed;
const isTrashed: Which = (one) => one.isTrashed;
const inStatus =
  (...statuses: string[]): Which =>
  (one) =>
    isLiving(one) && "status" in one && statuses.includes(one.status);

/** A request about a document or record; its change is made in the model. */
function about<Of extends "documents" | "records">(
  [of, which]: [Of, Which],
  route: RouteConfig,
  parts: (scene: Scene) => Parts,
  change: (one: Document & Memory, scene: Scene) => unknown,
): Action {
  return (scene) => {
    const all = scene.model[of] as Map<string, Document | Memory>;
    const id = pickOf(
      [...all].filter(([, one]) => which(one)).map(([key]) => key),
      scene.pick,
    );
    if (id === undefined) return undefined;
    const params = { [of === "documents" ? "document_id" : "memory_id"]: id };
    return through(scene, route, { params, ...parts(scene) }, (model) => {
      change(model[of].get(id) as Document & Memory, scene);
      model.changes += 1;
      return undefined;
    });
  };
}

const empty = () => ({ json: {} });
const become = (fields: Partial<Document & Memory>) => (one: Document & Memory) => Object.assign(one, fields);

const read =
  (route: RouteConfig, parts: Parts = {}): Action =>
  (scene) =>
    through(scene, route, parts);

/** The effect is looked up afterwards: so many entries, or one of several numbers. */
const entries = (count: (answer: Answer) => number | number[]) => (_: Belongings, answer: Answer) =>
  count(answer);

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
  activity: read(listActivityRoute, ALL),
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

const exactly = (count: number) => entries(() => count);

/** What one record came to: an answer about several may not know it of each. */
const ofOne = ({ text }: Answer) =>
  text.includes('"ok":true') ? 1 : text.includes("unknown whether") ? [0, 1] : 0;

const [TRASHED, RESTORED] = [become({ isTrashed: true }), become({ isTrashed: false })];
const ACTIVE: ["records", ReturnType<typeof inStatus>] = ["records", inStatus("active")];

/** The id of an active record. */
const someActive = ({ model, pick }: Scene) =>
  pickOf(
    living(model.records).filter((one) => model.records.get(one)?.status === "active"),
    pick,
  );

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
    ["documents", isLiving],
    documents.updateDocumentRoute,
    ({ name }) => ({ json: { title: name } }),
    (one, { name }) => become({ title: name })(one),
  ),
  "write in an edit session": (scene) => {
    const { name: title } = scene;
    const id = someLiving("documents")(scene);
    if (id === undefined) return undefined;
    const parts = { params: { document_id: id }, json: { title }, headers: { "X-Sitting": "a-session" } };
    return through(scene, documents.updateDocumentRoute, parts, (_, { body }) => {
      expect(body).toMatchObject({ id, title });
      // It goes on with its entry where that is the document's last change.
      return [0, 1];
    });
  },
  "edit document": about(
    ["documents", isLiving],
    documents.editDocumentRoute,
    ({ name }) => ({ json: { operation: "append", text: name } }),
    () => undefined,
  ),
  "trash document": about(["documents", isLiving], documents.deleteDocumentRoute, () => ({}), TRASHED),
  "restore document": about(["documents", isTrashed], documents.restoreDocumentRoute, () => ({}), RESTORED),
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
      exactly(2),
    ),
  "rename tag": (scene) => {
    const { model, name } = scene;
    const [old] =
      [...model.documents.values()].find(({ isTrashed, tags }) => !isTrashed && tags[0])?.tags ?? [];
    if (old === undefined) return undefined;
    const all = [...model.documents.values()];
    const tagged = all.filter(({ isTrashed, tags }) => !isTrashed && tags.includes(old)).length;
    const json = { name: name.replaceAll(" ", "-") };
    return through(scene, renameTagRoute, { params: { name: old }, json }, exactly(tagged));
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
    ["records", isLiving],
    memories.updateMemoryRoute,
    ({ name }) => ({ json: { topic: name } }),
    (one, { name }) => become({ topic: name })(one),
  ),
  resolve: about(ACTIVE, actions.resolveMemoryRoute, empty, become({ status: "resolved" })),
  defer: about(ACTIVE, actions.deferMemoryRoute, empty, become({ status: "deferred" })),
  archive: about(ACTIVE, actions.archiveMemoryRoute, empty, become({ status: "archived" })),
  reopen: about(
    ["records", inStatus("resolved", "deferred", "archived")],
    actions.reopenMemoryRoute,
    empty,
    become({ status: "active" }),
  ),
  "trash record": about(["records", isLiving], memories.deleteMemoryRoute, () => ({}), TRASHED),
  "restore record": about(["records", isTrashed], memories.restoreMemoryRoute, () => ({}), RESTORED),
  supersede: (scene) => {
    const id = someActive(scene);
    if (id === undefined) return undefined;
    const parts = { params: { memory_id: id }, json: record(scene.name) };
    return through(scene, actions.supersedeMemoryRoute, parts, exactly(2));
  },
  "rename project": (scene) => {
    const { model, name } = scene;
    const all = [...model.records.values()];
    const project = all.find((one) => one.project !== null && !one.isTrashed)?.project;
    if (!project) return undefined;
    const count = all.filter((one) => one.project === project).length;
    return through(scene, renameProjectRoute, { params: { name: project }, json: { name } }, exactly(count));
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
    through(scene, emptyTrashRoute, { query: { type: "all" } }, (model) => {
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
      exactly(2),
    ),
  "tool create document": (scene) =>
    tool(scene, "create_document", { title: scene.name, text: content.text }, exactly(1)),
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
    const id = someActive(scene);
    if (id === undefined) return undefined;
    return tool(scene, "close_memories", { ids: [Number(id)], outcome: "resolved" }, entries(ofOne));
  },
};

export const ACTIONS = { ...READS, ...WRITES };
