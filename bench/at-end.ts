// What a bench starts or creates is taken back at its end, however that comes.

type Step = () => Promise<unknown>;

const steps: Step[] = [];
let ending: Promise<void> | undefined;

/** Remembers what to take back. */
export const atEnd = (step: Step): void => void steps.push(step);

async function undo(): Promise<void> {
  for (let step = steps.pop(); step; step = steps.pop()) await step().catch(console.error);
}

/** Runs `work`, and takes back what it has left when it ends, fails or is interrupted. */
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
