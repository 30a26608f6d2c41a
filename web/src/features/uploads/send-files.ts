import { UPLOAD_PART_BYTES } from "../../../../src/contract/file-limits.ts";
import { confirmedAccount } from "../../api/current-account.ts";
import { type AttachTarget, filesApi, type StoredFile } from "../../api/files.ts";
import { isApiError, undefinedIf } from "../../api/request.ts";
import { isUnanswered } from "../../state/outbox.ts";
import { isReadyToSend, type PendingFile, pendingFiles, uploadedIds } from "../../state/pending-files.ts";
import { toast } from "../../state/toasts.ts";
import { safeFileName } from "../files/file-facts.ts";
import { cacheFiles, isFilesUnavailable, refreshFiles } from "../files/file-queries.ts";
import { fileUri, pendingFileUri } from "../files/reference.ts";
import { measurePicture } from "../files/thumbnails.ts";
import { renameFileInDocument, renameFileInTexts } from "./file-references.ts";
import {
  countUploaded,
  endUpload,
  isUploading,
  resetUploadedCount,
  setProgress,
  startUpload,
  type UploadRun,
} from "./progress.ts";

// Uploads pending files: one tab at a time, three files in parallel. Large files are sent in parts, each of them once.

const MAX_PARALLEL = 3;

const attachTarget = ({ to }: PendingFile): AttachTarget => ({
  ...(to.document && { document_id: to.document }),
  ...(to.record && { memory_id: to.record }),
});

/** If the file's document or record was deleted, the file is stored without one. */
async function sendToTarget<Sent>(
  file: PendingFile,
  send: (to: AttachTarget) => Promise<Sent>,
): Promise<Sent> {
  try {
    return await send(attachTarget(file));
  } catch (problem) {
    if (!isApiError(problem, 404) || Object.keys(attachTarget(file)).length === 0) throw problem;
    toast({
      text: `“${file.name}” was saved to Files, because its document or record was deleted`,
      open: "/files",
    });
    return send({});
  }
}

const partAt = (bytes: Blob, part: number) =>
  bytes.slice((part - 1) * UPLOAD_PART_BYTES, part * UPLOAD_PART_BYTES);

async function resumeUpload(file: PendingFile, as: UploadRun) {
  const { key, name, bytes, upload } = file;
  const known = upload && (await filesApi.parts(upload, as).catch(undefinedIf(404)));
  if (known) return known;
  const started = await sendToTarget(file, (to) =>
    filesApi.beginUpload({ name, bytes: bytes.size, ...to }, `${key}${upload ?? ""}`, as),
  );
  await pendingFiles.update(key, { upload: started.id });
  return started;
}

async function sendInParts(file: PendingFile, as: UploadRun): Promise<StoredFile> {
  // The upload may be complete, and only the answer was lost.
  const completed = file.upload && (await filesApi.complete(file.upload, as).catch(undefinedIf(404, 409)));
  if (completed) return completed;
  const upload = await resumeUpload(file, as);
  const received = new Set(upload.received);
  for (let part = 1; part <= upload.parts; part++) {
    if (!received.has(part)) await filesApi.sendPart(upload.id, part, partAt(file.bytes, part), as);
    setProgress(file.key, part / upload.parts);
  }
  return filesApi.complete(upload.id, as);
}

const send = (file: PendingFile, as: UploadRun): Promise<StoredFile> =>
  file.bytes.size > UPLOAD_PART_BYTES
    ? sendInParts(file, as)
    : sendToTarget(file, (to) => filesApi.send(file.bytes, file.name, to, as));

/** Sends what only the browser knows about a picture: its size, description and thumbnails. Errors are ignored by the caller. */
async function describe(stored: StoredFile, { bytes, alt }: PendingFile): Promise<void> {
  const picture =
    stored.kind === "image" && stored.thumbnails.length === 0 ? await measurePicture(bytes) : undefined;
  for (const { width, bytes: small } of picture?.thumbnails ?? [])
    await filesApi.putThumbnail(stored.id, width, small);
  const fields = {
    ...(picture && { width: picture.width, height: picture.height }),
    ...(alt && stored.alt === null && { alt }),
  };
  if (Object.keys(fields).length > 0) await filesApi.update(stored.id, fields);
}

async function replace(old: string, id: string): Promise<void> {
  const { document_ids } = await filesApi.replace(old, { by: id });
  for (const document of document_ids) await renameFileInDocument(document, fileUri(old), fileUri(id));
}

/** How often the text that refers to a file was searched for: it may not be saved yet, or it may not exist any more. */
const searches = new Map<string, number>();
const MAX_SEARCHES = 5;
const SEARCH_INTERVAL_MS = 3000;

/** Files found in a text that was being edited or saved. */
const inUnsavedText = new Set<string>();

function mayAppearLater(key: string): boolean {
  searches.set(key, (searches.get(key) ?? 0) + 1);
  return (searches.get(key) ?? 0) < MAX_SEARCHES;
}

/** Schedules another search for the texts of uploaded files. */
function searchAgainLater(): void {
  const isPending = pendingFiles
    .get()
    .some((file) => file.id !== undefined && searches.has(file.key) && isReadyToSend(file));
  if (isPending) setTimeout(() => void sendFiles().catch(() => undefined), SEARCH_INTERVAL_MS);
}

/** Updates references and attaches an uploaded file. Returns false if that has to wait for its document. */
async function finishUpload(file: PendingFile, id: string): Promise<boolean> {
  const { account, to, replaces, isInText, key } = file;
  const renamed =
    isInText &&
    (await renameFileInTexts({ account, document: to.document }, pendingFileUri(key), fileUri(id)));
  if (renamed === "written") inUnsavedText.add(key);
  if (isInText && renamed !== "saved" && mayAppearLater(key)) return false;
  if (replaces) await replace(replaces, id);
  // The document does not exist yet.
  if (isInText && to.writer && !to.document) return isReadyToSend(file);
  const target = attachTarget(file);
  // Saving a text attaches the files in it. The user may have removed this one from the text by now.
  const isUnattached = isInText && renamed !== "saved" && !inUnsavedText.has(key);
  if (isUnattached && Object.keys(target).length > 0)
    await filesApi.attach(id, target).catch(undefinedIf(404));
  return true;
}

/** Tells the user that the account already has the same file under another name. */
function reportDuplicate({ name }: PendingFile, stored: StoredFile): void {
  if (stored.name !== name)
    toast({ text: `“${safeFileName(name)}” is the same file as “${safeFileName(stored.name)}”` });
}

const currentState = (file: PendingFile) => pendingFiles.find(file.key) ?? file;

async function upload(file: PendingFile, run: UploadRun): Promise<void> {
  let { id } = file;
  if (!id) {
    const stored = await send(file, run);
    id = stored.id;
    uploadedIds.set(file.key, id);
    await pendingFiles.update(file.key, { id });
    countUploaded(file.key);
    reportDuplicate(file, stored);
    // The upload is reported before the thumbnails are sent.
    await describe(stored, currentState(file)).catch(() => undefined);
    cacheFiles([await filesApi.get(id).catch(() => stored)]);
  }
  // Its document may have been created in the meantime.
  if (await finishUpload(currentState(file), id)) await pendingFiles.remove(file.key);
}

/** Minimum time between refreshes, because there may be many small files. */
const REFRESH_INTERVAL_MS = 2000;
let refreshedAt = 0;

function refreshOccasionally(): void {
  if (Date.now() - refreshedAt < REFRESH_INTERVAL_MS) return;
  refreshedAt = Date.now();
  void refreshFiles();
}

/** Uploads one file. Throws errors for which a later attempt may succeed. */
async function sendOne(file: PendingFile): Promise<void> {
  const run = startUpload(file);
  try {
    await upload(file, run);
  } catch (problem) {
    if (run.signal.aborted) return;
    // 409 also means that parts are missing, which the next attempt sends.
    if (!isFilesUnavailable(problem) && isUnanswered(problem)) throw problem;
    await pendingFiles.update(file.key, { refused: (problem as Error).message });
  } finally {
    endUpload(file.key);
  }
}

async function sendAll(): Promise<void> {
  await pendingFiles.read();
  resetUploadedCount();
  const tried = new Set<string>();
  let fault: unknown;
  const stateKey = ({ key, to }: PendingFile) => `${key}${to.document}`;
  const next = () =>
    pendingFiles
      .get()
      .find((file) => isReadyToSend(file) && !tried.has(stateKey(file)) && !isUploading(file.key));
  const work = async () => {
    for (let file = next(); file && fault === undefined; file = next()) {
      tried.add(stateKey(file));
      await sendOne(file).catch((problem: unknown) => {
        fault = problem;
      });
      refreshOccasionally();
    }
  };
  await Promise.all(Array.from({ length: MAX_PARALLEL }, work));
  if (tried.size > 0) void refreshFiles();
  searchAgainLater();
  if (fault !== undefined) throw fault;
}

/** Uploads the pending files. Throws ApiError while the service does not answer. */
export async function sendFiles(): Promise<void> {
  if (confirmedAccount() && pendingFiles.get().some(isReadyToSend)) await pendingFiles.exclusively(sendAll);
}
