import type { Memory, MemoryCreateRequest, SupersedeRequest } from "../../contract/memory.ts";
import { isSameName } from "../../contract/name-key.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { type Filed, type Naming, spelledNote, writeAsKnown } from "../../platform/db/known-names.ts";
import { supersedeMemory } from "./action-store.ts";
import { type Updated, updateMemories } from "./bulk-store.ts";
import { findProject } from "./project-store.ts";
import { type Remembered, rememberMemory, rememberTogether } from "./remember-store.ts";
import type { Writer } from "./row-store.ts";
import type { Update } from "./update-store.ts";

export type Noted = { note?: string | undefined };

const noteFields = (naming: Naming, requested: Filed): Noted => {
  const note = naming.noteOn(requested);
  return note === undefined ? {} : { note };
};

export async function rememberAllAsKnown(ctx: Ctx, inputs: MemoryCreateRequest[], writer: Writer) {
  const { stored } = await writeAsKnown(ctx, inputs, async (spelled, naming) => {
    const all = await rememberTogether(ctx, spelled, { ...writer, ahead: naming.ahead });
    return { stored: all?.map((one, place) => ({ ...one, ...noteFields(naming, inputs[place] ?? {}) })) };
  });
  return stored;
}

export const rememberAsKnown = (
  ctx: Ctx,
  input: MemoryCreateRequest,
  writer: Writer,
): Promise<Remembered & Noted> =>
  writeAsKnown(ctx, [input], async ([spelled = input], naming) => {
    const stored = await rememberMemory(ctx, spelled, { ...writer, ahead: naming.ahead });
    return { ...stored, ...noteFields(naming, input) };
  });

export const supersedeAsKnown = (
  ctx: Ctx,
  id: number,
  input: SupersedeRequest,
  writer: Writer,
): Promise<{ memory: Memory } & Noted> =>
  writeAsKnown(
    ctx,
    [input],
    async ([spelled = input], naming) => {
      const { successor } = await supersedeMemory(ctx, id, spelled, { ...writer, ahead: naming.ahead });
      return { memory: successor, ...noteFields(naming, input) };
    },
    [id],
  );

export const updateAsKnown = (
  ctx: Ctx,
  updates: readonly Update[],
  writer: Writer,
): Promise<(Updated & Noted)[]> => {
  const changes = updates.map(({ change }) => change);
  const write = async (spelled: typeof changes, naming: Naming) => {
    const next = updates.map((update, place) => ({ ...update, change: spelled[place] ?? update.change }));
    const updated = await updateMemories(ctx, next, { ...writer, ahead: naming.ahead });
    return updated.map((one, place) => ({
      ...one,
      ...(one.memory && noteFields(naming, changes[place] ?? {})),
    }));
  };
  return writeAsKnown(
    ctx,
    changes,
    write,
    updates.map(({ id }) => id),
  );
};

/** The new name of a project: as the existing project spells it that it is merged with, else as requested. */
export async function newProjectName(
  ctx: Ctx,
  { project, next }: { project: string; next: string },
): Promise<{ next: string } & Noted> {
  if (isSameName(project, next)) return { next };
  const { meant } = await findProject(ctx, next);
  return meant === undefined ? { next } : { next: meant, note: spelledNote("project", next, meant) };
}
