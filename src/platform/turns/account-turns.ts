import { accountName } from "../../contract/home.ts";
import { tooManyAtOnce } from "../core/errors.ts";
import { type EndTurn, LONGEST_MS, queuesOf, type Reason } from "./queue.ts";

// All accounts share the thread of an isolate, so a few requests of each run at a time, and its others wait for those.

/**
 * How many requests of one kind run at a time while there are none of another kind. A read takes a few milliseconds; what runs
 * alone may compute for a tenth of a second or more.
 */
export const AT_ONCE = { read: 8, change: 3, alone: 1 };

export type Kind = keyof typeof AT_ONCE;

/** A multiple of each number in `AT_ONCE`. */
const CAPACITY = 24;
export const MOST_WAITING = 150;

/** Whose turn it is: the account's, or if `waits_as` is given, that of everybody with the same name there. */
export type Who = { home: number; owner: number; waits_as?: string | undefined };

const refusalOf = (what: string) => (reason: Reason) =>
  tooManyAtOnce(
    reason === "full"
      ? `${MOST_WAITING} ${what} of yours are waiting`
      : `The ${what} of yours that came before take long`,
  );

const queueOfAccount = queuesOf({
  most: MOST_WAITING,
  capacity: CAPACITY,
  refusal: refusalOf("requests"),
});

/** An upload takes as long as the network does, and must not hold up anything else. */
const queueOfUploads = queuesOf({
  most: MOST_WAITING,
  capacity: AT_ONCE.change,
  refusal: refusalOf("uploads"),
});

const nameOf = (who: Who): string => who.waits_as ?? accountName(who);

const weightOf = (kind: Kind): number => CAPACITY / AT_ONCE[kind];

/**
 * Answers a request when it is its account's turn. Throws 429 when 150 are waiting, or after 15 seconds.
 *
 * @param answer can end the turn earlier, before it waits for what others do
 */
export const inTurnOf = <Result>(
  who: Who,
  kind: Kind,
  answer: (end: EndTurn) => Promise<Result>,
): Promise<Result> => queueOfAccount(nameOf(who))(answer, { weight: weightOf(kind) });

/** Takes an upload when it is its turn among those of its account. Throws 429 as above, but after a minute. */
export const inTurnOfUploads = <Result>(who: Who, upload: () => Promise<Result>): Promise<Result> =>
  queueOfUploads(nameOf(who))(upload, { patience: LONGEST_MS });

/** Makes the next part of an answer that has begun: it comes before other requests, because it can no longer be refused. */
export const inTurnOfBegun = <Result>(who: Who, part: () => Promise<Result>): Promise<Result> =>
  queueOfAccount(nameOf(who))(part, {
    ...{ isFirst: true, most: Number.POSITIVE_INFINITY, patience: LONGEST_MS },
    weight: weightOf("change"),
  });
