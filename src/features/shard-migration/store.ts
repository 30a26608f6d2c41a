import { FIRST_SHARD } from "../../contract/shard.ts";
import { shardBinding } from "../../contract/shards.ts";
import { type BaseCtx, ctxFor } from "../../platform/core/ctx.ts";
import { badRequest, conflict, notFound } from "../../platform/core/errors.ts";
import type { users } from "../../platform/db/tables.ts";
import {
  addAddressesStatements,
  findAddressEntry,
  findShardOfAddress,
  moveAddresses,
  removeAddressesStatements,
} from "../../platform/shards/address-directory-store.ts";
import { findNewLocation } from "../../platform/shards/migration-store.ts";
import { isSchemaCurrent } from "../../platform/shards/schema-store.ts";
import { eraseAccount } from "../erasure/store.ts";
import type { RowValue } from "./rows-store.ts";
import * as sides from "./shard-store.ts";
import { type BothShards, COPY_STAGES, CopyDiffersError } from "./stage-store.ts";

// Migrates an account to another shard: fences its rows in the old shard, copies and compares them, and activates the copy.
// The progress is stored step by step, so that a killed command can be repeated and concurrent commands do no harm.

/** Opens a shard. A new context has the current time. */
export type OpenShard = (home: number) => BaseCtx | Promise<BaseCtx>;

type User = typeof users.$inferSelect;
type Move = { open: OpenShard; user: User; from: number; to: number };

/** How often a copy is restarted because the sides differ, before giving up. */
const MAX_COPIES = 3;

type Progress = { stage: string; after: RowValue[] };

const READY = "ready";
const encodeProgress = (stage: string, after: Progress["after"]) => JSON.stringify({ stage, after });
const START = { stage: COPY_STAGES[0]?.name ?? READY, after: [] };

const readProgress = ({ progress }: sides.MigrationRow): Progress =>
  progress === null ? START : (JSON.parse(progress) as Progress);

async function nextStep(both: BothShards, progress: Progress, onStage: (name: string) => void) {
  let { stage: name, after } = progress;
  while (name !== READY) {
    const index = COPY_STAGES.findIndex((stage) => stage.name === name);
    const stage = COPY_STAGES[index];
    // A later version of the service may have other stages.
    if (!stage) throw new CopyDiffersError(`Unknown stage ${name}`);
    onStage(name);
    const step = await stage.step(both, after);
    const next = step.after
      ? { stage: name, after: step.after }
      : { stage: COPY_STAGES[index + 1]?.name ?? READY, after: [] };
    if (step.write.length > 0) return { write: step.write, next: encodeProgress(next.stage, next.after) };
    ({ stage: name, after } = next);
  }
  return { write: [], next: encodeProgress(READY, []) };
}

/** Copies until everything is copied, or another command has finished the copy. */
async function copyRows(move: Move, owner: number, onStage: (name: string) => void): Promise<void> {
  for (;;) {
    const [from, to] = [await move.open(move.from), await move.open(move.to)];
    const row = (await sides.listMigrations(to, move.user.id)).find((one) => one.owner === owner);
    if (row?.state !== "arriving") return;
    const progress = readProgress(row);
    if (progress.stage === READY) return;
    const both = { from: { ...from, owner: move.user.number }, to: { ...to, owner } };
    const step = await nextStep(both, progress, onStage);
    await sides.writeCopyStep(await move.open(move.to), row, step);
  }
}

async function findOrStartCopy({ open, user, from, to }: Move): Promise<sides.MigrationRow> {
  const findCopy = async () =>
    (await sides.listMigrations(await open(to), user.id)).find(({ state }) => state !== "leaving");
  const existing = await findCopy();
  if (existing) return existing;
  await eraseLeftovers(await open(to), user.id);
  await sides.startCopy(await open(to), user, from);
  const started = await findCopy();
  if (!started) throw conflict("The migration was just abandoned: repeat the command");
  return started;
}

/** Erases the rows of abandoned copies, and of the account's earlier time in this shard. */
async function eraseLeftovers(shard: BaseCtx, userId: string): Promise<void> {
  for (const user of await sides.listLeftovers(shard, userId)) {
    await sides.openFence(shard, user.number);
    await eraseAccount(ctxFor(shard, user), async () => false);
  }
}

/** Updates the address directory unless another command has done so, because the account may have migrated again by then. */
async function updateDirectory({ open, user, from, to }: Move): Promise<void> {
  for (;;) {
    const entry = await findAddressEntry(await open(FIRST_SHARD), user);
    if (entry?.home !== from || !(await findArrival(open, user, to))) return;
    if (await moveAddresses(await open(FIRST_SHARD), entry, { id: user.id, to })) return;
  }
}

async function finish(move: Move, number: number): Promise<void> {
  const { open, user, from, to } = move;
  const source = await open(from);
  // If the first shard is one of the two, the directory is updated in that shard's own transaction.
  if (to !== FIRST_SHARD && from !== FIRST_SHARD) await updateDirectory(move);
  const more = from === FIRST_SHARD ? addAddressesStatements(source, user, to) : [];
  await sides.markMigrated(source, user.number, { home: to, number }, more);
  await sides.deleteArrival(await open(to), number);
}

/** The migration that brought the account to a shard, if it has not been finished. */
const findArrival = async (open: OpenShard, { id }: User, to: number) =>
  (await sides.listMigrations(await open(to), id)).find(({ state }) => state === "arrived");

/** Finishes the migration that brought the account to a shard, if its command was killed before that. */
async function finishArrival(open: OpenShard, user: User, to: number): Promise<void> {
  const arrived = await findArrival(open, user, to);
  if (!arrived) return;
  const before = await sides.listMigrations(await open(arrived.home), user.id);
  const left = before.find(({ state }) => state === "leaving");
  const move = { open, user: { ...user, number: left?.owner ?? 0 }, from: arrived.home, to };
  await finish(move, arrived.owner);
}

/** Fences the account in its old shard and reads it again; undefined if it has already been migrated. */
async function fence(move: Move): Promise<Move | undefined> {
  const { open, from, to } = move;
  const chosen = await sides.fenceAccount(await open(from), move.user, to);
  if (chosen === undefined) {
    // Neither here nor migrated: the account has been deleted meanwhile.
    if (!(await findNewLocation(await open(from), move.user.number))) throw notFound(move.user.email);
    return undefined;
  }
  if (chosen !== to)
    throw conflict(`The account is being moved to ${shardBinding(chosen)}: finish that migration first`);
  const user = await sides.findUser(await open(from), move.user.id);
  return user && { ...move, user };
}

/** Throws `CopyDiffersError`. Fences again after the copy has started, because a command that opens the fence drops all copies. */
async function copyAndActivate(move: Move, onStage: (name: string) => void): Promise<void> {
  const copy = await findOrStartCopy(move);
  const current = await fence(move);
  if (!current) return dropCopies(move);
  if (copy.state === "arriving") await copyRows(current, copy.owner, onStage);
  const { open, user, to } = current;
  const target = await open(to);
  const more = to === FIRST_SHARD ? removeAddressesStatements(target, user) : [];
  const row = (await sides.listMigrations(target, user.id)).find(({ owner }) => owner === copy.owner);
  if (row?.state === "arriving") await sides.activateCopy(target, row, user, more);
}

async function dropCopies({ open, user, to }: Move): Promise<void> {
  const target = await open(to);
  for (const row of await sides.listMigrations(target, user.id))
    if (row.state === "arriving") await sides.dropCopy(target, row);
}

async function abandon(move: Move): Promise<void> {
  const source = await move.open(move.from);
  const rows = await sides.listMigrations(source, move.user.id);
  await dropCopies(move);
  for (const row of rows) if (row.state === "leaving") await sides.unfenceAccount(source, row);
}

const ID_TAKEN = /UNIQUE constraint failed: (\w+)/;

async function recover(move: Move, problem: unknown, copies: number): Promise<void> {
  if (problem instanceof CopyDiffersError && copies < MAX_COPIES) return dropCopies(move);
  const [, table] = ID_TAKEN.exec(problem instanceof Error ? problem.message : "") ?? [];
  if (!table && !(problem instanceof CopyDiffersError)) throw problem;
  await abandon(move);
  if (!table) throw problem;
  throw conflict(
    `Another account in ${shardBinding(move.to)} has ${table} with the same ids, perhaps imported ones: choose another database`,
  );
}

async function requireCurrent(open: OpenShard, homes: number[]): Promise<void> {
  for (const home of homes)
    if (!(await isSchemaCurrent(await open(home))))
      throw conflict(`${shardBinding(home)} lacks migrations: run npm run migrate first`);
}

/** The account with this address and its current shard; undefined if that is the target. */
async function findMigration(open: OpenShard, email: string, to: number): Promise<Move | undefined> {
  const first = await open(FIRST_SHARD);
  const home = await findShardOfAddress(first, email);
  if (home === undefined) throw notFound(email);
  const user = await sides.findUserByEmail(await open(home), email);
  if (!user && (await findShardOfAddress(first, email)) !== home)
    throw conflict("Another command has just migrated the account: repeat this one");
  if (!user) throw notFound(email);
  await finishArrival(open, user, home);
  return home === to ? undefined : { open, user, from: home, to };
}

/** Returns true if the account was migrated, false if it was there. Throws 404, 400 for an admin, 409 for another target. */
export async function migrateAccount(
  open: OpenShard,
  { email, to }: { email: string; to: number },
  onStage: (name: string) => void = () => undefined,
): Promise<boolean> {
  await requireCurrent(open, [FIRST_SHARD, to]);
  const move = await findMigration(open, email, to);
  if (!move) return false;
  await requireCurrent(open, [move.from]);
  if (move.user.role === "admin") throw badRequest("An admin's account must stay in the first database");
  for (let copies = 1; ; copies++) {
    const arrived = await findArrival(open, move.user, to);
    if (arrived) {
      await finish(move, arrived.owner);
      return true;
    }
    const leaving = await fence(move);
    // Another command has migrated it.
    if (!leaving) return true;
    await copyAndActivate(leaving, onStage).catch((problem: unknown) => recover(leaving, problem, copies));
  }
}

/** Ends a migration without progress since `before`: finishes it if the copy is active, and otherwise drops the copy. */
export async function endAbandonedMigration(
  open: OpenShard,
  from: number,
  row: sides.MigrationRow,
  before: string,
): Promise<void> {
  const target = await open(row.home);
  const [copy] = (await sides.listMigrations(target, row.user_id)).filter(({ state }) => state !== "leaving");
  if (copy && copy.at > before) return;
  // A copy has another id until it is activated.
  const user = await sides.findUser(target, row.user_id);
  if (user) return finish({ open, user: { ...user, number: row.owner }, from, to: row.home }, user.number);
  if (!copy || (await sides.dropCopy(target, copy))) await sides.unfenceAccount(await open(from), row);
}

/** Drops a copy whose migration has been abandoned in the old shard. */
export async function dropAbandonedCopy(open: OpenShard, to: number, row: sides.MigrationRow): Promise<void> {
  const source = await sides.listMigrations(await open(row.home), row.user_id);
  const isLeaving = source.some(({ state, home }) => state === "leaving" && home === to);
  if (!isLeaving) await sides.dropCopy(await open(to), row);
}
