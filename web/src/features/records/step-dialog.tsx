import { lazy, Suspense } from "react";
import type { Row } from "./row.ts";
import type { Asked, Props } from "./step-dialogs.tsx";
import { type Step, take } from "./steps.ts";

/** Loaded soon after the first screen (shell/over.tsx). */
const Question = lazy(() => import("./step-dialogs.tsx"));

/** Asks what a step needs to know, then applies it. */
export const StepDialog = (props: Props) => (
  <Suspense>
    <Question {...props} />
  </Suspense>
);

/** Applies a step, or asks first what it needs to know. Returns whether it asks. */
export function begin(action: Step["action"], rows: readonly Row[], ask: (request: Asked) => void): boolean {
  const needsInput = action === "resolve" || action === "defer";
  if (needsInput) ask({ action, rows });
  else void take(rows, { action });
  return needsInput;
}
