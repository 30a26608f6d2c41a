import { env } from "cloudflare:workers";
import type { RouteConfig } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import { createApiKeyRoute } from "../../src/features/api-keys/routes.ts";
import * as documents from "../../src/features/documents/routes.ts";
import { changeDocumentTaskRoute, listDocumentTasksRoute } from "../../src/features/documents/task-routes.ts";
import * as folders from "../../src/features/folders/routes.ts";
import * as tags from "../../src/features/tags/routes.ts";
import { keepFindingRoute, listFindingsRoute } from "../../src/features/tidy/routes.ts";
import { listTrashRoute } from "../../src/features/trash/routes.ts";
import { type Client, type Parts, person } from "../kit/client.ts";
import { ClientOf, ConfiguredClient } from "../kit/database.ts";
import { type Meter, meterDatabase } from "../kit/meter.ts";
import { bearer } from "../kit/oauth.ts";

// How many calls a request makes to the database, which may be on another continent. The first of them also
// authenticates the caller.

/** What the requests below refer to: a document with an earlier version, one in the trash, and a folder. */
async function prepare(ada: Client) {
  const json = {
    title: "Packing list",
    content: { format: "markdown", text: "# List\n\n- [ ] passport" },
    tags: ["travel"],
  };
  const [kept, trashed] = [
    await ada.ok(documents.createDocumentRoute, { json }),
    await ada.ok(documents.createDocumentRoute, { json }),
  ];
  const params = { document_id: kept.id };
  await ada.ok(documents.updateDocumentRoute, { params, json: { title: "What to pack" } });
  await ada.call(documents.deleteDocumentRoute, { params: { document_id: trashed.id } });
  const folder = await ada.ok(folders.createFolderRoute, { json: { name: "Journeys" } });
  return { params, trashed: { document_id: trashed.id }, folder: { folder_id: folder.id } };
}
type Prepared = Awaited<ReturnType<typeof prepare>>;

const AGAIN = { kind: "secret", items: [{ type: "memory", id: "1" }], keep: false };

type Row = [name: string, calls: number, route: RouteConfig, parts: (prepared: Prepared) => Parts];

const KEY = { "Idempotency-Key": "once" };
const EDIT = { operation: "find_replace", find_text: "passport", text: "ticket" };

const ROWS: Row[] = [
  ["get a document", 1, documents.getDocumentRoute, ({ params }) => ({ params })],
  ["list documents", 1, documents.listDocumentsRoute, () => ({})],
  [
    "list documents of a folder with a tag",
    1,
    documents.listDocumentsRoute,
    ({ folder }) => ({ query: { folder_id: folder.folder_id, tag: "travel" } }),
  ],
  ["list versions", 1, documents.listVersionsRoute, ({ params }) => ({ params })],
  ["get a version", 1, documents.getVersionRoute, ({ params }) => ({ params: { ...params, version: "1" } })],
  ["list tasks", 1, listDocumentTasksRoute, ({ params }) => ({ params })],
  ["list documents with tasks", 1, documents.listDocumentsRoute, () => ({ query: { tasks: "open" } })],
  ["list tags", 1, tags.listTagsRoute, () => ({})],
  ["list folders", 1, folders.listFoldersRoute, () => ({})],
  ["get a folder", 1, folders.getFolderRoute, ({ folder }) => ({ params: folder })],
  ["list the trash", 1, listTrashRoute, () => ({})],
  ["create a document", 1, documents.createDocumentRoute, () => ({ json: { title: "New" } })],
  [
    "create a document in a folder, with a key",
    1,
    documents.createDocumentRoute,
    ({ folder }) => ({ headers: KEY, json: { title: "New", ...folder } }),
  ],
  ["create a folder", 1, folders.createFolderRoute, () => ({ headers: KEY, json: { name: "New" } })],
  [
    "rename a folder",
    1,
    folders.updateFolderRoute,
    ({ folder }) => ({ params: folder, json: { name: "Trips" } }),
  ],
  ["delete a document", 1, documents.deleteDocumentRoute, ({ params }) => ({ params })],
  [
    "erase a document",
    1,
    documents.deleteDocumentRoute,
    ({ params }) => ({ params, query: { permanent: "true" } }),
  ],
  [
    "update a document",
    2,
    documents.updateDocumentRoute,
    ({ params }) => ({ params, json: { title: "Other" } }),
  ],
  [
    "move a document",
    2,
    documents.updateDocumentRoute,
    ({ params, folder }) => ({ params, headers: { "If-Match": '"v2"' }, json: folder }),
  ],
  ["edit a document", 2, documents.editDocumentRoute, ({ params }) => ({ params, json: EDIT })],
  [
    "edit a document, with a key",
    2,
    documents.editDocumentRoute,
    ({ params }) => ({ params, headers: KEY, json: EDIT }),
  ],
  [
    "tick a task, in a sitting, with a key",
    2,
    changeDocumentTaskRoute,
    ({ params }) => ({
      params: { ...params, number: "1" },
      headers: { ...KEY, "X-Sitting": "a-sitting" },
      json: { done: true },
    }),
  ],
  [
    "make a document what it was",
    2,
    documents.restoreVersionRoute,
    ({ params }) => ({ params: { ...params, version: "1" }, headers: KEY }),
  ],
  [
    "take a document out of the trash",
    2,
    documents.restoreDocumentRoute,
    ({ trashed }) => ({ params: trashed }),
  ],
  [
    "do several things at once",
    2,
    documents.bulkDocumentsRoute,
    ({ params }) => ({
      headers: KEY,
      json: {
        operations: [
          { operation: "create", title: "New" },
          { operation: "add_tags", id: params.document_id, tags: ["lists"] },
        ],
      },
    }),
  ],
  ["list what can be tidied up", 3, listFindingsRoute, () => ({})],
  ["ask about a finding again", 1, keepFindingRoute, () => ({ json: AGAIN })],
];

const meterOf = () => ({ calls: 0, rowsRead: 0, rowsWritten: 0 }) satisfies Meter;

test.for(ROWS)("%s: %i", async ([, calls, route, parts]) => {
  const ada = await person();
  const prepared = await prepare(ada);
  const meter = meterOf();
  const metered = new ClientOf(ada, meterDatabase(env.DB, meter));
  const { status, text } = await metered.call(route, parts(prepared));
  expect(status, text).toBeLessThan(300);
  expect(meter.calls).toBe(calls);
});

test.for([
  ["a session", async (client: Client) => client],
  [
    "a key",
    async (client: Client) => {
      const json = { name: "Script", scopes: ["docs:read"] };
      return bearer((await client.ok(createApiKeyRoute, { json })).key);
    },
  ],
] as const)("the first request with %s is one call as well, and says how many are left", async ([, by]) => {
  const client = await by(await person());
  const meter = meterOf();
  const metered = new ConfiguredClient(client, {
    DB: meterDatabase(env.DB, meter),
    PLAN_LIMITS: JSON.stringify({ free: { requests_per_day: 50 } }),
  });
  for (let calls = 1; calls < 4; calls++) {
    const { headers } = await metered.call(documents.listDocumentsRoute);
    expect(meter.calls).toBe(calls);
    expect(headers.get("RateLimit-Policy")).toContain('"day";q=50');
    // What other isolates have counted is known when the first one has been reported.
    if (calls > 1) expect(headers.get("RateLimit")).toMatch(/^"day";r=4\d;t=\d+$/);
  }
});

test("an API key costs no additional call, even where an edit reads the text", async () => {
  const ada = await person();
  const { params } = await prepare(ada);
  const { key } = await ada.ok(createApiKeyRoute, {
    json: { name: "Script", scopes: ["docs:read", "docs:write"] },
  });
  const meter = meterOf();
  const metered = new ClientOf(ada, meterDatabase(env.DB, meter));
  const headers = { Authorization: `Bearer ${key}` };
  await metered.ok(documents.getDocumentRoute, { params, headers });
  expect(meter.calls).toBe(1);
  await metered.ok(documents.editDocumentRoute, { params, headers, json: EDIT });
  expect(meter.calls).toBe(3);
});

test.for([
  ["tags", tags.listTagsRoute],
  ["folders", folders.listFoldersRoute],
] as [string, RouteConfig][])(
  "a list of %s reads rows by their number, not by that of documents",
  async ([, route]) => {
    const ada = await person();
    const { id } = await ada.ok(folders.createFolderRoute, { json: { name: "Journeys" } });
    const costOf = async (count: number) => {
      const operations = Array.from({ length: count }, () => ({
        ...{ operation: "create", title: "note", tags: ["travel"], folder_id: id },
      }));
      await ada.ok(documents.bulkDocumentsRoute, { json: { operations } });
      const meter = meterOf();
      const metered = new ClientOf(ada, meterDatabase(env.DB, meter));
      await metered.ok(route);
      return meter.rowsRead;
    };
    const few = await costOf(1);
    expect(await costOf(100)).toBe(few);
  },
);

test("an update that does not change the tags writes none of their rows", async () => {
  const ada = await person();
  const costOf = async (names: string[]) => {
    const { id } = await ada.ok(documents.createDocumentRoute, { json: { title: "note", tags: names } });
    const meter = meterOf();
    const metered = new ClientOf(ada, meterDatabase(env.DB, meter));
    await metered.ok(documents.updateDocumentRoute, {
      params: { document_id: id },
      json: { title: "other" },
    });
    return meter.rowsWritten;
  };
  const none = await costOf([]);
  expect(await costOf(["lists", "travel", "work"])).toBe(none);
});
