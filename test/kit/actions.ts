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
import { ALL, WORD } from "./belongings.ts";
import { Receiver } from "./hooks.ts";

import {
  type Action,
  type Answer,
  about,
  any,
  asked,
  become,
  content,
  empty,
  entries,
  idIn,
  inStatus,
  living,
  onOne,
  own,
  pickOf,
  read,
  someLiving,
  through,
  tool,
  trashed,
} from "./requests.ts";

// What people and assistants do.

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

/** A tool answers for each of several records: so many were changed. */
/** What one record came to: an answer about several may not know it of each. */
const ofOne = ({ text }: Answer) =>
  text.includes('"ok":true') ? 1 : text.includes("unknown whether") ? [0, 1] : 0;

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
    return tool(scene, "close_memories", { ids: [Number(id)], outcome: "resolved" }, entries(ofOne));
  },
};

export const ACTIONS = { ...READS, ...WRITES };
