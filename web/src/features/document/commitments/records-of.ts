import { queryOptions, useQuery } from "@tanstack/react-query";
import { type Memory, memoriesApi } from "../../../api/memories.ts";
import { attempt } from "../../../state/attempt.ts";
import { queries, refreshMemories } from "../../../state/queries.ts";
import { readRecords } from "../../../state/reading-records.ts";
import { toast } from "../../../state/toasts.ts";
import { recordIn } from "./link.ts";

const keyOf = (document: string) => ["memories", "of", document];

const FRESH_MS = 60_000;

/** One page: more are counted. */
const MOST = 100;

const recordsOf = (document: string) =>
  queryOptions({
    queryKey: keyOf(document),
    queryFn: (asking) => readRecords({ document_id: document, limit: MOST }, asking),
  });

/** The records that belong to a document. */
export const useRecordsOf = (document: string) => useQuery(recordsOf(document));

const resolve = ({ id, topic }: Pick<Memory, "id" | "topic">) =>
  attempt(async (changes) => {
    await memoriesApi.act(id, "resolve", {}, { changes });
    void refreshMemories();
    return `“${topic}” resolved`;
  });

/** After a task was ticked: if it leads to a record of the document that is still open, offers to resolve that. */
export async function offerToResolve(document: string, task: string): Promise<void> {
  const number = recordIn(task);
  if (number === undefined) return;
  // What was done to it elsewhere in the app has made the list stale.
  const page = await queries
    .fetchQuery({ ...recordsOf(document), staleTime: FRESH_MS })
    .catch(() => undefined);
  const record = page?.items.find(({ id }) => id === number);
  if (record?.status !== "active") return;
  toast({
    text: `The ${record.memory_type} “${record.topic}” is still open`,
    step: { name: "Resolve", run: () => void resolve(record) },
  });
}
