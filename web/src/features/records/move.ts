import { keptAccount } from "../../api/holder.ts";
import { randomId } from "../../api/random-id.ts";
import { knownMe, refreshMemories } from "../../state/queries.ts";
import { begin } from "../../state/toasts.ts";
import { type Changes, takeBack, undoOf } from "../../state/undo.ts";
import { carryOut, dropStep, type WaitingStep, withdrawStep } from "../../state/waiting-steps.ts";
import { expect } from "./pending.ts";
import type { Row } from "./row.ts";
import { dayWords, inTurn, untilOf } from "./steps.ts";

/** The move as it waits. */
async function waitingOf(row: Row, day: string): Promise<WaitingStep> {
  const account = keptAccount() ?? (await knownMe()).id;
  return {
    ...{ key: randomId(), account, at: Date.now(), text: `Move “${row.topic}” to ${dayWords(day)}` },
    operations: [{ operation: "update", id: row.id, due_date: day }],
    ...{ rows: [row], shown: { due_date: day }, movedFrom: row.due_date },
  };
}

/** Shows a record on another day at once; the toast offers to undo it. Of what repeats only this one moves. */
export async function move(row: Row, day: string): Promise<void> {
  if (row.due_date === day) return;
  const told = begin();
  const changes: Changes = [];
  const settle = expect([row], { due_date: day });
  const words = `Moved “${row.topic}” to ${dayWords(day)}`;
  try {
    const waiting = await waitingOf(row, day);
    const outcome = await inTurn(() => carryOut(waiting));
    if ("problem" in outcome)
      return told.end({
        text: `${words}, kept here until ${untilOf()}`,
        undo: () => void withdrawStep(waiting.key),
      });
    changes.push(...outcome.changes);
    const takenBack = () => {
      const settleBack = expect([row], { due_date: row.due_date });
      void takeBack(changes).finally(settleBack);
    };
    const [refused] = outcome.refused;
    if (refused) told.end({ kind: "refused", text: `“${row.topic}”: ${refused.detail}` });
    else told.end({ text: words, ...undoOf(changes, takenBack) });
    await refreshMemories();
    await dropStep(waiting.key);
  } catch (problem) {
    told.end({ kind: "refused", text: `“${row.topic}”: ${(problem as Error).message}`, ...undoOf(changes) });
  } finally {
    settle();
  }
}
