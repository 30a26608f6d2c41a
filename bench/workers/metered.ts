import { sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import { app } from "../../src/app.ts";
import { type Ctx, openDatabase, openSession } from "../../src/core/ctx.ts";
import type { Env } from "../../src/env.ts";
import { indexStatements } from "../../src/search/store.ts";
import { type Meter, meterDatabase } from "./meter.ts";

export { McpSession } from "../../src/mcp/session.ts";
export { RateLimiter } from "../../src/rate-limit/rate-limiter.ts";

// The service itself, with the cost of every request in its headers, and a way to fill it quickly.

/** A document to fill in, for the user with this id. */
export type Filling = { user: string; documents: { title: string; tags: string[]; text: string }[] };

/** Writes documents and their search entries as the service does, in one batch. */
async function fill(env: Env, { user, documents }: Filling): Promise<string[]> {
  const db = openDatabase(openSession(env.DB));
  const [row] = await db.all<{ number: number }>(sql`SELECT number FROM users WHERE id = ${user}`);
  const ctx = { db, now: new Date(), user: { number: row?.number } } as Ctx;
  const now = ctx.now.toISOString();
  const filled = documents.map((document) => ({ ...document, id: uuid() }));
  const statements = filled.flatMap(({ id, title, tags, text }) => [
    db.run(sql`
      INSERT INTO documents (id, owner, title, content, tags, source_type, version, created_at, updated_at)
      VALUES (${id}, ${ctx.user.number}, ${title}, ${JSON.stringify({ format: "markdown", text })},
        ${JSON.stringify(tags)}, 'api', 1, ${now}, ${now})`),
    ...indexStatements(ctx, { kind: "document", record: id, title, tags, text }, sql`true`),
  ]);
  await db.batch(statements as never);
  return filled.map(({ id }) => id);
}

export default {
  async fetch(request, env, context) {
    if (new URL(request.url).pathname === "/fill") {
      return Response.json(await fill(env, await request.json()));
    }
    const meter: Meter = { rowsRead: 0, rowsWritten: 0, calls: 0 };
    const answer = await app.fetch(request, { ...env, DB: meterDatabase(env.DB, meter) }, context);
    const headers = new Headers(answer.headers);
    headers.set("X-Cost", JSON.stringify(meter));
    return new Response(answer.body, { status: answer.status, headers });
  },
} satisfies ExportedHandler<Env>;
