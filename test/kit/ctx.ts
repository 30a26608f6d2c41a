import { env } from "cloudflare:workers";
import type { z } from "zod";
import { getMeRoute } from "../../src/features/auth/routes.ts";
import { type Ctx, ctxFor } from "../../src/platform/core/ctx.ts";
import { openDatabase } from "../../src/platform/db/call.ts";
import { openBaseCtx, openSession } from "../../src/platform/db/session.ts";
import { runCall, type Tool } from "../../src/platform/tools/tool.ts";
import { readInput } from "../../src/platform/tools/tool-input.ts";
import type { Client } from "./client.ts";
import { metered } from "./meter.ts";

/**
 * The context that the guard would create for a person's token, at any time: for tools, and for days other than today.
 */
export async function ctxOf(client: Client, now = new Date()): Promise<Ctx> {
  const user = await client.ok(getMeRoute);
  const number = await numberOf(client);
  return ctxFor({ ...openBaseCtx(env.DB), now }, { ...user, number });
}

/** The same context with a database that counts its calls and rows; `leftOut`: statements that are not carried out. */
export function meteredCtx<Base extends Ctx>(base: Base, leftOut?: RegExp) {
  const { session, meter } = metered(openSession(env.DB), leftOut);
  return { ctx: { ...base, db: openDatabase(session) }, meter };
}

/** The number that owns a person's rows. */
export async function numberOf(client: Client): Promise<number> {
  const { id } = await client.ok(getMeRoute);
  const number = await env.DB.prepare("SELECT number FROM users WHERE id = ?")
    .bind(id)
    .first<number>("number");
  if (number === null) throw new Error("No such user");
  return number;
}

/** Calls a tool as mcp/ does: parses the input, runs it, and validates the answer. */
export async function callTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  ctx: Ctx,
  tool: Tool<Input, Output>,
  sent: unknown = {},
): Promise<z.infer<Output>> {
  const answer = await tool.run(ctx, readInput(tool, sent));
  if (JSON.stringify(answer).includes(":null")) throw new Error(`${tool.name} returned a null`);
  return tool.output.parse(answer) as z.infer<Output>;
}

/** The same with what every tool adds to its answer: by which id the changes of the call are undone. */
export const runTool = (ctx: Ctx, tool: Tool, sent: unknown = {}) => runCall(ctx, { tool, sent });

/** The context of a person's assistant. */
export const claude = async (who: Client, now?: Date): Promise<Ctx> => ({
  ...(await ctxOf(who, now)),
  client_name: "Claude",
  actor: { kind: "assistant", id: "connection-1", source_type: "mcp" },
});
