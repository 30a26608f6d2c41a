import { eachLine } from "./blocks.ts";
import type { Heading } from "./leaf.ts";

/** The headings in order, except those within front matter, block quotes, lists or code. */
export function headingsOf(text: string): Heading[] {
  const headings: Heading[] = [];
  eachLine(text, ({ leaf, containers }) => {
    if (leaf.kind === "heading" && containers.length === 0) headings.push(leaf);
  });
  return headings;
}
