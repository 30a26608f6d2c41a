import { callWithRetries, type Fault, messageMatches, type RepeatEffect } from "../core/faults.ts";

// https://developers.cloudflare.com/durable-objects/best-practices/error-handling/

const LOST =
  /network connection lost|caused object to be reset|reset because its code was updated|transient issue|internal error; reference/i;

type Problem = { retryable?: unknown; overloaded?: unknown; durableObjectReset?: unknown };

function faultOf(problem: unknown): Fault | undefined {
  const { retryable, overloaded, durableObjectReset } = Object(problem) as Problem;
  if (overloaded === true) return { name: "object overloaded", kind: "busy" };
  if (messageMatches(problem, /exceeded the time limit of this service/))
    return { name: "object", kind: "late" };
  const isLost = retryable === true || durableObjectReset === true || messageMatches(problem, LOST);
  return isLost ? { name: "object", kind: "lost" } : undefined;
}

/** Calls a Durable Object. `call` must create a new stub each time, because one that has failed stays broken. */
export const callObject = <Answer>(effect: RepeatEffect, call: () => Promise<Answer>): Promise<Answer> =>
  callWithRetries({ what: "A part of the service", effectOf: () => effect, faultOf }, call);
