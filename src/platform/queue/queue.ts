import { waitUntil } from "cloudflare:workers";
import { createRecentMap } from "../core/recent-map.ts";
import { restSince } from "./yielding.ts";

// Queues and semaphores of this isolate. All requests share its thread, so expensive work is limited.

const DEFAULT_PATIENCE_MS = 15_000;
/** A task that takes longer has been ended by the runtime, and no longer occupies a slot. */
export const MAX_TASK_MS = 60_000;
// Polling interval, because requests cannot wake each other: nearly as long as the tasks ahead are expected to take. The first
// in line polls every 2 ms at least, because each task would otherwise start late by the rest of that interval.
const POLL_MS = { least: 1, next: 2, most: 50 };
const POLL_FRACTION = 0.8;
/** Weight of the latest task in the moving average of `pace`. */
const LATEST_WEIGHT = 0.2;

type Options = {
  /** Priority tasks have a line of their own, and every second slot at least. */
  isPriority?: boolean;
  most?: number;
  /** Share of the queue's capacity; 1 by default. */
  weight?: number;
  /** Maximum waiting time in ms; 15,000 by default, 60,000 at most. */
  patience?: number;
};

/** Releases a task's slot before the task ends. */
export type ReleaseSlot = () => void;

export type Queue = <Result>(
  task: (end: ReleaseSlot) => Promise<Result>,
  options?: Options,
) => Promise<Result>;

/** Why a task was rejected: too many tasks were waiting, or it waited too long. */
export type QueueRejection = "full" | "late";

type Rules = {
  most: number;
  refusal: (reason: QueueRejection) => Error;
  /** Limit of the total weight of running tasks; 1 by default. */
  capacity?: number;
  /** Pause after each task for as long as it took, at most 100 ms. */
  restsBetween?: boolean;
};

/** `since`: when it began to wait, or for a running task, to run. */
type Ticket = { since: number; weight: number };

const isAbandoned = ({ since }: Ticket) => performance.now() - since > MAX_TASK_MS;

function dropAbandoned(running: Set<Ticket>): void {
  for (const ticket of running) if (isAbandoned(ticket)) running.delete(ticket);
}

function removeFrom(line: Ticket[], ticket: Ticket): void {
  const index = line.indexOf(ticket);
  if (index >= 0) line.splice(index, 1);
}

/** A queue that runs one task at a time or a few, in the order of their arrival. */
export function createQueue({ most, refusal, capacity = 1, restsBetween = false }: Rules): Queue {
  const [priority, others]: [Ticket[], Ticket[]] = [[], []];
  const running = new Set<Ticket>();
  let wasPriority = false;
  /** Moving average of the ms between the starts of tasks while others wait. */
  let pace: number = POLL_MS.least;
  let lastStart = 0;

  const hasCapacity = ({ weight }: Ticket) => {
    dropAbandoned(running);
    let sum = weight;
    for (const ticket of running) sum += ticket.weight;
    return sum <= capacity;
  };
  const linesInOrder = () => (wasPriority ? [others, priority] : [priority, others]);
  const positionOf = (ticket: Ticket) => linesInOrder().flat().indexOf(ticket);
  const canStart = (ticket: Ticket) => positionOf(ticket) === 0 && hasCapacity(ticket);
  const poll = (ticket: Ticket) => {
    const position = positionOf(ticket);
    const sleep =
      position === 0 ? Math.min(pace, POLL_MS.next) : Math.min(POLL_FRACTION * pace * position, POLL_MS.most);
    return scheduler.wait(Math.max(POLL_MS.least, sleep));
  };

  function start(ticket: Ticket): Ticket {
    const started = { ...ticket, since: performance.now() };
    if (started.since > ticket.since)
      pace += LATEST_WEIGHT * (Math.min(started.since - lastStart, POLL_MS.most) - pace);
    lastStart = started.since;
    running.add(started);
    return started;
  }

  async function waitForSlot({
    isPriority,
    most: limit = most,
    patience = DEFAULT_PATIENCE_MS,
    weight = 1,
  }: Options): Promise<Ticket> {
    const line = isPriority ? priority : others;
    for (const abandoned of line.filter(isAbandoned)) removeFrom(line, abandoned);
    const ticket = { since: performance.now(), weight };
    if (line.length >= limit && !hasCapacity(ticket)) throw refusal("full");
    line.push(ticket);
    while (!canStart(ticket) && performance.now() - ticket.since < patience) await poll(ticket);
    const mayStart = canStart(ticket);
    removeFrom(line, ticket);
    if (!mayStart) throw refusal("late");
    wasPriority = line === priority;
    return start(ticket);
  }

  async function run<Result>(
    task: (release: ReleaseSlot) => Promise<Result>,
    options: Options,
  ): Promise<Result> {
    const slot = await waitForSlot(options);
    const release = () => void running.delete(slot);
    try {
      return await task(release);
    } finally {
      if (restsBetween) waitUntil(restSince(slot.since).then(release));
      else release();
    }
  }

  return (task, options = {}) => {
    const result = run(task, options);
    // Keeps the task running if its client disconnects, so that it releases its slot.
    waitUntil(Promise.allSettled([result]));
    return result;
  };
}

const MAX_NAMES = 1000;

/** A queue per name, such as an account's, so that accounts do not block each other. */
export function createQueues(rules: Rules): (name: string) => Queue {
  const queues = createRecentMap<string, Queue>(MAX_NAMES);
  return (name) => {
    const queue = queues.get(name) ?? createQueue(rules);
    queues.set(name, queue);
    return queue;
  };
}

/** A semaphore: rejects a task at once, before it runs, if `most` others are running. */
export function createSemaphore({ most, refusal }: Pick<Rules, "most" | "refusal">) {
  const running = new Set<Ticket>();
  return async <Result>(task: () => Promise<Result>): Promise<Result> => {
    dropAbandoned(running);
    if (running.size >= most) throw refusal("full");
    const ticket = { since: performance.now(), weight: 1 };
    running.add(ticket);
    try {
      return await task();
    } finally {
      running.delete(ticket);
    }
  };
}
