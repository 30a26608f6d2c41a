import { firstScreenLoaded } from "../../state/first-screen.ts";
import { PART_NOT_LOADED, toast } from "../../state/toasts.ts";
import type { RecordItem } from "./row.ts";
import type { RecordStep } from "./step-actions.ts";

export const loadSteps = () =>
  import("./steps.ts").catch(() => {
    throw new Error(PART_NOT_LOADED);
  });

/** Loads what steps need, once the first screen is shown. */
export const preloadSteps = (): void => void firstScreenLoaded.then(loadSteps).catch(() => undefined);

/** Applies a step to records (steps.ts). */
export const takeStep = (rows: readonly RecordItem[], step: RecordStep): Promise<unknown> =>
  loadSteps().then(
    ({ applyStep }) => applyStep(rows, step),
    ({ message: text }: Error) => toast({ kind: "refused", text }),
  );

/** Waits for the steps and undos that the server has not answered yet. */
export const stepsDone = (): Promise<unknown> => loadSteps().then(({ latestStep }) => latestStep());
