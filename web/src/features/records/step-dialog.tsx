import { lazy, Suspense } from "react";
import type { RecordItem } from "./row.ts";
import type { StepDialogProps, StepRequest } from "./step-dialogs.tsx";
import { applyStep, type StepName } from "./steps.ts";

/** Loaded soon after the first screen (shell/overlays.tsx). */
const Question = lazy(() => import("./step-dialogs.tsx"));

/** Asks what a step needs to know, then applies it. */
export const StepDialog = (props: StepDialogProps) => (
  <Suspense>
    <Question {...props} />
  </Suspense>
);

/** Applies a step, or asks first what it needs to know. Returns whether it asks. */
export function startStep(
  action: StepName,
  rows: readonly RecordItem[],
  ask: (request: StepRequest) => void,
): boolean {
  const needsInput = action === "resolve" || action === "defer";
  if (needsInput) ask({ action, rows });
  else void applyStep(rows, { action });
  return needsInput;
}
