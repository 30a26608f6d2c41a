import { gzipSync, strToU8, unzipSync, zipSync } from "fflate";
import { expect, test } from "vitest";
import type { MemoryFile } from "../../../scripts/tidy/memory-file.ts";
import { readMemoryFile } from "../../../scripts/tidy/read-memory-file.ts";
import { describeFindings } from "../../../scripts/tidy/report.ts";
import { unpackText } from "../../../scripts/tidy/unpack.ts";
import { findAllFindings } from "../../../src/shared/tidy/find.ts";
import { fileOf, LINES, memory } from "../../kit/import-lines.ts";

// The same findings in files of other memories, offline.

const found = ({ things }: MemoryFile) =>
  findAllFindings(things, "2026-11-25").map(({ kind, items }) => [kind, ...items.map(({ id }) => id)]);

const lines = (...values: unknown[]) => values.map((value) => JSON.stringify(value)).join("\n");

const SAID = "Likes to play cricket on weekends";

test("server-memory's file: observations of one entity are compared, those of two are not", () => {
  const source = readMemoryFile(
    `${lines(
      {
        ...{ type: "entity", name: "Grace", entityType: "person" },
        observations: [
          ...["prefers tea over coffee", "works at Acme in Berlin"],
          ...["Prefers tea, over coffee!", "no longer works at Acme in Berlin"],
        ],
      },
      {
        ...{ type: "entity", name: "Alan", entityType: "person" },
        observations: ["prefers tea over coffee", "the wifi password is Sommer2026"],
      },
      { type: "relation", from: "Grace", to: "Alan", relationType: "knows" },
    )}\nnot JSON\n`,
  );
  expect([source.name, source.things.length, source.unread]).toEqual(["server-memory", 6, 1]);
  expect(found(source)).toEqual([
    ["secret", "line 2, observation 2"],
    ["double_record", "line 1, observation 3", "line 1, observation 1"],
    ["contradiction", "line 1, observation 4", "line 1, observation 2"],
  ]);
  const told = describeFindings(source, findAllFindings(source.things, "2026-11-25"), 10);
  expect(told).toContain("16.7 % of them duplicate another");
  expect(told).toContain("Not checked in this file:\n  which of two observations is newer");
  expect(told).not.toContain("Sommer");
});

test("what server-memory's read_graph answers is the same without types", () => {
  const observations = ["prefers tea over coffee", "Prefers tea, over coffee!"];
  const entities = [{ name: "Grace", entityType: "person", observations }];
  const source = readMemoryFile(JSON.stringify({ entities, relations: [] }, null, 2));
  expect([source.name, source.unread]).toEqual(["server-memory", 0]);
  expect(found(source)).toEqual([["double_record", "line 1, observation 2", "line 1, observation 1"]]);
});

test.each([
  ["an answer", (memories: unknown[]) => JSON.stringify({ results: memories })],
  [
    "pages of the platform",
    ([first, ...others]: unknown[]) =>
      JSON.stringify([
        { count: 4, next: "https://api.mem0.ai/v3/memories/?page=2", previous: null, results: [first] },
        { count: 4, next: null, previous: null, results: others },
      ]),
  ],
  ["a list", (memories: unknown[]) => JSON.stringify(memories, null, 2)],
  ["lines", (memories: unknown[]) => lines(...memories)],
])("what Mem0 has, as %s: the memories of one user are compared", (_, written) => {
  const one = { id: "a", memory: SAID, user_id: "alex", created_at: "2024-07-26T10:29:36Z" };
  const later = { memory: "Likes to play cricket on the weekends.", created_at: "2025-07-26T10:29:36Z" };
  const again = { ...one, id: "b", ...later };
  const source = readMemoryFile(written([one, again, { ...one, id: "c", user_id: "bob" }, { other: 1 }]));
  expect([source.name, source.unread]).toEqual(["Mem0", 1]);
  expect(found(source)).toEqual([["double_record", "b", "a"]]);
});

/** OpenMemory's backup of two memories that say the same, and of two that no longer hold. */
function backup(): Uint8Array {
  const at = { created_at: "2025-07-26T10:29:36+00:00", updated_at: "2025-07-26T10:29:36+00:00" };
  const states = ["active", "paused", "deleted", "archived"];
  const memories = states.map((state, n) => ({ id: `m${n}`, content: SAID, metadata: {}, state, ...at }));
  const owned = memories.map((one) => ({ ...one, user_id: "u" }));
  const whole = { user: {}, apps: [], memories: owned, export_meta: {} };
  const logical = lines(...memories.map((one) => ({ ...one, app: "cursor", categories: [] })));
  return zipSync({
    "memories.json": strToU8(JSON.stringify(whole, null, 2)),
    "memories.jsonl.gz": gzipSync(strToU8(`${logical}\n`)),
  });
}

test("OpenMemory's backup as the zip that it is, and each of its files: what holds is compared", () => {
  const zip = backup();
  const files = unzipSync(zip);
  for (const bytes of [zip, ...Object.values(files)]) {
    const source = readMemoryFile(unpackText(bytes));
    expect([source.name, source.things.length, source.unread]).toEqual(["Mem0", 2, 0]);
    expect(found(source).map(([kind]) => kind)).toEqual(["double_record"]);
  }
  expect(() => unpackText(zipSync({ "notes.md": strToU8("# Notes") }))).toThrow(/neither memories.jsonl.gz/);
});

test("what Mem0's plugin exports as Markdown, and what the platform has replaced", () => {
  const block = (id: string) =>
    `---\nid: ${id}\ncreated_at: 2025-07-26T10:29:36Z\ntype: \nfiles: a.py, b.py\n---\n${SAID}\n\n`;
  const source = readMemoryFile(block("a") + block("b"));
  expect([source.name, source.things.length]).toEqual(["Mem0", 2]);
  expect(found(source)).toEqual([["double_record", "b", "a"]]);
  const one = { id: "a", memory: SAID, created_at: "2025-07-26T10:29:36Z", replaced_by: "b" };
  const results = [one, { ...one, id: "b", replaced_by: null }];
  expect(found(readMemoryFile(JSON.stringify({ count: 2, next: null, previous: null, results })))).toEqual(
    [],
  );
});

test("an export of Commonplace: what is open, with all kinds", () => {
  const said = { content: "The valve is behind the shelf in the kitchen", tags: [] };
  const source = readMemoryFile(
    fileOf([
      memory(1, { ...said, topic: "The heating" }),
      memory(2, { ...said, topic: "The heating" }),
      memory(3, { ...said, topic: "The heating", status: "archived", closed_at: LINES.memory.created_at }),
      memory(4, { topic: "Slides", content: "Done, she has them" }),
    ]),
  );
  const kinds = found(source).map(([kind]) => kind);
  expect(kinds.sort()).toEqual(["double_record", "one_word_topic", "said_done"]);
});

test("another file is refused with what is read", () => {
  expect(() => readMemoryFile('{"a":1}')).toThrow(/Use server-memory's memory.jsonl/);
  expect(() => readMemoryFile('{"full_name":"Ada","current_role":"engineer"}')).toThrow(
    /your own schema contain no memories/,
  );
});
