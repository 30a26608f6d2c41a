import fc from "fast-check";
import { type Course, settleLate } from "./d1-faults.ts";
import { type Draw, type Part, withPlatformFaults } from "./platform-faults.ts";
import { random } from "./random.ts";

// How often and in which ways calls fail while a simulation runs. The outcome of a call depends on the seed, on what it asks
// and on how often that was asked before, so a run can be repeated although some work continues after its answer.

export type Weather = {
  seed: number;
  /** Failing calls per thousand. */
  perMille: number;
  kinds: ("reset" | Course)[];
  /** The number of faults after which every call succeeds. */
  most: number;
};

/** Faults after which a repetition soon succeeds. */
export const PASSING: Weather["kinds"] = ["before", "after", "queued", "late", "reset"];
const ALL: Weather["kinds"] = [...PASSING, "too much", "spent"];

export const weathers: fc.Arbitrary<Weather> = fc.record({
  seed: fc.nat(),
  perMille: fc.constantFrom(10, 50, 100, 250),
  kinds: fc.subarray(ALL, { minLength: 1 }),
  most: fc.nat(60),
});

const RESET_MS = 3000;
const CALL_MS = 5;

/** FNV-1a, with a last mixing of the bits. */
function hash(text: string): number {
  let sum = 2166136261;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 16777619);
  sum = Math.imul(sum ^ (sum >>> 15), 2246822519);
  sum = Math.imul(sum ^ (sum >>> 13), 3266489917);
  return (sum ^ (sum >>> 16)) >>> 0;
}

/** Parts without a limit of their own, which are never reset. */
const SIMPLE: Partial<Record<Part, Course>> = { outside: "before", limit: "before" };

export class Sky {
  readonly weather: Weather;
  faults = 0;
  calls = 0;
  isCalm = false;
  private now = 0;
  private resetUntil = 0;
  private readonly times = new Map<string, number>();

  constructor(weather: Weather) {
    this.weather = weather;
  }

  /** Advances the clock without waiting. */
  pass(ms: number): void {
    this.now += ms;
  }

  readonly draw: Draw = (part, name) => {
    if (this.isCalm) return "well";
    const what = `${part} ${hash(name)}`;
    const time = (this.times.get(what) ?? 0) + 1;
    this.times.set(what, time);
    this.calls += 1;
    this.now += CALL_MS;
    return this.courseOf(part, hash(`${this.weather.seed} ${what} ${time}`));
  };

  private courseOf(part: Part, drawn: number): Course {
    const { perMille, kinds, most } = this.weather;
    if (this.now < this.resetUntil && !SIMPLE[part]) return drawn % 2 === 0 ? "before" : "after";
    if (drawn % 1000 >= perMille || this.faults >= most) return "well";
    this.faults += 1;
    const kind = kinds[Math.floor(drawn / 1000) % kinds.length] ?? "well";
    if (SIMPLE[part]) return SIMPLE[part];
    if (kind !== "reset")
      return part === "database" || !["too much", "spent"].includes(kind) ? kind : "before";
    this.resetUntil = this.now + RESET_MS;
    return "after";
  }

  /** Runs something while nothing fails. */
  async calmly<Result>(act: () => Promise<Result>): Promise<Result> {
    this.isCalm = true;
    await settleLate();
    return act().finally(() => {
      this.isCalm = false;
    });
  }
}

/** Pauses of the service are at most this long; its time limits are longer. */
const PAUSE_MS = 2000;

const real = { setTimeout: globalThis.setTimeout, random: Math.random, error: console.error };

/** Runs something under a sky. Pauses end at once, and logged errors are not shown. */
export async function under<Result>(sky: Sky, run: () => Promise<Result>): Promise<Result> {
  const wait = (wake: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) => {
    if (ms <= PAUSE_MS) sky.pass(ms);
    return real.setTimeout(wake, ms <= PAUSE_MS ? 0 : ms, ...given);
  };
  Object.assign(globalThis, { setTimeout: wait });
  Math.random = random(sky.weather.seed);
  console.error = () => undefined;
  return withPlatformFaults(sky.draw, run).finally(() => {
    Object.assign(globalThis, { setTimeout: real.setTimeout });
    Math.random = real.random;
    console.error = real.error;
  });
}
