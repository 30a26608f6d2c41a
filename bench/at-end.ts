// Cleans up whatever a benchmark starts or creates, even if it fails or is interrupted.

type Step = () => Promise<unknown>;

const steps: Step[] = [];
let ending: Promise<void> | undefined;

/** Registers a clean-up step. Steps run in reverse order. */
export const atEnd = (step: Step): void => void steps.push(step);

async function undo(): Promise<void> {
  for (let step = steps.pop(); step; step = steps.pop()) await step().catch(console.error);
}

/** Runs `work`, then the clean-up steps, also when it fails or is interrupted. */
export async function undoneAtEnd(work: () => Promise<void>): Promise<void> {
  const end = () => {
    ending ??= undo();
    return ending;
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => end().then(() => process.exit(1)));
  }
  try {
    await work();
  } finally {
    await end();
  }
}
