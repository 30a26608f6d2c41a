import { type Assertion, account, type User } from "../api/account.ts";

// Signing in with a passkey of this device (WebAuthn Level 3, section 5.1).

export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential !== "undefined" && "parseRequestOptionsFromJSON" in PublicKeyCredential;

const TEXTS: Record<string, string> = {
  NotAllowedError: "No passkey was used.",
  SecurityError: "Passkeys don’t work at this address. Use your password.",
};

/** Asks for a passkey and signs in with it. Throws errors with a message for the user. */
export async function signInWithPasskey(): Promise<User> {
  const options = await account.passkeyLoginOptions();
  try {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
      options as PublicKeyCredentialRequestOptionsJSON,
    );
    const used = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
    const { id, rawId, response } = used.toJSON() as Assertion;
    const { clientDataJSON, authenticatorData, signature, userHandle } = response;
    return await account.signInWithPasskey({
      id,
      rawId,
      type: "public-key",
      response: { clientDataJSON, authenticatorData, signature, ...(userHandle && { userHandle }) },
    });
  } catch (problem) {
    const { name } = problem as Error;
    throw TEXTS[name] ? new Error(TEXTS[name]) : problem;
  }
}
