import { globalAccountId } from "../../contract/shard.ts";
import { tooManyConcurrent } from "../core/errors.ts";
import { createQueues, MAX_TASK_MS, type QueueRejection, type ReleaseSlot } from "./queue.ts";

// All accounts share the thread of an isolate, so each runs only a few requests at a time and queues the others.

/** Concurrent requests of an account while there are none of another kind. A request that runs alone may compute for 100 ms. */
export const MAX_CONCURRENT = { read: 8, change: 3, alone: 1 };

export type RequestKind = keyof typeof MAX_CONCURRENT;

/** Capacity of an account's queue: a multiple of each number in `MAX_CONCURRENT`. */
const CAPACITY = 24;
export const MAX_QUEUED = 150;

/** The account whose queue is used, or if `queue_key` is given, the name of another queue. */
export type QueueOwner = { shard: number; owner: number; queue_key?: string | undefined };

const refusalOf = (what: string) => (reason: QueueRejection) =>
  tooManyConcurrent(
    reason === "full" ? `You have ${MAX_QUEUED} ${what} queued` : `Your earlier ${what} are still running`,
  );

const queueOfAccount = createQueues({
  most: MAX_QUEUED,
  capacity: CAPACITY,
  refusal: refusalOf("requests"),
});

/** Uploads have a queue of their own, because a slow network must not block other requests. */
const queueOfUploads = createQueues({
  most: MAX_QUEUED,
  capacity: MAX_CONCURRENT.change,
  refusal: refusalOf("uploads"),
});

const queueName = (who: QueueOwner): string => who.queue_key ?? globalAccountId(who);

const weightOf = (kind: RequestKind): number => CAPACITY / MAX_CONCURRENT[kind];

/** Throws 429 when 150 are queued, or after 15 seconds. `answer` can release its slot early, before it waits for other work. */
export const runInQueue = <Result>(
  who: QueueOwner,
  kind: RequestKind,
  answer: (end: ReleaseSlot) => Promise<Result>,
): Promise<Result> => queueOfAccount(queueName(who))(answer, { weight: weightOf(kind) });

/** Handles an upload in its account's queue of uploads. Throws 429 when 150 are queued, or after a minute. */
export const runInUploadQueue = <Result>(who: QueueOwner, upload: () => Promise<Result>): Promise<Result> =>
  queueOfUploads(queueName(who))(upload, { patience: MAX_TASK_MS });

/** Produces the next part of a response that has begun. It precedes other requests, because it can no longer be rejected. */
export const runStartedPart = <Result>(who: QueueOwner, part: () => Promise<Result>): Promise<Result> =>
  queueOfAccount(queueName(who))(part, {
    isPriority: true,
    most: Number.POSITIVE_INFINITY,
    patience: MAX_TASK_MS,
    weight: weightOf("change"),
  });
