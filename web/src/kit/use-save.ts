import { useState } from "react";
import { toast } from "../state/toasts.ts";

/** Runs a change. `problem`: why the last one was refused; `done`: the toast after a success. */
export function useSave(done?: string) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const run = async (change: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await change();
      if (done) toast({ text: done });
      return true;
    } catch (refused) {
      setProblem((refused as Error).message);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, problem, run };
}
