import { isoCBOR } from "@simplewebauthn/server/helpers";
import { base64url } from "jose";
import type { Assertion, Attestation } from "../../src/contract/passkeys.ts";
import { BASE } from "./client.ts";

// A passkey in software (WebAuthn Level 3, sections 6.1 and 6.5), so that a test can do any step wrong.

type Wrong = { origin?: string; rpId?: string; type?: string; userVerified?: boolean; counter?: number };

const bytes = (...parts: (Uint8Array | number[])[]) => Uint8Array.from(parts.flatMap((part) => [...part]));
const uint = (value: number, length: number) =>
  Array.from({ length }, (_, at) => (value >>> (8 * (length - 1 - at))) & 0xff);
const sha256 = async (data: string | Uint8Array) =>
  new Uint8Array(
    await crypto.subtle.digest(
      "SHA-256",
      typeof data === "string" ? new TextEncoder().encode(data) : bytes(data),
    ),
  );

/** An ECDSA signature in DER, from the two numbers that WebCrypto puts in a row. */
function der(raw: Uint8Array): Uint8Array {
  const integer = (value: Uint8Array) => {
    const start = value.findIndex((byte) => byte !== 0);
    const short = value.slice(start < 0 ? value.length - 1 : start);
    const padded = (short[0] ?? 0) > 0x7f ? bytes([0], short) : short;
    return bytes([0x02, padded.length], padded);
  };
  const body = bytes(integer(raw.slice(0, 32)), integer(raw.slice(32)));
  return bytes([0x30, body.length], body);
}

export class Authenticator {
  readonly id = crypto.getRandomValues(new Uint8Array(32));
  counter = 0;
  /** Whose passkey it is, as the service has said. */
  userHandle: string | null = null;
  keys: CryptoKeyPair | undefined;

  private async pair(): Promise<CryptoKeyPair> {
    this.keys ??= (await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
      "sign",
      "verify",
    ])) as CryptoKeyPair;
    return this.keys;
  }

  private clientData(challenge: string, { origin = BASE, type }: Wrong): string {
    return JSON.stringify({ type, challenge, origin, crossOrigin: false });
  }

  private async authData(
    { rpId = new URL(BASE).hostname, userVerified = true, counter }: Wrong,
    more = bytes(),
  ) {
    const flags = 0x01 | (userVerified ? 0x04 : 0) | (more.length > 0 ? 0x40 : 0);
    return bytes(await sha256(rpId), [flags], uint(counter ?? ++this.counter, 4), more);
  }

  /** Answers a request to create a passkey. */
  async create(challenge: string, wrong: Wrong = {}): Promise<Attestation> {
    const { publicKey } = await this.pair();
    const raw = new Uint8Array((await crypto.subtle.exportKey("raw", publicKey)) as ArrayBuffer);
    const cose = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, raw.slice(1, 33)],
      [-3, raw.slice(33)],
    ]);
    const credential = bytes(
      new Uint8Array(16),
      uint(this.id.length, 2),
      this.id,
      isoCBOR.encode(cose as never),
    );
    const authData = await this.authData(wrong, credential);
    const attestation = new Map<string, unknown>([
      ["fmt", "none"],
      ["attStmt", new Map()],
      ["authData", authData],
    ]);
    const id = base64url.encode(this.id);
    return {
      id,
      rawId: id,
      type: "public-key",
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64url.encode(this.clientData(challenge, { type: "webauthn.create", ...wrong })),
        attestationObject: base64url.encode(isoCBOR.encode(attestation as never)),
        transports: ["internal"],
      },
    };
  }

  /** Answers a request to sign in. */
  async sign(challenge: string, wrong: Wrong = {}): Promise<Assertion> {
    const { privateKey } = await this.pair();
    const clientData = this.clientData(challenge, { type: "webauthn.get", ...wrong });
    const authData = await this.authData(wrong);
    const signed = bytes(authData, await sha256(clientData));
    const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, privateKey, signed);
    const id = base64url.encode(this.id);
    return {
      id,
      rawId: id,
      type: "public-key",
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64url.encode(clientData),
        authenticatorData: base64url.encode(authData),
        signature: base64url.encode(der(new Uint8Array(signature))),
        userHandle: this.userHandle,
      },
    };
  }
}
