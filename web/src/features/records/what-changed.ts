import type { Memory, MemoryEvent } from "../../api/memories.ts";
import type { RecordState } from "./record-fields.ts";
import { describeChanges } from "./version-fields.ts";

/** The states of a record, newest first. */
export const memoryStates = (memory: Memory, versions: readonly RecordState[]): RecordState[] => [
  { ...memory, created_at: memory.updated_at },
  ...versions.filter(({ version }) => version < memory.version),
];

/** Describes what an event changed; undefined if the versions around it are no longer stored. */
export function describeEventChanges(
  states: readonly RecordState[],
  { at }: MemoryEvent,
  today: string,
): string | undefined {
  const index = states.findIndex(({ created_at }) => created_at === at);
  const [after, before] = index < 0 ? [] : states.slice(index, index + 2);
  return after && before && (describeChanges(before, after, today) || "the text");
}
