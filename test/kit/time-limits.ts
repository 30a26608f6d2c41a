import { env } from "cloudflare:workers";

/** Whether more is tried than before a merge, with examples that nobody has seen. */
export const isThorough = [env.NIGHTLY, env.FUZZ_RUNS, env.SIMULATION_RUNS, env.SERIES_RUNS].some(Boolean);

/** How often a property of a pure function is tried: a tenth of the runs `atNight` before a merge. */
export const runs = (atNight: number): number => (isThorough ? atNight : Math.ceil(atNight / 10));

/** How long a test of many runs may take, in ms: hours at night, and otherwise so long that one which hangs soon fails. */
export const MANY_RUNS_MS = isThorough ? 7_200_000 : 300_000;
