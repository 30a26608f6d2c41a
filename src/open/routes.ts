import type { Context } from "hono";
import { type AppEnv, type Ctx, ctxFor } from "../core/ctx.ts";
import { notFound } from "../core/errors.ts";
import { Uuid } from "../core/fields.ts";
import { createRouter } from "../core/openapi.ts";
import { documentProse } from "../documents/content-text.ts";
import { getDocument } from "../documents/store.ts";
import { MemoryId } from "../memories/schema.ts";
import { getMemory } from "../memories/store.ts";
import { userOfBrowser } from "../pages/browser.ts";
import { signInAddress } from "../pages/destination.ts";
import { answerPage } from "../pages/layout.tsx";
import { answerProblem } from "../pages/problems.tsx";
import { type Reading, ReadingPage } from "./pages.tsx";

// The pages behind links in an assistant's answers: one document or record, shown only to its owner.

async function readDocument(ctx: Ctx, id: string): Promise<Reading> {
  if (!Uuid.safeParse(id).success) throw notFound();
  const { title, content, tags, updated_at } = await getDocument(ctx, id);
  const facts: Reading["facts"] = [
    ["changed", updated_at],
    ...tags.map((tag): [string, string] => ["tag", tag]),
  ];
  return { title, text: documentProse(content ?? null), facts };
}

async function readMemory(ctx: Ctx, id: string): Promise<Reading> {
  const read = MemoryId.safeParse(id);
  if (!read.success) throw notFound();
  const { topic, content, memory_type, status, due_date } = await getMemory(ctx, read.data);
  const facts: Reading["facts"] = [
    ["type", memory_type],
    ["status", status],
  ];
  return { title: topic, text: content, facts: due_date ? [...facts, ["due", due_date]] : facts };
}

const answer =
  (read: (ctx: Ctx, id: string) => Promise<Reading>) =>
  async (c: Context<AppEnv>): Promise<Response> => {
    const user = await userOfBrowser(c);
    if (!user) return c.redirect(signInAddress(c.req.path), 303);
    const ctx = ctxFor(c.var.base, user);
    return answerPage(c, ReadingPage(await read(ctx, c.req.param("id") ?? "")));
  };

export const openRoutes = createRouter();
openRoutes.onError(answerProblem);
openRoutes.get("/doc/:id", answer(readDocument));
openRoutes.get("/memory/:id", answer(readMemory));
