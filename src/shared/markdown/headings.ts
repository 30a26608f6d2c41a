import { runSteps, type Steps } from "../text/steps.ts";
import { blocksByLine } from "./blocks.ts";
import type { Heading } from "./leaf.ts";

/** The headings in order, except those in front matter, block quotes, lists and code. Each step reads a line. */
export function* headingsInSteps(text: string): Steps<Heading[]> {
  const headings: Heading[] = [];
  for (const { leaf, containers } of blocksByLine(text)) {
    if (leaf.kind === "heading" && containers.length === 0) headings.push(leaf);
    yield;
  }
  return headings;
}

export const headingsOf = (text: string): Heading[] => runSteps(headingsInSteps(text));
