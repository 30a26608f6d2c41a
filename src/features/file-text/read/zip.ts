import type { Steps } from "../../../shared/text/steps.ts";
import { decodeText } from "./decode-text.ts";
import { inflateBytes } from "./inflate.ts";
import { LIMITS, type Meter, UnreadableFile } from "./meter.ts";

// Reads archives (PKWARE's APPNOTE 6.3.10) through their central directory. Overlapping entries and wrong sizes are harmless,
// because the meter limits what is actually unpacked.

type Entry = { method: number; isEncrypted: boolean; packed: number; header: number };

export type Archive = {
  names: readonly string[];
  /** The text of an entry up to the limit; undefined if it is missing. */
  text: (name: string) => Steps<string | undefined>;
};

const END = 0x06054b50;
const CENTRAL_HEADER = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;
const END_LENGTH = 22;
const CENTRAL_LENGTH = 46;
const LOCAL_LENGTH = 30;
const MAX_COMMENT = 65_535;

const damagedError = () => new UnreadableFile("It is damaged, or its content does not match its file type");

function findEndRecord(view: DataView): number {
  const lowest = Math.max(0, view.byteLength - END_LENGTH - MAX_COMMENT);
  for (let at = view.byteLength - END_LENGTH; at >= lowest; at--)
    if (view.getUint32(at, true) === END) return at;
  throw damagedError();
}

function readDirectory(bytes: Uint8Array, view: DataView): Map<string, Entry> {
  const end = findEndRecord(view);
  const count = view.getUint16(end + 10, true);
  if (count > LIMITS.entries) throw new UnreadableFile(`It has more than ${LIMITS.entries} entries`);
  const entries = new Map<string, Entry>();
  let at = view.getUint32(end + 16, true);
  for (let number = 0; number < count; number++) {
    if (at + CENTRAL_LENGTH > end || view.getUint32(at, true) !== CENTRAL_HEADER) throw damagedError();
    const start = at + CENTRAL_LENGTH;
    const nameEnd = start + view.getUint16(at + 28, true);
    entries.set(new TextDecoder().decode(bytes.subarray(start, nameEnd)), {
      method: view.getUint16(at + 10, true),
      isEncrypted: (view.getUint16(at + 8, true) & 1) === 1,
      packed: view.getUint32(at + 20, true),
      header: view.getUint32(at + 42, true),
    });
    at = nameEnd + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}

/** Opens the archive in these bytes. Throws UnreadableFile. */
export function openArchive(meter: Meter, bytes: Uint8Array): Archive {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < END_LENGTH) throw damagedError();
  const entries = readDirectory(bytes, view);

  function packedBytes({ header, packed, isEncrypted }: Entry): Uint8Array {
    if (isEncrypted) throw new UnreadableFile("It is protected by a password");
    if (header + LOCAL_LENGTH > bytes.length || view.getUint32(header, true) !== LOCAL_HEADER)
      throw damagedError();
    const start =
      header + LOCAL_LENGTH + view.getUint16(header + 26, true) + view.getUint16(header + 28, true);
    return bytes.subarray(start, start + packed);
  }

  function* read(name: string): Steps<Uint8Array | undefined> {
    const entry = entries.get(name);
    if (!entry) return undefined;
    const packed = packedBytes(entry);
    if (entry.method === 0) {
      meter.inflate(packed.length);
      return packed.subarray(0, LIMITS.entry);
    }
    if (entry.method !== 8) throw new UnreadableFile("It uses an unsupported compression method");
    const { bytes: found, isCut } = yield* inflateBytes(meter, packed);
    if (isCut) meter.noteMissing("A part is too large or damaged, so only its beginning was read");
    return found;
  }

  return {
    names: [...entries.keys()],
    text: function* (name) {
      const found = yield* read(name);
      return found && decodeText(found);
    },
  };
}
