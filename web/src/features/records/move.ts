import { keptAccount } from "../../api/holder.ts";
import { randomId } from "../../api/random-id.ts";
import { knownMe, refreshMemories } from "../../state/queries.ts";
import { begin } from "../../state/toasts.ts";
import { type Changes, takeBack, undoOf } from "../../state/undo.ts";
import { carryOut, dropStep, type WaitingStep, withdrawStep } from "../../state/waiting-steps.ts";
import { expect } from "./pending.ts";
import type { Row } from "./row.ts";
import { dayWords, inTurn, untilOf } from "./steps.ts";

/** The move in the form in which it waits to be sent. */
async function waitingMove(row: Row, day: string): Promise<WaitingStep> {
  const account = keptAccount() ?? (await knownMe()).id;
  return {
    key: randomId(),
    account,
    at: Date.now(),
    text: `Move “${row.topic}” to ${dayWords(day)}`,
    operations: [{ operation: "update", id: row.id, due_date: day }],
    rows: [row],
    shown: { due_date: day },
    movedFrom: row.due_date,
  };
}

/** Moves a record to another day, which is shown at once and can be undone. Of a series only this record moves. */
export async function move(row: Row, day: string): Promise<void> {
  if (row.due_date === day) return;
  const progressToast = begin();
  const changes: Changes = [];
  const endOptimistic = expect([row], { due_date: day });
  const message = `Moved “${row.topic}” to ${dayWords(day)}`;
  try {
    const waiting = await waitingMove(row, day);
    const outcome = await inTurn(() => carryOut(waiting));
    if ("problem" in outcome)
      return progressToast.end({
        text: `${message}. It will sync ${untilOf()}.`,
        undo: () => void withdrawStep(waiting.key),
      });
    changes.push(...outcome.changes);
    const undo = () => {
      const endUndo = expect([row], { due_date: row.due_date });
      void takeBack(changes).finally(endUndo);
    };
    const [refused] = outcome.refused;
    if (refused) progressToast.end({ kind: "refused", text: `“${row.topic}”: ${refused.detail}` });
    else progressToast.end({ text: message, ...undoOf(changes, undo) });
    await refreshMemories();
    await dropStep(waiting.key);
  } catch (problem) {
    progressToast.end({
      kind: "refused",
      text: `“${row.topic}”: ${(problem as Error).message}`,
      ...undoOf(changes),
    });
  } finally {
    endOptimistic();
  }
}
