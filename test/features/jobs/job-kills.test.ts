import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { Env } from "../../../src/env.ts";
import { deleteMeRoute } from "../../../src/features/auth/routes.ts";
import { JOB_DEFINITIONS } from "../../../src/features/jobs/kinds.ts";
import * as jobs from "../../../src/features/jobs/routes.ts";
import { continueJob } from "../../../src/platform/jobs/run.ts";
import { leaseDueJobs } from "../../../src/platform/jobs/store.ts";
import { type Client, PASSWORD, person } from "../../kit/client.ts";
import { ctxOf } from "../../kit/ctx.ts";
import { killedAt } from "../../kit/d1-faults.ts";
import { sendNow } from "../../kit/hooks.ts";
import {
  countOf,
  countWaiting,
  inShortSteps,
  letItBeDue,
  STORIES,
  type Story,
  withDocuments,
} from "../../kit/jobs.ts";

// Work that continues after its request: whatever happens meanwhile, each part is done exactly once.

inShortSteps();

async function expectDone(client: Client, { kind, total, end }: Story): Promise<void> {
  const { items } = await client.ok(jobs.listJobsRoute);
  // Each request to empty the trash is work of its own: the trash may have more by then.
  const expected = kind === "trash" ? items.map(() => ({})) : [{}];
  expect(items).toMatchObject(expected.map(() => ({ kind, state: "done", detail: null })));
  expect(items.reduce((sum, { done }) => sum + done, 0)).toBe(total);
  const counts = Object.keys(end).map(async (what) => [what, await countOf(client, what)] as const);
  expect(Object.fromEntries(await Promise.all(counts))).toEqual(end);
  await env.DB.prepare("INSERT INTO search_index(search_index) VALUES ('integrity-check')").run();
}

describe.each(Object.entries(STORIES))("%s", (_, story) => {
  test("although the process is killed, a call later each time", async () => {
    const ada = await person();
    const ask = await story.prepare(ada);
    let isBegun = false;
    for (let call = 1; !isBegun || (await countWaiting(ada)) > 0; call++) {
      await killedAt(call, async () => {
        // A client that gets no answer asks again. 409: it is under way.
        isBegun ||= [202, 409].includes((await ask()).status);
        await sendNow(ada);
      });
      await letItBeDue(ada);
    }
    await expectDone(ada, story);
  });

  test("with each step taken over from a process that goes on with it", async () => {
    const ada = await person();
    await (await story.prepare(ada))();
    const ctx = await ctxOf(ada);
    while ((await countWaiting(ada)) > 0) {
      const taken: Awaited<ReturnType<typeof leaseDueJobs>> = [];
      for (const later of [0, 1]) {
        await letItBeDue(ada);
        taken.push(...(await leaseDueJobs({ ...ctx, now: new Date(Date.now() + later) })));
      }
      expect(new Set(taken.map(({ due_at }) => due_at)).size).toBe(2);
      const goOn = (task: (typeof taken)[number]) => {
        const of = { ctx, env: env as unknown as Env, task, payload: task.payload };
        return continueJob(JOB_DEFINITIONS[task.kind], of, () => false);
      };
      await Promise.all(taken.map(goOn));
    }
    await expectDone(ada, story);
  });
});

test("an erasure goes on although the process is killed, a call later each time", async () => {
  const [ada, bob] = [await person(), await person()];
  await withDocuments(ada, 60, { tags: ["x"] });
  await withDocuments(bob, 3, {});
  const rows = () => countOf(ada, "users WHERE number = ?");
  await killedAt(12, () => ada.call(deleteMeRoute, { json: { password: PASSWORD } }));
  for (let call = 1; (await rows()) > 0; call++) await killedAt(call, () => sendNow(ada));
  for (const table of ["documents", "document_tags", "search_entries", "activity", "usage"])
    expect(await countOf(ada, `${table} WHERE owner = ?`), table).toBe(0);
  expect(await countOf(bob, "documents WHERE owner = ?")).toBe(3);
});
