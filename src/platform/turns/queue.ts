import { waitUntil } from "cloudflare:workers";
import { remembering } from "../core/recent.ts";
import { rest } from "./fair.ts";

// Turns in this isolate, for what must not run as often as it is asked for, because all requests share a thread.

/** The longest that a request waits for its turn. */
const PATIENCE_MS = 15_000;
/** What lasts longer has been ended by the runtime, and holds up nobody. */
const LONGEST_MS = 60_000;
/**
 * How often a request looks whether its turn has come, because none can wake another: the next one, and at most. Nearer
 * to its turn more often, or each turn would begin late by what the next one still sleeps.
 */
const LOOK_MS = 1;
const LOOK_FROM_BEHIND_MS = 10;

type Options = {
  /** Has at least every second turn, and places of its own. */
  isFirst?: boolean;
  most?: number;
};

export type Queue = <Result>(task: () => Promise<Result>, options?: Options) => Promise<Result>;

type Rules = {
  most: number;
  /** What is thrown when no place is free, and after 15 seconds of waiting. */
  refusal: () => Error;
  /** Whether the next turn begins only after a pause as long as the last one, of at most 100 ms. */
  rests?: boolean;
};

type Ticket = { since: number };

const isLost = ({ since }: Ticket) => performance.now() - since > LONGEST_MS;

function leave(line: Ticket[], ticket: Ticket): void {
  const place = line.indexOf(ticket);
  if (place >= 0) line.splice(place, 1);
}

/** A queue that runs one task at a time, in the order in which they came. */
export function queueOf({ most, refusal, rests = false }: Rules): Queue {
  const [first, others]: [Ticket[], Ticket[]] = [[], []];
  let running: Ticket | undefined;
  let wasFirst = false;

  const isFree = () => !running || isLost(running);
  const linesInOrder = () => (wasFirst ? [others, first] : [first, others]);
  const placeOf = (ticket: Ticket) => linesInOrder().flat().indexOf(ticket);
  const isNext = (ticket: Ticket) => isFree() && placeOf(ticket) === 0;
  const look = (ticket: Ticket) =>
    scheduler.wait(Math.min(LOOK_MS * (placeOf(ticket) + 1), LOOK_FROM_BEHIND_MS));

  async function takeTurn(line: Ticket[], places: number): Promise<Ticket> {
    for (const lost of line.filter(isLost)) leave(line, lost);
    if (line.length >= places && !isFree()) throw refusal();
    const ticket = { since: performance.now() };
    line.push(ticket);
    while (!isNext(ticket) && performance.now() - ticket.since < PATIENCE_MS) await look(ticket);
    const isTurn = isNext(ticket);
    leave(line, ticket);
    if (!isTurn) throw refusal();
    wasFirst = line === first;
    running = { since: performance.now() };
    return running;
  }

  async function endTurn(turn: Ticket): Promise<void> {
    if (rests) await rest(turn.since);
    if (running === turn) running = undefined;
  }

  async function run<Result>(task: () => Promise<Result>, options: Options): Promise<Result> {
    const turn = await takeTurn(options.isFirst ? first : others, options.most ?? most);
    try {
      return await task();
    } finally {
      waitUntil(endTurn(turn));
    }
  }

  return (task, options = {}) => {
    const result = run(task, options);
    // Somebody who hangs up still takes the turn, or it would never end.
    waitUntil(Promise.allSettled([result]));
    return result;
  };
}

const MAX_NAMES = 1000;

/** A queue for each name, such as that of an account, so that nobody takes the turns of others. */
export function queuesOf(rules: Rules): (name: string) => Queue {
  const queues = remembering<string, Queue>(MAX_NAMES);
  return (name) => {
    const queue = queues.get(name) ?? queueOf(rules);
    queues.set(name, queue);
    return queue;
  };
}

/** Lets only so many work at once; whoever comes then is refused before doing anything. */
export function placesOf({ most, refusal }: Omit<Rules, "rests">) {
  const taken = new Set<Ticket>();
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    for (const ticket of taken) if (isLost(ticket)) taken.delete(ticket);
    if (taken.size >= most) throw refusal();
    const owned = { since: performance.now() };
    taken.add(owned);
    try {
      return await work();
    } finally {
      taken.delete(owned);
    }
  };
}
