import { activityTools } from "../../features/activity/tools.ts";
import { dashboardTools } from "../../features/dashboard/tools.ts";
import { createDocumentTool, deleteDocumentTool, listDocumentsTool } from "../../features/documents/tools.ts";
import { editTool } from "../../features/folders/tools.ts";
import { listMemories } from "../../features/memories/list-tools.ts";
import { memoryTools } from "../../features/memories/tools.ts";
import { searchTools } from "../../features/search/tools.ts";
import { tidyTool } from "../../features/tidy/tools.ts";
import { trashTools } from "../../features/trash/tools.ts";
import type { Tool } from "../../platform/tools/tool.ts";
import { whoami } from "./whoami.ts";

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
  tidyTool,
  whoami,
] as unknown as readonly Tool[];
