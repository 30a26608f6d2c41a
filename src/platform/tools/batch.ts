import { AppError } from "../core/errors.ts";
import { yieldToOthers } from "../queue/yield.ts";
import { messageForAssistant } from "./tool.ts";

// Tools that process several records: a rejected record does not stop the others.

export type RejectedItem = { index: number; ok: false; detail: string };

export const rejectedItem =
  (index: number) =>
  (problem: unknown): RejectedItem => {
    if (problem instanceof AppError) return { index, ok: false, detail: messageForAssistant(problem) };
    throw problem;
  };

export type ParsedRecords<Value> = { valid: { index: number; value: Value }[]; refused: RejectedItem[] };

export function parseEach<Value>(
  sent: readonly unknown[],
  read: (one: unknown) => Value,
): ParsedRecords<Value> {
  const { valid, refused }: ParsedRecords<Value> = { valid: [], refused: [] };
  for (const [index, one] of sent.entries()) {
    try {
      valid.push({ index, value: read(one) });
    } catch (problem) {
      refused.push(rejectedItem(index)(problem));
    }
  }
  return { valid, refused };
}

export async function runForEach<Item, Answer extends object>(
  items: readonly Item[],
  act: (item: Item) => Promise<Answer>,
): Promise<(RejectedItem | ({ index: number; ok: true } & Answer))[]> {
  const results: (RejectedItem | ({ index: number; ok: true } & Answer))[] = [];
  for (const [index, item] of items.entries()) {
    const done = act(item).then((answer) => ({ index, ok: true as const, ...answer }), rejectedItem(index));
    results.push(await done);
    await yieldToOthers();
  }
  return results;
}

export const sortByIndex = <One extends { index?: number | undefined }>(results: readonly One[]): One[] =>
  results.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0));

/** The results of the valid records, given in their order, and the rejected ones, by their place in the request. */
export const mergeResults = <Value, Result extends object>(
  { valid, refused }: ParsedRecords<Value>,
  results: readonly Result[],
) =>
  sortByIndex([
    ...refused,
    ...results.map((result, place) => ({ index: valid[place]?.index ?? 0, ...result })),
  ]);
