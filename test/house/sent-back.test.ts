import type { RouteConfig } from "@hono/zod-openapi";
import { describe, expect, test } from "vitest";
import { Document } from "../../src/contract/document.ts";
import { Folder } from "../../src/contract/folder.ts";
import { listPasskeysRoute, renamePasskeyRoute } from "../../src/features/auth/passkeys/routes.ts";
import * as auth from "../../src/features/auth/routes.ts";
import * as documents from "../../src/features/documents/routes.ts";
import { changeDocumentTaskRoute, listDocumentTasksRoute } from "../../src/features/documents/task-routes.ts";
import { getFileRoute, updateFileRoute } from "../../src/features/files/routes.ts";
import * as folders from "../../src/features/folders/routes.ts";
import * as memories from "../../src/features/memories/routes.ts";
import { listProjectsRoute, renameProjectRoute } from "../../src/features/projects/routes.ts";
import { getRemindersRoute, updateRemindersRoute } from "../../src/features/reminders/routes.ts";
import * as tags from "../../src/features/tags/routes.ts";
import { getWebhookRoute, updateWebhookRoute } from "../../src/features/webhooks/routes.ts";
import { type Client, person } from "../kit/client.ts";
import { hookOf } from "../kit/hooks.ts";
import { belongings } from "../kit/named.ts";
import { jsonOf, NOBODYS_ID, operations } from "../kit/operations.ts";
import { upload } from "../kit/stored-files.ts";

// A client may send back what it has read.

async function firstTaskOf(client: Client, document_id: string) {
  const { items, version } = await client.ok(listDocumentTasksRoute, { params: { document_id } });
  const { updated_at, changed_at } = await client.ok(documents.getDocumentRoute, { params: { document_id } });
  return { ...items[0], document_id, version, updated_at, changed_at };
}

describe("a client may send back what it has read:", () => {
  type RoundTrip = { get: () => Promise<unknown>; change: RouteConfig; params?: Record<string, string> };

  /** The resources of one person, by the operation that changes each. */
  async function resources(client: Client): Promise<RoundTrip[]> {
    const folder = await client.ok(folders.createFolderRoute, { json: { name: "Trips" } });
    const document = await client.ok(documents.createDocumentRoute, {
      json: { title: "Plan", content: { text: "- [ ] walrus" }, tags: ["t", "u"], folder_id: folder.id },
    });
    const memory = await client.ok(memories.createMemoryRoute, {
      json: {
        memory_type: "commitment",
        topic: "T",
        content: "C",
        due_date: "2027-01-01",
        document_id: document.id,
        project: "Apollo",
      },
    });
    await client.ok(memories.deferMemoryRoute, {
      params: { memory_id: String(memory.id) },
      json: { deferred_until: "2999-01-01" },
    });
    const { params: hook } = await hookOf(client);
    const passkey = String(await belongings(client)("passkey_id"));
    const one = (route: RouteConfig, params: Record<string, string>, change: RouteConfig): RoundTrip => ({
      get: () => client.ok(route, { params }),
      change,
      params,
    });
    return [
      one(documents.getDocumentRoute, { document_id: document.id }, documents.updateDocumentRoute),
      {
        get: () => firstTaskOf(client, document.id),
        change: changeDocumentTaskRoute,
        params: { document_id: document.id, number: "1" },
      },
      one(folders.getFolderRoute, { folder_id: folder.id }, folders.updateFolderRoute),
      one(memories.getMemoryRoute, { memory_id: String(memory.id) }, memories.updateMemoryRoute),
      one(getFileRoute, { file_id: (await upload(client)).id }, updateFileRoute),
      one(auth.getMeRoute, {}, auth.updateMeRoute),
      one(getRemindersRoute, {}, updateRemindersRoute),
      one(getWebhookRoute, hook, updateWebhookRoute),
      {
        get: async () => (await client.ok(tags.listTagsRoute)).items.find(({ name }) => name === "t"),
        change: tags.renameTagRoute,
        params: { name: "t" },
      },
      {
        get: async () => (await client.ok(listProjectsRoute)).items[0],
        change: renameProjectRoute,
        params: { name: "Apollo" },
      },
      {
        get: async () => (await client.ok(listPasskeysRoute)).items[0],
        change: renamePasskeyRoute,
        params: { passkey_id: passkey },
      },
    ];
  }

  test("every PUT and PATCH accepts it and changes nothing", async () => {
    const ada = await person();
    const trips = await resources(ada);
    // The others take bytes, or nothing.
    const changing = operations.filter(
      (route) => (route.method === "put" || route.method === "patch") && jsonOf(route),
    );
    expect(trips.map(({ change }) => change.operationId).sort()).toEqual(
      changing.map(({ operationId }) => operationId).sort(),
    );
    for (const { get, change, params = {} } of trips) {
      const before = await get();
      const answer = await ada.call(change, { params, json: before });
      expect([answer.status, answer.body], change.operationId ?? "").toEqual([200, before]);
      expect(await get(), change.operationId ?? "").toEqual(before);
    }
  });

  test("fields that only the service writes are ignored, whatever their value, and the rest is applied", async () => {
    const ada = await person();
    const { id } = await ada.ok(documents.createDocumentRoute, { json: { title: "Plan" } });
    const stale = {
      id: NOBODYS_ID,
      version: 99,
      created_at: "long ago",
      updated_at: null,
      source_type: "mcp",
    };
    const params = { document_id: id };
    const changed = await ada.ok(documents.updateDocumentRoute, { params, json: { ...stale, title: "New" } });
    expect(changed).toMatchObject({ id, title: "New", version: 2, source_type: "api" });
    const unknown = await ada.refusal(documents.updateDocumentRoute, {
      params,
      json: { ...stale, text: "x" },
    });
    expect(unknown.detail).toBe("text: is not a field here; did you mean content?");
  });

  test("fields that only the service writes are refused for a new resource", async () => {
    const ada = await person();
    const document = await ada.ok(documents.createDocumentRoute, { json: { title: "Plan", tags: ["t"] } });
    for (const name of Object.keys(Document.shape)) {
      if (["title", "content", "tags", "folder_id", "created_at", "updated_at"].includes(name)) continue;
      const value = document[name as keyof Document];
      const refusal = await ada.refusal(documents.createDocumentRoute, {
        json: { title: "x", [name]: value },
      });
      expect([refusal.status, refusal.detail]).toEqual([
        422,
        expect.stringMatching(`^${name}: is not a field here`),
      ]);
    }
    for (const name of Object.keys(Folder.shape)) {
      if (name === "name" || name === "parent_id") continue;
      const refusal = await ada.refusal(folders.createFolderRoute, { json: { name: "x", [name]: 1 } });
      expect([refusal.status, refusal.detail]).toEqual([
        422,
        expect.stringMatching(`^${name}: is not a field here`),
      ]);
    }
  });
});
