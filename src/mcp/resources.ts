import type { Ctx } from "../core/ctx.ts";
import { forbidden } from "../core/errors.ts";
import { type Access, maySee } from "../core/tool.ts";
import { getBriefing } from "../dashboard/tools.ts";
import { fetchTool } from "../search/tools.ts";

// What a client may attach to a conversation by itself. Each resource is what a tool answers.

const BRIEFING_URI = "briefing://today";

type Shown = { name: string; title: string; description: string; mimeType: string; access: Access };

export const RESOURCES: readonly (Shown & { uri: string })[] = [
  {
    uri: BRIEFING_URI,
    name: "briefing",
    title: "Today's briefing",
    description: "Overdue, due soon, stale, blockers, recent decisions",
    mimeType: "application/json",
    access: "memory:read",
  },
];

export const RESOURCE_TEMPLATES: readonly (Shown & { uriTemplate: string })[] = [
  {
    uriTemplate: "doc://{id}",
    name: "document",
    title: "A document",
    description: "By its UUID",
    mimeType: "text/markdown",
    access: "docs:read",
  },
  {
    uriTemplate: "memory://{id}",
    name: "memory",
    title: "A record",
    description: "By its number",
    mimeType: "text/plain",
    access: "memory:read",
  },
];

function need(ctx: Ctx, access: Access): void {
  if (!maySee({ access }, ctx.scopes)) throw forbidden(`insufficient_scope: this resource needs ${access}`);
}

/** What the reading of a resource needs. */
export function accessOf(uri: string): Access | undefined {
  if (uri === BRIEFING_URI || uri.startsWith("memory://")) return "memory:read";
  return uri.startsWith("doc://") ? "docs:read" : undefined;
}

const UUID = /^doc:\/\/([0-9a-f-]{36})\/?$/i;
const NUMBER = /^memory:\/\/(\d{1,16})\/?$/;

/** The text behind a URI, or undefined when no resource has it. */
export async function readResource(
  ctx: Ctx,
  uri: string,
): Promise<{ mimeType: string; text: string } | undefined> {
  const access = accessOf(uri);
  if (!access) return undefined;
  need(ctx, access);
  if (uri === BRIEFING_URI) {
    const briefing = await getBriefing.run(ctx, {});
    return { mimeType: "application/json", text: JSON.stringify(briefing) };
  }
  const [uuid, number] = [UUID.exec(uri)?.[1], NUMBER.exec(uri)?.[1]];
  if (!uuid && !number) return undefined;
  const { title, text } = await fetchTool.run(ctx, { id: uuid ? `doc:${uuid}` : `mem:${number}` });
  return uuid ? { mimeType: "text/markdown", text } : { mimeType: "text/plain", text: `${title}\n\n${text}` };
}
