import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import { UnreadableFile } from "../meter.ts";
import { isDict, nameValue, type PdfDict, type PdfValue } from "./objects.ts";

// The standard security handler (ISO 32000-2, 7.6) for files that anyone may open, because the user password is empty.

/** Decrypts the bytes of a string or stream of an object. */
export type Decrypt = (bytes: Uint8Array, object: number) => Uint8Array;

const PADDING = Buffer.from("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a", "hex");

const hash = (name: string, ...parts: Uint8Array[]): Buffer => {
  const made = createHash(name);
  for (const part of parts) made.update(part);
  return made.digest();
};

function rc4(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const state = Uint8Array.from({ length: 256 }, (_, place) => place);
  const swap = (one: number, other: number) => {
    [state[one], state[other]] = [state[other] ?? 0, state[one] ?? 0];
  };
  for (let place = 0, other = 0; place < 256; place++) {
    other = (other + (state[place] ?? 0) + (key[place % key.length] ?? 0)) & 255;
    swap(place, other);
  }
  let [one, other] = [0, 0];
  return bytes.map((byte) => {
    one = (one + 1) & 255;
    other = (other + (state[one] ?? 0)) & 255;
    swap(one, other);
    return byte ^ (state[((state[one] ?? 0) + (state[other] ?? 0)) & 255] ?? 0);
  });
}

const BLOCK = 16;

/** AES in CBC mode; the first block is the initialization vector. Invalid padding is kept. */
function aes(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const whole = Math.floor(bytes.length / BLOCK) * BLOCK;
  if (whole <= BLOCK) return new Uint8Array(0);
  const decipher = createDecipheriv(`aes-${key.length * 8}-cbc`, key, bytes.subarray(0, BLOCK));
  decipher.setAutoPadding(false);
  const plain = Buffer.concat([decipher.update(bytes.subarray(BLOCK, whole)), decipher.final()]);
  const padding = plain.at(-1) ?? 0;
  return padding >= 1 && padding <= BLOCK ? plain.subarray(0, plain.length - padding) : plain;
}

const bytesEntry = (dict: PdfDict, name: string): Uint8Array => {
  const value = dict.get(name);
  return value instanceof Uint8Array ? value : new Uint8Array(0);
};
const numberEntry = (dict: PdfDict, name: string, otherwise: number): number => {
  const value = dict.get(name);
  return typeof value === "number" ? value : otherwise;
};

/** The key of a file of revision 2 to 4 with an empty password (algorithm 2). */
function legacyKey(dict: PdfDict, id: Uint8Array, revision: number, length: number): Uint8Array {
  const permissions = Buffer.alloc(4);
  permissions.writeInt32LE(numberEntry(dict, "P", 0) | 0);
  const clear = revision >= 4 && dict.get("EncryptMetadata") === false ? [Buffer.alloc(4, 255)] : [];
  const owner = bytesEntry(dict, "O").subarray(0, 32);
  let key: Uint8Array = hash("md5", PADDING, owner, permissions, id, ...clear);
  if (revision >= 3) for (let round = 0; round < 50; round++) key = hash("md5", key.subarray(0, length));
  return key.subarray(0, revision >= 3 ? length : 5);
}

/** Whether the key is that of the empty password (algorithms 4 and 5). */
function isEmptyPasswordKey(key: Uint8Array, dict: PdfDict, id: Uint8Array, revision: number): boolean {
  const expected = bytesEntry(dict, "U");
  if (revision < 3) return Buffer.compare(rc4(key, PADDING), expected.subarray(0, 32)) === 0;
  let found = rc4(key, hash("md5", PADDING, id));
  for (let round = 1; round < 20; round++) {
    const mixed = key.map((byte) => byte ^ round);
    found = rc4(mixed, found);
  }
  return Buffer.compare(found, expected.subarray(0, 16)) === 0;
}

/** The hash of an empty password in revision 6 (algorithm 2.B). Revision 5 only uses its first step. */
function newerHash(salt: Uint8Array, revision: number): Uint8Array {
  let key: Uint8Array = hash("sha256", salt);
  for (let round = 0; revision >= 6 && round < 2000; round++) {
    const cipher = createCipheriv("aes-128-cbc", key.subarray(0, 16), key.subarray(16, 32));
    cipher.setAutoPadding(false);
    const mixed = cipher.update(Buffer.concat(Array.from({ length: 64 }, () => key)));
    const kind = mixed.subarray(0, 16).reduce((sum, byte) => sum + byte, 0) % 3;
    key = hash(["sha256", "sha384", "sha512"][kind] ?? "sha256", mixed);
    if (round >= 63 && (mixed.at(-1) ?? 0) <= round - 31) break;
  }
  return key.subarray(0, 32);
}

function newerKey(dict: PdfDict, revision: number): Uint8Array | undefined {
  const user = bytesEntry(dict, "U");
  if (Buffer.compare(newerHash(user.subarray(32, 40), revision), user.subarray(0, 32)) !== 0)
    return undefined;
  const key = newerHash(user.subarray(40, 48), revision);
  const decipher = createDecipheriv("aes-256-cbc", key, new Uint8Array(BLOCK));
  decipher.setAutoPadding(false);
  return decipher.update(bytesEntry(dict, "UE").subarray(0, 32));
}

/** The encryption method of streams: `V2` (RC4), `AESV2`, `AESV3` or `None`. */
function encryptionMethod(dict: PdfDict, version: number): string {
  if (version < 4) return "V2";
  const filters = dict.get("CF");
  const filter = isDict(filters) ? filters.get(nameValue(dict.get("StmF")) ?? "Identity") : undefined;
  return isDict(filter) ? (nameValue(filter.get("CFM")) ?? "None") : "None";
}

const SALT = Buffer.from("sAlT");

/** The key of a file with an empty user password; undefined if a password is needed. */
function fileKey(dict: PdfDict, id: Uint8Array, version: number): Uint8Array | undefined {
  const revision = numberEntry(dict, "R", 0);
  if (revision >= 5) return newerKey(dict, revision);
  const bits = numberEntry(dict, "Length", version >= 4 ? 128 : 40);
  const length = version === 1 ? 5 : Math.min(16, Math.max(5, bits / 8));
  const key = legacyKey(dict, id, revision, length);
  return isEmptyPasswordKey(key, dict, id, revision) ? key : undefined;
}

/** Returns the decryption function of a file. Throws UnreadableFile if a password is needed. */
export function createDecryption(dict: PdfDict, id: PdfValue | undefined): Decrypt {
  const version = numberEntry(dict, "V", 0);
  const first = Array.isArray(id) && id[0] instanceof Uint8Array ? id[0] : new Uint8Array(0);
  const key = nameValue(dict.get("Filter")) === "Standard" ? fileKey(dict, first, version) : undefined;
  if (!key) throw new UnreadableFile("It is protected by a password");
  const method = encryptionMethod(dict, version);
  if (method === "None") return (bytes) => bytes;
  if (method === "AESV3") return (bytes) => aes(key, bytes);
  return (bytes, object) => {
    // The generation of an object is 0 in all files not edited by hand.
    const number = Buffer.from([object & 255, (object >> 8) & 255, (object >> 16) & 255, 0, 0]);
    const salt = method === "AESV2" ? [SALT] : [];
    const own = hash("md5", key, number, ...salt).subarray(0, Math.min(16, key.length + 5));
    return method === "AESV2" ? aes(own, bytes) : rc4(own, bytes);
  };
}
