import { useQuery } from "@tanstack/react-query";
import { type Memory, memoriesApi } from "../../../api/memories.ts";
import { attempt } from "../../../state/attempt.ts";
import { queries, refreshMemories } from "../../../state/queries.ts";
import { readRecords } from "../../../state/reading-records.ts";
import { toast } from "../../../state/toasts.ts";
import { recordIn } from "./link.ts";

type Page = Awaited<ReturnType<typeof readRecords>>;
type Row = Page["items"][number];

const keyOf = (document: string) => ["memories", "of", document];

/** One page: more are counted. */
const MOST = 100;

/** The records that belong to a document. */
export const useRecordsOf = (document: string) =>
  useQuery({
    queryKey: keyOf(document),
    queryFn: (asking) => readRecords({ document_id: document, limit: MOST }, asking),
  });

const resolve = ({ id, topic }: Pick<Memory, "id" | "topic">) =>
  attempt(async (changes) => {
    await memoriesApi.act(id, "resolve", {}, { changes });
    void refreshMemories();
    return `“${topic}” resolved`;
  });

/** After a task was ticked: if it leads to a record of the document that is still open, offers to resolve that. */
export function offerToResolve(document: string, task: string): void {
  const number = recordIn(task);
  const record = queries.getQueryData<Page>(keyOf(document))?.items.find(({ id }: Row) => id === number);
  if (record?.status !== "active") return;
  toast({
    text: `The ${record.memory_type} “${record.topic}” is still open`,
    step: { name: "Resolve", run: () => void resolve(record) },
  });
}
