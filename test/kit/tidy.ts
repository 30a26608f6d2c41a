import type { TidyFinding, TidyKind } from "../../src/contract/tidy-kinds.ts";
import type { TidySubject } from "../../src/shared/tidy/fingerprint.ts";
import { random } from "./random.ts";

// A made collection: ordinary records and documents, many of them alike, and faults that were planted in it. The same for
// the same seed.

const wordsOf = (text: string) => text.split("|");

const PEOPLE = wordsOf("Grace|Alan|Ada|Edsger|Barbara|Linus|Margaret|Ken|Radia|Donald|Hedy|Tim");
const THINGS = wordsOf(
  "the slides|the contract|the budget|the floor plan|the invoice|the interview notes|the release notes|" +
    "the travel plan|the survey|the prototype|the translation|the list of guests|the photographs|the recipe",
);
const PLACES = wordsOf("Berlin|Lisbon|the office|the library|the garden|Vienna|the workshop|Oslo");
const REASONS = wordsOf(
  "because the board meets early that week|since the printer needs two days|as we agreed on the phone|" +
    "so that nobody has to wait at the airport|because the old one has a mistake on page four|" +
    "which the landlord asked for twice|before the holidays begin and everybody leaves|" +
    "as the auditors want to see it on paper|while the weather is still good enough",
);
const DAYS = wordsOf("Monday|Tuesday|Wednesday|Thursday|Friday");
const PROJECTS = ["Apollo", "Zeus", "Garden", "Moving house", null];
const TOPICS = wordsOf(
  "database|deployment|invoices|heating|insurance|newsletter|backup|hiring|training|parking|catering|logo|" +
    "website|lighting|shipping|support|archive|payroll|kitchen|roadmap",
);
const TASTES = wordsOf(
  "tea|coffee|the window seat|short meetings|long walks|printed maps|quiet rooms|spicy food|early trains|" +
    "late flights|written agendas|calls before noon|dark themes|paper books|wool blankets",
);
const OCCASIONS = wordsOf(
  "in the morning|on trips abroad|at conferences|during winter|after lunch|with the whole family|before an exam",
);

export type Made = { things: TidySubject[]; planted: Map<TidyKind, string[]> };
type Draft = Partial<TidySubject> & Pick<TidySubject, "title" | "text">;

/** How many faults of each kind. */
const EACH = 100;
const START = Date.parse("2026-01-01T08:00:00Z");

/** A maker of things with ids in their order. */
function maker(seed: number) {
  const next = random(seed);
  const things: TidySubject[] = [];
  const below = (end: number) => Math.floor(next() * end);
  const one = <Item>(of: readonly Item[]): Item => of[below(of.length)] as Item;
  const add = (type: TidySubject["type"], draft: Draft): TidySubject => {
    const number = things.length + 1;
    const isRecord = type === "memory";
    const at = new Date(START + number * 3_600_000).toISOString();
    const id = isRecord ? String(number) : `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`;
    const memory_type = isRecord ? "context" : null;
    const none = {
      project: null,
      due_date: null,
      supersedes: null,
      series: null,
      document_id: null,
      is_linked: null,
    };
    const thing: TidySubject = { type, id, at, changed: at, memory_type, ...none, ...draft };
    things.push(thing);
    return thing;
  };
  return { things, below, one, add };
}
type Maker = ReturnType<typeof maker>;

/** Ordinary records: alike in form, and each of them says something of its own. */
function ordinary({ one, below, add }: Maker, said: Set<string>): TidySubject {
  for (;;) {
    const [person, thing, place] = [one(PEOPLE), one(THINGS), one(PLACES)];
    const [day, reason] = [one(DAYS), one(REASONS)];
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

const SECRETS = wordsOf(
  "password: hunter2!|The wifi password is Sommer2026|My PIN is 4821|Visa 4111 1111 1111 1111, 12/29|" +
    `postgres://ada:s3cretpw@db.example/notes|use ghp_${"aB3dE5gH7j".repeat(4).slice(0, 36)}|` +
    "Das Passwort lautet Abc123!x",
);
const DONE = wordsOf(
  "Done, she has it.|Erledigt am Montag.|I already sent it.|✅ all of it|This is finished now.|[x] handed over",
);

/** The ids of a finding's things, in one order. */
const keyOf = (items: readonly { id: string }[]) =>
  items
    .map(({ id }) => id)
    .sort()
    .join();

/** 1,000 records and 300 documents with 100 faults of each kind. What is not named in `planted` is ordinary. */
export function madeCollection(seed: number): Made {
  const made = maker(seed);
  const { one, add, things, below } = made;
  const planted = new Map<TidyKind, string[]>();
  const plant = (kind: TidyKind, ...of: TidySubject[]) =>
    planted.set(kind, [...(planted.get(kind) ?? []), keyOf(of)]);
  const record = (title: string, text: string, more: Partial<TidySubject> = {}) =>
    add("memory", { title, text, ...more });
  const each = (plantOne: (at: number) => void) => {
    for (let at = 0; at < EACH; at++) plantOne(at);
  };

  const said = new Set<string>();
  const base = Array.from({ length: 1000 - 8 * EACH }, () => ordinary(made, said));
  for (const [place, first] of base.slice(0, EACH).entries()) {
    const { title, project, memory_type } = first;
    const text = AGAIN[place % AGAIN.length]?.(first.text, made) ?? first.text;
    plant("double_record", first, record(title, text, { project, memory_type }));
  }
  each((at) => {
    const [person, project] = [one(PEOPLE), PROJECTS[at % 5] as string | null];
    const title = `${one(TOPICS)} ${at} of ${person}`;
    const shared = { project, memory_type: one(["decision", "context"]) };
    const [before, after] = one([
      [`We use the service in ${one(PLACES)} for it`, `We use the service of ${person} elsewhere for it`],
      ["It runs every night at 3 in the basement", "It runs every night at 5 in the basement"],
      ["The old supplier does it as before", "The old supplier does not do it as before"],
      ["It stays as it is until spring", "Instead, somebody else takes care of everything"],
    ] as const);
    plant("contradiction", record(title, before, shared), record(title, after, shared));
  });
  each((at) => {
    const [person, taste] = [`${one(PEOPLE)} ${String.fromCharCode(65 + (at % 26))}${at}`, one(TASTES)];
    const occasion = one(OCCASIONS);
    const preference = { memory_type: "preference" };
    const earlier = record(`What ${person} likes`, `${person} likes ${taste} ${occasion}`, preference);
    const change = one(["no longer likes", "does not want any more", "switched away from"]);
    const text = `${person} ${change} ${taste} ${occasion}`;
    plant("old_preference", earlier, record(`${person} and ${taste}`, text, preference));
  });
  each((at) => {
    const [person, thing] = [one(PEOPLE), one(THINGS)];
    const text = `${person} waits for ${thing} of number ${at}, ${one(REASONS)}. ${one(DONE)}`;
    plant("said_done", record(`Bring ${person} ${thing} ${at}`, text, { memory_type: "commitment" }));
  });
  each((at) => {
    const title = `${one(TOPICS)}${String.fromCharCode(97 + below(26))}${at}`;
    plant(
      "one_word_topic",
      record(title, `${one(PEOPLE)} looks after it in ${one(PLACES)}, ${one(REASONS)}`),
    );
  });
  each((at) => {
    const text = `${one(PEOPLE)} wrote on ${one(DAYS)}, ${one(REASONS)}: ${one(SECRETS)}`;
    plant("secret", record(`Access number ${at} for ${one(PLACES)}`, text));
  });
  const paragraph = () =>
    `${one(PEOPLE)} took ${one(THINGS)} to ${one(PLACES)} on ${one(DAYS)}, ${one(REASONS)}.`;
  each((at) => {
    const text = Array.from({ length: 4 + below(20) }, paragraph).join(" ");
    const title = `Report ${at} from ${one(PLACES)}`;
    const first = add("document", { title, text, is_linked: true });
    const again = one([text, `${text} ${paragraph()}`, `# ${title}\n\n${text}`]);
    plant("double_document", first, add("document", { title: one([title, `${title} (copy)`]), text: again }));
    const old = { changed: "2025-05-01", title: `Old notes ${at}` };
    const paragraphs = Array.from({ length: 5 }, paragraph).join(" ");
    plant("unused_document", add("document", { ...old, text: paragraphs }));
    const alone = { changed: "2026-10-01", title: `Scraps ${at}`, text: paragraph(), is_linked: false };
    plant("unlinked_document", add("document", alone));
  });
  return { things, planted };
}

/** How much of what was planted of a kind was found, and how much of what was found was planted. */
export function measured({ planted }: Made, findings: readonly TidyFinding[], kind: TidyKind) {
  const asked = new Set(planted.get(kind));
  const keys = findings.filter((finding) => finding.kind === kind).map(({ items }) => keyOf(items));
  const hits = new Set(keys.filter((key) => asked.has(key))).size;
  return { recall: hits / asked.size, precision: keys.length === 0 ? 1 : hits / keys.length };
}

/** Ordinary records alone. */
export function ordinaryTexts(seed: number, number: number): TidySubject[] {
  const [made, said] = [maker(seed), new Set<string>()];
  return Array.from({ length: number }, () => ordinary(made, said));
}
