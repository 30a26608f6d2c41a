import type { MemoryVersion } from "../../api/memories.ts";
import { capitalized } from "../../kit/capitalized.ts";
import { STATUS_NAMES, TYPE_NAMES } from "../things/names.ts";

/** The properties of a version of a record, in words. Its content is not among them. */
export const memoryFields = (version: MemoryVersion): Record<string, string> => ({
  Topic: version.topic,
  Type: TYPE_NAMES[version.memory_type],
  Status: STATUS_NAMES[version.status],
  "What came of it": version.resolution_note ?? "",
  Due: version.due_date ?? "",
  "Comes back": version.deferred_until ?? "",
  Project: version.project ?? "",
  Scope: capitalized(version.scope ?? ""),
  Tags: version.tags.join(", "),
});
