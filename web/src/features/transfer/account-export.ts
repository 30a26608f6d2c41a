import type { AccountExport } from "../../../../src/shared/import/account.ts";
import type { Picked } from "./picked.ts";

export type AccountExportFile = { name: string; account: AccountExport };

/** A whole account: a zip chosen on its own, or the folder that it was unpacked into. */
export async function findAccountExport({
  files,
}: Pick<Picked, "files">): Promise<AccountExportFile | undefined> {
  const [first, ...others] = files;
  if (!first) return undefined;
  const { findAccountExport: accountIn } = await import("../../../../src/shared/import/account.ts");
  const { readZipEntries } = await import("../../../../src/shared/import/entries.ts");
  const isZip = others.length === 0 && /\.zip$/i.test(first.path);
  // A broken zip is reported later, by the import of texts.
  const entries = isZip
    ? await readZipEntries(first.file).catch(() => new Map())
    : new Map(files.map(({ path, file }) => [path, file]));
  const account = accountIn(entries);
  return account && { name: first.path.split("/", 1)[0] ?? "", account };
}

const LINES_PER_BLOB = 1000;

/** Collects the lines in a file. Browsers store large blobs on disk. */
export async function collectFile(
  name: string,
  lines: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<File> {
  const blobs: Blob[] = [];
  let pieces: Uint8Array<ArrayBuffer>[] = [];
  for await (const line of lines) {
    signal.throwIfAborted();
    pieces.push(line as Uint8Array<ArrayBuffer>);
    if (pieces.length < LINES_PER_BLOB) continue;
    blobs.push(new Blob(pieces));
    pieces = [];
  }
  return new File([...blobs, ...pieces], name);
}
