import { type MemoryOperation, memoriesApi } from "../api.ts";
import { toast } from "../parts/toasts.tsx";
import { cancelMemories, refreshAroundMemories, refreshMemories } from "../state/queries.ts";
import { showTaken } from "../features/records/change.ts";
import { type Change, expect } from "./pending.ts";
import type { Row } from "../features/records/row.ts";

/** An action on records. */
export type Step =
  | { action: "resolve"; note?: string | undefined }
  | { action: "defer"; until: string | null; note?: string | undefined }
  | { action: "archive" | "confirm" | "reopen" | "delete" };

const MAX_OPERATIONS = 100;

const DONE = {
  resolve: "Resolved",
  defer: "Deferred",
  archive: "Archived",
  confirm: "Confirmed",
  reopen: "Reopened",
  delete: "Moved to the trash",
} as const;

/** Which steps each status allows: the same rules as the service (src/memories/life-cycle.ts). */
const POSSIBLE: Record<Row["status"], readonly Step["action"][]> = {
  active: ["resolve", "defer", "confirm", "archive"],
  deferred: ["reopen", "resolve", "defer", "archive"],
  resolved: ["reopen"],
  archived: ["reopen"],
};

export const canTake = ({ status }: Row, action: Step["action"]): boolean =>
  action === "delete" || POSSIBLE[status].includes(action);

function operationOf(id: number, step: Step): MemoryOperation {
  switch (step.action) {
    case "resolve":
      return { operation: "resolve", id, ...(step.note && { resolution_note: step.note }) };
    case "defer":
      return {
        operation: "defer",
        id,
        deferred_until: step.until,
        ...(step.note && { note: step.note }),
      };
    default:
      return { operation: step.action, id };
  }
}

function changeOf(step: Step): Change {
  switch (step.action) {
    case "resolve":
      return { status: "resolved" };
    case "archive":
      return { status: "archived" };
    case "defer":
      return { status: "deferred", deferred_until: step.until };
    case "delete":
      return { deleted: true };
    default:
      return { status: "active", deferred_until: null, days_stale: undefined };
  }
}

/** The operations that undo a step. A confirmation cannot be taken back. */
function inverseOf({ id, status, deferred_until }: Row, { action }: Step): MemoryOperation[] {
  if (action === "confirm") return [];
  if (action === "delete") return [{ operation: "restore", id }];
  if (status === "active") return [{ operation: "reopen", id }];
  if (status === "resolved") return [{ operation: "resolve", id }];
  if (status === "archived") return [{ operation: "archive", id }];
  const again: MemoryOperation = { operation: "defer", id, deferred_until: deferred_until ?? null };
  return action === "reopen" || action === "defer" ? [again] : [{ operation: "reopen", id }, again];
}

type Refused = { id: number; detail: string };

async function sendNow(operations: MemoryOperation[]): Promise<Refused[]> {
  const refused: Refused[] = [];
  for (let start = 0; start < operations.length; start += MAX_OPERATIONS) {
    const { results } = await memoriesApi.bulk(operations.slice(start, start + MAX_OPERATIONS));
    for (const { ok, id = 0, detail = "Refused" } of results) if (!ok) refused.push({ id, detail });
  }
  return refused;
}

let latest: Promise<unknown> = Promise.resolve();

/**
 * Sends operations in as few requests as possible, after those that are under way: a step may need what the one before it
 * does, such as a record that is resolved again before its reopening is answered. Returns those that were refused.
 */
function send(operations: MemoryOperation[]): Promise<Refused[]> {
  const sent = latest.then(() => sendNow(operations));
  latest = sent.catch(() => undefined);
  return sent;
}

const named = (rows: readonly Row[]) =>
  rows.length === 1 ? `“${rows[0]?.topic}”` : `${rows.length} records`;

async function takeBack(rows: readonly Row[], step: Step): Promise<void> {
  const settles = rows.map(({ id, status, deferred_until }) =>
    expect([id], { status, ...(deferred_until !== undefined && { deferred_until }) }),
  );
  // Lists that were asked for after the step would show the records as gone once more.
  await cancelMemories();
  try {
    const [refused] = await send(rows.flatMap((row) => inverseOf(row, step)));
    if (refused) toast({ kind: "refused", text: `Could not undo: ${refused.detail}` });
  } catch (problem) {
    toast({ kind: "refused", text: `Could not undo: ${(problem as Error).message}` });
  }
  await refreshMemories();
  for (const settle of settles) settle();
}

/** @param left how many of the chosen records this step is not for */
function tell(rows: readonly Row[], refused: readonly Refused[], step: Step, left: number): void {
  const taken = rows.filter(({ id }) => refused.every((one) => one.id !== id));
  const canUndo = taken.some((row) => inverseOf(row, step).length > 0);
  if (taken.length > 0) {
    const undo = () => void takeBack(taken, step);
    const rest = left > 0 ? `, ${left} left as ${left === 1 ? "it was" : "they were"}` : "";
    const words = step.action === "delete" ? `${DONE.delete}:` : DONE[step.action];
    toast({ text: `${words} ${named(taken)}${rest}`, ...(canUndo && { undo }) });
  }
  const [first] = refused;
  if (!first) return;
  const back = rows.filter(({ id }) => refused.some((one) => one.id === id));
  toast({ kind: "refused", text: `${named(back)}: ${first.detail}` });
}

/**
 * Takes a step with records. It is shown at once, and the toast offers to undo it; a record whose step is refused is shown
 * as it was, with the reason.
 *
 * @returns whether all of them took it
 */
export async function take(rows: readonly Row[], step: Step): Promise<boolean> {
  const able = rows.filter((row) => canTake(row, step.action));
  if (able.length === 0) {
    toast({ kind: "refused", text: `${named(rows)} cannot be ${DONE[step.action].toLowerCase()} from here` });
    return false;
  }
  const settle = expect(
    able.map(({ id }) => id),
    changeOf(step),
  );
  try {
    const refused = await send(able.map(({ id }) => operationOf(id, step)));
    settle(refused.map(({ id }) => id));
    tell(able, refused, step, rows.length - able.length);
    const isRefused = (id: number) => refused.some((one) => one.id === id);
    showTaken(
      able.flatMap(({ id }) => (isRefused(id) ? [] : [id])),
      changeOf(step),
    );
    await refreshAroundMemories();
    return refused.length === 0;
  } catch (problem) {
    toast({ kind: "refused", text: `${named(able)}: ${(problem as Error).message}` });
    return false;
  } finally {
    settle();
  }
}
