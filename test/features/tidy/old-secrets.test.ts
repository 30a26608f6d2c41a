import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { listActivityRoute, undoActivityRoute } from "../../../src/features/activity/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import * as history from "../../../src/features/memories/history-routes.ts";
import * as memories from "../../../src/features/memories/routes.ts";
import { listFindingsRoute, lookRoute } from "../../../src/features/tidy/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";
import { stateless, use } from "../../kit/mcp.ts";
import { at, make, step } from "../../kit/records.ts";
import { bytesUsed } from "../../kit/usage.ts";

// A secret that was edited away lies in the versions, and one that was deleted in the trash.

const SECRET = "Sommer2026";
const text = (said: string) => ({ format: "markdown" as const, text: said });

const found = async (client: Client) => (await client.ok(listFindingsRoute, { query: { limit: 100 } })).items;
const shown = async (client: Client) =>
  (await found(client)).map(({ kind, items: [item], versions }) => [kind, item?.id, ...(versions ?? [])]);

const record = (client: Client, topic: string, content: string) =>
  make(client, { memory_type: "context", topic, content });

/** A record and a document whose secret was edited away, a record that was deleted with one, and one that was closed. */
async function careless(client: Client) {
  const edited = await record(client, `Wifi: password is ${SECRET}`, "In the office");
  for (const json of [{ content: "In the office and in the cellar" }, { topic: "Wifi in the office" }])
    await client.ok(memories.updateMemoryRoute, { params: at(edited), json });
  await step(client, edited, "archive");
  const json = { title: "The office", content: text(`The wifi password is ${SECRET}`) };
  const document = await client.ok(documents.createDocumentRoute, { json });
  const params = { document_id: document.id };
  const clean = { content: text("Ask Grace for the wifi") };
  await client.ok(documents.updateDocumentRoute, { params, json: clean });
  const trashed = await record(client, "The printer", `The admin password is ${SECRET}`);
  await client.call(memories.deleteMemoryRoute, { params: at(trashed) });
  const closed = await record(client, "The router", `The admin password is ${SECRET}`);
  await step(client, closed, "archive");
  return { edited, params, trashed, closed };
}

/** How many rows of an account contain the secret, in any table. */
async function saying(client: Client): Promise<number> {
  const row = await env.DB.prepare(`SELECT
      (SELECT count(*) FROM memory_events WHERE owner = ?1 AND state LIKE ?2)
      + (SELECT count(*) FROM document_versions WHERE owner = ?1 AND (title LIKE ?2 OR content LIKE ?2))
      + (SELECT count(*) FROM memories WHERE owner = ?1 AND (topic LIKE ?2 OR content LIKE ?2))
      + (SELECT count(*) FROM activity WHERE owner = ?1 AND (title LIKE ?2 OR state LIKE ?2)) AS rows`)
    .bind(await numberOf(client), `%${SECRET}%`)
    .first<{ rows: number }>();
  return row?.rows ?? -1;
}

test("a secret is found in earlier versions, in what is closed and in the trash, and is gone when it is erased there", async () => {
  const [ada, eve] = [await person(), await person()];
  const { edited, params, trashed, closed } = await careless(ada);
  expect(await ada.ok(lookRoute)).toMatchObject({ records: 0, documents: 1, searched: 8 });
  expect(await shown(ada)).toEqual([
    ["secret", String(closed.id)],
    ["old_secret", String(edited.id), 2, 1],
    ["old_secret", params.document_id, 1],
    ["trashed_secret", String(trashed.id)],
  ]);
  const findings = await found(ada);
  expect(findings.map(({ reason }) => reason).slice(1)).toEqual([
    "An earlier version still contains what looks like a password or key (versions 2, 1)",
    "An earlier version still contains what looks like a password or key (version 1)",
    "It is in the trash and contains what looks like a password or key",
  ]);
  expect(JSON.stringify(findings)).not.toContain(SECRET);

  const first = { params: { ...params, version: "1" } };
  const present = { params: { ...params, version: "2" } };
  expect((await ada.call(documents.eraseVersionRoute, present)).status).toBe(404);
  for (const [client, status] of [
    [eve, 404],
    [ada, 204],
    [ada, 404],
  ] as const)
    expect((await client.call(documents.eraseVersionRoute, first)).status).toBe(status);
  expect((await ada.call(documents.getVersionRoute, first)).status).toBe(404);
  for (const version of ["2", "1"]) {
    const sent = { params: { ...at(edited), version } };
    expect((await eve.call(history.eraseMemoryVersionRoute, sent)).status).toBe(404);
    expect((await ada.call(history.eraseMemoryVersionRoute, sent)).status).toBe(204);
    expect((await ada.call(history.getMemoryVersionRoute, sent)).status).toBe(404);
  }
  expect((await ada.ok(history.listMemoryVersionsRoute, { params: at(edited) })).total).toBe(1);
  for (const one of [trashed, closed])
    await ada.call(memories.deleteMemoryRoute, { params: at(one), query: { permanent: "true" } });
  expect(await shown(ada)).toEqual([]);
  expect(await saying(ada)).toBe(0);
  await bytesUsed(ada);
  await ada.ok(lookRoute);
  expect(await shown(ada)).toEqual([]);
});

test("a change whose earlier version is erased is told by the present title, and can no longer be undone", async () => {
  const ada = await person();
  const { edited, params } = await careless(ada);
  await ada.call(history.eraseMemoryVersionRoute, { params: { ...at(edited), version: "1" } });
  await ada.call(documents.eraseVersionRoute, { params: { ...params, version: "1" } });
  const { items } = await ada.ok(listActivityRoute, { query: { limit: 100 } });
  const of = items.filter(({ record_id }) => record_id === String(edited.id));
  expect(of.find(({ verb }) => verb === "created")?.title).toBe("Wifi in the office");
  const [change] = items.filter(
    ({ record_id, verb }) => record_id === params.document_id && verb === "changed",
  );
  const { results } = await ada.ok(undoActivityRoute, { json: { ids: [change?.id ?? 0] } });
  expect(results[0]).toMatchObject({ outcome: "not_possible" });
});

test("an assistant hears where a secret lies and where a person erases it, and shows none", async () => {
  const ada = await person();
  await careless(ada);
  const answer = (await use(stateless(ada), "tidy")) as { findings: { reason: string; call: string }[] };
  expect(answer.findings).toHaveLength(4);
  for (const { call } of answer.findings)
    expect(call).toMatch(/^tell the user, who alone can erase it: .*\/tidy, (mem|doc):/);
  expect(JSON.stringify(answer)).not.toContain(SECRET);
});
