import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { Env } from "../../src/env.ts";
import { purge } from "../../src/purge.ts";
import { ACTIONS, READS } from "./actions.ts";
import { found, nothing } from "./belongings.ts";
import type { Client } from "./client.ts";
import { workOff } from "./jobs.ts";
import type { Answer, Request, Step } from "./requests.ts";
import type { Sky } from "./weather.ts";

// A person and an assistant at work, beside a model in memory of what they must find afterwards.

const PURGE = "purge";
export const STEPS = [...Object.keys(ACTIONS), PURGE];

const MAX_ATTEMPTS = 100;

/** Requests that were answered, and those that failed visibly, of reads and of keyed writes. */
export type Count = { answered: number; failed: number; unknown: number };

/** A person at work under a sky. Throws when an answer does not agree with what is there. */
export class Worker {
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
