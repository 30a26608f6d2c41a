import { dayOf, localMinute } from "../../../../src/contract/days.ts";
import { dueNamed, isDueAs } from "../../../../src/contract/query/due.ts";
import { type Filter, parseQuery, type Query, type Term } from "../../../../src/contract/query/query.ts";
import { changedAt, type Document } from "../../api/documents.ts";
import { keptAccount } from "../../api/holder.ts";
import type { Memory } from "../../api/memories.ts";
import type { SearchAnswer, SearchResult } from "../../api/search.ts";
import { titleText } from "../../kit/title-text.ts";
import { copiedRecords, shownDocuments } from "../../state/copied-lists.ts";
import { addressOfDraft, type Kept, keptDrafts } from "../../state/document-drafts.ts";
import { documentWith } from "../document/with-draft.ts";
import { writingOf } from "../document/writing.ts";
import type { Kind, Wanted } from "./wanted.ts";

// Searches what is on this device while the service does not answer: whole texts are compared, as a few hundred can be.

type Text = {
  title: string;
  body: string;
  /** What its filters are compared with. */
  facts: Partial<Record<Filter["name"], readonly string[]>>;
  changed_at: string;
  result: { document: Omit<Document, "content" | "created_at" | "version"> } | { memory: Memory };
};

/** Without marks, in lower case; as long as before, so that places stay. */
const folded = (text: string) =>
  [...text].map((sign) => (sign.normalize("NFKD").toLowerCase()[0] ?? sign).padEnd(sign.length)).join("");

const ofDocument = (document: Document): Text => {
  const { content, version: _, created_at: __, ...summary } = document;
  return {
    title: titleText(document.title),
    body: writingOf(content).text,
    facts: { tag: document.tags, source: [document.source_type], type: ["document"] },
    changed_at: changedAt(document),
    result: { document: summary },
  };
};

const ofRecord = (memory: Memory): Text => ({
  title: memory.topic,
  body: [memory.content, memory.note].filter(Boolean).join("\n"),
  facts: {
    tag: memory.tags,
    type: [memory.memory_type],
    status: [memory.status],
    project: memory.project === null ? [] : [memory.project],
    is: memory.repeat === null ? [] : ["repeating"],
    priority: [memory.priority ?? []].flat(),
    owed: [memory.owed ?? []].flat(),
  },
  changed_at: memory.updated_at,
  result: { memory },
});

const draftsHere = async (): Promise<Kept[]> => {
  const account = keptAccount();
  return account === undefined ? [] : keptDrafts(account);
};

/** A document that was begun here, as a result shows it; its id leads to where it is written on. */
const begun = ({ place, title, text, at, like }: Kept): Document => ({
  ...{ id: addressOfDraft(place).slice("/documents/".length), title: `${titleText(title)} (not sent yet)` },
  ...{ content: { ...like?.content, text }, tags: like?.tags ?? [], folder_id: null, version: 1 },
  ...{ source_type: "web", created_at: at, updated_at: at, changed_at: at },
});

/** Documents with what was written in them here, and those that were begun. */
function withDrafts(documents: Document[], drafts: Kept[]): Document[] {
  const written = documents.map((document) =>
    documentWith(
      document,
      drafts.find(({ place }) => place.id === document.id),
    ),
  );
  return [...drafts.filter(({ place }) => place.id === "new").map(begun), ...written];
}

async function textsOf(type: Kind): Promise<Text[]> {
  const documents = type === "memories" ? [] : withDrafts(await shownDocuments(), await draftsHere());
  const records = type === "documents" ? [] : await copiedRecords();
  return [...documents.map(ofDocument), ...records.map(ofRecord)];
}

/** Filters that are known without the service. */
const KNOWN: readonly Filter["name"][] = [
  "tag",
  "type",
  "status",
  "project",
  "due",
  "is",
  "priority",
  "owed",
];

/** Whether a record is due as asked, by the clock of this device. */
function isDue({ result }: Text, value: string): boolean {
  if (!("memory" in result)) return false;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const now = new Date().toISOString();
  const asked = dueNamed(value, dayOf(now, timeZone));
  const { due_date, due_time, status } = result.memory;
  const due = { due_date, due_time, isActive: status === "active" };
  return asked !== undefined && isDueAs(asked, due, localMinute(now, timeZone).slice(0, MINUTE));
}

const MINUTE = "2026-12-01T09:00".length;

const fits = (text: Text, filters: readonly Filter[]) =>
  filters.every(({ name, value }) =>
    name === "due"
      ? isDue(text, value)
      : (text.facts[name] ?? []).some((fact) => fact.toLowerCase() === value.toLowerCase()),
  );

const TITLE_COUNTS = 3;

type Folded = { title: string; body: string };

const pointsOf = ({ text, title: isTitle }: Term, { title, body }: Folded) => {
  const word = folded(text);
  if (title.includes(word)) return TITLE_COUNTS;
  return !isTitle && body.includes(word) ? 1 : 0;
};

/** How well a text fits; 0 if it lacks a word, or has one that it must not have. */
function scoreOf({ wanted, unwanted }: Query, text: Folded): number {
  if (unwanted.some((term) => pointsOf(term, text) > 0)) return 0;
  const points = wanted.map((alternatives) => Math.max(...alternatives.map((term) => pointsOf(term, text))));
  return points.includes(0) ? 0 : 1 + points.reduce((sum, each) => sum + each, 0);
}

const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign);

const AROUND = 80;

/** The passage around the first match, as the service writes it. */
function snippetOf({ wanted }: Query, body: string, plain: string): string {
  for (const { text } of wanted.flat()) {
    const word = folded(text);
    const at = plain.indexOf(word);
    if (at < 0) continue;
    const [from, to] = [Math.max(0, at - AROUND), at + word.length];
    const parts = [body.slice(from, at), body.slice(at, to), body.slice(to, to + AROUND)].map(escaped);
    return `${from > 0 ? "…" : ""}${parts[0]}<mark>${parts[1]}</mark>${parts[2]}`;
  }
  return escaped(body.slice(0, 2 * AROUND));
}

const numbered = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`;

/** Says what was searched, and what was left out of the query. */
function notesFor(texts: Text[], filters: readonly Filter[]): string[] {
  const documents = texts.filter(({ result }) => "document" in result).length;
  const parts = [numbered(documents, "document"), numbered(texts.length - documents, "record")];
  const said = `The service does not answer: only what is on this device was searched, ${parts.join(" and ")}.`;
  const unknown = filters.filter(({ name }) => !KNOWN.includes(name));
  return [said, ...unknown.map(({ name, value }) => `${name}:${value} was left out.`)];
}

/** The answer for a query; undefined if nothing is on this device. */
export async function findOnDevice({ q, type, offset, limit }: Wanted): Promise<SearchAnswer | undefined> {
  const texts = await textsOf(type);
  if (texts.length === 0) return undefined;
  const query = parseQuery(q);
  const filters = query.filters.filter(({ name }) => KNOWN.includes(name));
  const found = texts
    .filter((text) => fits(text, filters))
    .map((text) => ({ ...text, plain: { title: folded(text.title), body: folded(text.body) } }))
    .map((text) => ({ ...text, score: scoreOf(query, text.plain) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || other.changed_at.localeCompare(one.changed_at));
  const results = found.slice(offset, offset + limit).map(({ result, score, body, plain }) => ({
    ...result,
    score,
    snippet: snippetOf(query, body, plain.body),
  }));
  return {
    results: results as SearchResult[],
    total: found.length,
    query: q,
    notes: notesFor(texts, query.filters),
  };
}
