import { MAX_UPLOAD_BYTES } from "../../../../src/contract/file-limits.ts";
import { localAccount } from "../../api/current-account.ts";
import { randomId } from "../../api/random-id.ts";
import { type PendingFile, savePendingFiles } from "../../state/pending-files.ts";
import { ensureMe } from "../../state/queries.ts";
import { toast } from "../../state/toasts.ts";
import { formatBytes } from "../transfer/format-bytes.ts";

export const MAX_FILES = 100;
const MAX_NAME = 255;

/** Generic names given by cameras and clipboards. */
const GENERIC_NAME = /^(?:image|blob|photo|capture|screenshot|untitled|unknown)?(\.\w+)?$/i;

/** "2026-11-25 14.30.05": valid in file names on every system. */
function timestamp(): string {
  const local = new Date(Date.now() - new Date().getTimezoneOffset() * 60_000).toISOString();
  return local.slice(0, 19).replace("T", " ").replaceAll(":", ".");
}

/** Replaces generic names by distinguishable ones. */
function distinctName({ name, type }: File, place: number): string {
  const ending = GENERIC_NAME.exec(name);
  if (!ending) return name.slice(-MAX_NAME);
  const own = ending[1] ?? (type ? `.${type.split("/")[1]?.replace(/\W.*/, "")}` : "");
  const what = type.startsWith("image/") ? "Picture" : "File";
  return `${what} ${timestamp()}${place > 0 ? ` ${place + 1}` : ""}${own}`;
}

function fileProblem({ name, size }: File): string | undefined {
  if (size === 0) return `${name} is empty or a folder`;
  return size > MAX_UPLOAD_BYTES
    ? `${name} is ${formatBytes(size)}; the maximum is ${formatBytes(MAX_UPLOAD_BYTES)}`
    : undefined;
}

function showProblems(refusals: readonly string[]): void {
  const [first] = refusals;
  if (!first) return;
  const more = refusals.length > 1 ? ` (${refusals.length - 1} more skipped)` : "";
  toast({ kind: "refused", text: `Not added: ${first}${more}` });
}

const NO_ROOM = "Not enough storage in this browser. Keep this page open until the upload is finished.";

type AddOptions = Pick<PendingFile, "to"> & Partial<Pick<PendingFile, "isInText" | "replaces">>;

/** Stores files in this browser, from where they are uploaded when the server is reachable. Returns the accepted ones. */
export async function addFiles(files: readonly File[], how: AddOptions): Promise<PendingFile[]> {
  const account = localAccount() ?? (await ensureMe()).id;
  const refusals = files.map(fileProblem);
  const taken = files.filter((_, place) => !refusals[place]).slice(0, MAX_FILES);
  const tooMany = files.length - taken.length > refusals.filter(Boolean).length;
  showProblems([
    ...refusals.filter((one) => one !== undefined),
    ...(tooMany ? [`at most ${MAX_FILES} files at once`] : []),
  ]);
  const at = Date.now();
  const added = taken.map(
    (file, place): PendingFile => ({
      key: randomId(),
      account,
      name: distinctName(file, place),
      bytes: file,
      at: at + place / 1000,
      ...how,
    }),
  );
  if (!(await savePendingFiles(added)) && added.length > 0) toast({ text: NO_ROOM });
  return added;
}
