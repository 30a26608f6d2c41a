import { sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { isSameName, nameKey } from "../../contract/name-key.ts";
import { isSlip } from "../../contract/slip.ts";
import type { Ctx } from "../core/ctx.ts";
import { untilWritten } from "../core/retry.ts";
import { assertInBatch, onRows, unless } from "./call.ts";
import type { NameKind } from "./name-sql.ts";
import { type Changed, newNames, othersStatement, type RequestedNames } from "./new-names.ts";

// Tools write projects and tags as they are spelled already: a model that writes "apollo" means "Apollo".

export type Filed = {
  project?: string | null | undefined;
  tags?: string[] | undefined;
  add_tags?: string[] | undefined;
  remove_tags?: string[] | undefined;
};

const addedTags = ({ tags = [], add_tags = [], remove_tags = [] }: Filed): string[] =>
  [...tags, ...add_tags].filter((tag) => !remove_tags.some((removed) => isSameName(removed, tag)));

const namesIn = (all: readonly Filed[]): RequestedNames[] => {
  const requested: RequestedNames[] = [
    { kind: "project", names: all.flatMap(({ project }) => project ?? []) },
    { kind: "tag", names: all.flatMap(addedTags) },
  ];
  return requested.filter(({ names }) => names.length > 0);
};

export type Naming = { ahead: BatchItem<"sqlite">[]; noteOn: (requested: Filed) => string | undefined };

type Spelled = (kind: NameKind, name: string) => string;

function respelled<One extends Filed>(one: One, spelled: Spelled): One {
  const kept = new Set(addedTags(one));
  const each = (tags: string[]) => [
    ...new Set(tags.map((tag) => (kept.has(tag) ? spelled("tag", tag) : tag))),
  ];
  return {
    ...one,
    ...(one.project && { project: spelled("project", one.project) }),
    ...(one.tags && { tags: each(one.tags) }),
    ...(one.add_tags && { add_tags: each(one.add_tags) }),
  };
}

export const spelledNote = (kind: NameKind, requested: string, stored: string): string =>
  `The ${kind} "${requested}" is stored as "${stored}", as it is spelled already`;

function noteOn(kind: NameKind, requested: string, spelled: string, others: readonly string[]): string[] {
  if (requested !== spelled) return [spelledNote(kind, requested, spelled)];
  if (others.some((other) => isSameName(other, requested))) return [];
  const near = others.find((other) => isSlip(other, requested));
  return near === undefined ? [] : [`There is also a ${kind} "${near}"`];
}

/** The spellings that a write uses: those of its own first use of a name, until others are known. */
function spellingsOf(requested: readonly RequestedNames[]) {
  const known = new Map<string, string>();
  const idOf = (kind: NameKind, name: string) => `${kind} ${nameKey(name)}`;
  const learn = (kind: NameKind, name: string, spelling: string) => known.set(idOf(kind, name), spelling);
  // The first spelling of a new name is that of the others.
  for (const { kind, names } of requested) for (const name of names.toReversed()) learn(kind, name, name);
  const spelled: Spelled = (kind, name) => known.get(idOf(kind, name)) ?? name;
  return { spelled, learn };
}

/** What a write sends ahead, so that it fails if a name is spelled otherwise, and its notes on the names. */
function namingOf(ctx: Ctx, sent: readonly RequestedNames[], spelled: Spelled, changed: Changed): Naming {
  const others = new Map<NameKind, string[]>();
  const ahead = sent.flatMap((one) => [
    assertInBatch(
      ctx,
      sql`NOT EXISTS (SELECT 1 FROM (${newNames(ctx, one, changed)}) WHERE known IS NOT NULL)`,
      "spelled-otherwise",
    ),
    onRows(othersStatement(ctx, one), (rows) =>
      others.set(
        one.kind,
        rows.map(({ name }) => name),
      ),
    ),
  ]);
  /** What the same write takes away is no name to point to. */
  const othersThan = ({ remove_tags = [] }: Filed, kind: NameKind) =>
    (others.get(kind) ?? []).filter(
      (name) => kind !== "tag" || !remove_tags.some((removed) => isSameName(removed, name)),
    );
  const notes = (one: Filed) =>
    namesIn([one]).flatMap(({ kind, names }) =>
      names.flatMap((name) => noteOn(kind, name, spelled(kind, name), othersThan(one, kind))),
    );
  return { ahead, noteOn: (one) => [...new Set(notes(one))].join("; ") || undefined };
}

/**
 * Writes projects and tags as they are spelled already, checked in the same transaction, so that of two writers one
 * decides. `write` sends `naming.ahead` first, and is called again if a name is spelled otherwise.
 */
export function writeAsKnown<One extends Filed, Answer>(
  ctx: Ctx,
  inputs: readonly One[],
  write: (inputs: One[], naming: Naming) => Promise<Answer>,
  changed: Changed = [],
): Promise<Answer> {
  const requested = namesIn(inputs);
  const { spelled, learn } = spellingsOf(requested);
  return untilWritten("name", async () => {
    const sent = requested.map(({ kind, names }) => ({
      kind,
      names: [...new Set(names.map((name) => spelled(kind, name)))],
    }));
    const writing = write(
      inputs.map((one) => respelled(one, spelled)),
      namingOf(ctx, sent, spelled, changed),
    );
    const written = await unless(writing, "spelled-otherwise");
    if (!written.refusal) return written.answer;
    for (const one of sent) {
      const rows = await ctx.db.all<{ name: string; known: string | null }>(newNames(ctx, one, changed));
      for (const { name, known } of rows) if (known) learn(one.kind, name, known);
    }
    return undefined;
  });
}
