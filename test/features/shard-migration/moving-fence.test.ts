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
import {
  EXCLUDED_TABLES,
  MIGRATED_TABLES,
  tableName,
} from "../../../src/features/shard-migration/rows-store.ts";
import * as tables from "../../../src/platform/db/tables.ts";
import { person } from "../../kit/client.ts";
import type { Meter } from "../../kit/meter.ts";
import { ADA, creating, Killed, move, rowOf } from "../../kit/shard-migration.ts";
import { countingIn, databaseOf, openHomes, personIn } from "../../kit/shards.ts";

// The triggers that refuse writes to an account while it is moved.

beforeEach(async () => {
  await openHomes();
  // The first account is the admin's, which stays.
  await person({ email: "admin@example.com" });
});

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
    const params = async (make: Promise<{ id: string | number }>) => String((await make).id);
    const step = async <Answer>(name: string, ask: Promise<Answer>): Promise<Answer> => {
      const answer = await ask;
      costs[name] = [meter.rowsRead, meter.rowsWritten];
      Object.assign(meter, { rowsRead: 0, rowsWritten: 0 });
      return answer;
    };
    await step("first", client.ok(auth.getMeRoute));
    const key = { "Idempotency-Key": "once" };
    const folder_id = await params(
      step("create a folder", client.ok(createFolderRoute, { json: { name: "Farm" }, headers: key })),
    );
    const json = { title: "Plan", content: { text: "harvest" }, tags: ["farm"], folder_id };
    const document_id = await params(
      step(
        "create",
        client.ok(documents.createDocumentRoute, { json, headers: { "Idempotency-Key": "two" } }),
      ),
    );
    const document = { params: { document_id } };
    const line = { operation: "append", text: "seed" };
    await step("update", client.ok(documents.updateDocumentRoute, { ...document, json: { title: "Plans" } }));
    await step("edit", client.ok(documents.editDocumentRoute, { ...document, json: line }));
    await step("delete", client.call(documents.deleteDocumentRoute, document));
    const record = { memory_type: "commitment", topic: "Slides", content: "For the board", tags: ["farm"] };
    const memory_id = await params(step("record", client.ok(createMemoryRoute, { json: record })));
    await step("resolve", client.ok(resolveMemoryRoute, { params: { memory_id }, json: {} }));
    await step("erase", client.call(deleteMemoryRoute, { params: { memory_id } }));
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

/** The statements of a migration. */
const migration = (name: string) => env.MIGRATIONS.find((one) => one.name === name)?.queries ?? [];

test("a service that is updated in the middle of a move keeps the fence and goes on", async () => {
  const ada = await personIn(1, ADA);
  await rowOf(ada, 1);
  await expect(move(ADA, 2, { at: 30, isAnswered: true })).rejects.toThrow(Killed);
  for (const database of [databaseOf(1), databaseOf(2)]) {
    const { results } = await database.prepare("SELECT * FROM moves").all();
    const before = migration("0033_moves.sql").find((query) => query.includes("CREATE TABLE moves ("));
    const earlier = ["CREATE TABLE kept AS SELECT * FROM moves", "DROP TABLE moves", before ?? ""];
    const statements = [
      ...earlier,
      "INSERT INTO moves SELECT * FROM kept",
      "DROP TABLE kept",
      "DROP INDEX moved_secrets_owner_idx",
    ];
    for (const one of [...statements, ...migration("0041_fence.sql")]) await database.prepare(one).run();
    expect((await database.prepare("SELECT * FROM moves").all()).results).toEqual(results);
  }
  expect((await creating(ada)).status).toBe(503);
  await move(ADA, 2);
  await rowOf(ada, 2);
  expect((await ada.ok(documents.listDocumentsRoute)).total).toBe(2);
});
