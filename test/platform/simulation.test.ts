import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Env } from "../../src/env.ts";
import { emailLimitKey } from "../../src/features/auth/email/links.ts";
import { MIGRATED_TABLES, tableName } from "../../src/features/shard-migration/rows-store.ts";
import { clearAttempts } from "../../src/platform/rate-limit/limit.ts";
import { purge } from "../../src/purge.ts";
import { ACTIONS, type Answer, READS, type Request, type Step } from "../kit/actions.ts";
import { found, nothing } from "../kit/belongings.ts";
import { type Client, type Parts, person, urlOf } from "../kit/client.ts";
import { numberOf } from "../kit/ctx.ts";
import { type Offered, OPERATIONS } from "../kit/description.ts";
import { exampleOf } from "../kit/examples.ts";
import { workOff } from "../kit/jobs.ts";
import { mailService, mailTo, RESET } from "../kit/mailbox.ts";
import { belongings, EXAMPLE_EMAIL, NEW_EMAIL } from "../kit/named.ts";
import { MANY_RUNS_MS } from "../kit/time-limits.ts";
import { PASSING, Sky, under, type Weather, weathers } from "../kit/weather.ts";

// People and assistants at work on a platform that fails: nothing that was answered is lost or done twice, and nothing
// is called a fault of ours. A failing run is printed with its seed, which repeats it.

const PURGE = "purge";
const STEPS = [...Object.keys(ACTIONS), PURGE];

const MAX_ATTEMPTS = 100;

/** Requests that were answered, and those that failed visibly, of reads and of keyed writes. */
type Count = { answered: number; failed: number; unknown: number };

/**
 * A person and an assistant at work under a sky, beside a model of what they must find afterwards. Throws when an answer does
 * not agree with what is there.
 */
class Worker {
  readonly count: Count = { answered: 0, failed: 0, unknown: 0 };
  private model = nothing();
  private lastChange: string | null = null;
  private readonly ada: Client;
  private readonly sky: Sky;

  constructor(ada: Client, sky: Sky) {
    this.ada = ada;
    this.sky = sky;
  }

  async take({ action, pick, isKeyed }: Step, at: number): Promise<void> {
    if (action === PURGE) return purge(env as unknown as Env);
    const { ada, model, lastChange } = this;
    const name = `Plan ${at}`;
    const request = ACTIONS[action]?.({ ada, model, pick, name, lastChange });
    if (!request) return;
    const answer =
      request.isKeyed && isKeyed
        ? await this.untilAnswered(request, `${at}`)
        : await this.once(request, action in READS);
    await this.believe(request, answer, `${at} ${action}`);
  }

  private async once(request: Request, isRead: boolean): Promise<Answer> {
    const answer = await request.send({});
    if (isRead) this.note(answer);
    return answer;
  }

  private note({ status }: Answer): void {
    this.count.answered += 1;
    if (status === 503) this.count.failed += 1;
  }

  private async untilAnswered({ send }: Request, key: string): Promise<Answer> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const answer = await send({ "Idempotency-Key": key });
      if (attempt === 0) this.note(answer);
      // Whether it was done stays unknown until the key is given up.
      if (answer.status === 409) return { ...answer, status: 503, code: "outcome_unknown" };
      if (answer.status !== 503) return answer;
    }
    throw new Error(`${MAX_ATTEMPTS} attempts were not answered`);
  }

  private async believe(request: Request, answer: Answer, name: string): Promise<void> {
    const { status, code, text } = answer;
    // Work that has begun and fails temporarily continues on its own.
    if (status === 202 || status === 503) await workOff(this.ada);
    if (status >= 200 && status < 300) {
      this.lastChange = answer.changeId ?? this.lastChange;
      const changes = request.effect(this.model, answer);
      if (changes !== undefined) await this.lookUp([changes].flat(), `${name}: ${text}`);
      return;
    }
    expect([status, code], `${name}: ${text}`).toEqual([503, expect.stringMatching(/unavailable|unknown/)]);
    if (code === "unavailable") return;
    this.count.unknown += 1;
    await this.lookUp(undefined, name);
  }

  /** Adopts what is there, which has so many more entries, or what is not known. */
  private async lookUp(growths: number[] | undefined, name: string): Promise<void> {
    const now = await this.sky.calmly(() => found(this.ada));
    if (growths) expect(growths, name).toContain(now.changes - this.model.changes);
    this.model = now;
  }

  /** Compares what is there with what was answered. */
  async check(): Promise<void> {
    expect(await this.sky.calmly(() => found(this.ada))).toEqual(this.model);
  }
}

/** How many runs, if not as many as a time allows. */
const RUNS = Number(env.SIMULATION_RUNS || 0);

type Drawn<Values extends [unknown, ...unknown[]]> = { [Index in keyof Values]: fc.Arbitrary<Values[Index]> };

/**
 * Checks so many examples, or as many as can begin within a time. The last one is finished, which fast-check's own limit
 * would leave running beside the next test.
 */
async function check<Values extends [unknown, ...unknown[]]>(
  limits: { ms: number; runs: number },
  drawn: Drawn<Values>,
  hold: (...values: Values) => Promise<void>,
): Promise<void> {
  const end = Date.now() + limits.ms;
  const property = fc.asyncProperty<Values>(...drawn, async (...values) => {
    if (RUNS > 0 || Date.now() < end) await hold(...values);
  });
  await fc.assert(property, { numRuns: RUNS || limits.runs });
}

const stepsOf = (actions: string[], isKeyed: fc.Arbitrary<boolean>) =>
  fc.array(fc.record({ action: fc.constantFrom(...actions), pick: fc.nat(9), isKeyed }), {
    minLength: 1,
    maxLength: 12,
  });

async function work(weather: Weather, steps: Step[]): Promise<Count> {
  const sky = new Sky(weather);
  const worker = new Worker(await person(), sky);
  await under(sky, async () => {
    for (const [at, step] of steps.entries()) await worker.take(step, at);
  });
  await worker.check();
  return worker.count;
}

test(
  "nothing that was answered is lost or done twice, whatever fails",
  async () => {
    const hold = async (weather: Weather, steps: Step[]) => void (await work(weather, steps));
    await check({ ms: 18_000, runs: 300 }, [weathers, stepsOf(STEPS, fc.boolean())], hold);
  },
  MANY_RUNS_MS,
);

/** Of so many requests, one may fail visibly while one call of a hundred fails in passing. */
const PER_FAILURE = 10_000;

test(
  "while one call of a hundred fails in passing, people see next to nothing of it",
  async () => {
    const sum = { answered: 0, failed: 0 };
    const actions = [...Object.keys(READS), "write document", "write record", "make folder", "resolve"];
    const hold = async (seed: number, steps: Step[]) => {
      const { answered, failed } = await work({ seed, perMille: 10, kinds: PASSING, most: 1000 }, steps);
      sum.answered += answered;
      sum.failed += failed;
    };
    await check({ ms: 8000, runs: 200 }, [fc.nat(), stepsOf(actions, fc.constant(true))], hold);
    expect(sum.failed).toBeLessThanOrEqual(1 + sum.answered / PER_FAILURE);
  },
  MANY_RUNS_MS,
);

/** What is sent by itself, kept of requests and jobs, or used up on the way. */
const BY_CHANCE = [
  ...["webhook_deliveries", "idempotency_keys", "refresh_tokens", "sessions", "sign_in_addresses"],
  ...["recovery_codes", "later", "import_pieces"],
];
const TABLES = MIGRATED_TABLES.map(tableName).filter((name) => !BY_CHANCE.includes(name));

/** How many rows an account has, by table. */
async function rowsOf(owner: number): Promise<number[]> {
  const counts = TABLES.map((name) =>
    env.DB.prepare(`SELECT count(*) AS count FROM ${name} WHERE owner = ?`).bind(owner),
  );
  return (await env.DB.batch<{ count: number }>(counts)).map(({ results }) => results[0]?.count ?? 0);
}

/** Gives the email of the examples to the next account, and with it all the mails that may be sent there. */
async function forget(owner: number): Promise<void> {
  for (const purpose of ["reset", "verify", "change"] as const)
    for (const email of [EXAMPLE_EMAIL, NEW_EMAIL])
      await clearAttempts(env as unknown as Env, "RATE_LIMIT_MAIL", await emailLimitKey(purpose, email));
  await env.DB.batch([
    env.DB.prepare("UPDATE users SET email = 'former' || number WHERE number = ?").bind(owner),
    env.DB.prepare("DELETE FROM email_links"),
  ]);
  await mailService.clear();
}

type Outcome = { status: number; code: string | null; text: string; rows: number[] };

/** Sends a request; an answer that breaks off has failed too. */
async function answerTo(
  ada: Client,
  { route, method }: Offered,
  parts: Parts,
): Promise<Omit<Outcome, "rows">> {
  const { body, headers, ...request } = parts;
  const answer = await ada.fetch(urlOf(route, request), {
    ...{ method, headers: { "Content-Type": "application/json", ...headers } },
    ...(body !== undefined && { body }),
  });
  const code = answer.headers.get("Error-Code");
  return answer.text().then(
    (text) => ({ status: answer.status, code, text }),
    (problem: unknown) => ({ status: 503, code: "outcome_unknown", text: String(problem) }),
  );
}

/** Is answered before the address is looked up, so that the time tells nothing: the answer does not say how it ends. */
const ANSWERED_FIRST = "resetPassword";

/** The link that every new account is mailed after the answer is no effect of what it does next. */
const isWelcomed = async (owner: number) =>
  (await env.DB.prepare("SELECT 1 AS one FROM email_links WHERE owner = ?").bind(owner).first("one")) === 1;

/** The outcome of an operation's example for a new account: its answer, and how many rows there are more. */
async function outcomeOf(offered: Offered, weather: Weather): Promise<Outcome> {
  const ada = await person({ email: EXAMPLE_EMAIL });
  const owner = await numberOf(ada);
  await expect.poll(() => isWelcomed(owner)).toBe(true);
  const parts = await exampleOf(offered, belongings(ada), false);
  const before = await rowsOf(owner);
  try {
    const answer = await under(new Sky(weather), () => answerTo(ada, offered, parts));
    if (answer.status === 202) await workOff(ada);
    if (weather === CALM && offered.operation.operationId === ANSWERED_FIRST)
      await mailTo(EXAMPLE_EMAIL, RESET);
    const after = await rowsOf(owner);
    return { ...answer, rows: after.map((count, at) => count - (before[at] ?? 0)) };
  } finally {
    await forget(owner);
  }
}

/** Bytes on their way in or out have a row there, which goes at the end; the clean-up takes what is left of a stop. */
const UPLOADS = TABLES.indexOf("file_uploads");

/** Whether no more was done than is done when all goes well: several steps may have stopped between. */
const isPartOf = (rows: number[], whole: number[]) =>
  rows.every((more, at) => {
    const all = whole[at] || (at === UPLOADS ? 1 : 0);
    return more === 0 || (Math.sign(more) === Math.sign(all) && Math.abs(more) <= Math.abs(all));
  });

const CALM: Weather = { seed: 0, perMille: 0, kinds: ["before"], most: 0 };

/** These are about all accounts, end the account, answer for each record, or have rows that go again at their end. */
const LEFT_OUT = ["reindex", "deleteMe", "changeMemories", "continueImport"];

const offered = new Map(OPERATIONS.map((one) => [one.operation.operationId, one]));
const names = [...offered.keys()].filter((name) => !LEFT_OUT.includes(name));

test(
  "each operation does what it does once, or says what may have been done",
  async () => {
    const expected = new Map<string, Outcome>();
    const hold = async (name: string, weather: Weather) => {
      const one = offered.get(name) as Offered;
      const calm = expected.get(name) ?? (await outcomeOf(one, CALM));
      expected.set(name, calm);
      const { status, code, text, rows } = await outcomeOf(one, weather);
      const said = `${status} ${text.slice(0, 300)}`;
      if (status === 202 && name === ANSWERED_FIRST)
        return expect(isPartOf(rows, calm.rows), `${said} ${rows}`).toBe(true);
      // Work that failed in passing is finished after the answer.
      if (status === 202) return expect(rows, said).toEqual(calm.rows);
      if (status !== 503) return expect([status, rows], said).toEqual([calm.status, calm.rows]);
      expect(["unavailable", "outcome_unknown"], said).toContain(code);
      expect(isPartOf(rows, code === "unavailable" ? [] : calm.rows), `${said} ${rows}`).toBe(true);
    };
    await check({ ms: 12_000, runs: 300 }, [fc.constantFrom(...names), weathers], hold);
  },
  MANY_RUNS_MS,
);
