import { sql } from "drizzle-orm";
import { isSameName, nameKey } from "../../contract/name-key.ts";
import { isLikelyTypo } from "../../shared/text/likeness.ts";
import type { Ctx } from "../core/ctx.ts";
import { retryUntilWritten } from "../core/retry.ts";
import type { BatchItem } from "../core/statement.ts";
import { assertInBatch, catchRefusal } from "./call.ts";
import type { NameKind } from "./name-sql.ts";
import {
  type ChangedRecordIds,
  newNamesSql,
  type RequestedNames,
  similarNamesStatement,
} from "./new-names.ts";

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
  /** Excludes the tags that the same write removes. */
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
