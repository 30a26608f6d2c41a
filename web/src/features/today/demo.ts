import { DEMO_DOCUMENTS, DEMO_FOLDERS } from "../../../../src/shared/demo/documents.ts";
import { DEMO_RECORDS, daysAgo } from "../../../../src/shared/demo/records.ts";
import { documentsApi } from "../../api/documents.ts";
import { foldersApi } from "../../api/folders.ts";
import { type MemoryOperation, memoriesApi } from "../../api/memories.ts";
import { addDays, dayInZone } from "../../kit/dates.ts";
import { queries } from "../../state/queries.ts";

/** Throws the reason of the first operation that was refused. */
function check({ results }: { results: { ok: boolean; detail?: string | undefined }[] }): void {
  const refused = results.find(({ ok }) => !ok);
  if (refused) throw new Error(refused.detail);
}

async function makeDocuments(): Promise<void> {
  const created = Object.entries(DEMO_FOLDERS).map(
    async ([key, name]) => [key, (await foldersApi.create({ name })).id] as const,
  );
  const folders = new Map(await Promise.all(created));
  const operations = DEMO_DOCUMENTS.map(({ folder, title, tags, text }) => ({
    operation: "create" as const,
    title,
    tags,
    folder_id: (folder && folders.get(folder)) ?? null,
    content: { format: "markdown", text },
  }));
  check(await documentsApi.bulk({ operations }));
}

async function makeRecords(today: string): Promise<void> {
  const records = DEMO_RECORDS.map(({ age, due, steps: _, ...fields }) => ({
    ...fields,
    operation: "create",
    created_at: daysAgo(age),
    ...(due !== undefined && { due_date: addDays(today, due) }),
  })) as unknown as MemoryOperation[];
  const created = await memoriesApi.bulk(records);
  check(created);
  const steps = DEMO_RECORDS.flatMap(({ steps: taken = [] }, index) =>
    taken.map(({ step, wakes_in, ...body }) => ({
      ...body,
      operation: step,
      id: created.results[index]?.id,
      ...(wakes_in !== undefined && { deferred_until: addDays(today, wakes_in) }),
    })),
  ) as unknown as MemoryOperation[];
  check(await memoriesApi.bulk(steps));
}

/** Adds a realistic month of sample records to an account, and documents if it has none. Throws ApiError. */
export async function addSampleData(): Promise<void> {
  const { total } = await documentsApi.list({ limit: 1 });
  const me = queries.getQueryData<{ timezone: string }>(["me"]);
  if (total === 0) await makeDocuments();
  await makeRecords(dayInZone(me?.timezone ?? "UTC"));
}
