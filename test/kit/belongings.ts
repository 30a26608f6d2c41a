import { expect } from "vitest";
import { listActivityRoute } from "../../src/features/activity/routes.ts";
import * as keys from "../../src/features/api-keys/routes.ts";
import * as documents from "../../src/features/documents/routes.ts";
import * as folders from "../../src/features/folders/routes.ts";
import * as memories from "../../src/features/memories/routes.ts";
import { searchRoute } from "../../src/features/search/routes.ts";
import { listTrashRoute } from "../../src/features/trash/routes.ts";
import * as hooks from "../../src/features/webhooks/routes.ts";
import type { Client } from "./client.ts";

// What an account contains, as its owner sees it.

export type Document = { title: string; tags: string[]; isTrashed: boolean };
export type Memory = { topic: string; status: string; project: string | null; isTrashed: boolean };

/** What an account contains, as its owner sees it; `changes` is the length of its activity. */
export type Belongings = {
  documents: Map<string, Document>;
  records: Map<string, Memory>;
  folders: Map<string, string>;
  keys: string[];
  hooks: string[];
  changes: number;
};

export const ALL = { query: { limit: 100 } };
export const WORD = "tent";

/** Nothing has the name of something else: each step gives its own. */
function mustBeUnique(names: string[]): void {
  expect(
    names.filter((name, at) => names.indexOf(name) !== at),
    "done twice",
  ).toEqual([]);
}

type Listed = { id: string | number };
const byId = <Item extends Listed, Shown>(items: Item[], shown: (item: Item) => Shown) =>
  items.map((item) => [String(item.id), shown(item)] as const);

const asDocument = ({ title, tags }: { title: string; tags: string[] }, isTrashed: boolean): Document => ({
  ...{ title, tags: tags.toSorted(), isTrashed },
});
const asRecord = ({ topic, status, project }: Omit<Memory, "isTrashed">, isTrashed: boolean): Memory => ({
  ...{ topic, status, project, isTrashed },
});

async function foundTexts(ada: Client): Promise<Pick<Belongings, "documents" | "records">> {
  const { items } = await ada.ok(documents.listDocumentsRoute, ALL);
  const kept = await ada.ok(memories.listMemoriesRoute, ALL);
  const trash = await ada.ok(listTrashRoute, { query: { limit: 100, type: "all" } });
  const { total } = await ada.ok(searchRoute, { query: { q: WORD, limit: 1 } });
  expect(total, "what the search finds").toBe(items.length);
  const gone = trash.items.flatMap((item) => (item.type === "document" ? item : []));
  const goneRecords = trash.items.flatMap((item) => (item.type === "memory" ? item : []));
  return {
    documents: new Map([
      ...byId(items, (item) => asDocument(item, false)),
      ...byId(gone, (item) => asDocument(item, true)),
    ]),
    records: new Map([
      ...byId(kept.items, (item) => asRecord(item, false)),
      ...byId(goneRecords, (item) => asRecord(item, true)),
    ]),
  };
}

const namesOf = (items: { name: string }[]) => items.map(({ name }) => name).sort();

/** What is really there. */
export async function found(ada: Client): Promise<Belongings> {
  const all = {
    ...(await foundTexts(ada)),
    folders: new Map(byId((await ada.ok(folders.listFoldersRoute, ALL)).items, ({ name }) => name)),
    keys: namesOf((await ada.ok(keys.listApiKeysRoute, ALL)).items),
    hooks: namesOf((await ada.ok(hooks.listWebhooksRoute, ALL)).items),
    changes: (await ada.ok(listActivityRoute, ALL)).items.length,
  };
  mustBeUnique([...all.documents.values()].map(({ title }) => title));
  mustBeUnique([...all.records.values()].map(({ topic }) => topic));
  for (const names of [[...all.folders.values()], all.keys, all.hooks]) mustBeUnique(names);
  return all;
}

export const nothing = (): Belongings => ({
  ...{ documents: new Map(), records: new Map(), folders: new Map() },
  ...{ keys: [], hooks: [], changes: 0 },
});
