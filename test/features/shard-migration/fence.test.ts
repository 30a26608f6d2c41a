import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import * as auth from "../../../src/features/auth/routes.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { createFolderRoute } from "../../../src/features/folders/routes.ts";
import {
  createMemoryRoute,
  deleteMemoryRoute,
  resolveMemoryRoute,
} from "../../../src/features/memories/routes.ts";
import { MIGRATED_TABLES, tableName } from "../../../src/features/shard-migration/rows-store.ts";
import * as tables from "../../../src/platform/db/tables.ts";
import type { Meter } from "../../kit/meter.ts";
import { openShards } from "../../kit/shard-migration.ts";
import { countingIn, databaseOf, personIn } from "../../kit/shards.ts";

// The triggers that refuse writes to an account while it is moved.

beforeEach(openShards);

const EXCLUDED_TABLES: Record<string, string> = {
  users: "written first, and activated at the end",
  folder_totals: "maintained by triggers",
  tag_totals: "maintained by triggers",
  memory_tags: "maintained by triggers",
  spellings: "maintained by triggers",
  memory_totals: "maintained by triggers",
  search_entries: "indexed again",
  search_totals: "maintained by triggers",
  passkey_challenges: "valid for minutes",
  file_looks: "started again",
  file_words: "maintained by triggers",
  moves: "migrations as each shard knows them",
  moved_secrets: "migrations as each shard knows them",
  address_book: "in the first shard only, and updated there",
  customer_book: "in the first shard only; it names no shard",
  stripe_events: "in the first shard only",
};

describe("the tables of an account", () => {
  const all = Object.entries(tables);

  test("are each moved, or it is said why not", () => {
    const named = [...MIGRATED_TABLES.map(tableName), ...Object.keys(EXCLUDED_TABLES)];
    const shared = ["registration_links", "homes", "home_sizes", "settings", "push_keys"];
    expect([...named, ...shared].sort()).toEqual(all.map(([name]) => name).sort());
  });

  test("are fenced: each that is moved has triggers for what an owner can do with a row", async () => {
    const { results } = await env.DB.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE '%_fenced_%'",
    ).all<{ name: string }>();
    const expected = [...MIGRATED_TABLES.map(tableName), "users"]
      // Written only together with a session; and by triggers.
      .filter((name) => !["refresh_tokens", "usage"].includes(name))
      .flatMap((name) => ["insert", "update", "delete"].map((event) => `${name}_fenced_${event}`));
    expect(results.map(({ name }) => name).sort()).toEqual(expected.sort());
  });
});

describe("the fence", () => {
  /** How many rows each of an account's requests reads and writes. */
  async function costsIn(home: number) {
    const ada = await personIn(home, `ada-${home}@example.com`);
    const { client, meters } = countingIn(ada);
    const meter = meters[home - 1] as Meter;
    const costs: Record<string, [number, number]> = {};
    const step = async <Answer>(name: string, ask: Promise<Answer>): Promise<Answer> => {
      const answer = await ask;
      costs[name] = [meter.rowsRead, meter.rowsWritten];
      Object.assign(meter, { rowsRead: 0, rowsWritten: 0 });
      return answer;
    };
    await step("first", client.ok(auth.getMeRoute));
    const key = (name: string) => ({ headers: { "Idempotency-Key": name } });
    const folder = client.ok(createFolderRoute, { json: { name: "Farm" }, ...key("one") });
    const { id: folder_id } = await step("create a folder", folder);
    const json = { title: "Plan", content: { text: "harvest" }, tags: ["farm"], folder_id };
    const created = client.ok(documents.createDocumentRoute, { json, ...key("two") });
    const document = { params: { document_id: (await step("create", created)).id } };
    const line = { operation: "append", text: "seed" };
    await step("update", client.ok(documents.updateDocumentRoute, { ...document, json: { title: "Plans" } }));
    await step("edit", client.ok(documents.editDocumentRoute, { ...document, json: line }));
    await step("delete", client.call(documents.deleteDocumentRoute, document));
    const record = { memory_type: "commitment", topic: "Slides", content: "For the board", tags: ["farm"] };
    const { id } = await step("record", client.ok(createMemoryRoute, { json: record }));
    const params = { memory_id: String(id) };
    await step("resolve", client.ok(resolveMemoryRoute, { params, json: {} }));
    await step("erase", client.call(deleteMemoryRoute, { params }));
    return costs;
  }

  test("costs an account that is not moved nothing: not one row more is read or written", async () => {
    const { results } = await databaseOf(2)
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE '%_fenced_%'")
      .all<{ name: string }>();
    await databaseOf(2).batch(results.map(({ name }) => databaseOf(2).prepare(`DROP TRIGGER ${name}`)));
    expect(await costsIn(1)).toEqual(await costsIn(2));
  });
});
