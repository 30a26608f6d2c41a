import type { Memory, MemoryCreateRequest, SupersedeRequest } from "../../contract/memory.ts";
import { isSameName } from "../../contract/name-key.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { spellingNote, writeWithKnownSpellings } from "../../platform/db/known-spellings.ts";
import { supersedeMemory } from "./action-store.ts";
import { type UpdateResult, updateMemories } from "./bulk-store.ts";
import { findSimilarProject } from "./project-store.ts";
import { type RememberResult, rememberMemory, rememberTogether } from "./remember-store.ts";
import type { MemoryWriter } from "./row-store.ts";
import type { MemoryUpdate } from "./update-store.ts";

export type WithNote = { note?: string | undefined };

export async function rememberAllWithKnownNames(
  ctx: Ctx,
  inputs: MemoryCreateRequest[],
  writer: MemoryWriter,
) {
  const { stored } = await writeWithKnownSpellings(ctx, inputs, async (spelled, naming) => {
    const all = await rememberTogether(ctx, spelled, { ...writer, ahead: naming.statements });
    return { stored: all?.map((one, place) => ({ ...one, note: naming.noteFor(inputs[place] ?? {}) })) };
  });
  return stored;
}

export const rememberWithKnownNames = (
  ctx: Ctx,
  input: MemoryCreateRequest,
  writer: MemoryWriter,
): Promise<RememberResult & WithNote> =>
  writeWithKnownSpellings(ctx, [input], async ([spelled = input], naming) => {
    const stored = await rememberMemory(ctx, spelled, { ...writer, ahead: naming.statements });
    return { ...stored, note: naming.noteFor(input) };
  });

export const supersedeWithKnownNames = (
  ctx: Ctx,
  id: number,
  input: SupersedeRequest,
  writer: MemoryWriter,
): Promise<{ memory: Memory } & WithNote> =>
  writeWithKnownSpellings(
    ctx,
    [input],
    async ([spelled = input], naming) => {
      const { successor } = await supersedeMemory(ctx, id, spelled, { ...writer, ahead: naming.statements });
      return { memory: successor, note: naming.noteFor(input) };
    },
    [id],
  );

export const updateWithKnownNames = (
  ctx: Ctx,
  updates: readonly MemoryUpdate[],
  writer: MemoryWriter,
): Promise<(UpdateResult & WithNote)[]> =>
  writeWithKnownSpellings(
    ctx,
    updates.map(({ change }) => change),
    async (spelled, naming) => {
      const next = updates.map((update, place) => ({ ...update, change: spelled[place] ?? update.change }));
      const updated = await updateMemories(ctx, next, { ...writer, ahead: naming.statements });
      const noteFor = (place: number) => naming.noteFor(updates[place]?.change ?? {});
      return updated.map((one, place) => ({ ...one, note: one.memory && noteFor(place) }));
    },
    updates.map(({ id }) => id),
  );

/** The new name of a project: as the existing project spells it that it is merged with, else as requested. */
export async function resolveNewProjectName(
  ctx: Ctx,
  { project, next }: { project: string; next: string },
): Promise<{ next: string } & WithNote> {
  if (isSameName(project, next)) return { next };
  const { meant } = await findSimilarProject(ctx, next);
  return meant === undefined ? { next } : { next: meant, note: spellingNote("project", next, meant) };
}
