import type { Attestation, PasskeyOptions } from "../../api/account.ts";

// The browser's side of a passkey (WebAuthn Level 3, section 5.1).

/** Whether this browser has passkeys, and the page's address may have some: an IP address may not. */
export const canCreatePasskeys = (): boolean =>
  typeof PublicKeyCredential !== "undefined" && "parseCreationOptionsFromJSON" in PublicKeyCredential;

const TEXTS: Record<string, string> = {
  NotAllowedError: "No passkey was created: the browser's question was dismissed, or took too long.",
  InvalidStateError: "This device has a passkey for this account already.",
  SecurityError: "Passkeys do not work under this address: open the app under its own name.",
};

/** Has the browser create a passkey. Throws with a text for people. */
export async function createPasskey(options: PasskeyOptions): Promise<Attestation> {
  try {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
      options as PublicKeyCredentialCreationOptionsJSON,
    );
    const created = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
    const { id, rawId, response } = created.toJSON() as Attestation;
    const { clientDataJSON, attestationObject, transports } = response;
    return {
      id,
      rawId,
      type: "public-key",
      response: { clientDataJSON, attestationObject, ...(transports && { transports }) },
    };
  } catch (problem) {
    throw new Error(TEXTS[(problem as Error).name] ?? (problem as Error).message);
  }
}
