import { Explained } from "../../api/explained.ts";
import { keptAccount } from "../../api/holder.ts";
import { type Import, type ImportMode, importsApi } from "../../api/import.ts";
import { jobsApi } from "../../api/jobs.ts";
import { PASSING, persist, type Waiting } from "../../api/persist.ts";
import { randomId } from "../../api/random-id.ts";
import { type ApiError, isApiError } from "../../api/request.ts";
import { note } from "../../state/keep.ts";

// Sends an export file in parts. What arrived stays with the service: after any interruption it goes on from there.

const PART_BYTES = 4 * 1024 * 1024;
const LOOK_MS = 1000;

const OTHER_FILE = "This is not the file that the import began with.";

export type Upload = Waiting & {
  file: File;
  query: { mode: ImportMode; dry_run: boolean };
  /** The import that the file is for, when a part of it was sent earlier. */
  earlier?: Import | undefined;
  onProgress: (now: Import) => void;
};

const partAt = (file: File, start: number) => ({
  bytes: file.slice(start, start + PART_BYTES),
  start,
  total: file.size,
});

/** Sends one part. When the answer to an earlier attempt was lost, the part is there already: 409. */
async function sendPart({ file, ...waiting }: Upload, { id, received }: Import): Promise<Import> {
  const { signal } = waiting;
  try {
    return await persist(() => importsApi.sendPart(id, { ...partAt(file, received), signal }), waiting);
  } catch (problem) {
    if (isApiError(problem, 400)) throw new Ended(problem.message);
    if (!isApiError(problem, 409)) throw problem;
    const now = await importsApi.get(id, signal);
    if (now.received === received && now.status === "uploading") throw problem;
    return now;
  }
}

/** Looks how far an import is while a part of its file is sent. */
async function watched(
  id: string,
  send: () => Promise<Import>,
  { onProgress, signal }: Upload,
): Promise<Import> {
  const look = setInterval(() => importsApi.get(id, signal).then(onProgress, () => {}), LOOK_MS);
  try {
    return await send();
  } finally {
    clearInterval(look);
  }
}

/** Sends a file, or what is missing of it, and has it applied. Throws when it is refused or stopped. */
export async function upload(sending: Upload): Promise<Import> {
  const { file, query, signal, onProgress } = sending;
  const key = randomId();
  // The first part is not stopped on its way: its answer has the id by which the import can be cancelled.
  let now = sending.earlier ?? (await persist(() => importsApi.start(partAt(file, 0), query, key), sending));
  onProgress(now);
  signal.throwIfAborted();
  while (now.status === "uploading" && now.received < file.size) {
    const { id, received } = now;
    now = await watched(id, () => sendPart(sending, now), sending);
    if (now.status === "uploading" && now.received === received) throw new Explained(OTHER_FILE);
    onProgress(now);
  }
  return now.status === "done" ? now : applyRest(now.id, sending);
}

/** An import has ended without its file being imported: it is not there any more. */
export class Ended extends Explained {}

const CANCELLED = "This import was cancelled. What it had imported stays.";

/** Says why an import is gone: whoever asks a moment later finds only its job. */
async function endedAs(id: string, problem: unknown, signal: AbortSignal): Promise<unknown> {
  if (isApiError(problem, 400)) return new Ended(problem.message);
  if (!isApiError(problem, 404)) return problem;
  const job = await jobsApi.get(id, 0, signal).catch(() => undefined);
  return new Ended(job?.state === "failed" && job.detail ? job.detail : CANCELLED);
}

/** 409: it has just ended, and is asked for once more. */
const isPassing = ({ status }: ApiError) => [...PASSING, 409].includes(status);

type Applying = Pick<Upload, "signal" | "onProgress" | "onWait">;

/** Has a file that was received completely applied to its end, by a job of the service. Throws when it has none. */
export async function applyRest(id: string, waiting: Applying): Promise<Import> {
  const { signal, onProgress } = waiting;
  const apply = () => persist(() => importsApi.apply(id, signal), waiting, isPassing);
  for (;;) {
    const now = await apply().catch(async (problem: unknown) => {
      throw await endedAs(id, problem, signal);
    });
    if (now.status === "uploading") throw new Explained(OTHER_FILE);
    onProgress(now);
    if (now.status === "done") return now;
  }
}

// Which file an unfinished import is of: only this browser knows its name.

const keyOf = (owner = keptAccount()) => `commonplace-upload:${owner ?? ""}`;
export type KnownFile = { id: string; name: string; size: number; dry_run: boolean };

export function knownFile(): KnownFile | undefined {
  try {
    return JSON.parse(localStorage.getItem(keyOf()) ?? "") as KnownFile;
  } catch {
    return undefined;
  }
}

export const rememberFile = (known: KnownFile) => note(keyOf(), JSON.stringify(known));
export const forgetFile = (owner?: string) => localStorage.removeItem(keyOf(owner));
