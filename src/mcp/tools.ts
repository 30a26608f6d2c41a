import { activityTools } from "../activity/tools.ts";
import type { Tool } from "../core/tool.ts";
import { dashboardTools } from "../dashboard/tools.ts";
import { createDocumentTool, deleteDocumentTool, listDocumentsTool } from "../documents/tools.ts";
import { editTool } from "../folders/tools.ts";
import { listMemories } from "../memories/list-tools.ts";
import { memoryTools } from "../memories/tools.ts";
import { searchTools } from "../search/tools.ts";
import { trashTools } from "../trash/tools.ts";
import { whoami } from "./whoami.ts";

/** Every tool, in the order in which it is listed. */
export const TOOLS = [
  ...searchTools,
  listDocumentsTool,
  createDocumentTool,
  editTool,
  deleteDocumentTool,
  ...trashTools,
  ...activityTools,
  ...memoryTools,
  listMemories,
  ...dashboardTools,
  whoami,
] as unknown as readonly Tool[];
