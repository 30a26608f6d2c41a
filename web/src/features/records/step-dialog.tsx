import { lazy, Suspense } from "react";
import type { RecordItem } from "./row.ts";
import type { RecordActionName } from "./step-actions.ts";
import type { AskingAction, StepDialogProps, StepRequest } from "./step-dialogs.tsx";
import { takeStep } from "./take-step.ts";

/** Loaded soon after the first screen (shell/overlays.tsx). */
const Question = lazy(() => import("./step-dialogs.tsx"));

/** Asks what a step needs to know, then applies it. */
export const StepDialog = (props: StepDialogProps) => (
  <Suspense>
    <Question {...props} />
  </Suspense>
);

const ASKING: readonly RecordActionName[] = [
  "note",
  "reschedule",
  "defer",
  "project",
  "tag",
  "type",
] satisfies AskingAction[];
const asksFirst = (action: RecordActionName): action is AskingAction => ASKING.includes(action);

/** Applies a step, or asks first what it needs to know. Returns whether it asks. */
export function startStep(
  action: RecordActionName,
  rows: readonly RecordItem[],
  ask: (request: StepRequest) => void,
): boolean {
  if (asksFirst(action)) ask({ action, rows });
  else void takeStep(rows, { action });
  return asksFirst(action);
}
