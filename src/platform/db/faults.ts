import { outcomeUnknown, unavailable } from "../core/errors.ts";

// What D1 says when it fails through no fault of a statement, and what is done about it:
// https://developers.cloudflare.com/d1/observability/debug-d1/

/**
 * Whether a call may be sent again. `lost`: it may have been carried out, so only if it changes nothing, or cannot change
 * it twice. `queued`: it was turned away before it began. `refused`: it would fail again.
 */
type Kind = "lost" | "queued" | "refused";

/** `attempts`: how often it is tried again at most, if not as often as there are pauses. */
export type Fault = { name: string; kind: Kind; words: RegExp; attempts?: number };

export const FAULTS: readonly Fault[] = [
  { name: "daily limit", kind: "refused", words: /D1's free tier daily row (read|write)/i },
  { name: "memory limit", kind: "refused", words: /exceeded its memory limit/i },
  { name: "processor limit", kind: "refused", words: /exceeded its CPU time limit/i },
  { name: "overloaded", kind: "queued", words: /D1 DB is overloaded|too many requests queued/i },
  {
    name: "time limit",
    kind: "lost",
    attempts: 1,
    words: /exceeded (?:the time limit of this service|timeout)/i,
  },
  {
    name: "connection lost",
    kind: "lost",
    words:
      /network connection lost|caused object to be reset|reset because its code was updated|D1 DB due to transient issue|internal error while starting up D1 DB storage/i,
  },
];

/** How long a call may take. What a call that takes longer has done is not known. */
export const CALL_MS = 20_000;

const PAUSES_MS = [50, 100, 200, 400, 800, 1600];
const QUEUED_PAUSE_MS = 500;

const MS_PER_DAY = 86_400_000;

export const faultCounts = { repeated: {} as Record<string, number>, failed: {} as Record<string, number> };

const count = (counts: Record<string, number>, name: string) => {
  counts[name] = (counts[name] ?? 0) + 1;
};

/**
 * What a call changes: nothing, what it refuses to change a second time, what is recognized when it was changed before,
 * or what it would change again. The first attempt of a `recognized` one would not refuse if it came after the second.
 */
export type Effect = "none" | "once" | "recognized" | "any";

const isRepeatable = (effect: Effect, { name }: Fault) =>
  effect === "none" || effect === "once" || (effect === "recognized" && name !== "time limit");

const secondsUntilMidnight = () => Math.ceil((MS_PER_DAY - (Date.now() % MS_PER_DAY)) / 1000);

function failureOf({ name, kind }: Fault, isUnknown: boolean): Error {
  if (isUnknown) return outcomeUnknown();
  if (name === "daily limit")
    return unavailable(
      "The database has used up its requests of the day, and nothing was changed: it answers again after midnight UTC",
      secondsUntilMidnight(),
    );
  if (kind === "refused") return unavailable("This is more than the database can do at once: ask for less");
  return unavailable("The database is busy, and nothing was changed: try again in a moment", 2);
}

function pauseBefore(attempt: number, fault: Fault, effect: Effect): number | undefined {
  const { kind, attempts = PAUSES_MS.length } = fault;
  if (attempt >= attempts) return undefined;
  if (kind === "queued") return attempt === 0 ? QUEUED_PAUSE_MS * (1 + Math.random()) : undefined;
  const most = kind === "lost" && isRepeatable(effect, fault) ? PAUSES_MS[attempt] : undefined;
  return most === undefined ? undefined : most * Math.random();
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function inTime<Answer>(call: Promise<Answer>): Promise<Answer> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("A call exceeded the time limit of this service")), CALL_MS);
  });
  return Promise.race([call, late]).finally(() => clearTimeout(timer));
}

type Course = { effectOf: () => Effect; faultOf: (problem: unknown) => Fault | undefined };

function pauseAfter(problem: unknown, attempts: Map<Fault, number>, { effectOf, faultOf }: Course): number {
  const fault = faultOf(problem);
  if (!fault) throw problem;
  const effect = effectOf();
  const attempt = attempts.get(fault) ?? 0;
  attempts.set(fault, attempt + 1);
  const ms = pauseBefore(attempt, fault, effect);
  count(ms === undefined ? faultCounts.failed : faultCounts.repeated, fault.name);
  if (ms !== undefined) return ms;
  console.error(JSON.stringify({ fault: fault.name, error: String(problem) }));
  const isLost = [...attempts.keys()].some(({ kind }) => kind === "lost");
  throw failureOf(fault, isLost && effect !== "none");
}

/**
 * Sends a call to D1, and again after a passing fault. Throws AppError 503 with `Retry-After` after one that does not pass,
 * whose text says whether something may have been changed, and any other error as it is.
 */
export async function throughFaults<Answer>(
  course: Course,
  call: (isAgain: boolean) => Promise<Answer>,
): Promise<Answer> {
  const attempts = new Map<Fault, number>();
  for (;;) {
    try {
      return await inTime(call(attempts.size > 0));
    } catch (problem) {
      await pause(pauseAfter(problem, attempts, course));
    }
  }
}
