import fc from "fast-check";

// What may happen to records that have hours, reminders and repeat.

const ZONES = ["Europe/Berlin", "Asia/Tokyo", "America/St_Johns", "Asia/Kathmandu", "Pacific/Apia"];
const DAYS = ["2036-11-19", "2036-11-20", "2036-11-21", "2036-11-25", "2036-12-01"];
const TIMES = ["00:00", "09:00", "17:30", "23:45"];
const RULES = [
  "FREQ=DAILY",
  "FREQ=WEEKLY;BYDAY=MO,FR",
  "FREQ=MONTHLY;BYMONTHDAY=-1",
  "FREQ=DAILY;INTERVAL=2;COUNT=2",
];
const REMINDERS = [
  { before: "PT0S" },
  { before: "P1D" },
  { before: "PT90M" },
  { at: "2036-11-20T18:15" },
  { at: "2036-11-22T08:00" },
];

const orNull = <Value>(values: readonly Value[]) => fc.constantFrom<Value | null>(null, ...values);
const timing = fc.record(
  {
    due_date: fc.constantFrom(...DAYS),
    due_time: orNull(TIMES),
    remind: fc.option(fc.uniqueArray(fc.constantFrom(...REMINDERS), { maxLength: 3 })),
    remind_until_done: fc.boolean(),
    repeat: orNull(RULES),
    repeat_from: fc.constantFrom("due", "done"),
  },
  { requiredKeys: ["due_date"] },
);
const edit = fc.oneof(
  fc.record({ topic: fc.constantFrom("One", "Two") }),
  fc.record({ topic: fc.constantFrom("One", "Two"), apply_to: fc.constantFrom("this", "following") }),
  fc.record({
    apply_to: fc.constantFrom("this", "following"),
    due_time: orNull(TIMES),
    remind: fc.option(fc.uniqueArray(fc.constantFrom(...REMINDERS), { maxLength: 3 })),
  }),
  fc.record(
    {
      apply_to: fc.constantFrom("this", "following"),
      due_date: fc.constantFrom(...DAYS),
      repeat_from: fc.constantFrom("due", "done"),
    },
    { requiredKeys: ["apply_to", "due_date"] },
  ),
  fc.record({ due_date: fc.constantFrom<string | null>(null, ...DAYS) }),
  fc.record({ due_time: orNull(TIMES) }),
  fc.record({ remind: fc.option(fc.uniqueArray(fc.constantFrom(...REMINDERS), { maxLength: 3 })) }),
  fc.record({ remind_until_done: fc.boolean() }),
  fc.record({ repeat: orNull(RULES) }),
);
const pick = fc.nat(5);
const days = fc.integer({ min: 0, max: 4 });
/** What may become of a record beside others. */
const operation = fc.oneof(
  fc.record({ operation: fc.constant("create" as const), json: timing }),
  fc.record({ operation: fc.constant("update" as const), pick, json: edit }),
  fc.record({ operation: fc.constant("defer" as const), pick, days }),
  fc.record({
    operation: fc.constantFrom(
      ...(["resolve", "skip", "archive", "reopen", "confirm", "supersede", "delete", "restore"] as const),
    ),
    pick,
  }),
);
export type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;
export const STEP = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant("create" as const), json: timing }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("edit" as const), pick, json: edit }) },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constantFrom(
        "resolve",
        "skip",
        "archive",
        "supersede",
        "reopen",
        "delete",
        "restore",
        "version",
      ),
      pick,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant("defer" as const), pick, days }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("undo" as const), alone: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant("zone" as const), zone: fc.constantFrom(...ZONES) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("import" as const),
      mode: fc.constantFrom("skip", "overwrite"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("copy" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant("many" as const),
      operations: fc.array(operation, { minLength: 2, maxLength: 5 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record(
      {
        does: fc.constant("link" as const),
        pick,
        isLinked: fc.boolean(),
        apply_to: fc.constantFrom("this", "following"),
      },
      { requiredKeys: ["does", "pick", "isLinked"] },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("document" as const),
      becomes: fc.constantFrom("deleted", "restored", "erased"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant("wait" as const), hours: fc.integer({ min: 1, max: 40 }) }),
  },
);
export type Step = typeof STEP extends fc.Arbitrary<infer Value> ? Value : never;
