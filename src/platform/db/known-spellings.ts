import { type SQL, sql } from "drizzle-orm";
import { isSameName, nameKey } from "../../contract/name-key.ts";
import { isLikelyTypo } from "../../shared/text/likeness.ts";
import type { Ctx } from "../core/ctx.ts";
import { retryUntilWritten } from "../core/retry.ts";
import type { BatchItem } from "../core/statement.ts";
import { assertInBatch, catchRefusal } from "./call.ts";
import { type NameKind, nameKeySql } from "./name-sql.ts";
import { sqlList } from "./sql-list.ts";

// Tools store projects and tags in their existing spelling: a model that writes "apollo" means "Apollo".

export type ProjectAndTags = {
  project?: string | null | undefined;
  tags?: string[] | undefined;
  add_tags?: string[] | undefined;
  remove_tags?: string[] | undefined;
};

const addedTags = ({ tags = [], add_tags = [], remove_tags = [] }: ProjectAndTags): string[] =>
  [...tags, ...add_tags].filter((tag) => !remove_tags.some((removed) => isSameName(removed, tag)));

const namesIn = (all: readonly ProjectAndTags[]): RequestedNames[] => {
  const requested: RequestedNames[] = [
    { kind: "project", names: all.flatMap(({ project }) => project ?? []) },
    { kind: "tag", names: all.flatMap(addedTags) },
  ];
  return requested.filter(({ names }) => names.length > 0);
};

/** `statements`: statements to be sent first in the batch. `noteFor`: what the caller should know about the names of an input. */
export type NameCheck = {
  statements: BatchItem[];
  noteFor: (requested: ProjectAndTags) => string | undefined;
};

type Spell = (kind: NameKind, name: string) => string;

function respell<Input extends ProjectAndTags>(input: Input, spell: Spell): Input {
  const added = new Set(addedTags(input));
  const spellTags = (tags: string[]) => [
    ...new Set(tags.map((tag) => (added.has(tag) ? spell("tag", tag) : tag))),
  ];
  return {
    ...input,
    ...(input.project && { project: spell("project", input.project) }),
    ...(input.tags && { tags: spellTags(input.tags) }),
    ...(input.add_tags && { add_tags: spellTags(input.add_tags) }),
  };
}

export const spellingNote = (kind: NameKind, requested: string, stored: string): string =>
  `The ${kind} "${requested}" is stored as "${stored}", its existing spelling`;

function notesOnName(kind: NameKind, requested: string, stored: string, others: readonly string[]): string[] {
  if (requested !== stored) return [spellingNote(kind, requested, stored)];
  if (others.some((other) => isSameName(other, requested))) return [];
  const near = others.find((other) => isLikelyTypo(other, requested));
  return near === undefined ? [] : [`There is also a ${kind} "${near}"`];
}

/** The spellings that a write uses: of each name the first one in the write, until a stored one is found. */
function spellingsOf(requested: readonly RequestedNames[]) {
  const known = new Map<string, string>();
  const idOf = (kind: NameKind, name: string) => `${kind} ${nameKey(name)}`;
  const learn = (kind: NameKind, name: string, spelling: string) => known.set(idOf(kind, name), spelling);
  // Reversed, so that the first spelling of a new name wins.
  for (const { kind, names } of requested) for (const name of names.toReversed()) learn(kind, name, name);
  const spell: Spell = (kind, name) => known.get(idOf(kind, name)) ?? name;
  return { spell, learn };
}

const baseLetter = (letter: string): string => [...letter.normalize("NFD")][0] ?? letter;

const ACCENTED = Map.groupBy(
  Array.from({ length: 0xc0 }, (_, index) => String.fromCodePoint(0xc0 + index)),
  (letter) => baseLetter(letter).toLowerCase(),
);

/** First letters of names for which this one may be a typo: its first two letters in any case and with any accent. */
function firstLettersLike(name: string): string[] {
  const [first = "", second = ""] = name.normalize("NFC");
  const bases = [first, second].map((letter) => baseLetter(letter).toLowerCase());
  const letters = [first, second, ...bases].flatMap((one) => [one.toLowerCase(), one.toUpperCase()]);
  return [...new Set([...letters, ...bases.flatMap((base) => ACCENTED.get(base) ?? [])])].filter(Boolean);
}

type RequestedNames = { kind: NameKind; names: string[] };

/** Ids of the records being changed. Their own project does not count as existing, so that its spelling can be changed. */
type ChangedRecordIds = readonly number[];

function tablesOf({ scopes }: Ctx, kind: NameKind): { table: string; column: string }[] {
  if (kind === "project") return [{ table: "memory_totals", column: "project" }];
  const tables = { "docs:read": "tag_totals", "memory:read": "memory_tags" } as const;
  const readable = (Object.keys(tables) as (keyof typeof tables)[]).filter(
    (access) => !scopes || scopes.includes(access),
  );
  return readable.map((access) => ({ table: tables[access], column: "tag" }));
}

function exists(ctx: Ctx, kind: NameKind, name: SQL): SQL {
  const each = tablesOf(ctx, kind).map(
    ({ table, column }) =>
      sql`EXISTS (SELECT 1 FROM ${sql.raw(table)} WHERE owner = ${ctx.owner} AND ${sql.raw(column)} = ${name})`,
  );
  return each.length > 0 ? sql`(${sql.join(each, sql` OR `)})` : sql`FALSE`;
}

function existsElsewhere(ctx: Ctx, kind: NameKind, name: SQL, changed: ChangedRecordIds): SQL {
  if (kind === "tag" || changed.length === 0) return exists(ctx, kind, name);
  const has = (index: string, state: string) => sql`EXISTS (
    SELECT 1 FROM memories INDEXED BY ${sql.raw(index)}
    WHERE owner = ${ctx.owner} AND project = ${name} AND ${sql.raw(state)} AND trashed_at IS NULL
      AND id NOT IN ${sqlList(changed)})`;
  const active = has("memories_active_project_idx", "status = 'active'");
  return sql`(${active} OR ${has("memories_closed_project_idx", "closed_at IS NOT NULL")})`;
}

/** In SQL, the names that are not in use yet, each with `known`: another spelling that is in use, or null. */
function newNamesSql(ctx: Ctx, { kind, names }: RequestedNames, changed: ChangedRecordIds): SQL {
  const keys = names.map(nameKey);
  const pairs = names.map((name, index) => [name, keys[index]]);
  const spelled = sql`s.owner = ${ctx.owner} AND s.kind = ${kind}`;
  return sql`SELECT a.value ->> 0 AS name, (SELECT c.name FROM (
      SELECT s.name FROM spellings AS s WHERE ${spelled} AND s.key = a.value ->> 1
      UNION ALL SELECT s.name FROM spellings AS s INDEXED BY spellings_keyless_idx
        WHERE ${spelled} AND s.key = '' AND ${sql.raw(nameKeySql("s.name", keys.join("")))} = a.value ->> 1
      UNION ALL SELECT a.value ->> 1) AS c
    WHERE ${existsElsewhere(ctx, kind, sql`c.name`, changed)} LIMIT 1) AS known
    FROM json_each(${JSON.stringify(pairs)}) AS a WHERE NOT ${exists(ctx, kind, sql`(a.value ->> 0)`)}`;
}

const MAX_COMPARED = 1000;

const LAST = "\u{10ffff}";

/** Names with similar first letters. Limits the search, because typing errors rarely affect the first letter. */
function similarNamesStatement(
  ctx: Ctx,
  { kind, names }: RequestedNames,
  onRows: (rows: { name: string }[]) => void,
) {
  const requested = names.map((name) => [name, firstLettersLike(name).map((first) => [first, first + LAST])]);
  const walks = tablesOf(ctx, kind).map(({ table, column }, index) => {
    const [walk, from, name] = [sql.raw(`walk${index}`), sql.raw(table), sql.raw(column)];
    const next = (range: SQL) =>
      sql`(SELECT min(${name}) FROM ${from} WHERE owner = ${ctx.owner} AND ${name} ${range})`;
    // Reads one row per name, however many records have it.
    return sql`SELECT * FROM (WITH RECURSIVE ${walk}(name, last) AS (
      SELECT ${next(sql`>= r.value ->> 0 AND ${name} < r.value ->> 1`)}, r.value ->> 1
        FROM json_each(${JSON.stringify(requested)}) AS a CROSS JOIN json_each(a.value -> 1) AS r
        WHERE NOT ${exists(ctx, kind, sql`(a.value ->> 0)`)}
      UNION SELECT ${next(sql`> ${walk}.name AND ${name} < ${walk}.last`)}, last
        FROM ${walk} WHERE ${walk}.name IS NOT NULL LIMIT ${MAX_COMPARED})
      SELECT name FROM ${walk} WHERE name <> '')`;
  });
  const similar = walks.length > 0 ? sql.join(walks, sql` UNION `) : sql`SELECT '' AS name WHERE FALSE`;
  return ctx.db.all(similar, { onRows });
}

/** `statements` aborts the write if one of the names exists in another spelling. */
function namingOf(
  ctx: Ctx,
  sent: readonly RequestedNames[],
  spell: Spell,
  changed: ChangedRecordIds,
): NameCheck {
  const similar = new Map<NameKind, { name: string }[]>();
  const ahead = sent.flatMap((one) => [
    assertInBatch(
      ctx,
      sql`NOT EXISTS (SELECT 1 FROM (${newNamesSql(ctx, one, changed)}) WHERE known IS NOT NULL)`,
      "spelled-otherwise",
    ),
    similarNamesStatement(ctx, one, (rows) => similar.set(one.kind, rows)),
  ]);
  const othersThan = ({ remove_tags = [] }: ProjectAndTags, kind: NameKind) =>
    (similar.get(kind) ?? [])
      .map(({ name }) => name)
      .filter((name) => kind !== "tag" || !remove_tags.some((removed) => isSameName(removed, name)));
  const notes = (input: ProjectAndTags) =>
    namesIn([input]).flatMap(({ kind, names }) =>
      names.flatMap((name) => notesOnName(kind, name, spell(kind, name), othersThan(input, kind))),
    );
  return { statements: ahead, noteFor: (input) => [...new Set(notes(input))].join("; ") || undefined };
}

/**
 * Stores projects and tags in their existing spelling. This is checked in the transaction of the write, so that concurrent
 * writers agree on one. `write` sends `naming.statements` first, and is called again if a name exists in another spelling.
 */
export function writeWithKnownSpellings<Input extends ProjectAndTags, Answer>(
  ctx: Ctx,
  inputs: readonly Input[],
  write: (inputs: Input[], naming: NameCheck) => Promise<Answer>,
  changed: ChangedRecordIds = [],
): Promise<Answer> {
  const requested = namesIn(inputs);
  const { spell, learn } = spellingsOf(requested);
  return retryUntilWritten("name", async () => {
    const sent = requested.map(({ kind, names }) => ({
      kind,
      names: [...new Set(names.map((name) => spell(kind, name)))],
    }));
    const writing = write(
      inputs.map((input) => respell(input, spell)),
      namingOf(ctx, sent, spell, changed),
    );
    const written = await catchRefusal(writing, "spelled-otherwise");
    if (!written.refusal) return written.answer;
    for (const one of sent) {
      const rows = await ctx.db.all<{ name: string; known: string | null }>(newNamesSql(ctx, one, changed));
      for (const { name, known } of rows) if (known) learn(one.kind, name, known);
    }
    return undefined;
  });
}
