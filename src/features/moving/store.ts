import { FIRST_HOME } from "../../contract/home.ts";
import { bindingOf } from "../../contract/homes.ts";
import { type BaseCtx, ctxFor } from "../../platform/core/ctx.ts";
import { badRequest, conflict, notFound } from "../../platform/core/errors.ts";
import type { users } from "../../platform/db/tables.ts";
import {
  enterBookStatements,
  findEntry,
  findHome,
  leaveBookStatements,
  moveEntry,
} from "../../platform/homes/address-book-store.ts";
import { findPlace } from "../../platform/homes/move-store.ts";
import { isCurrent } from "../../platform/homes/schema-store.ts";
import { eraseAccount } from "../erasure/store.ts";
import type { Value } from "./rows-store.ts";
import * as sides from "./side-store.ts";
import { Differs, type Sides, STAGES } from "./stage-store.ts";

// Rows are fenced in the old home, copied, compared, and made the account in the new one. What has been done is stored
// step by step, so that a killed command can be repeated, and two at once do no harm.

/** Opens a home. A new context has the present time. */
export type Open = (home: number) => BaseCtx | Promise<BaseCtx>;

type User = typeof users.$inferSelect;
type Move = { open: Open; user: User; from: number; to: number };

/** How often a copy is restarted because the sides differ, before giving up. */
const MAX_COPIES = 3;

type Progress = { stage: string; after: Value[] };

const READY = "ready";
const written = (stage: string, after: Progress["after"]) => JSON.stringify({ stage, after });
const BEGINNING = { stage: STAGES[0]?.name ?? READY, after: [] };

const readProgress = ({ progress }: sides.MoveRow): Progress =>
  progress === null ? BEGINNING : (JSON.parse(progress) as Progress);

async function nextStep(both: Sides, progress: Progress, onStage: (name: string) => void) {
  let { stage: name, after } = progress;
  while (name !== READY) {
    const at = STAGES.findIndex((stage) => stage.name === name);
    const stage = STAGES[at];
    // A later version of the service may have other stages.
    if (!stage) throw new Differs(`There is no stage ${name}`);
    onStage(name);
    const step = await stage.step(both, after);
    const next = step.after
      ? { stage: name, after: step.after }
      : { stage: STAGES[at + 1]?.name ?? READY, after: [] };
    if (step.write.length > 0) return { write: step.write, next: written(next.stage, next.after) };
    ({ stage: name, after } = next);
  }
  return { write: [], next: written(READY, []) };
}

/** Copies until nothing is left to copy, or another command has been faster. */
async function copyRows(move: Move, owner: number, onStage: (name: string) => void): Promise<void> {
  for (;;) {
    const [from, to] = [await move.open(move.from), await move.open(move.to)];
    const row = (await sides.listMoves(to, move.user.id)).find((one) => one.owner === owner);
    if (row?.state !== "arriving") return;
    const progress = readProgress(row);
    if (progress.stage === READY) return;
    const both = { from: { ...from, owner: move.user.number }, to: { ...to, owner } };
    const step = await nextStep(both, progress, onStage);
    await sides.writeCopied(await move.open(move.to), row, step);
  }
}

async function copyOf({ open, user, from, to }: Move): Promise<sides.MoveRow> {
  const known = async () =>
    (await sides.listMoves(await open(to), user.id)).find(({ state }) => state !== "leaving");
  const there = await known();
  if (there) return there;
  await eraseLeftovers(await open(to), user.id);
  await sides.startArriving(await open(to), user, from);
  const begun = await known();
  if (!begun) throw conflict("The move was given up at this moment: repeat the command");
  return begun;
}

/** Erases what an earlier time of the account here, or a copy that was given up, has left. */
async function eraseLeftovers(home: BaseCtx, userId: string): Promise<void> {
  for (const user of await sides.listLeftovers(home, userId)) {
    await sides.openFence(home, user.number);
    await eraseAccount(ctxFor(home, user), async () => false);
  }
}

/** Tells the address book, unless another command has: by then the account may have moved on. */
async function tellBook({ open, user, from, to }: Move): Promise<void> {
  for (;;) {
    const entry = await findEntry(await open(FIRST_HOME), user);
    if (entry?.home !== from || !(await findArrival(open, user, to))) return;
    if (await moveEntry(await open(FIRST_HOME), entry, { id: user.id, to })) return;
  }
}

async function finish(move: Move, number: number): Promise<void> {
  const { open, user, from, to } = move;
  const source = await open(from);
  // In one transaction with what happens in the first home, if something does.
  if (to !== FIRST_HOME && from !== FIRST_HOME) await tellBook(move);
  const more = from === FIRST_HOME ? enterBookStatements(source, user, to) : [];
  await sides.releaseAccount(source, user.number, { home: to, number }, more);
  await sides.forgetArrival(await open(to), number);
}

/** The move with which the account came to a home, if it has not been finished. */
async function findArrival(open: Open, { id }: User, to: number): Promise<sides.MoveRow | undefined> {
  return (await sides.listMoves(await open(to), id)).find(({ state }) => state === "arrived");
}

/** Ends the move with which the account came to a home, if the command for it was killed before it did. */
async function finishArrival(open: Open, user: User, to: number): Promise<void> {
  const arrived = await findArrival(open, user, to);
  if (!arrived) return;
  const before = await sides.listMoves(await open(arrived.home), user.id);
  const left = before.find(({ state }) => state === "leaving");
  const move = { open, user: { ...user, number: left?.owner ?? 0 }, from: arrived.home, to };
  await finish(move, arrived.owner);
}

/** The account as it is in the old home, where nothing of it changes any more; undefined when it has left. */
async function fenced(move: Move): Promise<Move | undefined> {
  const { open, from, to } = move;
  const chosen = await sides.startLeaving(await open(from), move.user, to);
  if (chosen === undefined) {
    // An account that was deleted in the meantime is nowhere.
    if (!(await findPlace(await open(from), move.user.number))) throw notFound(move.user.email);
    return undefined;
  }
  if (chosen !== to) throw conflict(`The account is being moved to ${bindingOf(chosen)}: finish that first`);
  const user = await sides.findUser(await open(from), move.user.id);
  return user && { ...move, user };
}

/** Throws `Differs`. The fence is closed once more after the copy: whoever opens it gives up the copies that there are. */
async function carryOver(move: Move, onStage: (name: string) => void): Promise<void> {
  const copy = await copyOf(move);
  const now = await fenced(move);
  if (!now) return dropCopies(move);
  if (copy.state === "arriving") await copyRows(now, copy.owner, onStage);
  const { open, user, to } = now;
  const target = await open(to);
  const more = to === FIRST_HOME ? leaveBookStatements(target, user) : [];
  const row = (await sides.listMoves(target, user.id)).find(({ owner }) => owner === copy.owner);
  if (row?.state === "arriving") await sides.activateCopy(target, row, user, more);
}

async function dropCopies({ open, user, to }: Move): Promise<void> {
  const target = await open(to);
  for (const row of await sides.listMoves(target, user.id))
    if (row.state === "arriving") await sides.dropCopy(target, row);
}

async function giveUp(move: Move): Promise<void> {
  const source = await move.open(move.from);
  const rows = await sides.listMoves(source, move.user.id);
  await dropCopies(move);
  for (const row of rows) if (row.state === "leaving") await sides.stayHere(source, row);
}

const IS_TAKEN = /UNIQUE constraint failed: (\w+)/;

async function recover(move: Move, problem: unknown, copies: number): Promise<void> {
  if (problem instanceof Differs && copies < MAX_COPIES) return dropCopies(move);
  const [, table] = IS_TAKEN.exec(problem instanceof Error ? problem.message : "") ?? [];
  if (!table && !(problem instanceof Differs)) throw problem;
  await giveUp(move);
  if (!table) throw problem;
  throw conflict(
    `Another account in ${bindingOf(move.to)} has ${table} with the same ids, perhaps imported ones: choose another home`,
  );
}

async function requireCurrent(open: Open, homes: number[]): Promise<void> {
  for (const home of homes)
    if (!(await isCurrent(await open(home))))
      throw conflict(`${bindingOf(home)} lacks migrations: run npm run migrate first`);
}

/** The account with this address, and the home where it is; undefined when that is where it is to go. */
async function moveOf(open: Open, email: string, to: number): Promise<Move | undefined> {
  const first = await open(FIRST_HOME);
  const home = await findHome(first, email);
  if (home === undefined) throw notFound(email);
  const user = await sides.findUserOf(await open(home), email);
  if (!user && (await findHome(first, email)) !== home)
    throw conflict("Another command has just moved the account: repeat this one");
  if (!user) throw notFound(email);
  await finishArrival(open, user, home);
  return home === to ? undefined : { open, user, from: home, to };
}

/** Returns whether the account was moved or was there. Throws 404, 400 for the admin's, 409 if under way elsewhere. */
export async function moveAccount(
  open: Open,
  { email, to }: { email: string; to: number },
  onStage: (name: string) => void = () => undefined,
): Promise<boolean> {
  await requireCurrent(open, [FIRST_HOME, to]);
  const move = await moveOf(open, email, to);
  if (!move) return false;
  await requireCurrent(open, [move.from]);
  if (move.user.role === "admin") throw badRequest("The admin's account stays in the first home");
  for (let copies = 1; ; copies++) {
    const arrived = await findArrival(open, move.user, to);
    if (arrived) {
      await finish(move, arrived.owner);
      return true;
    }
    const leaving = await fenced(move);
    // Another command has moved it.
    if (!leaving) return true;
    await carryOver(leaving, onStage).catch((problem: unknown) => recover(leaving, problem, copies));
  }
}

/** Ends a move that was interrupted before a time: a copy that became the account is made known, any other is given up. */
export async function settleMove(
  open: Open,
  from: number,
  row: sides.MoveRow,
  before: string,
): Promise<void> {
  const target = await open(row.home);
  const [there] = (await sides.listMoves(target, row.user_id)).filter(({ state }) => state !== "leaving");
  if (there && there.at > before) return;
  // A copy has another id until it is the account.
  const user = await sides.findUser(target, row.user_id);
  if (user) return finish({ open, user: { ...user, number: row.owner }, from, to: row.home }, user.number);
  if (!there || (await sides.dropCopy(target, there))) await sides.stayHere(await open(from), row);
}

export async function settleCopy(open: Open, to: number, row: sides.MoveRow): Promise<void> {
  const source = await sides.listMoves(await open(row.home), row.user_id);
  const isLeaving = source.some(({ state, home }) => state === "leaving" && home === to);
  if (!isLeaving) await sides.dropCopy(await open(to), row);
}
