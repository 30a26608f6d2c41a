import { AppError } from "../core/errors.ts";
import { yieldToOthers } from "../turns/yield.ts";
import { toldOf } from "./tool.ts";

// Tools that process several records: a rejected record does not stop the others.

export type Refusal = { index: number; ok: false; detail: string };

export const refusedAs =
  (index: number) =>
  (problem: unknown): Refusal => {
    if (problem instanceof AppError) return { index, ok: false, detail: toldOf(problem) };
    throw problem;
  };

export type ReadRecords<Value> = { valid: { index: number; value: Value }[]; refused: Refusal[] };

/** Reads each record and separates the rejected ones. */
export function readEach<Value>(sent: readonly unknown[], read: (one: unknown) => Value): ReadRecords<Value> {
  const { valid, refused }: ReadRecords<Value> = { valid: [], refused: [] };
  for (const [index, one] of sent.entries()) {
    try {
      valid.push({ index, value: read(one) });
    } catch (problem) {
      refused.push(refusedAs(index)(problem));
    }
  }
  return { valid, refused };
}

export async function forEach<Item, Answer extends object>(
  items: readonly Item[],
  act: (item: Item) => Promise<Answer>,
): Promise<(Refusal | ({ index: number; ok: true } & Answer))[]> {
  const results: (Refusal | ({ index: number; ok: true } & Answer))[] = [];
  for (const [index, item] of items.entries()) {
    const done = act(item).then((answer) => ({ index, ok: true as const, ...answer }), refusedAs(index));
    results.push(await done);
    await yieldToOthers();
  }
  return results;
}

export const inOrder = <One extends { index?: number | undefined }>(results: readonly One[]): One[] =>
  results.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0));
