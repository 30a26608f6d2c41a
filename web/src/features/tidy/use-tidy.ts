import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { isJob } from "../../api/jobs.ts";
import { tidyApi } from "../../api/tidy.ts";
import { trackJob, useJobs } from "../../state/jobs.ts";
import { BY_OFFSET, refreshResources } from "../../state/queries.ts";
import { toast } from "../../state/toasts.ts";

const PAGE = 50;
/** After this time, opening the screen starts a new scan. */
const DAY_MS = 86_400_000;

export function useFindings(kept: boolean) {
  const list = useInfiniteQuery({
    queryKey: ["tidy", "list", kept],
    queryFn: ({ pageParam }) => tidyApi.list({ kept, limit: PAGE, offset: pageParam }),
    ...BY_OFFSET,
    placeholderData: (before) => before,
  });
  const pages = list.data?.pages ?? [];
  return { ...list, findings: pages.flatMap(({ items }) => items), first: pages[0] };
}

type LastScan = { looked_at: string | null } | undefined;

/** Scans the account if the last scan is older than a day, and on request. */
export function useTidyScan(last: LastScan) {
  const [isRequesting, setRequesting] = useState(false);
  const hasStarted = useRef(false);
  const isRunning = useJobs().some(({ kind, state }) => kind === "tidy" && state === "running");
  const check = async () => {
    setRequesting(true);
    try {
      const answer = await tidyApi.startCheck();
      if (isJob(answer)) trackJob(answer);
    } catch (problem) {
      toast({ kind: "refused", text: (problem as Error).message });
    }
    await refreshResources("tidy");
    setRequesting(false);
  };
  const isOld = last !== undefined && Date.now() - Date.parse(last.looked_at ?? "1970-01-01") > DAY_MS;
  useEffect(() => {
    if (!isOld || hasStarted.current) return;
    hasStarted.current = true;
    void check();
  });
  return { check: () => void check(), isChecking: isRequesting || isRunning };
}
