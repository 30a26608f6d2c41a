/** A computation in steps. Other work can run at each yield. */
export type Steps<Result> = Generator<void, Result>;

/** Runs all steps without a pause. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
