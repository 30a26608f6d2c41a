import type { TidyFinding, TidyKind } from "../../src/contract/tidy-kinds.ts";
import type { TidySubject } from "../../src/shared/tidy/fingerprint.ts";
import { random } from "./random.ts";

// A made collection: ordinary records and documents, many of them alike, and faults that were planted in it. The same for
// the same seed.

const PEOPLE = [
  "Grace",
  "Alan",
  "Ada",
  "Edsger",
  "Barbara",
  "Linus",
  "Margaret",
  "Ken",
  "Radia",
  "Donald",
  "Hedy",
  "Tim",
];
const THINGS = [
  ...[
    "the slides",
    "the contract",
    "the budget",
    "the floor plan",
    "the invoice",
    "the interview notes",
    "the release notes",
  ],
  ...[
    "the travel plan",
    "the survey",
    "the prototype",
    "the translation",
    "the list of guests",
    "the photographs",
    "the recipe",
  ],
];
const PLACES = [
  "Berlin",
  "Lisbon",
  "the office",
  "the library",
  "the garden",
  "Vienna",
  "the workshop",
  "Oslo",
];
const REASONS = [
  ...[
    "because the board meets early that week",
    "since the printer needs two days",
    "as we agreed on the phone",
  ],
  ...[
    "so that nobody has to wait at the airport",
    "because the old one has a mistake on page four",
    "which the landlord asked for twice",
  ],
  ...[
    "before the holidays begin and everybody leaves",
    "as the auditors want to see it on paper",
    "while the weather is still good enough",
  ],
];
const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"];
const PROJECTS = ["Apollo", "Zeus", "Garden", "Moving house", null];
const TOPICS = [
  ...[
    "database",
    "deployment",
    "invoices",
    "heating",
    "insurance",
    "newsletter",
    "backup",
    "hiring",
    "training",
    "parking",
  ],
  ...[
    "catering",
    "logo",
    "website",
    "lighting",
    "shipping",
    "support",
    "archive",
    "payroll",
    "kitchen",
    "roadmap",
  ],
];
const TASTES = [
  ...[
    "tea",
    "coffee",
    "the window seat",
    "short meetings",
    "long walks",
    "printed maps",
    "quiet rooms",
    "spicy food",
  ],
  ...[
    "early trains",
    "late flights",
    "written agendas",
    "calls before noon",
    "dark themes",
    "paper books",
    "wool blankets",
  ],
];
const OCCASIONS = [
  "in the morning",
  "on trips abroad",
  "at conferences",
  "during winter",
  "after lunch",
  "with the whole family",
  "before an exam",
];

export type Made = { things: TidySubject[]; planted: Map<TidyKind, string[]> };
type Draft = Partial<TidySubject> & Pick<TidySubject, "title" | "text">;

const START = Date.parse("2026-01-01T08:00:00Z");

/** A maker of things with ids in their order. */
function maker(seed: number) {
  const next = random(seed);
  const things: TidySubject[] = [];
  const below = (end: number) => Math.floor(next() * end);
  const one = <Item>(of: readonly Item[]): Item => of[below(of.length)] as Item;
  const add = (type: TidySubject["type"], draft: Draft): TidySubject => {
    const number = things.length + 1;
    const at = new Date(START + number * 3_600_000).toISOString();
    const thing: TidySubject = {
      ...{
        type,
        id:
          type === "memory" ? String(number) : `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`,
      },
      ...{
        at,
        changed: at,
        memory_type: type === "memory" ? "context" : null,
        project: null,
        due_date: null,
      },
      ...{ supersedes: null, series: null, document_id: null },
      ...draft,
    };
    things.push(thing);
    return thing;
  };
  return { things, below, one, add };
}
type Maker = ReturnType<typeof maker>;

/** Ordinary records: alike in form, and each of them says something of its own. */
function ordinary({ one, below, add }: Maker, said: Set<string>): TidySubject {
  for (;;) {
    const [person, thing, place, day, reason] = [
      one(PEOPLE),
      one(THINGS),
      one(PLACES),
      one(DAYS),
      one(REASONS),
    ];
    const project = one(PROJECTS);
    const memory_type = one(["commitment", "decision", "pattern", "context", "blocker"]);
    const draft = one([
      { title: `Send ${person} ${thing}`, text: `${person} needs ${thing} by ${day}, ${reason}` },
      {
        title: `Ask ${person} about ${place}`,
        text: `Whether ${person} can be in ${place} on ${day}, ${reason}`,
      },
      {
        title: `Meeting ${below(900) + 100} in ${place}`,
        text: `${person} showed ${thing} and explained the next steps, ${reason}`,
      },
      {
        title: `${person} and ${thing}`,
        text: `It was ${person} who wanted ${thing} in ${place}, ${reason}`,
      },
      {
        title: `Invoice ${below(9000) + 1000}`,
        text: `The invoice from ${place} is about ${thing}; ${person} signs it`,
      },
    ]);
    const key = [draft.title, draft.text, project].join("|");
    if (said.has(key)) continue;
    said.add(key);
    return add("memory", { ...draft, project, memory_type });
  }
}

/** What is said again with other words around it. */
const AGAIN: ((text: string, made: Maker) => string)[] = [
  (text) => text,
  (text) => `${text.toUpperCase()}!`,
  (text) => text.replaceAll(",", " –").replaceAll("the ", ""),
  (text) => `Reminder: ${text}.`,
  (text, { one }) => `${text} (${one(["noted again", "as said", "see above", "important"])})`,
];

const SECRETS = [
  ...[
    "password: hunter2!",
    "The wifi password is Sommer2026",
    "My PIN is 4821",
    "Visa 4111 1111 1111 1111, 12/29",
  ],
  ...[
    "postgres://ada:s3cretpw@db.example/notes",
    `use ghp_${"aB3dE5gH7j".repeat(4).slice(0, 36)}`,
    "Das Passwort lautet Abc123!x",
  ],
];
const DONE = [
  "Done, she has it.",
  "Erledigt am Montag.",
  "I already sent it.",
  "✅ all of it",
  "This is finished now.",
  "[x] handed over",
];

/** 1,000 records and 300 documents with `each` faults of each kind. What is not named in `planted` is ordinary. */
export function madeCollection(seed: number, each = 100): Made {
  const made = maker(seed);
  const { one, add, things, below } = made;
  const said = new Set<string>();
  const planted = new Map<TidyKind, string[]>();
  const plant = (kind: TidyKind, ...of: TidySubject[]) =>
    planted.set(kind, [
      ...(planted.get(kind) ?? []),
      of
        .map(({ id }) => id)
        .sort()
        .join(),
    ]);

  const base = Array.from({ length: 1000 - 8 * each }, () => ordinary(made, said));
  for (const [place, first] of base.slice(0, each).entries()) {
    const text = AGAIN[place % AGAIN.length]?.(first.text, made) ?? first.text;
    const { title, project, memory_type } = first;
    plant("double_record", first, add("memory", { title, text, project, memory_type }));
  }
  for (let at = 0; at < each; at++) {
    const [person, project] = [one(PEOPLE), PROJECTS[at % 5] as string | null];
    const title = `${one(TOPICS)} ${at} of ${person}`;
    const earlier = { title, project, memory_type: one(["decision", "context"]) };
    const [one_, two] = one([
      [`We use the service in ${one(PLACES)} for it`, `We use the service of ${person} elsewhere for it`],
      ["It runs every night at 3 in the basement", "It runs every night at 5 in the basement"],
      ["The old supplier does it as before", "The old supplier does not do it as before"],
      ["It stays as it is until spring", "Instead, somebody else takes care of everything"],
    ] as const);
    plant(
      "contradiction",
      add("memory", { ...earlier, text: one_ }),
      add("memory", { ...earlier, text: two }),
    );
  }
  for (let at = 0; at < each; at++) {
    const [person, taste] = [`${one(PEOPLE)} ${String.fromCharCode(65 + (at % 26))}${at}`, one(TASTES)];
    const occasion = one(OCCASIONS);
    const preference = { memory_type: "preference" };
    const earlier = add("memory", {
      title: `What ${person} likes`,
      text: `${person} likes ${taste} ${occasion}`,
      ...preference,
    });
    const turn = one(["no longer likes", "does not want any more", "switched away from"]);
    plant(
      "old_preference",
      earlier,
      add("memory", {
        title: `${person} and ${taste}`,
        text: `${person} ${turn} ${taste} ${occasion}`,
        ...preference,
      }),
    );
  }
  for (let at = 0; at < each; at++) {
    const [person, thing] = [one(PEOPLE), one(THINGS)];
    const text = `${person} waits for ${thing} of number ${at}, ${one(REASONS)}. ${one(DONE)}`;
    plant(
      "said_done",
      add("memory", { title: `Bring ${person} ${thing} ${at}`, text, memory_type: "commitment" }),
    );
  }
  for (let at = 0; at < each; at++) {
    const title = `${one(TOPICS)}${String.fromCharCode(97 + below(26))}${at}`;
    plant(
      "one_word_topic",
      add("memory", { title, text: `${one(PEOPLE)} looks after it in ${one(PLACES)}, ${one(REASONS)}` }),
    );
  }
  for (let at = 0; at < each; at++) {
    const text = `${one(PEOPLE)} wrote on ${one(DAYS)}, ${one(REASONS)}: ${one(SECRETS)}`;
    plant("secret", add("memory", { title: `Access number ${at} for ${one(PLACES)}`, text }));
  }
  const paragraph = () =>
    `${one(PEOPLE)} took ${one(THINGS)} to ${one(PLACES)} on ${one(DAYS)}, ${one(REASONS)}.`;
  for (let at = 0; at < each; at++) {
    const text = Array.from({ length: 4 + below(20) }, paragraph).join(" ");
    const title = `Report ${at} from ${one(PLACES)}`;
    const first = add("document", { title, text });
    const again = one([text, `${text} ${paragraph()}`, `# ${title}\n\n${text}`]);
    plant("double_document", first, add("document", { title: one([title, `${title} (copy)`]), text: again }));
    const old = { changed: "2025-05-01", title: `Old notes ${at}` };
    plant(
      "unused_document",
      add("document", { ...old, text: Array.from({ length: 5 }, paragraph).join(" ") }),
    );
  }
  return { things, planted };
}

/** How much of what was planted of a kind was found, and how much of what was found was planted. */
export function measured({ planted }: Made, findings: readonly TidyFinding[], kind: TidyKind) {
  const asked = new Set(planted.get(kind));
  const keys = findings
    .filter((finding) => finding.kind === kind)
    .map(({ items }) =>
      items
        .map(({ id }) => id)
        .sort()
        .join(),
    );
  const hits = new Set(keys.filter((key) => asked.has(key))).size;
  return {
    recall: hits / asked.size,
    precision: keys.length === 0 ? 1 : hits / keys.length,
    found: keys.length,
  };
}

/** Ordinary records alone. */
export function ordinaryTexts(seed: number, number: number): TidySubject[] {
  const made = maker(seed);
  const said = new Set<string>();
  return Array.from({ length: number }, () => ordinary(made, said));
}
