import { DOCUMENTS, FOLDERS } from "../../../../src/contract/demo/documents.ts";
import { ago } from "../../../../src/contract/demo/record.ts";
import { RECORDS } from "../../../../src/contract/demo/records.ts";
import { documentsApi } from "../../api/documents.ts";
import { foldersApi } from "../../api/folders.ts";
import { type MemoryOperation, memoriesApi } from "../../api/memories.ts";
import { persist } from "../../api/persist.ts";
import { randomId } from "../../api/random-id.ts";
import { addDays, dayIn } from "../../kit/dates.ts";
import { queries } from "../../state/queries.ts";

/** Throws the reason of the first one that was refused. */
function check({ results }: { results: { ok: boolean; detail?: string | undefined }[] }): void {
  const refused = results.find(({ ok }) => !ok);
  if (refused) throw new Error(refused.detail);
}

/** How long an answer is waited for. */
const PATIENCE_MS = 30_000;

/** Sends with a key of its own, and again with the same one when there was no answer: nothing is created twice. */
const once = <T>(send: (key: string) => Promise<T>): Promise<T> => {
  const key = randomId();
  return persist(() => send(key), { signal: AbortSignal.timeout(PATIENCE_MS) });
};

const makeFolder = (name: string) => once((key) => foldersApi.create({ name }, key));

async function makeDocuments(): Promise<void> {
  const folders = new Map(
    await Promise.all(
      Object.entries(FOLDERS).map(async ([key, name]) => [key, (await makeFolder(name)).id] as const),
    ),
  );
  const operations = DOCUMENTS.map(({ folder, title, tags, text }) => ({
    operation: "create" as const,
    title,
    tags,
    folder_id: (folder && folders.get(folder)) ?? null,
    content: { format: "markdown", text },
  }));
  check(await once((key) => documentsApi.bulk({ operations }, key)));
}

async function makeRecords(today: string): Promise<void> {
  const records = RECORDS.map(({ age, due, steps: _, ...said }) => ({
    ...said,
    operation: "create",
    created_at: ago(age),
    ...(due !== undefined && { due_date: addDays(today, due) }),
  })) as unknown as MemoryOperation[];
  const created = await once((key) => memoriesApi.bulk(records, key));
  check(created);
  const steps = RECORDS.flatMap(({ steps: taken = [] }, index) =>
    taken.map(({ step, wakes_in, ...body }) => ({
      ...body,
      operation: step,
      id: created.results[index]?.id,
      ...(wakes_in !== undefined && { deferred_until: addDays(today, wakes_in) }),
    })),
  ) as unknown as MemoryOperation[];
  check(await once((key) => memoriesApi.bulk(steps, key)));
}

/** Fills an account without records with a believable month; with its documents, if it has none. Throws ApiError. */
export async function fillWithDemo(): Promise<void> {
  const { total } = await documentsApi.list({ limit: 1 });
  const me = queries.getQueryData<{ timezone: string }>(["me"]);
  if (total === 0) await makeDocuments();
  await makeRecords(dayIn(me?.timezone ?? "UTC"));
}
