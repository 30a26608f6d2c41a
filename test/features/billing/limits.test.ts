import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { planLimits } from "../../../src/contract/plan-limits.ts";
import { oauthHelpers } from "../../../src/doors/oauth/provider.ts";
import { createApiKeyRoute, revokeApiKeyRoute } from "../../../src/features/api-keys/routes.ts";
import { deleteMeRoute, getMeRoute } from "../../../src/features/auth/routes.ts";
import { getUsageRoute } from "../../../src/features/billing/routes.ts";
import { documentBytes } from "../../../src/features/billing/sizes.ts";
import { listConnectionsRoute, revokeConnectionRoute } from "../../../src/features/connections/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { createFolderRoute, deleteFolderRoute } from "../../../src/features/folders/routes.ts";
import { importAccountRoute } from "../../../src/features/import/routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { emptyTrashRoute, listTrashRoute } from "../../../src/features/trash/routes.ts";
import { atOnce } from "../../kit/at-once.ts";
import { Browser } from "../../kit/browser.ts";
import { PASSWORD, person } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { withLimits } from "../../kit/database.ts";
import { at, create, prose } from "../../kit/documents.ts";
import { stateless, use } from "../../kit/mcp.ts";
import {
  authorize,
  authorizeUrl,
  challengeOf,
  REDIRECT,
  RESOURCE,
  registerClient,
  signInOn,
  VERIFIER,
} from "../../kit/oauth.ts";
import { make, PROMISE } from "../../kit/records.ts";
import { countedOf, freshOf } from "../../kit/usage.ts";

// The limits of plans: kept exactly in the transaction of each write, and never in the way of reading, exporting,
// deleting and shortening.

const text = (length: number) => prose("x".repeat(length));

test("usage says what the plan allows and what is used", async () => {
  const ada = await person();
  const { id } = await create(ada, { content: text(1000), tags: ["travel"] });
  await ada.call(documents.deleteDocumentRoute, { params: { document_id: (await create(ada)).id } });
  await make(ada);
  await ada.ok(createApiKeyRoute, { json: { name: "Script", scopes: ["docs:read"] } });
  const usage = await ada.ok(getUsageRoute);
  const { free } = planLimits();
  expect(usage).toMatchObject({
    plan_tier: "free",
    documents: { used: 1, limit: free.documents },
    records: { used: 1, limit: free.records },
    bytes: { used: (await freshOf(await numberOf(ada))).bytes, limit: free.bytes },
    api_keys: { used: 1, limit: free.api_keys },
    connections: { used: 0, limit: free.connections },
    requests_per_day: { limit: free.requests_per_day },
  });
  expect(usage.bytes.used).toBeGreaterThan(
    documentBytes({ title: "Plan", content: text(1000), tags: ["travel"] }),
  );
  expect(id).toBeDefined();

  await env.DB.prepare("UPDATE subscriptions SET plan_tier = 'self_hosted'").run();
  const unlimited = await ada.ok(getUsageRoute);
  expect(unlimited.documents).toEqual({ used: 1, limit: null });
  expect(unlimited.requests_per_day).toEqual({ used: null, limit: null });
});

const AT_ONCE = 100;
const succeeded = (statuses: number[]) => statuses.filter((status) => status < 300).length;

test.for([
  ["documents", documents.createDocumentRoute, { title: "Plan" }],
  ["records", memories.createMemoryRoute, PROMISE],
  ["api_keys", createApiKeyRoute, { name: "Script", scopes: ["docs:read"] }],
] as const)(
  "of 100 parallel creations one below the limit of %s, one succeeds",
  async ([name, route, json]) => {
    const ada = await person();
    await ada.ok(route, { json });
    await ada.ok(route, { json });
    const limited = withLimits(ada, { [name]: 3 });
    const answers = await atOnce(AT_ONCE, () => limited.call(route, { json }));
    expect(succeeded(answers.map(({ status }) => status))).toBe(1);
    const refused = answers.filter(({ status }) => status === 403);
    expect(refused).toHaveLength(AT_ONCE - 1);
    expect(refused[0]?.text).toMatch(/You have 3 of the 3 .* of the free plan: .*, or choose a larger plan/);
    expect((await limited.ok(getUsageRoute))[name]).toEqual({ used: 3, limit: 3 });
  },
);

test("of parallel bulk requests one below the limit, one item of one succeeds", async () => {
  const ada = await person();
  await create(ada);
  await make(ada);
  const limited = withLimits(ada, { documents: 2, records: 2 });
  const operations = [
    { operation: "create", title: "Plan" },
    { operation: "create", title: "Plan" },
  ];
  const files = await atOnce(20, () => limited.ok(documents.bulkDocumentsRoute, { json: { operations } }));
  expect(files.reduce((sum, answer) => sum + answer.succeeded, 0)).toBe(1);
  const refusals = files.flatMap(({ results }) => results.filter(({ ok }) => !ok));
  expect(refusals).toHaveLength(39);
  for (const { detail } of refusals) expect(detail).toContain("2 of the 2 documents");
  const records = await atOnce(10, () =>
    limited.ok(memories.changeMemoriesRoute, {
      json: { operations: [{ operation: "create", ...PROMISE }] },
    }),
  );
  expect(records.reduce((sum, answer) => sum + answer.succeeded, 0)).toBe(1);
  expect((await limited.ok(getUsageRoute)).documents.used).toBe(2);
  expect((await limited.ok(getUsageRoute)).records.used).toBe(2);
});

test("the limit of bytes is kept to the byte, with a repeated request and for a stranger's sake", async () => {
  const [ada, bob] = [await person(), await person()];
  const content = text(5000);
  const bytes = documentBytes({ title: "Plan", content, tags: [] });
  const before = await countedOf(await numberOf(ada));
  for (const [limit, status] of [
    [before.bytes + bytes - 1, 403],
    [before.bytes + bytes, 201],
  ] as const) {
    const json = { title: "Plan", content };
    const headers = { "Idempotency-Key": "once" };
    const limited = withLimits(ada, { bytes: limit });
    expect((await limited.call(documents.createDocumentRoute, { json, headers })).status).toBe(status);
    // A repetition of what was stored adds nothing.
    expect((await limited.call(documents.createDocumentRoute, { json, headers })).status).toBe(status);
  }
  expect((await countedOf(await numberOf(ada))).bytes).toBe(before.bytes + bytes);
  expect(await countedOf(await numberOf(bob))).toEqual({ documents: 0, records: 0, bytes: 0 });
  const refused = await withLimits(ada, { bytes: 6000 }).refusal(documents.createDocumentRoute, {
    json: { title: "Plan", content },
  });
  expect(refused.detail).toMatch(
    /^Your storage is full: you use 5\.5 kB of the 6 kB .* 5\.5 kB more: .*empty the trash/,
  );
});

test("in a bulk request each item sees what those before it added and gave back", async () => {
  const ada = await person();
  const [first, second] = [await create(ada), await create(ada)];
  const limited = withLimits(ada, { documents: 2 });
  const { results } = await limited.ok(documents.bulkDocumentsRoute, {
    json: {
      operations: [
        { operation: "create", title: "Too many" },
        { operation: "delete", id: first.id },
        { operation: "create", title: "In its place" },
        { operation: "create", title: "Too many again" },
        { operation: "update", id: second.id, title: "Renamed" },
      ],
    },
  });
  expect(results.map(({ ok }) => ok)).toEqual([false, true, true, false, true]);
  expect(await countedOf(await numberOf(ada))).toEqual(await freshOf(await numberOf(ada)));
});

test("far over the limit, everything that takes nothing works", async () => {
  const ada = await person();
  const folder = await ada.ok(createFolderRoute, { json: { name: "Trips" } });
  const [one, two, three] = [
    await create(ada, { content: text(9000), folder_id: folder.id }),
    await create(ada, { content: text(9000) }),
    await create(ada),
  ];
  const [a, b] = [await make(ada, { content: "y".repeat(900) }), await make(ada)];
  const { id: key } = await ada.ok(createApiKeyRoute, { json: { name: "Script", scopes: ["docs:read"] } });
  const over = withLimits(ada, { documents: 0, records: 0, bytes: 1, api_keys: 0, connections: 0 });
  const ofRecord = ({ id }: { id: number }) => ({ params: { memory_id: String(id) } });

  const all = { query: { type: "all" } };
  expect((await over.ok(documents.getDocumentRoute, at(one))).title).toBe("Plan");
  expect((await over.fetch("/api/export")).status).toBe(200);
  // What shortens a text is written, and what was there is kept as a version.
  const shorter = await over.ok(documents.updateDocumentRoute, { ...at(one), json: { content: text(10) } });
  expect(shorter.version).toBe(2);
  const short = { operation: "replace_all", text: "Short" };
  await over.ok(documents.editDocumentRoute, { ...at(two), json: short });
  const longer = { ...at(one), json: { content: text(99) } };
  expect((await over.refusal(documents.updateDocumentRoute, longer)).status).toBe(403);
  await over.ok(memories.updateMemoryRoute, { ...ofRecord(a), json: { content: "y" } });
  const more = { ...ofRecord(a), json: { content: "yyy" } };
  expect((await over.refusal(memories.updateMemoryRoute, more)).status).toBe(403);
  // Closing is no growth, and neither is moving.
  await over.ok(memories.resolveMemoryRoute, { ...ofRecord(b), json: {} });
  await over.ok(documents.updateDocumentRoute, { ...at(one), json: { folder_id: null } });
  await over.call(deleteFolderRoute, { params: { folder_id: folder.id } });

  await over.call(documents.deleteDocumentRoute, at(one));
  await over.call(documents.deleteDocumentRoute, { ...at(two), query: { permanent: "true" } });
  await over.call(memories.deleteMemoryRoute, ofRecord(a));
  expect((await over.refusal(documents.restoreDocumentRoute, at(one))).detail).toContain("documents");
  expect((await over.refusal(memories.restoreMemoryRoute, ofRecord(a))).detail).toContain("records");
  expect((await over.ok(listTrashRoute, all)).total).toBe(2);
  expect((await over.call(emptyTrashRoute, all)).status).toBe(204);
  expect((await over.call(revokeApiKeyRoute, { params: { api_key_id: key } })).status).toBe(204);
  const owner = await numberOf(ada);
  expect(await countedOf(owner)).toEqual(await freshOf(owner));
  expect((await countedOf(owner)).documents).toBe(1);
  expect(three.version).toBe(1);
  expect((await over.call(deleteMeRoute, { json: { password: PASSWORD } })).status).toBe(204);
});

test("an import stores what fits and names what does not", async () => {
  const [ada, bob] = [await person(), await person()];
  for (const title of ["One", "Two", "Three"]) await create(ada, { title });
  for (const topic of ["First", "Second"]) await make(ada, { topic });
  const file = await (await ada.fetch("/api/export")).text();
  const headers = { "Content-Type": "application/x-ndjson" };
  const limited = withLimits(bob, { documents: 2, records: 1 });
  const dry = await limited.ok(importAccountRoute, { headers, body: file, query: { dry_run: "true" } });
  expect(dry.not_stored.total).toBe(2);
  const done = await limited.ok(importAccountRoute, { headers, body: file });
  expect(done.documents.created).toBe(2);
  expect(done.memories.created).toBe(1);
  // The event of a record that is not stored is skipped with it.
  expect(done.not_stored).toMatchObject({ total: 2 });
  expect(done.not_stored.items.map(({ type }) => type)).toEqual(["document", "memory"]);
  for (const { detail } of done.not_stored.items) expect(detail).toContain("of the free plan");
  const owner = await numberOf(bob);
  expect(await countedOf(owner)).toEqual(await freshOf(owner));
  expect(await countedOf(owner)).toMatchObject({ documents: 2, records: 1 });
  // With room, the same file brings the rest.
  const rest = await bob.ok(importAccountRoute, { headers, body: file });
  expect(rest.documents).toMatchObject({ created: 1, skipped: 2 });
});

describe("tools", () => {
  test("say honestly what was not stored", async () => {
    const ada = await person();
    await create(ada);
    await make(ada);
    const limited = stateless(withLimits(ada, { documents: 1, records: 2 }));
    expect((await use(limited, "create_document", { title: "Plan", text: "Text" })).refused).toMatch(
      /You have 1 of the 1 documents of the free plan: delete documents/,
    );
    const several = await use(limited, "remember", {
      records: ["One", "Two", "Three"].map((topic) => ({ ...PROMISE, topic, content: `About ${topic}` })),
    });
    const results = several.results as { ok: boolean; detail?: string }[];
    expect(results.map(({ ok }) => ok)).toEqual([true, false, false]);
    expect(results[1]?.detail).toContain("2 of the 2 records");
    expect((await use(limited, "remember", PROMISE)).refused).toBeUndefined();
    expect((await use(limited, "remember", { ...PROMISE, content: "Another" })).refused).toContain(
      "2 of the 2 records",
    );
    const full = stateless(withLimits(ada, { bytes: 1 }));
    const updated = await use(full, "update_memory", {
      records: [1, 2].map((id) => ({ id, content: "A much longer text than before" })),
    });
    expect((updated.results as { ok: boolean }[]).every(({ ok }) => !ok)).toBe(true);
    expect(await countedOf(await numberOf(ada))).toEqual(await freshOf(await numberOf(ada)));
  });
});

/** Connects clients without their page, which takes longer. */
async function connectMany(email: string, userId: string, count: number): Promise<void> {
  const oauth = oauthHelpers(env, RESOURCE);
  for (let n = 0; n < count; n++) {
    const { client_id: clientId } = await registerClient();
    await oauth.completeAuthorization({
      request: {
        ...{ responseType: "code", clientId, redirectUri: REDIRECT, scope: ["docs:read"], state: "s" },
        ...{ codeChallenge: await challengeOf(VERIFIER), codeChallengeMethod: "S256", resource: RESOURCE },
      },
      userId,
      scope: ["docs:read"],
      metadata: { client_name: email, redirect_host: "client.example" },
      props: { user_id: userId, epoch: 0, client_name: email },
    });
  }
}

test("the last connection of a plan is made, and the next one only in the place of another", async () => {
  const email = `${crypto.randomUUID()}@example.com`;
  const ada = await person({ email });
  const { limit } = (await ada.ok(getUsageRoute)).connections;
  expect(limit).toBe(20);
  await connectMany(email, (await ada.ok(getMeRoute)).id, 19);
  const browser = new Browser();
  await signInOn(browser, await browser.open("/sign-in"), email);
  const [last, next] = [await registerClient(), await registerClient()];
  // A page that was opened while there was room.
  const page = await browser.open(await authorizeUrl(next.client_id));
  await authorize(email, last.client_id, { browser });
  expect((await ada.ok(getUsageRoute)).connections).toEqual({ used: 20, limit: 20 });
  const late = await browser.submit(page, { decision: "allow" });
  const { status, html } = await browser.open(await authorizeUrl(next.client_id));
  expect([late.status, status]).toEqual([403, 403]);
  for (const text of [late.html, html])
    expect(text).toContain("20 of the 20 connections of the free plan: end a connection");
  // The same client connects again, and an existing connection keeps working.
  await authorize(email, last.client_id, { browser });
  const { items, total } = await ada.ok(listConnectionsRoute);
  expect(total).toBe(20);
  await ada.call(revokeConnectionRoute, { params: { connection_id: items[0]?.id ?? "" } });
  await authorize(email, next.client_id, { browser });
  expect((await ada.ok(getUsageRoute)).connections.used).toBe(20);
});

test("PLAN_LIMITS names what it does not know", () => {
  expect(planLimits('{"free": {"documents": 5, "bytes": null}}').free).toMatchObject({
    documents: 5,
    records: 50_000,
  });
  expect(planLimits('{"free": {"bytes": null}}').free).not.toHaveProperty("bytes");
  expect(planLimits('{"self_hosted": {"records": 0}}').self_hosted).toEqual({ records: 0 });
  for (const [setting, problem] of [
    ["{", "must be JSON"],
    ["[]", "must be a JSON object"],
    ['{"fre": {}}', 'unknown name "fre"; did you mean free?'],
    ['{"free": 5}', "free must be a JSON object"],
    ['{"free": {"document": 5}}', 'free has the unknown name "document"; did you mean documents?'],
    ['{"free": {"documents": "5"}}', "free.documents must be a whole number from 0"],
    ['{"free": {"documents": -1}}', "free.documents must be a whole number from 0"],
    ['{"free": {"documents": 1.5}}', "free.documents must be a whole number from 0"],
  ] as const) {
    expect(() => planLimits(setting), setting).toThrow(problem);
  }
});
