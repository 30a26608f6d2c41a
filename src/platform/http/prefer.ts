import { MAX_WAIT_SECONDS } from "../../contract/jobs.ts";

/** Whether to respond before the work is done, and otherwise how many seconds to wait for it. */
export type WaitPreference = { isAsync: boolean; wait: number };

export const NO_PREFERENCE: WaitPreference = { isAsync: false, wait: 0 };

/** For tools: MCP clients time out after about a minute. */
export const TOOL_PREFERENCE: WaitPreference = { isAsync: false, wait: 20 };

/** Unknown and malformed preferences are ignored (RFC 7240 section 2). */
export function parsePrefer(header = ""): WaitPreference {
  const preferences = header.split(",").map((one) => one.split(";")[0]?.trim().toLowerCase() ?? "");
  const [, seconds = "0"] =
    preferences.map((one) => /^wait\s*=\s*"?(\d{1,9})"?$/.exec(one)).find(Boolean) ?? [];
  return {
    isAsync: preferences.includes("respond-async"),
    wait: Math.min(Number(seconds), MAX_WAIT_SECONDS),
  };
}
