import { Buffer } from "node:buffer";
import { verifyAuthenticationResponse, verifyRegistrationResponse } from "@simplewebauthn/server";
import { base64url } from "jose";
import type { Assertion, Attestation } from "../../../contract/passkeys.ts";

// Verifies the responses of authenticators. The library throws for anything invalid, which here means undefined.

export type RelyingParty = { id: string; origins: string[] };

export type PasskeyKey = { credential_id: string; public_key: string; counter: number; transports: string[] };

export function readChallenge(clientDataJSON: string): string | undefined {
  const text = Buffer.from(clientDataJSON, "base64url").toString();
  return /"challenge"\s*:\s*"([\w-]{43})"/.exec(text)?.[1];
}

/** The new passkey in a browser's response; undefined if it is invalid for this challenge and service. */
export async function verifyAttestation(
  attestation: Attestation,
  expectedChallenge: string,
  { id, origins }: RelyingParty,
): Promise<PasskeyKey | undefined> {
  const { registrationInfo } = await verifyRegistrationResponse({
    response: attestation as never,
    expectedChallenge,
    expectedOrigin: origins,
    expectedRPID: id,
    requireUserVerification: true,
  }).catch(() => ({ registrationInfo: undefined }));
  if (!registrationInfo) return undefined;
  const { credential } = registrationInfo;
  return {
    credential_id: credential.id,
    public_key: base64url.encode(credential.publicKey),
    counter: credential.counter,
    transports: attestation.response.transports ?? [],
  };
}

/** The counter of a passkey after this use; undefined if the response is invalid for this challenge and service. */
export async function verifyAssertion(
  assertion: Assertion,
  expectedChallenge: string,
  { rp, key }: { rp: RelyingParty; key: PasskeyKey },
): Promise<number | undefined> {
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: assertion as never,
    expectedChallenge,
    expectedOrigin: rp.origins,
    expectedRPID: rp.id,
    requireUserVerification: true,
    credential: {
      id: key.credential_id,
      publicKey: new Uint8Array(base64url.decode(key.public_key)),
      counter: key.counter,
    },
  }).catch(() => ({ verified: false, authenticationInfo: undefined }));
  return verified ? authenticationInfo?.newCounter : undefined;
}
