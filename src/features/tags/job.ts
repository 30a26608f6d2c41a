import type { TagItem } from "../../contract/tags.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { notFound } from "../../platform/core/errors.ts";
import type { WaitPreference } from "../../platform/http/prefer.ts";
import { type JobDefinition, type JobOutcome, runOrStartJob } from "../../platform/jobs/run.ts";
import { progressStatements } from "../../platform/jobs/store.ts";
import { resolveTag, retagStep } from "../documents/tag-store.ts";
import { countTag } from "./store.ts";

/** `tags`: all spellings in use. `next`: null to remove them. */
type Retagging = { tags: string[]; next: string | null };

/** Each document keeps the old tag until it is processed. */
export const TAG_JOB: JobDefinition<Retagging, TagItem | Record<string, never>> = {
  kind: "tag",
  step: async ({ ctx, task, payload: { tags, next } }) => {
    for (const tag of tags) {
      if (await retagStep(ctx, { tag, next }, (count) => progressStatements(ctx, task, { done: count })))
        return false;
    }
    return true;
  },
  result: async ({ ctx, payload: { next } }) => (next === null ? {} : countTag(ctx, next)),
};

/** Replaces a tag with `next` on every document, or removes it. Throws 404 if no document has it in any spelling, 409. */
export async function retag(
  ctx: Ctx,
  name: string,
  { next, prefer }: { next: string | null; prefer?: WaitPreference },
): Promise<JobOutcome<TagItem | Record<string, never>>> {
  const found = await resolveTag(ctx, name);
  if (found.length === 0) throw notFound();
  const others = found.filter(({ tag }) => tag !== next);
  const title = next === null ? `Remove the tag "${name}"` : `Rename the tag "${name}" to "${next}"`;
  const total = others.reduce((sum, { documents }) => sum + documents, 0);
  const payload = { tags: others.map(({ tag }) => tag), next };
  // The same job for every spelling of the tag.
  const key = found.length === 1 ? (found[0]?.tag ?? name) : name;
  return runOrStartJob(ctx, TAG_JOB, { key, title, total, payload }, prefer);
}
