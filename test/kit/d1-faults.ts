import { env } from "cloudflare:workers";
import { vi } from "vitest";

// D1 as it fails on a bad day: each call is drawn, and a call that fails may have been carried out, or is so later.

export type Course = "well" | "before" | "after" | "late" | "queued" | "too much" | "spent";

/** What Cloudflare documents and users report, with the outcome of the call. */
export const MESSAGES: Record<Exclude<Course, "well">, readonly string[]> = {
  before: [
    "D1_ERROR: Network connection lost.",
    "D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.",
  ],
  after: [
    "D1_ERROR: Network connection lost.",
    "D1_ERROR: D1 DB storage caused object to be reset.",
    "D1_ERROR: D1 DB reset because its code was updated.",
    "D1_ERROR: Internal error while starting up D1 DB storage caused object to be reset.",
  ],
  // As if our own time limit had passed: the call is carried out after the next one.
  late: ["A call exceeded the time limit of this service"],
  queued: [
    "D1_ERROR: D1 DB is overloaded. Too many requests queued.",
    "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
  ],
  "too much": [
    "D1_ERROR: D1 DB exceeded its CPU time limit and was reset.",
    "D1_ERROR: D1 DB exceeded its memory limit and was reset.",
  ],
  spent: [
    "D1_ERROR: Your account has exceeded D1's free tier daily row read limit.",
    "D1_ERROR: Your account has exceeded D1's free tier daily row write limit.",
  ],
};

/** Draws the outcome of a call from the texts of its statements. */
type Draw = (texts: string[]) => Course;

/** Shared by all test files of an isolate, each of which has modules of its own. */
const shared = globalThis as {
  d1Course?: { draw: Draw; message: number; late: (() => Promise<unknown>)[] };
};

/** Carries out what is late, however it ends. */
const catchUp = (late: (() => Promise<unknown>)[]) =>
  Promise.allSettled(late.splice(0).map((carryOut) => carryOut()));

function fail(course: Exclude<Course, "well">): never {
  const messages = MESSAGES[course];
  const at = shared.d1Course ? shared.d1Course.message++ % messages.length : 0;
  throw new Error(messages[at]);
}

type Prepared = D1PreparedStatement & { statement: string };

function install(): void {
  const sessions = Object.getPrototypeOf(env.DB.withSession()) as D1DatabaseSession & { fails?: true };
  if (sessions.fails) return;
  const { batch } = sessions;
  sessions.fails = true;
  sessions.batch = async function <Row>(sent: D1PreparedStatement[]) {
    const late = shared.d1Course?.late ?? [];
    const course = shared.d1Course?.draw((sent as Prepared[]).map(({ statement }) => statement)) ?? "well";
    if (course === "late") late.push(() => batch.call(this, sent));
    if (course !== "well" && course !== "after") fail(course);
    const results = await batch.call(this, sent);
    await catchUp(late);
    if (course === "after") fail(course);
    return results as D1Result<Row>[];
  };
}

/** Carries out now what is late. */
export const settleLate = () => catchUp(shared.d1Course?.late ?? []);

/** Runs something while the calls to every database go as they are drawn. */
export async function withFaults<Result>(draw: Draw, run: () => Promise<Result>): Promise<Result> {
  install();
  const late: (() => Promise<unknown>)[] = [];
  shared.d1Course = { draw, message: 0, late };
  return run().finally(() => {
    delete shared.d1Course;
    return catchUp(late);
  });
}

/** The first calls go like this, and all others well. */
export function courses(...first: Course[]): () => Course {
  return () => first.shift() ?? "well";
}

/** Runs something in a process that is killed at one of its calls of the database. Returns whether it came so far. */
export async function killedAt(call: number, run: () => Promise<unknown>): Promise<boolean> {
  let calls = 0;
  const draw = () => {
    calls += 1;
    if (calls >= call) throw new Error("The process was killed");
    return "well" as const;
  };
  const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
  await withFaults(draw, () => run().catch(() => undefined));
  logged.mockRestore();
  return calls >= call;
}
