import { useMutation } from "@tanstack/react-query";
import { type History, type Memory, memoriesApi } from "../api.ts";
import { toast } from "../parts/toasts.tsx";
import { queries, refreshMemories } from "../state/queries.ts";

type Item = History["items"][number];

const LISTS = ["dashboard", "history", "list"];

/** Closes a record again, as it was before it was reopened. */
const close = ({ id, status, resolved_at, resolution_note, deferred_until }: Memory): Promise<Memory> => {
  if (status === "resolved") return memoriesApi.act(id, "resolve", { resolution_note, resolved_at });
  if (status === "deferred") return memoriesApi.act(id, "defer", { deferred_until });
  return memoriesApi.act(id, "archive");
};

async function takeBack(before: Memory): Promise<void> {
  try {
    await close(before);
  } catch (problem) {
    toast({ text: `${before.topic}: ${(problem as Error).message}`, kind: "refused" });
  }
  await refreshMemories();
}

/** Returns the record as it was. */
async function reopen({ id }: Item): Promise<Memory> {
  const before = await memoriesApi.get(id);
  await memoriesApi.act(id, "reopen");
  return before;
}

const withoutItem = (history: History | undefined, id: number): History | undefined =>
  history && {
    ...history,
    items: history.items.filter((item) => item.id !== id),
    total: Math.max(0, history.total - 1),
  };

/** Reopens a record. It leaves the list at once, and comes back when that is refused or taken back. */
export const useReopen = () =>
  useMutation({
    mutationFn: reopen,
    onMutate: async ({ id }) => {
      await queries.cancelQueries({ queryKey: LISTS });
      queries.setQueriesData<History>({ queryKey: LISTS }, (history) => withoutItem(history, id));
    },
    onSuccess: (before) => toast({ text: `Reopened: ${before.topic}`, undo: () => takeBack(before) }),
    onError: (problem, { topic }) => toast({ text: `${topic}: ${problem.message}`, kind: "refused" }),
    onSettled: refreshMemories,
  });
