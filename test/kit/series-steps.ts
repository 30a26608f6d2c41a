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
  ...[{ before: "PT0S" }, { before: "P1D" }, { before: "PT90M" }],
  ...[{ at: "2036-11-20T18:15" }, { at: "2036-11-22T08:00" }],
];

const orNull = <Value>(values: readonly Value[]) => fc.constantFrom<Value | null>(null, ...values);
const due_date = fc.constantFrom(...DAYS);
const due_time = orNull(TIMES);
const remind = fc.option(fc.uniqueArray(fc.constantFrom(...REMINDERS), { maxLength: 3 }));
const remind_until_done = fc.boolean();
const repeat = orNull(RULES);
const repeat_from = fc.constantFrom("due", "done");
const topic = fc.constantFrom("One", "Two");
const apply_to = fc.constantFrom("this", "following");
const timing = fc.record(
  { due_date, due_time, remind, remind_until_done, repeat, repeat_from },
  { requiredKeys: ["due_date"] },
);
const edit = fc.oneof(
  fc.record({ topic }),
  fc.record({ topic, apply_to }),
  fc.record({ apply_to, due_time, remind }),
  fc.record({ apply_to, due_date, repeat_from }, { requiredKeys: ["apply_to", "due_date"] }),
  fc.record({ due_date: orNull(DAYS) }),
  fc.record({ due_time }),
  fc.record({ remind }),
  fc.record({ remind_until_done }),
  fc.record({ repeat }),
);
const pick = fc.nat(5);
const days = fc.integer({ min: 0, max: 4 });
const one = <const Name extends string>(...names: Name[]) => fc.constantFrom(...names);

/** What may happen to a record beside others. */
const operation = fc.oneof(
  fc.record({ operation: one("create"), json: timing }),
  fc.record({ operation: one("update"), pick, json: edit }),
  fc.record({ operation: one("defer"), pick, days }),
  fc.record({
    operation: one("resolve", "skip", "archive", "reopen", "confirm", "supersede", "delete", "restore"),
    pick,
  }),
);
export type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

const step = <Value>(weight: number, arbitrary: fc.Arbitrary<Value>) => ({ weight, arbitrary });
const simple = one("resolve", "skip", "archive", "supersede", "reopen", "delete", "restore", "version");
const operations = fc.array(operation, { minLength: 2, maxLength: 5 });
const isLinked = fc.boolean();
const undoClosing = fc.record({
  does: one("undo closing"),
  nth: fc.nat(3),
  half: one("all", "first", "last"),
});
export const STEP = fc.oneof(
  step(4, fc.record({ does: one("create"), json: timing })),
  step(3, fc.record({ does: one("edit"), pick, json: edit })),
  step(6, fc.record({ does: simple, pick })),
  step(2, fc.record({ does: one("defer"), pick, days })),
  step(2, fc.record({ does: one("undo"), alone: fc.boolean() })),
  step(1, undoClosing),
  step(1, fc.record({ does: one("zone"), zone: fc.constantFrom(...ZONES) })),
  step(1, fc.record({ does: one("import"), mode: fc.constantFrom("skip", "overwrite") })),
  step(1, fc.record({ does: one("copy") })),
  step(2, fc.record({ does: one("many"), operations })),
  step(
    2,
    fc.record(
      { does: one("link"), pick, isLinked, apply_to },
      { requiredKeys: ["does", "pick", "isLinked"] },
    ),
  ),
  step(1, fc.record({ does: one("document"), becomes: one("deleted", "restored", "erased") })),
  step(2, fc.record({ does: one("wait"), hours: fc.integer({ min: 1, max: 40 }) })),
);
export type Step = typeof STEP extends fc.Arbitrary<infer Value> ? Value : never;

/** A series whose records are closed one after the other, and what may happen around the undos of that. */
export const CLOSINGS = fc
  .array(
    fc.oneof(
      step(4, fc.record({ does: one("resolve", "skip"), pick: fc.nat(1) })),
      step(1, fc.record({ does: one("reopen", "restore"), pick: fc.nat(2) })),
      step(1, fc.record({ does: one("edit"), pick: fc.nat(1), json: fc.record({ topic }) })),
      step(6, undoClosing),
    ),
    { minLength: 6, maxLength: 12 },
  )
  .map((steps): Step[] => [
    { does: "create", json: { due_date: "2036-11-20", repeat: "FREQ=DAILY" } },
    ...steps,
  ]);
