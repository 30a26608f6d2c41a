import type { RouteConfig } from "@hono/zod-openapi";
import { describe, expect, test } from "vitest";
import { Document } from "../../src/contract/document.ts";
import { Folder } from "../../src/contract/folder.ts";
import { listPasskeysRoute, renamePasskeyRoute } from "../../src/features/auth/passkeys/routes.ts";
import * as auth from "../../src/features/auth/routes.ts";
import * as documents from "../../src/features/documents/routes.ts";
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
  const { items, version } = await client.ok(documents.listDocumentTasksRoute, { params: { document_id } });
  const { updated_at, changed_at } = await client.ok(documents.getDocumentRoute, { params: { document_id } });
  return { ...items[0], document_id, version, updated_at, changed_at };
}

type RoundTrip = { get: () => Promise<unknown>; change: RouteConfig; params?: Record<string, string> };

/** The resources of one person, by the operation that changes each. */
async function resources(client: Client): Promise<RoundTrip[]> {
  const { id: folder_id } = await client.ok(folders.createFolderRoute, { json: { name: "Trips" } });
  const { id: document_id } = await client.ok(documents.createDocumentRoute, {
    json: { title: "Plan", content: { text: "- [ ] walrus" }, tags: ["t", "u"], folder_id },
  });
  const record = { memory_type: "commitment", topic: "T", content: "C", due_date: "2027-01-01" } as const;
  const json = { ...record, document_id, project: "Apollo" };
  const memory_id = String((await client.ok(memories.createMemoryRoute, { json })).id);
  const deferral = { deferred_until: "2999-01-01" };
  await client.ok(memories.deferMemoryRoute, { params: { memory_id }, json: deferral });
  const { params: hook } = await hookOf(client);
  const one = (route: RouteConfig, params: Record<string, string>, change: RouteConfig): RoundTrip => ({
    get: () => client.ok(route, { params }),
    ...{ change, params },
  });
  const listed = async (route: RouteConfig) => ((await client.ok(route)) as { items: object[] }).items[0];
  return [
    one(documents.getDocumentRoute, { document_id }, documents.updateDocumentRoute),
    one(folders.getFolderRoute, { folder_id }, folders.updateFolderRoute),
    one(memories.getMemoryRoute, { memory_id }, memories.updateMemoryRoute),
    one(getFileRoute, { file_id: (await upload(client)).id }, updateFileRoute),
    one(auth.getMeRoute, {}, auth.updateMeRoute),
    one(getRemindersRoute, {}, updateRemindersRoute),
    one(getWebhookRoute, hook, updateWebhookRoute),
    {
      get: () => firstTaskOf(client, document_id),
      ...{ change: documents.changeDocumentTaskRoute, params: { document_id, number: "1" } },
    },
    { get: () => listed(tags.listTagsRoute), change: tags.renameTagRoute, params: { name: "t" } },
    { get: () => listed(listProjectsRoute), change: renameProjectRoute, params: { name: "Apollo" } },
    {
      get: () => listed(listPasskeysRoute),
      ...{
        change: renamePasskeyRoute,
        params: { passkey_id: String(await belongings(client)("passkey_id")) },
      },
    },
  ];
}

describe("a client may send back what it has read:", () => {
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
    const written = {
      id: NOBODYS_ID,
      version: 99,
      created_at: "long ago",
      updated_at: null,
      source_type: "mcp",
    };
    const params = { document_id: id };
    const changed = await ada.ok(documents.updateDocumentRoute, {
      params,
      json: { ...written, title: "New" },
    });
    expect(changed).toMatchObject({ id, title: "New", version: 2, source_type: "api" });
    const json = { ...written, text: "x" };
    const unknown = await ada.refusal(documents.updateDocumentRoute, { params, json });
    expect(unknown.detail).toBe("text: is not a field here; did you mean content?");
  });

  test("fields that only the service writes are refused for a new resource", async () => {
    const ada = await person();
    const document = await ada.ok(documents.createDocumentRoute, { json: { title: "Plan", tags: ["t"] } });
    const expectRefused = async (route: RouteConfig, json: object, name: string) => {
      const refusal = await ada.refusal(route, { json });
      expect([refusal.status, refusal.detail]).toEqual([
        422,
        expect.stringMatching(`^${name}: is not a field here`),
      ]);
    };
    const given = ["title", "content", "tags", "folder_id", "created_at", "updated_at"];
    for (const name of Object.keys(Document.shape).filter((one) => !given.includes(one))) {
      const value = document[name as keyof Document];
      await expectRefused(documents.createDocumentRoute, { title: "x", [name]: value }, name);
    }
    for (const name of Object.keys(Folder.shape).filter((one) => one !== "name" && one !== "parent_id"))
      await expectRefused(folders.createFolderRoute, { name: "x", [name]: 1 }, name);
  });
});
