import { renderHook } from "@testing-library/react";
import { expect, test } from "vitest";
import { Finding, FindingList } from "../../src/contract/tidy.ts";
import { settleFinding } from "../src/features/tidy/settle.ts";
import { useToastEntries } from "../src/state/toasts.ts";
import { allDone, answer, connect, type Sent, written } from "./kit/wire.ts";

// A finding is only taken for settled if the service no longer has it, on whatever page.

connect();

const item = (id: string) => ({
  ...{ type: "memory", id, title: "The store", excerpt: null, memory_type: "context", project: null },
  ...{ status: "active", due_date: null, tags: [], version: 1, created_at: "2026-11-01T08:00:00.000Z" },
  ...{ updated_at: "2026-11-01T08:00:00.000Z", changed_at: "2026-11-01T08:00:00.000Z" },
});
const finding = (one: string, other: string) =>
  Finding.parse({
    ...{ kind: "double_record", reason: "Both say the same", actions: ["merge"] },
    items: [item(one), item(other)],
  });

/** The findings that the service has, by page. */
const answerList = (all: Finding[]) =>
  answer({
    "GET /api/tidy": ({ query }: Sent) => {
      const [limit, offset] = [Number(query.get("limit")), Number(query.get("offset"))];
      const items = all.slice(offset, offset + limit);
      const looked = { looked_at: null, records: 0, documents: 0, searched: 0, left_out: 0 };
      return { schema: FindingList, body: { items, total: all.length, counts: [], ...looked } };
    },
  });

const others = Array.from({ length: 150 }, (_, at) => finding(String(1000 + 2 * at), String(1001 + 2 * at)));
const told = () => renderHook(useToastEntries).result.current.at(-1)?.told?.text;

test("a finding that has slid to a later page is merged", async () => {
  const last = finding("1", "2");
  answerList([...others, last]);
  answer({ "POST /api/memories/bulk": () => allDone([2]) });
  await settleFinding(last, "merge");
  expect([told(), written().length]).toEqual(["Merged into “The store”", 1]);
});

test("a finding that the service no longer has is not", async () => {
  answerList(others);
  await settleFinding(finding("1", "2"), "merge");
  expect([told(), written()]).toEqual(["Already changed elsewhere, so nothing was done", []]);
});
