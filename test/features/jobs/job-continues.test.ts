import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { Env } from "../../../src/env.ts";
import { listDocumentsRoute } from "../../../src/features/documents/routes.ts";
import * as jobs from "../../../src/features/jobs/routes.ts";
import { listTagsRoute, renameTagRoute } from "../../../src/features/tags/routes.ts";
import { LEASE_MS } from "../../../src/platform/jobs/store.ts";
import { purge } from "../../../src/purge.ts";
import { type Client, person } from "../../kit/client.ts";
import { killedAt } from "../../kit/d1-faults.ts";
import { objectOfClient } from "../../kit/hooks.ts";
import { countWaiting, inShortSteps, jobIn, letItBeDue, MANY, withDocuments } from "../../kit/jobs.ts";

// Work that does not fit into its request. Every kind of it, and every place to be killed at, is in jobs.test.ts and
// job-kills.test.ts, which take longer.

inShortSteps();

const RENAMING = { params: { name: "todo" }, json: { name: "later" } };

const alarmOf = (client: Client) =>
  runInDurableObject(objectOfClient(client), (_, { storage }) => storage.getAlarm());

test("a tag on many documents is renamed by a job, which goes on after the answer and says how far it is", async () => {
  const ada = await person();
  await withDocuments(ada, MANY, { tags: ["todo"] });
  const answer = await ada.call(renameTagRoute, RENAMING);
  expect(answer.status).toBe(202);
  const job = jobIn(answer);
  const { id } = job;
  const title = 'Rename the tag "todo" to "later"';
  expect(job).toMatchObject({ kind: "tag", title, state: "running", total: MANY });
  expect(answer.headers.get("Location")).toBe(`/api/jobs/${id}`);
  const result = { name: "later", document_count: MANY };
  const ended = await ada.ok(jobs.getJobRoute, { params: { job_id: id }, query: { wait: "30" } });
  expect(ended).toMatchObject({ state: "done", done: MANY, result });
  expect((await ada.ok(listDocumentsRoute, { query: { tag: "later" } })).total).toBe(MANY);
  expect((await ada.ok(listTagsRoute, {})).items).toEqual([{ name: "later", document_count: MANY }]);
});

test("what was begun when the process was killed goes on by itself, even if its alarm is lost", async () => {
  const ada = await person();
  await withDocuments(ada, MANY, { tags: ["todo"] });
  // The first call after which the job is there.
  for (let call = 1; (await countWaiting(ada)) === 0; call++)
    await killedAt(call, () => ada.call(renameTagRoute, RENAMING));
  await expect.poll(() => alarmOf(ada)).toBeLessThanOrEqual(Date.now() + LEASE_MS);
  await runInDurableObject(objectOfClient(ada), (_, { storage }) => storage.deleteAlarm());
  await letItBeDue(ada);
  await purge(env as unknown as Env);
  await expect.poll(() => countWaiting(ada)).toBe(0);
  expect((await ada.ok(listTagsRoute, {})).items).toEqual([{ name: "later", document_count: MANY }]);
});
