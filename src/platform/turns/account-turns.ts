import { accountName } from "../../contract/home.ts";
import { tooManyAtOnce } from "../core/errors.ts";
import { type EndTurn, LONGEST_MS, queuesOf, type Reason } from "./queue.ts";

// All accounts share the thread of an isolate, so each runs only a few requests at a time and queues the others.

/**
 * Concurrent requests of an account by kind, while there are none of another kind. A read takes a few milliseconds; a request
 * that runs alone may compute for a tenth of a second or more.
 */
export const AT_ONCE = { read: 8, change: 3, alone: 1 };

export type Kind = keyof typeof AT_ONCE;

/** Capacity of an account's queue: a multiple of each number in `AT_ONCE`. */
const CAPACITY = 24;
export const MOST_WAITING = 150;

/** The account whose queue is used, or if `waits_as` is given, the name of another queue. */
export type Who = { home: number; owner: number; waits_as?: string | undefined };

const refusalOf = (what: string) => (reason: Reason) =>
  tooManyAtOnce(
    reason === "full" ? `You have ${MOST_WAITING} ${what} queued` : `Your earlier ${what} are still running`,
  );

const queueOfAccount = queuesOf({
  most: MOST_WAITING,
  capacity: CAPACITY,
  refusal: refusalOf("requests"),
});

/** Uploads have a queue of their own, because a slow network must not block other requests. */
const queueOfUploads = queuesOf({
  most: MOST_WAITING,
  capacity: AT_ONCE.change,
  refusal: refusalOf("uploads"),
});

const queueName = (who: Who): string => who.waits_as ?? accountName(who);

const weightOf = (kind: Kind): number => CAPACITY / AT_ONCE[kind];

/**
 * Answers a request in its account's queue. Throws 429 when 150 are queued, or after 15 seconds.
 *
 * @param answer can release its slot early, before it waits for other work
 */
export const inTurnOf = <Result>(
  who: Who,
  kind: Kind,
  answer: (end: EndTurn) => Promise<Result>,
): Promise<Result> => queueOfAccount(queueName(who))(answer, { weight: weightOf(kind) });

/** Handles an upload in its account's queue of uploads. Throws 429 when 150 are queued, or after a minute. */
export const inTurnOfUploads = <Result>(who: Who, upload: () => Promise<Result>): Promise<Result> =>
  queueOfUploads(queueName(who))(upload, { patience: LONGEST_MS });

/** Produces the next part of a response that has begun. It precedes other requests, because it can no longer be rejected. */
export const inTurnOfBegun = <Result>(who: Who, part: () => Promise<Result>): Promise<Result> =>
  queueOfAccount(queueName(who))(part, {
    isFirst: true,
    most: Number.POSITIVE_INFINITY,
    patience: LONGEST_MS,
    weight: weightOf("change"),
  });
