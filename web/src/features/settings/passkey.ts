import type { Attestation, PasskeyOptions } from "../../api/account.ts";

// The browser's side of a passkey (WebAuthn Level 3, section 5.1).

/** Whether this browser supports passkeys, and the page's address can have them: an IP address cannot. */
export const supportsPasskeys = (): boolean =>
  typeof PublicKeyCredential !== "undefined" && "parseCreationOptionsFromJSON" in PublicKeyCredential;

const TEXTS: Record<string, string> = {
  NotAllowedError: "No passkey was created. The browser’s prompt was dismissed or timed out.",
  InvalidStateError: "This device already has a passkey for this account.",
  SecurityError: "Passkeys don’t work at this address. Open the app at its own domain name.",
};

/** Asks the browser to create a passkey. Throws an error with a message for the user. */
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
