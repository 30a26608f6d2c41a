import { type Fault, messageMatches } from "../core/faults.ts";

// https://developers.cloudflare.com/d1/observability/debug-d1/

export const D1_FAULTS: readonly (Fault & { words: RegExp })[] = [
  { name: "daily limit", kind: "spent", words: /D1's free tier daily row (read|write)/i },
  { name: "memory limit", kind: "refused", words: /exceeded its memory limit/i },
  { name: "processor limit", kind: "refused", words: /exceeded its CPU time limit/i },
  { name: "overloaded", kind: "queued", words: /D1 DB is overloaded|too many requests queued/i },
  { name: "time limit", kind: "late", words: /exceeded (?:the time limit of this service|timeout)/i },
  {
    name: "connection lost",
    kind: "lost",
    words:
      /network connection lost|caused object to be reset|reset because its code was updated|D1 DB due to transient issue|internal error while starting up D1 DB storage|internal error; reference/i,
  },
];

export const findD1Fault = (problem: unknown): Fault | undefined =>
  D1_FAULTS.find(({ words }) => messageMatches(problem, words));
