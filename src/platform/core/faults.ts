import { isDiskFailing, isDiskFull } from "./disk.ts";
import { diskFull, outcomeUnknown, storageDamaged, unavailable } from "./errors.ts";

// Most faults of the platform are transient: a call is repeated if that is safe, and otherwise becomes an AppError.

// `lost`: the call may have run. `late`: it may still be running. `queued`: rejected before it ran, safe to retry. `busy`:
// rejected, retrying makes it worse. `refused`: fails every time. `spent`: fails until midnight. `full`: rolled back, fails
// until the disk has room. `damaged`: fails until the operator repairs it.
type Kind = "lost" | "late" | "queued" | "busy" | "refused" | "spent" | "full" | "damaged";

/** Whether an error's message matches: the platform's errors have no codes. */
export const messageMatches = (problem: unknown, words: RegExp): boolean => {
  const text = problem instanceof Error ? problem.message : String(problem);
  return words.test(text);
};

export type Fault = { name: string; kind: Kind };

/** SQLite's errors about its disk and file (https://www.sqlite.org/rescode.html), in D1, KV and Durable Objects alike. */
const DISK_FAULTS: readonly (Fault & { words: RegExp })[] = [
  { name: "disk full", kind: "full", words: /SQLITE_FULL|database or disk is full|maximum DB size/i },
  { name: "disk error", kind: "damaged", words: /SQLITE_IOERR|disk I\/O error/ },
  {
    name: "database damaged",
    kind: "damaged",
    words: /SQLITE_(?:CORRUPT|NOTADB)|database disk image is malformed|file is not a database/,
  },
];

/** Time limit of a call. The outcome of a call that exceeds it is unknown. */
export const CALL_MS = 20_000;

// At least three seconds in total, which is how long a reset takes, and at most five.
const PAUSES_MS = [50, 100, 200, 400, 800, 1600, 2000];
/** Smallest fraction of a pause that jitter leaves. */
const MIN_JITTER = 0.6;
const QUEUED_PAUSE_MS = 500;

const MS_PER_DAY = 86_400_000;

export const faultCounts = { repeated: {} as Record<string, number>, failed: {} as Record<string, number> };

// The effect of repeating a call: `none`, it only reads; `once`, a second run changes nothing; `recognized`, a second run
// detects that the first has run (but not the reverse, if the first arrives late); `any`, a second run changes data again.
export type RepeatEffect = "none" | "once" | "recognized" | "any";

const secondsUntilMidnight = () => Math.ceil((MS_PER_DAY - (Date.now() % MS_PER_DAY)) / 1000);

function failureOf({ kind }: Fault, what: string, isUnknown: boolean): Error {
  if (isUnknown) return outcomeUnknown(what);
  if (kind === "full") return diskFull();
  if (kind === "damaged") return storageDamaged(what);
  if (kind === "spent")
    return unavailable(
      `${what} has reached its daily limit, and nothing was changed: try again after midnight UTC`,
      secondsUntilMidnight(),
    );
  if (kind === "refused")
    return unavailable(`This is more than ${lowerFirst(what)} can process at once: request less`);
  if (isDiskFull()) return diskFull();
  if (isDiskFailing()) return storageDamaged(what);
  return unavailable(`${what} is busy, and nothing was changed: try again in a moment`, 2);
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

function pauseBefore(attempt: number, kind: Kind, effect: RepeatEffect): number | undefined {
  const isHarmless = effect === "none" || effect === "once";
  if (kind === "queued") return attempt === 0 ? 2 * QUEUED_PAUSE_MS : undefined;
  if (kind === "late") return isHarmless && attempt === 0 ? PAUSES_MS[0] : undefined;
  return kind === "lost" && (isHarmless || effect === "recognized") ? PAUSES_MS[attempt] : undefined;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function withTimeLimit<Answer>(call: Promise<Answer>): Promise<Answer> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("A call exceeded the time limit of this service")), CALL_MS);
  });
  return Promise.race([call, late]).finally(() => clearTimeout(timer));
}

type Call = {
  /** Name of the service called, at the beginning of an error message. */
  what: string;
  /** Checks of a change that run even while the disk is full, because their errors take precedence. */
  ahead?: () => Promise<unknown>;
  /** Whether an earlier call of the request has changed something. */
  isBegun?: () => boolean;
  effectOf: () => RepeatEffect;
  faultOf: (problem: unknown) => Fault | undefined;
};

type Attempts = Map<string, Fault & { count: number }>;

const LOG_MS = 60_000;
const logged = new Map<string, number>();

/** Logs faults of the disk once a minute. `npm start` itself reports a full disk. */
function log({ name, kind }: Fault, problem: unknown): void {
  if (kind === "full" || kind === "damaged") {
    const isRecent = Date.now() - (logged.get(name) ?? Number.NEGATIVE_INFINITY) < LOG_MS;
    if (isRecent || (kind === "full" && isDiskFull())) return;
    logged.set(name, Date.now());
  }
  console.error(JSON.stringify({ fault: name, error: String(problem) }));
}

function pauseAfter(problem: unknown, attempts: Attempts, options: Call): number {
  const { what, isBegun, effectOf, faultOf } = options;
  const fault = DISK_FAULTS.find(({ words }) => messageMatches(problem, words)) ?? faultOf(problem);
  if (!fault) throw problem;
  const effect = effectOf();
  const attempt = attempts.get(fault.name)?.count ?? 0;
  attempts.set(fault.name, { ...fault, count: attempt + 1 });
  const ms = pauseBefore(attempt, fault.kind, effect);
  const counts = ms === undefined ? faultCounts.failed : faultCounts.repeated;
  counts[fault.name] = (counts[fault.name] ?? 0) + 1;
  if (ms !== undefined) return ms * (MIN_JITTER + (1 - MIN_JITTER) * Math.random());
  log(fault, problem);
  const isLost = [...attempts.values()].some(({ kind }) => kind === "lost" || kind === "late");
  throw failureOf(fault, what, isBegun?.() || (isLost && effect !== "none"));
}

async function refuseWhenFull({ effectOf, ahead }: Call): Promise<void> {
  if (!isDiskFull() || effectOf() === "none") return;
  await ahead?.();
  throw new Error("SQLITE_FULL: it was not sent");
}

/** Makes a call and repeats it after transient faults. Throws 503 after other faults; rethrows any other error unchanged. */
export async function callWithRetries<Answer>(
  options: Call,
  call: (isAgain: boolean) => Promise<Answer>,
): Promise<Answer> {
  const attempts: Attempts = new Map();
  for (;;) {
    try {
      await refuseWhenFull(options);
      return await withTimeLimit(call(attempts.size > 0));
    } catch (problem) {
      await pause(pauseAfter(problem, attempts, options));
    }
  }
}
