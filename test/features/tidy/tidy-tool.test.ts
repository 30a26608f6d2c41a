import { expect, test } from "vitest";
import { createMemoryRoute } from "../../../src/features/memories/routes.ts";
import { closeMemories } from "../../../src/features/memories/tools.ts";
import { person } from "../../kit/client.ts";
import { stateless, use } from "../../kit/mcp.ts";
import { keyOf } from "../../kit/scopes.ts";

type Tidied = {
  findings: { ids: string[]; titles: string[]; reason: string; call: string }[];
  note?: string;
};

const STORE = "We keep our data in SQLite on one machine";

test("an assistant is told what is untidy, why, and which call settles it, which then does", async () => {
  const ada = await person();
  for (const [topic, content] of [
    ["The store", STORE],
    ["The store", `${STORE}, at least`],
    ["Wifi in the office", "The wifi password is Sommer2026"],
  ] as const)
    await ada.ok(createMemoryRoute, { json: { memory_type: "context", topic, content } });
  const mcp = stateless(ada);
  const { findings } = (await use(mcp, "tidy")) as Tidied;
  expect(findings).toHaveLength(2);
  expect(JSON.stringify(findings)).not.toContain("Sommer");
  const [, double] = findings;
  expect(double).toMatchObject({ ids: ["mem:2", "mem:1"], titles: ["The store", "The store"] });
  expect(double?.reason).toContain("in common");
  const [, name = "", id = ""] = /^(\w+) ids (\S+) outcome archived/.exec(double?.call ?? "") ?? [];
  expect(name).toBe(closeMemories.name);
  await use(mcp, name, { ids: [id], outcome: "archived" });
  expect(((await use(mcp, "tidy")) as Tidied).findings).toHaveLength(1);
});

test("who may not read documents hears of records alone", async () => {
  const ada = await person();
  await ada.ok(createMemoryRoute, {
    json: { memory_type: "context", topic: "Heating", content: "Behind the shelf" },
  });
  const reader = stateless(await keyOf(ada, ["docs:read"]));
  expect(((await use(reader, "tidy")) as Tidied).findings).toEqual([]);
  const other = stateless(await keyOf(ada, ["memory:read"]));
  expect(((await use(other, "tidy")) as Tidied).findings).toHaveLength(1);
});
