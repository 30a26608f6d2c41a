import { expect, test } from "vitest";
import { TOOLS } from "../../../src/doors/mcp/tools.ts";
import { isReadOnly } from "../../../src/platform/tools/tool.ts";
import { guideOf } from "../../kit/guides.ts";

const mark = (is: boolean) => (is ? "yes" : "no");

test("docs/directory.md has each tool as it describes itself to clients", () => {
  const expected = TOOLS.map((tool) => {
    const { name, title, hints } = tool;
    const marks = [isReadOnly(tool), hints.destructive, hints.idempotent].map(mark);
    return `| \`${name}\` | ${title} | ${marks.join(" | ")} |`;
  });
  const rows = guideOf("docs/directory.md").match(/^\| `[a-z_]+` \| .*$/gm) ?? [];
  expect(rows).toEqual(expected);
  expect(TOOLS.filter(({ hints }) => hints.openWorld)).toEqual([]);
  expect(TOOLS.filter((tool) => isReadOnly(tool) && tool.hints.destructive)).toEqual([]);
});
