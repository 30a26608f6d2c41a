import { localAccount } from "../../api/current-account.ts";
import { type Import, type ImportMode, importsApi } from "../../api/import.ts";
import { jobsApi } from "../../api/jobs.ts";
import { randomId } from "../../api/random-id.ts";
import { type ApiError, isApiError, isTransientError } from "../../api/request.ts";
import { type RetryOptions, sendWithRetry } from "../../api/retry.ts";
import { UserFacingError } from "../../api/user-facing-error.ts";
import { setLocalItem } from "../../state/account-storage.ts";

// Uploads an export file in parts. The server keeps the received parts, so an upload resumes after an interruption.

const PART_BYTES = 4 * 1024 * 1024;
const POLL_MS = 1000;

const OTHER_FILE = "This isn’t the file that the import started with.";

export type UploadOptions = RetryOptions & {
  file: File;
  query: { mode: ImportMode; dry_run: boolean };
  /** The import to resume, if a part of the file was sent before. */
  earlier?: Import | undefined;
  onProgress: (importState: Import) => void;
};

const partAt = (file: File, start: number) => ({
  bytes: file.slice(start, start + PART_BYTES),
  start,
  total: file.size,
});

/** Sends one part. 409 means that an earlier attempt, whose answer was lost, has delivered it. */
async function sendPart({ file, ...waiting }: UploadOptions, { id, received }: Import): Promise<Import> {
  const { signal } = waiting;
  try {
    return await sendWithRetry(() => importsApi.sendPart(id, { ...partAt(file, received), signal }), waiting);
  } catch (problem) {
    if (isApiError(problem, 400)) throw new ImportEnded(problem.message);
    if (!isApiError(problem, 409)) throw problem;
    const importState = await importsApi.get(id, signal);
    if (importState.received === received && importState.status === "uploading") throw problem;
    return importState;
  }
}

async function withPolling(
  id: string,
  send: () => Promise<Import>,
  { onProgress, signal }: UploadOptions,
): Promise<Import> {
  const poll = setInterval(() => importsApi.get(id, signal).then(onProgress, () => {}), POLL_MS);
  try {
    return await send();
  } finally {
    clearInterval(poll);
  }
}

/** Uploads a file, or its missing parts, and applies it. Throws if it is refused or stopped. */
export async function uploadArchive(options: UploadOptions): Promise<Import> {
  const { file, query, signal, onProgress } = options;
  const key = randomId();
  // The first part is not aborted: its answer has the id that is needed to cancel the import.
  let importState =
    options.earlier ?? (await sendWithRetry(() => importsApi.start(partAt(file, 0), query, key), options));
  onProgress(importState);
  signal.throwIfAborted();
  while (importState.status === "uploading" && importState.received < file.size) {
    const { id, received } = importState;
    importState = await withPolling(id, () => sendPart(options, importState), options);
    if (importState.status === "uploading" && importState.received === received)
      throw new UserFacingError(OTHER_FILE);
    onProgress(importState);
  }
  return importState.status === "done" ? importState : waitUntilApplied(importState.id, options);
}

/** The import ended before its file was imported, and no longer exists. */
export class ImportEnded extends UserFacingError {}

const CANCELLED = "This import was cancelled. What it had imported stays.";

/** Explains why an import no longer exists, from its job, which is kept longer. */
async function explainEnd(id: string, problem: unknown, signal: AbortSignal): Promise<unknown> {
  if (isApiError(problem, 400)) return new ImportEnded(problem.message);
  if (!isApiError(problem, 404)) return problem;
  const job = await jobsApi.get(id, 0, signal).catch(() => undefined);
  return new ImportEnded(job?.state === "failed" && job.detail ? job.detail : CANCELLED);
}

/** 409: the import has just ended, so the request is repeated. */
const isRetryable = (problem: unknown): problem is ApiError => isTransientError(problem, 409);

type Applying = Pick<UploadOptions, "signal" | "onProgress" | "onWait">;

/** Waits until a completely received file is applied by its job. Throws if there is no such import. */
export async function waitUntilApplied(id: string, waiting: Applying): Promise<Import> {
  const { signal, onProgress } = waiting;
  const apply = () => sendWithRetry(() => importsApi.apply(id, signal), waiting, isRetryable);
  for (;;) {
    const importState = await apply().catch(async (problem: unknown) => {
      throw await explainEnd(id, problem, signal);
    });
    if (importState.status === "uploading") throw new UserFacingError(OTHER_FILE);
    onProgress(importState);
    if (importState.status === "done") return importState;
  }
}

// The file of an unfinished import. Only this browser knows its name.

const storageKey = (owner = localAccount()) => `commonplace-upload:${owner ?? ""}`;
export type RememberedFile = { id: string; name: string; size: number; dry_run: boolean };

export function rememberedFile(): RememberedFile | undefined {
  try {
    return JSON.parse(localStorage.getItem(storageKey()) ?? "") as RememberedFile;
  } catch {
    return undefined;
  }
}

export const rememberFile = (known: RememberedFile) => setLocalItem(storageKey(), JSON.stringify(known));
export const forgetFile = (owner?: string) => localStorage.removeItem(storageKey(owner));
