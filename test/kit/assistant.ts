import type { z } from "zod";
import { whoami } from "../../src/doors/mcp/whoami.ts";
import { listChangesTool, undoChangesTool } from "../../src/features/activity/tools.ts";
import { getBriefing } from "../../src/features/dashboard/tools.ts";
import * as documents from "../../src/features/documents/tools.ts";
import { listMemories } from "../../src/features/memories/list-tools.ts";
import * as memories from "../../src/features/memories/tools.ts";
import { fetchTool, searchTool } from "../../src/features/search/tools.ts";
import { listTrashTool, listVersionsTool, restoreTool } from "../../src/features/trash/tools.ts";
import type { Ctx } from "../../src/platform/core/ctx.ts";
import type { Tool } from "../../src/platform/tools/tool.ts";
import type { Client } from "./client.ts";
import { callTool, claude } from "./ctx.ts";

/** A person's assistant at some time (noon of a day, or now), with the tools as functions. */
export async function assistant(who: Client, time?: string, more: Partial<Ctx> = {}) {
  const now = time === undefined ? undefined : new Date(time.includes("T") ? time : `${time}T12:00:00Z`);
  const ctx: Ctx = { ...(await claude(who, now)), ...more };
  const calling =
    <Input extends z.ZodObject, Output extends z.ZodObject>(tool: Tool<Input, Output>) =>
    (sent: object = {}) =>
      callTool(ctx, tool, sent);
  return {
    ctx,
    search: calling(searchTool),
    fetch: calling(fetchTool),
    listDocuments: calling(documents.listDocumentsTool),
    createDocument: calling(documents.createDocumentTool),
    editDocument: calling(documents.editDocumentTool),
    deleteDocument: calling(documents.deleteDocumentTool),
    listTrash: calling(listTrashTool),
    listVersions: calling(listVersionsTool),
    restore: calling(restoreTool),
    listChanges: calling(listChangesTool),
    undoChanges: calling(undoChangesTool),
    remember: calling(memories.remember),
    updateMemory: calling(memories.updateMemory),
    closeMemories: calling(memories.closeMemories),
    listMemories: calling(listMemories),
    getBriefing: calling(getBriefing),
    whoami: calling(whoami),
  };
}

export type Assistant = Awaited<ReturnType<typeof assistant>>;
