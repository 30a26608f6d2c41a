import type { Access } from "../../contract/access.ts";
import { getBriefing } from "../../features/dashboard/tools.ts";
import { fetchTool } from "../../features/search/tools.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { runCall, type Tool, type ToolCall } from "../../platform/tools/tool.ts";
import { readSkill } from "./skills.ts";

const BRIEFING_URI = "briefing://today";

type ResourceInfo = {
  name: string;
  title: string;
  description: string;
  mimeType: string;
  access: Access | readonly Access[];
};

export const RESOURCES: readonly (ResourceInfo & { uri: string })[] = [
  {
    uri: BRIEFING_URI,
    name: "briefing",
    title: "Today's briefing",
    description: "Overdue, due soon, stale, blockers, recent decisions",
    mimeType: "application/json",
    access: "memory:read",
  },
];

export const RESOURCE_TEMPLATES: readonly (ResourceInfo & { uriTemplate: string })[] = [
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
  {
    uriTemplate: "skill://{name}/SKILL.md",
    name: "skill",
    title: "A skill",
    description: "How to do a longer task with these tools",
    mimeType: "text/markdown",
    access: [],
  },
];

const UUID = /^doc:\/\/([0-9a-f-]{36})\/?$/i;
const NUMBER = /^memory:\/\/(\d{1,16})\/?$/;

const asTool = (tool: unknown) => tool as Tool;

export function resourceCall(uri: string): ToolCall | undefined {
  if (uri === BRIEFING_URI) return { tool: asTool(getBriefing), sent: {} };
  const [uuid, number] = [UUID.exec(uri)?.[1], NUMBER.exec(uri)?.[1]];
  if (!uuid && !number) return undefined;
  return { tool: asTool(fetchTool), sent: { id: uuid ? `doc:${uuid}` : `mem:${number}` } };
}

export async function readResource(
  ctx: Ctx,
  uri: string,
): Promise<{ mimeType: string; text: string } | undefined> {
  const skill = readSkill(uri);
  if (skill !== undefined) return { mimeType: "text/markdown", text: skill };
  const call = resourceCall(uri);
  if (!call) return undefined;
  const answer = await runCall(ctx, call);
  if (uri === BRIEFING_URI) return { mimeType: "application/json", text: JSON.stringify(answer) };
  const { title, text } = answer as { title: string; text: string };
  return UUID.test(uri)
    ? { mimeType: "text/markdown", text }
    : { mimeType: "text/plain", text: `${title}\n\n${text}` };
}
