import { localDay, localMinute } from "../../../../src/contract/days.ts";
import { omit } from "../../../../src/contract/omit.ts";
import { matchesDue, parseDueFilter } from "../../../../src/shared/query/due.ts";
import { type Filter, parseQuery, type Query, type Term } from "../../../../src/shared/query/query.ts";
import { localAccount } from "../../api/current-account.ts";
import { textChangedAt } from "../../api/document-times.ts";
import type { Document } from "../../api/documents.ts";
import type { Memory } from "../../api/memories.ts";
import type { SearchAnswer, SearchResult } from "../../api/search.ts";
import { titleText } from "../../kit/title-text.ts";
import { cachedDocumentsWithChanges, cachedRecords } from "../../state/cached-lists.ts";
import { draftUrl, type StoredDraft, waitingDrafts } from "../../state/document-drafts.ts";
import { documentWithDraft } from "../document/with-draft.ts";
import { writingOf } from "../document/writing.ts";
import type { SearchKind, SearchPageRequest } from "./search-request.ts";
import { CHARACTERS } from "./snippet.ts";

// Searches the copies on this device while the server cannot be reached. There are at most a few hundred texts, so each is
// compared in full.

type Text = {
  title: string;
  body: string;
  /** The values that filters are compared with. */
  facts: Partial<Record<Filter["name"], readonly string[]>>;
  changed_at: string;
  result: { document: Omit<Document, "content" | "created_at" | "version"> } | { memory: Memory };
};

/** Lower case without diacritics. The length stays the same, so that offsets remain valid. */
const folded = (text: string) =>
  [...text].map((char) => (char.normalize("NFKD").toLowerCase()[0] ?? char).padEnd(char.length)).join("");

const documentText = (document: Document): Text => {
  const { content, ...summary } = omit(document, "version", "created_at");
  return {
    title: titleText(document.title),
    body: writingOf(content).text,
    facts: { tag: document.tags, source: [document.source_type], type: ["document"] },
    changed_at: textChangedAt(document),
    result: { document: summary },
  };
};

const recordText = (memory: Memory): Text => ({
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

const localDrafts = async (): Promise<StoredDraft[]> => {
  const account = localAccount();
  return account === undefined ? [] : waitingDrafts(account);
};

/** A draft of a new document as a search result. Its id leads to the draft. */
const draftDocument = ({ place, title, text, at, like }: StoredDraft): Document => ({
  id: draftUrl(place).slice("/documents/".length),
  title: `${titleText(title)} (not synced yet)`,
  content: { ...like?.content, text },
  tags: like?.tags ?? [],
  folder_id: null,
  version: 1,
  source_type: "web",
  created_at: at,
  updated_at: at,
  changed_at: at,
});

/** The documents with the changes drafted on this device, and new drafts. */
function withDrafts(documents: Document[], drafts: StoredDraft[]): Document[] {
  const draftOf = ({ id }: Document) => drafts.find(({ place }) => place.id === id);
  const changed = documents.map((document) => documentWithDraft(document, draftOf(document)));
  return [...drafts.filter(({ place }) => place.id === "new").map(draftDocument), ...changed];
}

async function readTexts(type: SearchKind): Promise<Text[]> {
  const documents =
    type === "memories" ? [] : withDrafts(await cachedDocumentsWithChanges(), await localDrafts());
  const records = type === "documents" ? [] : await cachedRecords();
  return [...documents.map(documentText), ...records.map(recordText)];
}

const LOCAL_FILTERS = ["tag", "type", "status", "project", "due", "is", "priority", "owed"];

/** Whether a record matches a `due` filter, by the clock of this device. */
function isDue({ result }: Text, value: string): boolean {
  if (!("memory" in result)) return false;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const now = new Date().toISOString();
  const dueFilter = parseDueFilter(value, localDay(now, timeZone));
  const { due_date, due_time, status } = result.memory;
  const due = { due_date, due_time, isActive: status === "active" };
  return dueFilter !== undefined && matchesDue(dueFilter, due, localMinute(now, timeZone).slice(0, MINUTE));
}

const MINUTE = "2026-12-01T09:00".length;

const matchesFilters = (text: Text, filters: readonly Filter[]) =>
  filters.every(({ name, value }) =>
    name === "due"
      ? isDue(text, value)
      : (text.facts[name] ?? []).some((fact) => fact.toLowerCase() === value.toLowerCase()),
  );

const TITLE_POINTS = 3;

type FoldedText = { title: string; body: string };

const pointsOf = ({ text, title: isTitle }: Term, { title, body }: FoldedText) => {
  const word = folded(text);
  if (title.includes(word)) return TITLE_POINTS;
  return !isTitle && body.includes(word) ? 1 : 0;
};

/** The score of a text; 0 if it lacks a wanted word or has an unwanted one. */
function scoreOf({ wanted, unwanted }: Query, text: FoldedText): number {
  if (unwanted.some((term) => pointsOf(term, text) > 0)) return 0;
  const points = wanted.map((alternatives) => Math.max(...alternatives.map((term) => pointsOf(term, text))));
  return points.includes(0) ? 0 : 1 + points.reduce((sum, each) => sum + each, 0);
}

const ESCAPES = Object.fromEntries(Object.entries(CHARACTERS).map(([name, char]) => [char, name]));
const escaped = (text: string) => text.replace(/[&<>"']/g, (char) => ESCAPES[char] ?? char);

const CONTEXT_LENGTH = 80;

/** The passage around the first match, in the format of the API. */
function snippetOf({ wanted }: Query, body: string, plain: string): string {
  for (const { text } of wanted.flat()) {
    const word = folded(text);
    const start = plain.indexOf(word);
    if (start < 0) continue;
    const [from, to] = [Math.max(0, start - CONTEXT_LENGTH), start + word.length];
    const part = (begin: number, end: number) => escaped(body.slice(begin, end));
    const after = part(to, to + CONTEXT_LENGTH);
    return `${from > 0 ? "…" : ""}${part(from, start)}<mark>${part(start, to)}</mark>${after}`;
  }
  return escaped(body.slice(0, 2 * CONTEXT_LENGTH));
}

const countText = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`;

/** Notes on what was searched, and which filters were ignored. */
function notesFor(texts: Text[], filters: readonly Filter[]): string[] {
  const documents = texts.filter(({ result }) => "document" in result).length;
  const parts = [countText(documents, "document"), countText(texts.length - documents, "record")];
  const scope = `Can’t reach the server. Searched only what’s on this device: ${parts.join(" and ")}.`;
  const unknown = filters.filter(({ name }) => !LOCAL_FILTERS.includes(name));
  return [scope, ...unknown.map(({ name, value }) => `The filter ${name}:${value} was ignored.`)];
}

/** The results of a query; undefined if there are no copies on this device. */
export async function searchOnDevice(request: SearchPageRequest): Promise<SearchAnswer | undefined> {
  const { q, type, offset, limit } = request;
  const texts = await readTexts(type);
  if (texts.length === 0) return undefined;
  const query = parseQuery(q);
  const filters = query.filters.filter(({ name }) => LOCAL_FILTERS.includes(name));
  const matches = texts
    .filter((text) => matchesFilters(text, filters))
    .map((text) => ({ ...text, plain: { title: folded(text.title), body: folded(text.body) } }))
    .map((text) => ({ ...text, score: scoreOf(query, text.plain) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || other.changed_at.localeCompare(one.changed_at));
  const results = matches.slice(offset, offset + limit).map(({ result, score, body, plain }) => ({
    ...result,
    score,
    snippet: snippetOf(query, body, plain.body),
  }));
  return {
    results: results as SearchResult[],
    total: matches.length,
    query: q,
    notes: notesFor(texts, query.filters),
  };
}
