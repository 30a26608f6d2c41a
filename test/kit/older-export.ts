import { closingLines, exportTally, lineBytes } from "../../src/features/export/format.ts";

const CLOSING = ["manifest", "end"];

/** An export as it was before events kept the states of their records. */
export function withoutStates(file: string): string {
  const passed = exportTally();
  const lines = file
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string })
    .filter(({ type }) => !CLOSING.includes(type))
    .map(({ type, ...fields }) => {
      const { state: _, ...older } = fields as { state?: unknown };
      const bytes = lineBytes(JSON.stringify({ type, ...older }));
      passed.add(type, bytes);
      return bytes;
    });
  const decoder = new TextDecoder();
  return [...lines, ...closingLines(passed)].map((bytes) => decoder.decode(bytes)).join("");
}
