import { LONGEST_WAIT } from "../../contract/jobs.ts";

export type Prefer = {
  /** Whether the answer should come at once, before the work is done. */
  isAsync: boolean;
  /** How many seconds to wait for the end of the work. */
  wait: number;
};

export const NO_PREFERENCE: Prefer = { isAsync: false, wait: 0 };

/** How long a tool waits: programs give it about a minute. */
export const OF_TOOLS: Prefer = { isAsync: false, wait: 20 };

/** Reads a `Prefer` header. What is unknown or makes no sense is ignored (RFC 7240 section 2). */
export function readPrefer(header = ""): Prefer {
  const preferences = header.split(",").map((one) => one.split(";")[0]?.trim().toLowerCase() ?? "");
  const [, seconds = "0"] =
    preferences.map((one) => /^wait\s*=\s*"?(\d{1,9})"?$/.exec(one)).find(Boolean) ?? [];
  return {
    isAsync: preferences.includes("respond-async"),
    wait: Math.min(Number(seconds), LONGEST_WAIT),
  };
}
