import { useMutation } from "@tanstack/react-query";
import type { History } from "../../api/dashboard.ts";
import { memoriesApi } from "../../api/memories.ts";
import { queries, refreshMemories } from "../../state/queries.ts";
import { beginToast } from "../../state/toasts.ts";
import { type ChangeIds, undoOffer } from "../../state/undo.ts";

export type HistoryItem = History["items"][number];

const LISTS_KEY = ["dashboard", "history", "list"];

const withoutItem = (history: History | undefined, id: number): History | undefined =>
  history && {
    ...history,
    items: history.items.filter((item) => item.id !== id),
    total: Math.max(0, history.total - 1),
  };

/** Reopens a record. It leaves the list immediately, and comes back if that fails or is undone. */
export const useReopen = () =>
  useMutation({
    mutationFn: async ({ id }: HistoryItem) => {
      const changes: ChangeIds = [];
      await memoriesApi.act(id, "reopen", {}, { changes });
      return changes;
    },
    onMutate: async ({ id }) => {
      const step = beginToast();
      await queries.cancelQueries({ queryKey: LISTS_KEY });
      queries.setQueriesData<History>({ queryKey: LISTS_KEY }, (history) => withoutItem(history, id));
      return step;
    },
    onSuccess: (changes, { topic }, step) => step.end({ text: `Reopened: ${topic}`, ...undoOffer(changes) }),
    onError: (problem, { topic }, step) =>
      step?.end({ text: `${topic}: ${problem.message}`, kind: "refused" }),
    onSettled: refreshMemories,
  });
