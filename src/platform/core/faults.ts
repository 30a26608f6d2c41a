import { isDiskFailing, isDiskFull } from "./disk.ts";
import { damaged, diskFull, outcomeUnknown, unavailable } from "./errors.ts";

// What fails through no fault of ours passes, mostly: a call is sent again if that is harmless, or refused in words.

// `lost`: it may have been carried out; `late`: or may yet be. `queued`: it was turned away before it began; `busy`: and a
// repetition would make it worse. `refused`: it would fail again; `spent`: until midnight; `full`: until there is room on
// the disk, and SQLite has taken it back; `damaged`: until somebody repairs it.
type Kind = "lost" | "late" | "queued" | "busy" | "refused" | "spent" | "full" | "damaged";

/** The platform's errors have no codes, only words. */
export const says = (problem: unknown, words: RegExp): boolean => {
  const text = problem instanceof Error ? problem.message : String(problem);
  return words.test(text);
};

export type Fault = { name: string; kind: Kind };

/** What SQLite says of its disk and its file (https://www.sqlite.org/rescode.html), under D1, KV and objects alike. */
const OF_DISKS: readonly (Fault & { words: RegExp })[] = [
  { name: "disk full", kind: "full", words: /SQLITE_FULL|database or disk is full|maximum DB size/i },
  { name: "disk error", kind: "damaged", words: /SQLITE_IOERR|disk I\/O error/ },
  {
    name: "database damaged",
    kind: "damaged",
    words: /SQLITE_(?:CORRUPT|NOTADB)|database disk image is malformed|file is not a database/,
  },
];

/** How long a call may take. What a call that takes longer has done is not known. */
export const CALL_MS = 20_000;

// Together at least three seconds, which is how long a reset takes, and at most five.
const PAUSES_MS = [50, 100, 200, 400, 800, 1600, 2000];
const SHORTEST = 0.6;
const QUEUED_PAUSE_MS = 500;

const MS_PER_DAY = 86_400_000;

export const faultCounts = { repeated: {} as Record<string, number>, failed: {} as Record<string, number> };

const count = (counts: Record<string, number>, name: string) => {
  counts[name] = (counts[name] ?? 0) + 1;
};

// What a call changes: nothing, what it refuses to change a second time, what is recognized when it was changed before
// (but the first attempt would not refuse if it came after the second), or what it would change again.
export type Effect = "none" | "once" | "recognized" | "any";

const secondsUntilMidnight = () => Math.ceil((MS_PER_DAY - (Date.now() % MS_PER_DAY)) / 1000);

function failureOf({ kind }: Fault, what: string, isUnknown: boolean): Error {
  if (isUnknown) return outcomeUnknown(what);
  if (kind === "full") return diskFull();
  if (kind === "damaged") return damaged(what);
  if (kind === "spent")
    return unavailable(
      `${what} has used up its requests of the day, and nothing was changed: it answers again after midnight UTC`,
      secondsUntilMidnight(),
    );
  if (kind === "refused") return unavailable(`This is more than ${lower(what)} can do at once: ask for less`);
  if (isDiskFull()) return diskFull();
  if (isDiskFailing()) return damaged(what);
  return unavailable(`${what} is busy, and nothing was changed: try again in a moment`, 2);
}

const lower = (words: string) => words.charAt(0).toLowerCase() + words.slice(1);

function pauseBefore(attempt: number, kind: Kind, effect: Effect): number | undefined {
  const isHarmless = effect === "none" || effect === "once";
  if (kind === "queued") return attempt === 0 ? 2 * QUEUED_PAUSE_MS : undefined;
  if (kind === "late") return isHarmless && attempt === 0 ? PAUSES_MS[0] : undefined;
  return kind === "lost" && (isHarmless || effect === "recognized") ? PAUSES_MS[attempt] : undefined;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function inTime<Answer>(call: Promise<Answer>): Promise<Answer> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("A call exceeded the time limit of this service")), CALL_MS);
  });
  return Promise.race([call, late]).finally(() => clearTimeout(timer));
}

/**
 * `what` is called so in a refusal, at its beginning. `isBegun`: what came before has changed something. `ahead`: what is
 * asked of a change also while the disk is full, and may refuse it for another reason.
 */
type Course = {
  what: string;
  ahead?: () => Promise<unknown>;
  isBegun?: () => boolean;
  effectOf: () => Effect;
  faultOf: (problem: unknown) => Fault | undefined;
};

type Attempts = Map<string, Fault & { count: number }>;

const LOG_MS = 60_000;
const logged = new Map<string, number>();

/** What concerns everybody until somebody does something is told of once a minute; of a full disk `npm start` tells. */
function log({ name, kind }: Fault, problem: unknown): void {
  if (kind === "full" || kind === "damaged") {
    const isRecent = Date.now() - (logged.get(name) ?? Number.NEGATIVE_INFINITY) < LOG_MS;
    if (isRecent || (kind === "full" && isDiskFull())) return;
    logged.set(name, Date.now());
  }
  console.error(JSON.stringify({ fault: name, error: String(problem) }));
}

function pauseAfter(problem: unknown, attempts: Attempts, course: Course): number {
  const { what, isBegun, effectOf, faultOf } = course;
  const fault = OF_DISKS.find(({ words }) => says(problem, words)) ?? faultOf(problem);
  if (!fault) throw problem;
  const effect = effectOf();
  const attempt = attempts.get(fault.name)?.count ?? 0;
  attempts.set(fault.name, { ...fault, count: attempt + 1 });
  const ms = pauseBefore(attempt, fault.kind, effect);
  count(ms === undefined ? faultCounts.failed : faultCounts.repeated, fault.name);
  if (ms !== undefined) return ms * (SHORTEST + (1 - SHORTEST) * Math.random());
  log(fault, problem);
  const isLost = [...attempts.values()].some(({ kind }) => kind === "lost" || kind === "late");
  throw failureOf(fault, what, isBegun?.() || (isLost && effect !== "none"));
}

async function refuseWhenFull({ effectOf, ahead }: Course): Promise<void> {
  if (!isDiskFull() || effectOf() === "none") return;
  await ahead?.();
  throw new Error("SQLITE_FULL: it was not sent");
}

/** Sends a call, and again after a passing fault. Throws 503 after one that does not pass, and any other error as it is. */
export async function throughFaults<Answer>(
  course: Course,
  call: (isAgain: boolean) => Promise<Answer>,
): Promise<Answer> {
  const attempts: Attempts = new Map();
  for (;;) {
    try {
      await refuseWhenFull(course);
      return await inTime(call(attempts.size > 0));
    } catch (problem) {
      await pause(pauseAfter(problem, attempts, course));
    }
  }
}
