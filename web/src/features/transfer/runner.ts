import { type ApiClient, RequestRejectedError } from "../../../../src/shared/import/client.ts";
import { FolderTree, folderWriter } from "../../../../src/shared/import/folders.ts";
import { readImportedDocuments } from "../../../../src/shared/import/imported.ts";
import { errorMessage, shortDigest } from "../../../../src/shared/import/item.ts";
import { type WriteResult, writeOperations } from "../../../../src/shared/import/write.ts";
import { unfoldFolders } from "../../state/folded.ts";
import { clientFor } from "./client.ts";
import {
  dropBatch,
  type ImportJob,
  isStopRequested,
  loadBatch,
  loadJob,
  type QueuedOperation,
  saveJob,
} from "./queue.ts";

// Runs a queue of operations batch by batch. The body and the idempotency key of a batch are fixed before it is sent, so
// that after a reload the server repeats its first answer.

/** The server keeps keys for 24 hours. After this time, we check which documents exist instead. */
const KEY_HOURS = 20;
const SHOWN_DOCUMENTS = 20;

export type ImportRunOptions = {
  signal: AbortSignal;
  onWait: (why: string | undefined) => void;
  onProgress: (job: ImportJob) => void;
};

const COUNTED = { create: "created", update: "updated", delete: "trashed" } as const;
const pathKey = (names: string[]) => JSON.stringify(names);

type Ensure = (names: string[]) => Promise<string | null>;

/** The folder ids of a batch, with missing folders created, and the folders that were refused. */
async function foldersFor(job: ImportJob, batch: QueuedOperation[], ensure: Ensure) {
  const folderIds = { ...job.folderIds };
  const refused = new Map<string, string>();
  for (const { folders, body } of batch) {
    const key = pathKey(folders);
    if (body.operation === "delete" || key in folderIds || refused.has(key)) continue;
    try {
      folderIds[key] = await ensure(folders);
    } catch (problem) {
      if (!(problem instanceof RequestRejectedError)) throw problem;
      refused.set(key, `its folder: ${problem.message}`);
    }
  }
  return { folderIds, refused };
}

const importMark = ({ body }: QueuedOperation) =>
  JSON.stringify((body.content as { imported?: unknown } | undefined)?.imported);

/** The operations that are not written yet, for a batch whose key may have expired. */
async function findUnwritten(batch: QueuedOperation[], client: ApiClient): Promise<QueuedOperation[]> {
  const documents = await readImportedDocuments(client, () => {});
  const written = new Set(documents.map(({ mark }) => JSON.stringify(mark)));
  return batch.filter(
    (operation) => operation.body.operation === "delete" || !written.has(importMark(operation)),
  );
}

const isExpired = ({ sentAt }: ImportJob) =>
  sentAt !== undefined && Date.now() - sentAt.getTime() > KEY_HOURS * 3_600_000;

const withFolder = ({ where, body, folders, files }: QueuedOperation, ids: ImportJob["folderIds"]) => ({
  where,
  files,
  body: body.operation === "delete" ? body : { ...body, folder_id: ids[pathKey(folders)] ?? null },
});

/** The job after a batch, with the outcomes of its operations counted. */
function withOutcomes(
  job: ImportJob,
  batch: QueuedOperation[],
  outcomes: Map<QueuedOperation, WriteResult>,
): ImportJob {
  const counts = { ...job.counts };
  const refused = [...job.refused];
  const documents = [...job.documents];
  for (const operation of batch) {
    const { where, title, body } = operation;
    const { id, why } = outcomes.get(operation) ?? {};
    if (why !== undefined) refused.push({ where, why });
    else counts[COUNTED[body.operation]]++;
    if (id && body.operation !== "delete" && documents.length < SHOWN_DOCUMENTS)
      documents.push({ id, title });
  }
  const next = job.next + 1;
  return { ...job, counts, refused, documents, next, sentAt: undefined, done: job.done + batch.length };
}

/** Writes the next batch. Returns the job after it. */
async function writeNext(job: ImportJob, client: ApiClient, ensure: Ensure): Promise<ImportJob> {
  const batch = await loadBatch(job.next);
  const { folderIds, refused } = await foldersFor(job, batch, ensure);
  const sending = { ...job, folderIds, sentAt: job.sentAt ?? new Date() };
  await saveJob(sending);
  const outcomes = new Map<QueuedOperation, WriteResult>();
  for (const operation of batch) {
    const why = refused.get(pathKey(operation.folders));
    if (why !== undefined) outcomes.set(operation, { why });
  }
  const allowed = batch.filter((operation) => !outcomes.has(operation));
  const missing = isExpired(job) ? await findUnwritten(allowed, client) : allowed;
  const operations = missing.map((operation) => withFolder(operation, folderIds));
  const written =
    operations.length > 0 ? await writeOperations(client, operations, `${job.id}-${job.next}`) : [];
  for (const [index, operation] of missing.entries()) outcomes.set(operation, written[index] ?? {});
  return withOutcomes(sending, batch, outcomes);
}

/** The ids of the folders that contain all imported documents, from the top. */
function commonFolders({ folderIds }: ImportJob, tree: FolderTree): string[] {
  const [first = [], ...others] = Object.keys(folderIds).map((key): string[] => JSON.parse(key));
  const end = first.findIndex((name, depth) => others.some((path) => path[depth] !== name));
  const common = end === -1 ? first : first.slice(0, end);
  return common.flatMap((_, depth) => tree.idOf(common.slice(0, depth + 1)) ?? []);
}

async function writeAll(start: ImportJob, run: ImportRunOptions): Promise<ImportJob> {
  const client = clientFor(run);
  const tree = await FolderTree.read(client);
  const keyFor = (names: string[]) => `${start.id}-folder-${shortDigest(pathKey(names))}`;
  const { ensure } = folderWriter(client, tree, keyFor);
  let job = start;
  while (job.next < job.batches) {
    if (await isStopRequested(job.id)) return { ...job, state: "stopped" };
    const number = job.next;
    job = await writeNext(job, client, ensure);
    await saveJob(job);
    await dropBatch(number);
    run.onProgress(job);
  }
  unfoldFolders(commonFolders(job, tree));
  return { ...job, state: "done" };
}

/** Resumes the queue. Returns the job when it is done or stopped. */
export async function runImport(run: ImportRunOptions): Promise<ImportJob | undefined> {
  const job = await loadJob();
  if (job?.state !== "running") return job;
  let last: ImportJob;
  try {
    last = await writeAll(job, run);
  } catch (problem) {
    const saved = (await loadJob()) ?? job;
    last = { ...saved, state: "stopped", problem: run.signal.aborted ? undefined : errorMessage(problem) };
  }
  await saveJob(last);
  return last;
}
