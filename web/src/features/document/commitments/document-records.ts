import { queryOptions, useQuery } from "@tanstack/react-query";
import { type Memory, memoriesApi } from "../../../api/memories.ts";
import { queries, refreshMemories } from "../../../state/queries.ts";
import { readRecords } from "../../../state/read-records.ts";
import { runWithToast } from "../../../state/run-with-toast.ts";
import { toast } from "../../../state/toasts.ts";
import { linkedRecordId } from "./link.ts";

const FRESH_MS = 60_000;

/** One page; the rest is only counted. */
const MAX_LISTED = 100;

const recordsOf = (document: string) =>
  queryOptions({
    queryKey: ["memories", "of", document],
    queryFn: (asking) => readRecords({ document_id: document, limit: MAX_LISTED }, asking),
  });

export const useDocumentRecords = (document: string) => useQuery(recordsOf(document));

const resolve = ({ id, topic }: Pick<Memory, "id" | "topic">) =>
  runWithToast(async (changes) => {
    await memoriesApi.act(id, "resolve", {}, { changes });
    void refreshMemories();
    return `“${topic}” resolved`;
  });

/** After a task was ticked, offers to resolve the record that it links to, if that is still active. */
export async function offerToResolve(document: string, task: string): Promise<void> {
  const linkedId = linkedRecordId(task);
  if (linkedId === undefined) return;
  // Changes made elsewhere in the app have marked the list stale.
  const page = await queries
    .fetchQuery({ ...recordsOf(document), staleTime: FRESH_MS })
    .catch(() => undefined);
  const record = page?.items.find(({ id }) => id === linkedId);
  if (record?.status !== "active") return;
  toast({
    text: `The ${record.memory_type} “${record.topic}” is still open`,
    step: { name: "Resolve", run: () => void resolve(record) },
  });
}
