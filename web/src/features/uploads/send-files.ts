import { PART_BYTES } from "../../../../src/contract/file-limits.ts";
import { filesApi, type StoredFile, type To } from "../../api/files.ts";
import { knownAccount } from "../../api/holder.ts";
import { isApiError, isPassing } from "../../api/request.ts";
import { toast } from "../../state/toasts.ts";
import {
  arrivedAs,
  changeFile,
  dropFile,
  filesNow,
  isToDo,
  readFiles,
  type WaitingFile,
} from "../../state/waiting-files.ts";
import { isNoFiles, noteFiles, refreshFiles } from "../files/known.ts";
import { nameOf, waitingName } from "../files/reference.ts";
import { measured } from "../files/thumbnails.ts";
import { shownName } from "../files/words.ts";
import { advance, begin, beginAll, countArrived, end, type Run, running } from "./progress.ts";
import { renameFile, renameInDocument } from "./texts.ts";

// Sends the files that wait: one tab at a time, three side by side, large ones in parts of which none is sent twice.

const SIDE_BY_SIDE = 3;

const toOf = ({ to }: WaitingFile): To => ({
  ...(to.document && { document_id: to.document }),
  ...(to.record && { memory_id: to.record }),
});

/** Where it belongs may have been deleted meanwhile: then it is kept all the same, among all files. */
async function toOrNowhere<Sent>(file: WaitingFile, send: (to: To) => Promise<Sent>): Promise<Sent> {
  try {
    return await send(toOf(file));
  } catch (problem) {
    if (!isApiError(problem, 404) || Object.keys(toOf(file)).length === 0) throw problem;
    toast({ text: `What “${file.name}” belongs to is gone: it is among your files`, open: "/files" });
    return send({});
  }
}

const partAt = (bytes: Blob, part: number) => bytes.slice((part - 1) * PART_BYTES, part * PART_BYTES);

/** The upload that was begun before, or a new one. */
async function uploadOf(file: WaitingFile, as: Run["as"]) {
  const { key, name, bytes, upload } = file;
  const known = upload && (await filesApi.parts(upload, as).catch(orUndefined));
  if (known) return known;
  const begun = await toOrNowhere(file, (to) =>
    filesApi.begin({ name, bytes: bytes.size, ...to }, `${key}${upload ?? ""}`, as),
  );
  await changeFile(key, { upload: begun.id });
  return begun;
}

const orUndefined = (problem: unknown): undefined => {
  if (!isApiError(problem, 404)) throw problem;
};

async function sentInParts(file: WaitingFile, { as }: Run): Promise<StoredFile> {
  // The answer to its end may have been lost.
  const ended = file.upload && (await filesApi.complete(file.upload, as).catch(notComplete));
  if (ended) return ended;
  const upload = await uploadOf(file, as);
  const received = new Set(upload.received);
  for (let part = 1; part <= upload.parts; part++) {
    if (!received.has(part)) await filesApi.sendPart(upload.id, part, partAt(file.bytes, part), as);
    advance(file.key, part / upload.parts);
  }
  return filesApi.complete(upload.id, as);
}

const notComplete = (problem: unknown): undefined => {
  if (!isApiError(problem, 404, 409)) throw problem;
};

const sent = (file: WaitingFile, run: Run): Promise<StoredFile> =>
  file.bytes.size > PART_BYTES
    ? sentInParts(file, run)
    : toOrNowhere(file, (to) => filesApi.send(file.bytes, file.name, to, run.as));

/** Says what only this browser knows of a picture: its size, what it shows, and its small forms. A fault costs no more than these. */
async function describe(stored: StoredFile, { bytes, alt }: WaitingFile): Promise<void> {
  const of = stored.kind === "image" && stored.thumbnails.length === 0 ? await measured(bytes) : undefined;
  for (const { width, bytes: small } of of?.thumbnails ?? [])
    await filesApi.putThumbnail(stored.id, width, small);
  const fields = {
    ...(of && { width: of.width, height: of.height }),
    ...(alt && stored.alt === null && { alt }),
  };
  if (Object.keys(fields).length > 0) await filesApi.update(stored.id, fields);
}

/** The file takes the place of another, in the texts of the documents to which that was attached as well. */
async function replace(old: string, id: string): Promise<void> {
  const { document_ids } = await filesApi.replace(old, { by: id });
  for (const document of document_ids) await renameInDocument(document, nameOf(old), nameOf(id));
}

/** How often the text of a file was looked for: it may be on its way itself, or nobody has kept it. */
const looks = new Map<string, number>();
const MOST_LOOKS = 5;
const LOOK_MS = 3000;

/** The files that were named in a text that was being written, or was on its way. */
const written = new Set<string>();

function mayComeYet(key: string): boolean {
  looks.set(key, (looks.get(key) ?? 0) + 1);
  return (looks.get(key) ?? 0) < MOST_LOOKS;
}

/** Looks again for the texts of those that have arrived. */
function lookAgain(): void {
  const isLeft = filesNow().some((file) => file.id !== undefined && looks.has(file.key) && isToDo(file));
  if (isLeft) setTimeout(() => void sendFiles().catch(() => undefined), LOOK_MS);
}

/** What is left to do with a file that the service has. Returns false if that has to wait for its document. */
async function arrive(file: WaitingFile, id: string): Promise<boolean> {
  const { account, to, replaces, isInText, key } = file;
  const named =
    isInText && (await renameFile({ account, document: to.document }, waitingName(key), nameOf(id)));
  if (named === "written") written.add(key);
  if (isInText && named !== "saved" && mayComeYet(key)) return false;
  if (replaces) await replace(replaces, id);
  // Until there is a document, it is in none.
  if (isInText && to.writer && !to.document) return isToDo(file);
  const attached = toOf(file);
  // What saves a text attaches what that names, and by now somebody may have taken it out again.
  const isLeft = isInText && named !== "saved" && !written.has(key);
  if (isLeft && Object.keys(attached).length > 0)
    await filesApi.attach(id, attached).catch((problem: unknown) => {
      if (!isApiError(problem, 404)) throw problem;
    });
  return true;
}

/** The account has its bytes already, under another name. */
function tellSame({ name }: WaitingFile, stored: StoredFile): void {
  if (stored.name !== name)
    toast({ text: `“${shownName(name)}” is the same file as “${shownName(stored.name)}”` });
}

/** The file as it is known by now. */
const latest = (file: WaitingFile) => filesNow().find(({ key }) => key === file.key) ?? file;

async function carry(file: WaitingFile, run: Run): Promise<void> {
  let { id } = file;
  if (!id) {
    const stored = await sent(file, run);
    id = stored.id;
    arrivedAs.set(file.key, id);
    await changeFile(file.key, { id });
    countArrived(file.key);
    tellSame(file, stored);
    // What has become of it is told before its small forms are there.
    await describe(stored, latest(file)).catch(() => undefined);
    noteFiles([await filesApi.get(id).catch(() => stored)]);
  }
  // Its document may have been created meanwhile.
  if (await arrive(latest(file), id)) await dropFile(file.key);
}

/** Many small ones are not each worth asking for everything again. */
const SHOWN_AFTER_MS = 2000;
let shownAt = 0;

/** Shows what has arrived so far. */
function showArrived(): void {
  if (Date.now() - shownAt < SHOWN_AFTER_MS) return;
  shownAt = Date.now();
  void refreshFiles();
}

/** Sends one. Throws what may be answered otherwise later. */
async function sendOne(file: WaitingFile): Promise<void> {
  const run = begin(file);
  try {
    await carry(file, run);
  } catch (problem) {
    if (run.as.signal?.aborted) return;
    const mayPass = (isPassing(problem) || isApiError(problem, 409)) && !isNoFiles(problem);
    if (mayPass) throw problem;
    await changeFile(file.key, { refused: (problem as Error).message });
  } finally {
    end(file.key);
  }
}

async function sendAll(): Promise<void> {
  await readFiles();
  beginAll();
  const tried = new Set<string>();
  let fault: unknown;
  const asNow = ({ key, to }: WaitingFile) => `${key}${to.document}`;
  const next = () => filesNow().find((file) => isToDo(file) && !tried.has(asNow(file)) && !running(file.key));
  const work = async () => {
    for (let file = next(); file && fault === undefined; file = next()) {
      tried.add(asNow(file));
      await sendOne(file).catch((problem: unknown) => {
        fault = problem;
      });
      showArrived();
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  if (tried.size > 0) void refreshFiles();
  lookAgain();
  if (fault !== undefined) throw fault;
}

let last: Promise<void> = Promise.resolve();

/** One after the other: of all tabs, where the browser can tell. */
function alone(work: () => Promise<void>): Promise<void> {
  if (navigator.locks) return navigator.locks.request("commonplace-files", work);
  const mine = last.then(work);
  last = mine.catch(() => undefined);
  return mine;
}

/** Sends the files that wait. Throws ApiError while the service does not answer. */
export async function sendFiles(): Promise<void> {
  if (knownAccount() && filesNow().some(isToDo)) await alone(sendAll);
}
