import { waitUntil } from "cloudflare:workers";
import { remembering } from "../core/recent.ts";
import { rest } from "./fair.ts";

// Turns in this isolate, for what must not run as often as it is asked for, because all requests share a thread.

const PATIENCE_MS = 15_000;
/** What lasts longer has been ended by the runtime, and holds up nobody. */
export const LONGEST_MS = 60_000;
/**
 * How long a request sleeps until it looks whether its turn has come, because none can wake another: nearly as long as those
 * before it probably take, but the next one at most so long, or each turn would begin late by what it still sleeps.
 */
const LOOK_MS = { least: 1, next: 2, most: 50 };
const NEARLY = 0.8;
/** How much the last turn counts in what one probably takes. */
const NEWEST = 0.2;

type Options = {
  /** Has at least every second turn, and places of its own. */
  isFirst?: boolean;
  most?: number;
  /** How much of the queue's capacity it takes: 1, if nothing else is said. */
  weight?: number;
  /** The most milliseconds that it waits: 15,000, if nothing else is said, and 60,000 at most. */
  patience?: number;
};

/** Ends a turn before its task ends. */
export type EndTurn = () => void;

export type Queue = <Result>(task: (end: EndTurn) => Promise<Result>, options?: Options) => Promise<Result>;

/** Why somebody got no turn: no place was free, or the turn did not come in time. */
export type Reason = "full" | "late";

type Rules = {
  most: number;
  /** What is thrown then. */
  refusal: (reason: Reason) => Error;
  /** What the weights of all tasks that run at a time add up to at most: 1, if nothing else is said. */
  capacity?: number;
  /** Whether the next turn begins only after a pause as long as the last one, of at most 100 ms. */
  rests?: boolean;
};

type Ticket = { since: number; weight: number };

const isLost = ({ since }: Ticket) => performance.now() - since > LONGEST_MS;

function dropLost(begun: Set<Ticket>): void {
  for (const ticket of begun) if (isLost(ticket)) begun.delete(ticket);
}

function leave(line: Ticket[], ticket: Ticket): void {
  const place = line.indexOf(ticket);
  if (place >= 0) line.splice(place, 1);
}

/** A queue that runs one task at a time or a few, in the order in which they came. */
export function queueOf({ most, refusal, capacity = 1, rests = false }: Rules): Queue {
  const [first, others]: [Ticket[], Ticket[]] = [[], []];
  const begun = new Set<Ticket>();
  let wasFirst = false;
  /** Milliseconds from the beginning of a turn to that of the next one, while somebody waits. */
  let pace: number = LOOK_MS.least;
  let last = 0;

  const isFree = ({ weight }: Ticket) => {
    dropLost(begun);
    let sum = weight;
    for (const turn of begun) sum += turn.weight;
    return sum <= capacity;
  };
  const linesInOrder = () => (wasFirst ? [others, first] : [first, others]);
  const placeOf = (ticket: Ticket) => linesInOrder().flat().indexOf(ticket);
  const isNext = (ticket: Ticket) => placeOf(ticket) === 0 && isFree(ticket);
  const look = (ticket: Ticket) => {
    const place = placeOf(ticket);
    const sleep = place === 0 ? Math.min(pace, LOOK_MS.next) : Math.min(NEARLY * pace * place, LOOK_MS.most);
    return scheduler.wait(Math.max(LOOK_MS.least, sleep));
  };

  function begin(ticket: Ticket): Ticket {
    const turn = { ...ticket, since: performance.now() };
    if (turn.since > ticket.since) pace += NEWEST * (Math.min(turn.since - last, LOOK_MS.most) - pace);
    last = turn.since;
    begun.add(turn);
    return turn;
  }

  async function takeTurn({
    isFirst,
    most: places = most,
    patience = PATIENCE_MS,
    weight = 1,
  }: Options): Promise<Ticket> {
    const line = isFirst ? first : others;
    for (const lost of line.filter(isLost)) leave(line, lost);
    const ticket = { since: performance.now(), weight };
    if (line.length >= places && !isFree(ticket)) throw refusal("full");
    line.push(ticket);
    while (!isNext(ticket) && performance.now() - ticket.since < patience) await look(ticket);
    const isTurn = isNext(ticket);
    leave(line, ticket);
    if (!isTurn) throw refusal("late");
    wasFirst = line === first;
    return begin(ticket);
  }

  async function run<Result>(task: (end: EndTurn) => Promise<Result>, options: Options): Promise<Result> {
    const turn = await takeTurn(options);
    const end = () => void begun.delete(turn);
    try {
      return await task(end);
    } finally {
      if (rests) waitUntil(rest(turn.since).then(end));
      else end();
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
export function placesOf({ most, refusal }: Pick<Rules, "most" | "refusal">) {
  const taken = new Set<Ticket>();
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    dropLost(taken);
    if (taken.size >= most) throw refusal("full");
    const owned = { since: performance.now(), weight: 1 };
    taken.add(owned);
    try {
      return await work();
    } finally {
      taken.delete(owned);
    }
  };
}
