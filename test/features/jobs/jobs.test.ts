import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Job } from "../../../src/contract/jobs.ts";
import { bulkDocumentsRoute, listDocumentsRoute } from "../../../src/features/documents/routes.ts";
import * as jobs from "../../../src/features/jobs/routes.ts";
import { listTagsRoute, renameTagRoute } from "../../../src/features/tags/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { workOfClient } from "../../kit/hooks.ts";

const settings = env as unknown as { D1_CALLS: string };
const usual = settings.D1_CALLS;

// A step that makes one call ends after fifty documents.
beforeEach(() => {
  settings.D1_CALLS = "1";
});
afterEach(() => {
  settings.D1_CALLS = usual;
});

async function withTagged(count: number): Promise<Client> {
  const ada = await person();
  for (let from = 0; from < count; from += 100) {
    const operations = Array.from({ length: Math.min(100, count - from) }, (_, n) => ({
      operation: "create",
      title: `Note ${from + n}`,
      tags: ["todo"],
    }));
    await ada.ok(bulkDocumentsRoute, { json: { operations } });
  }
  return ada;
}

const RENAMING = { params: { name: "todo" }, json: { name: "later" } };

test("a tag on many documents is renamed by a job, which says how far it is", async () => {
  const ada = await withTagged(120);
  const answer = await ada.call(renameTagRoute, RENAMING);
  expect(answer.status).toBe(202);
  const job = Job.parse(JSON.parse(answer.text));
  expect(answer.headers.get("Location")).toBe(`/api/jobs/${job.id}`);
  expect(job).toMatchObject({
    kind: "tag",
    title: 'Rename the tag "todo" to "later"',
    state: "running",
    total: 120,
  });
  await workOfClient(ada);
  const done = await ada.ok(jobs.getJobRoute, { params: { job_id: job.id }, query: { wait: "30" } });
  expect(done).toMatchObject({ state: "done", done: 120, result: { name: "later", document_count: 120 } });
  const { items } = await ada.ok(listTagsRoute, {});
  expect(items).toEqual([{ name: "later", document_count: 120 }]);
  expect((await ada.ok(listDocumentsRoute, { query: { tag: "later" } })).total).toBe(120);
});
