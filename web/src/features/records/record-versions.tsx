import { useQuery } from "@tanstack/react-query";
import { type Memory, type MemoryVersion, memoriesApi } from "../../api/memories.ts";
import { Loading, Problem } from "../../kit/states.tsx";
import { Versions } from "../../kit/versions.tsx";
import { refreshMemories } from "../../state/queries.ts";
import { beginToast } from "../../state/toasts.ts";
import { type ChangeIds, undoOffer } from "../../state/undo.ts";
import { BeforeAfter } from "../document/before-after.tsx";
import { authorName } from "./record-events.tsx";
import { cacheMemory } from "./save-fields.ts";
import { recordStateTexts } from "./version-fields.ts";

/** The service keeps the last 50 versions before the current one. */
const LIMIT = 100;

const versionQuery = (id: number, version: number) => ({
  queryKey: ["memories", "versions", id, version],
  queryFn: () => memoriesApi.version(id, version),
  staleTime: "static" as const,
});

async function restore(memory: Memory, version: number): Promise<void> {
  const step = beginToast();
  const changes: ChangeIds = [];
  try {
    const options = { version: memory.version, changes };
    const restored = await memoriesApi.restoreVersion(memory.id, version, options);
    cacheMemory(restored);
    step.end({ text: `Version ${version} restored as version ${restored.version}`, ...undoOffer(changes) });
  } catch (problem) {
    step.end({ kind: "refused", text: (problem as Error).message });
  }
  void refreshMemories();
}

function VersionDiff({ before, after }: { before: MemoryVersion; after: MemoryVersion }) {
  const [old, now] = [recordStateTexts(before), recordStateTexts(after)];
  const fields = Object.entries(now).map(([name, text]) => ({ name, before: old[name] ?? "", after: text }));
  const text = { kind: "text" as const, before: before.content, after: after.content };
  return <BeforeAfter fields={fields} text={text} />;
}

function Comparison({ id, older, newer }: { id: number; older: number; newer: number }) {
  const before = useQuery(versionQuery(id, older));
  const after = useQuery(versionQuery(id, newer));
  const problem = before.error ?? after.error;
  if (problem) return <Problem problem={problem} />;
  if (!before.data || !after.data) return <Loading />;
  return <VersionDiff before={before.data} after={after.data} />;
}

export default function RecordVersions({ memory, onLeave }: { memory: Memory; onLeave: () => void }) {
  const { id, version } = memory;
  const list = useQuery({
    queryKey: ["memories", "versions", id, "list", version],
    queryFn: () => memoriesApi.versions(id, { limit: LIMIT }),
  });
  const current = useQuery(versionQuery(id, version));
  if (list.error) return <Problem problem={list.error} retry={() => void list.refetch()} />;
  if (!list.data) return <Loading />;
  const all = [...(current.data ? [current.data] : []), ...list.data.items];
  return (
    <Versions
      versions={all.map((one) => ({ ...one, writer: authorName(one) }))}
      current={version}
      onRestore={(older) => void restore(memory, older)}
      onLeave={onLeave}
      compare={(older, newer) => <Comparison id={id} older={older} newer={newer} />}
    />
  );
}
