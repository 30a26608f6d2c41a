import { describe, expect, test } from "vitest";
import { TIDY_KINDS } from "../../../src/contract/tidy-kinds.ts";
import { duplicateLikeness } from "../../../src/shared/tidy/duplicates.ts";
import { findAllFindings } from "../../../src/shared/tidy/find.ts";
import { makeFingerprint, type TidySubject } from "../../../src/shared/tidy/fingerprint.ts";
import { doneWord } from "../../../src/shared/tidy/single.ts";
import { packHashes, unpackHashes } from "../../../src/shared/tidy/sketch.ts";
import { madeCollection, measured, ordinaryTexts } from "../../kit/tidy.ts";

const TODAY = "2026-11-25";

/** A record, numbered in its order. */
const record = (id: number, title: string, text: string, more: Partial<TidySubject> = {}): TidySubject => ({
  ...{ type: "memory", id: String(id), title, text, memory_type: "context", changed: null, project: null },
  ...{ at: `2026-01-01T00:00:${String(id % 60).padStart(2, "0")}.000Z`, due_date: null, supersedes: null },
  ...{ series: null, document_id: null, is_linked: null, ...more },
});

const kindsOf = (things: TidySubject[]) =>
  findAllFindings(things, TODAY).map(({ kind, items }) => [kind, ...items.map(({ id }) => id)]);

describe.each([1, 2, 3])("a made collection of 1,000 records and 300 documents, %s", (seed) => {
  const made = madeCollection(seed);
  const found = findAllFindings(made.things, TODAY);

  // A single text has no versions, and is in no trash.
  const kinds = TIDY_KINDS.filter((kind) => kind !== "old_secret" && kind !== "trashed_secret");

  test.each(kinds)("%s: what was planted is found, and nothing else", (kind) => {
    const { recall, precision } = measured(made, found, kind);
    expect(recall).toBeGreaterThanOrEqual(0.9);
    expect(precision).toBeGreaterThanOrEqual(0.9);
  });
});

test("no ordinary text of 10,000 has a secret", () => {
  const things = ordinaryTexts(7, 10_000);
  expect(findAllFindings(things, TODAY).filter(({ kind }) => kind === "secret")).toEqual([]);
});

test.each([
  ["is the same", "Tea: Grace prefers tea over coffee", "tea.: GRACE prefers tea, over coffee!", true],
  [
    ...["has only more words", "Store: We stay with SQLite for the first release"],
    ...["Store: We stay with SQLite for the first release, at least", true],
  ],
  [
    ...["has a topic like it", "Grace's tea: Grace prefers tea over coffee"],
    ...["Tea preference: Grace prefers tea over coffee", true],
  ],
  [
    ...["is about another person", "Alice: likes hiking in the mountains"],
    ...["Bob: likes hiking in the mountains", false],
  ],
  [
    ...["has another place in it", "Flight: Book the flight to Paris on Monday"],
    ...["Flight: Book the flight to Rome on Monday", false],
  ],
  [
    ...["has another number in it", "Rent: Pay 400 to the landlord this month"],
    ...["Rent: Pay 500 to the landlord this month", false],
  ],
  ["denies it", "Ship: We do ship on Friday then", "Ship: We do not ship on Friday then", false],
  [
    ...["is the other way round", "Tea: Grace prefers tea over coffee"],
    ...["Tea: Grace prefers coffee over tea", false],
  ],
] as [string, string, string, boolean][])("a record that %s", (_, one, other, isDuplicate) => {
  const [first, second] = [one, other].map((said, at) => {
    const [title = "", text = ""] = said.split(": ");
    return makeFingerprint(record(at + 1, title, text));
  });
  expect(first && second && duplicateLikeness(first, second) > 0).toBe(isDuplicate);
});

test("what belongs to two projects, days or records of a series is not said twice", () => {
  const text = ["Rent", "Pay the landlord for this month"] as const;
  for (const [one, other] of [
    [{ project: "Apollo" }, { project: "Zeus" }],
    [{ due_date: "2026-12-01" }, { due_date: "2027-01-01" }],
    [{ series: "1" }, { series: "1" }],
  ])
    expect(
      duplicateLikeness(makeFingerprint(record(1, ...text, one)), makeFingerprint(record(2, ...text, other))),
    ).toBe(0);
});

test("the one that says most stays, and each double is in one finding", () => {
  const text = "We stay with SQLite for the first release of the app";
  const things = [
    record(1, "Store", text),
    record(2, "Store", `${text}, at least`),
    record(3, "Store", text),
  ];
  expect(kindsOf(things.map((thing) => ({ ...thing, title: "The store" })))).toEqual([
    ["double_record", "2", "3", "1"],
  ]);
});

test("what replaced a record does not contradict it", () => {
  const [title, more] = ["The store", { memory_type: "decision" }];
  const earlier = record(1, title, "We keep our data in SQLite on one machine", more);
  const later = record(2, title, "We keep our data in Postgres on one machine", more);
  expect(kindsOf([earlier, later])).toEqual([["contradiction", "2", "1"]]);
  expect(kindsOf([earlier, { ...later, supersedes: "1" }])).toEqual([]);
});

test("a document to which an open record belongs is in use", () => {
  const old = { type: "document", changed: "2024-03-01T00:00:00.000Z", memory_type: null } as const;
  const document = record(1, "Plan of the garden", "Beans behind the house", old);
  expect(kindsOf([document])).toEqual([["unused_document", "1"]]);
  expect(
    kindsOf([document, record(2, "Plant the beans", "In May, behind the house", { document_id: "1" })]),
  ).toEqual([]);
});

test("a text says it is done if it states that, not if it asks, plans or denies it", () => {
  const isDone = (text: string) => doneWord(text) !== undefined;
  expect(
    "Done|Taxes: it has been completed|Die Steuer ist erledigt|Slides already sent|✅ slides"
      .split("|")
      .filter((text) => !isDone(text)),
  ).toEqual([]);
  expect(
    [
      "Tell Ada when it is done|must be done by Friday|This was not finished|get it done|noch nicht erledigt",
      "Done by Friday at the latest|Get the completed form from Ada|Are you done?|wird am Montag abgeschlossen",
    ]
      .flatMap((texts) => texts.split("|"))
      .filter(isDone),
  ).toEqual([]);
});

test("hashes are kept in four characters each", () => {
  const { words } = makeFingerprint(record(1, "a", "Some words that have hashes of their own"));
  expect(unpackHashes(packHashes(words))).toEqual(words);
  expect(packHashes(words)).toHaveLength(4 * words.length);
});
