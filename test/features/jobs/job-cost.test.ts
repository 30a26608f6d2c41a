import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { retagStep } from "../../../src/features/documents/tag-store.ts";
import { deleteFolderStep } from "../../../src/features/folders/delete-store.ts";
import { createFolderRoute } from "../../../src/features/folders/routes.ts";
import type { Ctx } from "../../../src/platform/core/ctx.ts";
import { openDatabase } from "../../../src/platform/db/call.ts";
import { openSession } from "../../../src/platform/db/session.ts";
import { person } from "../../kit/client.ts";
import { ctxOf } from "../../kit/ctx.ts";
import { withDocuments } from "../../kit/jobs.ts";
import { metered } from "../../kit/meter.ts";

// What a step of long work reads does not grow with what is left, or all steps together would grow with its square.

const [FEW, MORE] = [100, 400];
/** Of a larger tree, the index reads a few more pages; all documents that are left would be 300. */
const NOTHING = 40;

/** The rows that a step reads, in an account with a folder of so many documents that have a tag. */
async function rowsReadOf(count: number, step: (ctx: Ctx, folder: string) => Promise<unknown>) {
  const ada = await person();
  const { id } = await ada.ok(createFolderRoute, { json: { name: "All" } });
  await withDocuments(ada, count, { folder_id: id, tags: ["todo"] });
  const { session, meter } = metered(openSession(env.DB));
  await step({ ...(await ctxOf(ada)), db: openDatabase(session) }, id);
  return meter.rowsRead;
}

test.each<[string, (ctx: Ctx, folder: string) => Promise<unknown>]>([
  ["renaming a tag", (ctx) => retagStep(ctx, { tag: "todo", next: "later" }, () => [])],
  ["deleting a folder", (ctx, id) => deleteFolderStep(ctx, { id, onContent: "trash" })],
  ["dissolving a folder", (ctx, id) => deleteFolderStep(ctx, { id, onContent: "move_up" })],
])("a step of %s reads no more when more is left", async (_, step) => {
  const few = await rowsReadOf(FEW, step);
  expect(await rowsReadOf(MORE, step)).toBeLessThan(few + NOTHING);
});
