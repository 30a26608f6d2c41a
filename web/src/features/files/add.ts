import { MAX_UPLOAD_BYTES } from "../../../../src/contract/file-limits.ts";
import { keptAccount } from "../../api/holder.ts";
import { randomId } from "../../api/random-id.ts";
import { knownMe } from "../../state/queries.ts";
import { toast } from "../../state/toasts.ts";
import { keepFiles, type WaitingFile } from "../../state/waiting-files.ts";
import { bytes } from "../transfer/bytes.ts";

/** Maximum number of files added in one action. */
export const MOST_AT_ONCE = 100;
const MAX_NAME = 255;

/** Generic names given by cameras and clipboards. */
const GENERAL = /^(?:image|blob|photo|capture|screenshot|untitled|unknown)?(\.\w+)?$/i;

/** "2026-11-25 14.30.05": valid in file names on every system. */
function now(): string {
  const local = new Date(Date.now() - new Date().getTimezoneOffset() * 60_000).toISOString();
  return local.slice(0, 19).replace("T", " ").replaceAll(":", ".");
}

/** Replaces generic names by distinguishable ones. */
function nameFor({ name, type }: File, place: number): string {
  const ending = GENERAL.exec(name);
  if (!ending) return name.slice(-MAX_NAME);
  const own = ending[1] ?? (type ? `.${type.split("/")[1]?.replace(/\W.*/, "")}` : "");
  const what = type.startsWith("image/") ? "Picture" : "File";
  return `${what} ${now()}${place > 0 ? ` ${place + 1}` : ""}${own}`;
}

function refusalOf({ name, size }: File): string | undefined {
  if (size === 0) return `${name} is empty or a folder`;
  return size > MAX_UPLOAD_BYTES
    ? `${name} is ${bytes(size)}; the maximum is ${bytes(MAX_UPLOAD_BYTES)}`
    : undefined;
}

function tell(refusals: readonly string[]): void {
  const [first] = refusals;
  if (!first) return;
  const more = refusals.length > 1 ? ` (${refusals.length - 1} more skipped)` : "";
  toast({ kind: "refused", text: `Not added: ${first}${more}` });
}

const NO_ROOM = "Not enough storage in this browser. Keep this page open until the upload is finished.";

type How = Pick<WaitingFile, "to"> & Partial<Pick<WaitingFile, "isInText" | "replaces">>;

/** Stores files in this browser, from where they are uploaded when the server is reachable. Returns the accepted ones. */
export async function addFiles(files: readonly File[], how: How): Promise<WaitingFile[]> {
  const account = keptAccount() ?? (await knownMe()).id;
  const refusals = files.map(refusalOf);
  const taken = files.filter((_, place) => !refusals[place]).slice(0, MOST_AT_ONCE);
  const tooMany = files.length - taken.length > refusals.filter(Boolean).length;
  tell([
    ...refusals.filter((one) => one !== undefined),
    ...(tooMany ? [`at most ${MOST_AT_ONCE} files at once`] : []),
  ]);
  const at = Date.now();
  const added = taken.map(
    (file, place): WaitingFile => ({
      key: randomId(),
      account,
      name: nameFor(file, place),
      bytes: file,
      at: at + place / 1000,
      ...how,
    }),
  );
  if (!(await keepFiles(added)) && added.length > 0) toast({ text: NO_ROOM });
  return added;
}
