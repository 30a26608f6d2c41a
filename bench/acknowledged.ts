import { ask } from "./asking.ts";
import type { Person } from "./people.ts";

// Whether every acknowledged write is there exactly once: what the lists of an account have, beside what its answers said.

type Change = {
  kind: string;
  id: string | number;
  change: string;
  document?: { version: number };
  memory?: { version: number };
};

const headersOf = ({ key }: Person) => ({ Authorization: `Bearer ${key}` });

async function page<Answer>(url: string, person: Person, path: string, cursor?: string): Promise<Answer> {
  const from = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
  return JSON.parse(
    await ask(url, { path: `${path}limit=100${from}`, headers: headersOf(person) }),
  ) as Answer;
}

/** What a program that keeps a copy of the account would have: each record with its version, and how often it came. */
async function copyOf(url: string, person: Person): Promise<Map<string, number>> {
  const copy = new Map<string, number>();
  for (let cursor: string | undefined, hasMore = true; hasMore; ) {
    const answer = await page<{ items: Change[]; cursor: string; has_more: boolean }>(
      url,
      person,
      "/api/changes?",
      cursor,
    );
    for (const { kind, id, document, memory } of answer.items) {
      const name = `${kind} ${id}`;
      if (copy.has(name)) throw new Error(`${person.email}: ${name} is listed twice`);
      copy.set(name, (document ?? memory)?.version ?? 0);
    }
    ({ cursor, has_more: hasMore } = answer);
  }
  return copy;
}

async function trashOf(url: string, person: Person): Promise<{ total: number; ids: (string | number)[] }> {
  const ids: (string | number)[] = [];
  for (let cursor: string | undefined; ; ) {
    const path = "/api/trash?type=all&";
    const answer = await page<{ items: { id: string | number }[]; total: number; next_cursor?: string }>(
      url,
      person,
      path,
      cursor,
    );
    ids.push(...answer.items.map(({ id }) => id));
    cursor = answer.next_cursor;
    if (cursor === undefined) return { total: answer.total, ids };
  }
}

const totalOf = async (url: string, person: Person, path: string) =>
  (await page<{ total: number }>(url, person, path)).total;

/** What differs for one account, in words. */
async function differencesOf(url: string, person: Person): Promise<string[]> {
  const { documents, records, resolved, trashed } = person;
  const memories = [...records, ...resolved];
  const expected = new Map([
    ...documents.map(({ id, version }) => [`document ${id}`, version] as const),
    ...memories.map(({ id, version }) => [`memory ${id}`, version] as const),
  ]);
  const copy = await copyOf(url, person);
  const trash = await trashOf(url, person);
  const counts: [string, number, number][] = [
    ["documents", documents.length, await totalOf(url, person, "/api/documents?")],
    ["records", memories.length, await totalOf(url, person, "/api/memories?")],
    ["in the trash", trashed.length, trash.total],
    ["different in the trash", trashed.length, new Set([...trash.ids, ...trashed]).size],
    ["in the copy", expected.size, copy.size],
  ];
  return [
    ...counts.flatMap(([what, said, found]) =>
      said === found ? [] : [`${person.email}: ${said} ${what} acknowledged, ${found} found`],
    ),
    ...[...expected].flatMap(([name, version]) =>
      copy.get(name) === version
        ? []
        : [`${person.email}: ${name} at version ${version}, found ${copy.get(name)}`],
    ),
  ];
}

/** Compares all accounts with what was acknowledged. */
export async function compareAll(
  url: string,
  people: Person[],
): Promise<{ found: number; differences: string[] }> {
  const differences: string[] = [];
  for (const person of people) differences.push(...(await differencesOf(url, person)));
  const found = people.reduce(
    (sum, { documents, records, resolved, trashed }) =>
      sum + documents.length + records.length + resolved.length + trashed.length,
    0,
  );
  return { found, differences };
}
