import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { person } from "../../kit/client.ts";
import { numberOf } from "../../kit/ctx.ts";

// Documents of earlier releases get how old their texts are from what their versions know.

const BEFORE = "0078_text_updated.sql";

const day = (number: number) => `2026-01-0${number}T00:00:00.000Z`;

type State = { title?: string; text?: string | null; tags?: string[] };

/** The states of a document, the last one as it is, each a day after the one before; and the day on which its text was new. */
const CASES: Record<string, { states: State[]; from?: number; expected: number }> = {
  "never changed": { states: [{ text: "one" }], expected: 1 },
  "only tagged": {
    states: [{ text: "one" }, { text: "one", tags: ["a"] }, { text: "one", tags: ["b"] }],
    expected: 1,
  },
  "written, then tagged twice": {
    states: [{ text: "one" }, { text: "two" }, { text: "two", tags: ["a"] }, { text: "two", tags: ["b"] }],
    expected: 2,
  },
  "written last": {
    states: [{ text: "one" }, { text: "one", tags: ["a"] }, { text: "two", tags: ["a"] }],
    expected: 3,
  },
  "a task ticked, as long as before": { states: [{ text: "- [ ] a" }, { text: "- [x] a" }], expected: 2 },
  "retitled, then tagged": {
    states: [
      { title: "A", text: "one" },
      { title: "B", text: "one" },
      { title: "B", text: "one", tags: ["a"] },
    ],
    expected: 2,
  },
  "without a text, then with one": {
    states: [{ text: null }, { text: "one" }, { text: "one", tags: ["a"] }],
    expected: 2,
  },
  "tagged so often that the first versions are gone": {
    states: [{ text: "one" }, { text: "one", tags: ["a"] }, { text: "one", tags: ["b"] }],
    from: 2,
    expected: 2,
  },
};

const contentOf = ({ text = null }: State) => (text === null ? null : JSON.stringify({ text }));

test("each document keeps what it has, and is as old as its versions know, also while its account is moved", async () => {
  await reset();
  const at = env.MIGRATIONS.findIndex(({ name }) => name === BEFORE);
  await applyD1Migrations(env.DB, env.MIGRATIONS.slice(0, at));
  await env.DB.prepare(`INSERT INTO users (number, id, email, password_hash, role, timezone, stale_after_days, created_at)
    VALUES (1, 'a', 'a@example.com', '', 'member', 'UTC', '{}', ?)`)
    .bind(day(1))
    .run();
  for (const [id, { states, from = 1 }] of Object.entries(CASES)) {
    const last = states.at(-1) as State;
    const row = (state: State) => [state.title ?? "Plan", contentOf(state), JSON.stringify(state.tags ?? [])];
    await env.DB.prepare(`INSERT INTO documents (id, owner, title, content, tags, source_type, version, created_at, updated_at)
      VALUES (?, 1, ?, ?, ?, 'api', ?, ?, ?)`)
      .bind(id, ...row(last), states.length, day(1), day(states.length))
      .run();
    for (const [place, state] of states.slice(0, -1).entries()) {
      if (place + 1 < from) continue;
      await env.DB.prepare(`INSERT INTO document_versions (document_id, owner, version, title, content, tags, source_type, created_at)
        VALUES (?, 1, ?, ?, ?, ?, 'api', ?)`)
        .bind(id, place + 1, ...row(state), day(place + 1))
        .run();
    }
  }
  const rows = async (columns: string) =>
    (await env.DB.prepare(`SELECT ${columns} FROM documents ORDER BY id`).all()).results;
  const before = await rows("id, title, content, tags, version, created_at, updated_at");
  await env.DB.prepare(
    "INSERT INTO moves (owner, user_id, state, home, number, progress, is_fenced, at) VALUES (1, 'a', 'leaving', 2, NULL, NULL, 1, ?)",
  )
    .bind(day(1))
    .run();
  await applyD1Migrations(env.DB, env.MIGRATIONS);
  expect(await rows("id, title, content, tags, version, created_at, updated_at")).toEqual(before);
  const ages = Object.fromEntries(
    (await rows("id, changed_at")).map(({ id, changed_at }) => [id, changed_at]),
  );
  expect(ages).toEqual(
    Object.fromEntries(Object.entries(CASES).map(([id, { expected }]) => [id, day(expected)])),
  );
  const write = env.DB.prepare("UPDATE documents SET title = 'x'").run();
  await expect(write).rejects.toThrow("moving");
});

test("a document that an earlier release writes beside this one is as old as it says", async () => {
  const owner = await numberOf(await person());
  await env.DB.prepare(`INSERT INTO documents (id, owner, title, tags, source_type, version, created_at, updated_at)
    VALUES ('one', ?2, 'Plan', '[]', 'api', 1, ?1, ?1)`)
    .bind(day(3), owner)
    .run();
  const changedAt = () => env.DB.prepare("SELECT changed_at FROM documents").first("changed_at");
  expect(await changedAt()).toBe(day(3));
  for (const [set, at, expected] of [
    [`title = title, content = content, tags = '["a"]'`, day(4), day(3)],
    [`title = title, content = '{"text":"two"}'`, day(5), day(5)],
    ["title = 'Another', content = content", day(6), day(6)],
    // This release says by itself how old the text is that comes back.
    [`title = 'Plan', content = content, changed_at = '${day(3)}'`, day(7), day(3)],
  ] as const) {
    await env.DB.prepare(`UPDATE documents SET ${set}, updated_at = ?`).bind(at).run();
    expect(await changedAt(), set).toBe(expected);
  }
});
