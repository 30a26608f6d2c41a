import { base64url } from "jose";
import { sha256 } from "./bytes.ts";

const BYTES = 32;

/** A new random secret of 256 bits, to be shown once. */
export const newSecret = () => base64url.encode(crypto.getRandomValues(new Uint8Array(BYTES)));

export const newSecretOf = (home: number): string => `${home}.${newSecret()}`;

/** What is stored of a secret. 256 random bits need no salt and no slow hash. */
export const hashSecret = async (secret: string): Promise<string> => base64url.encode(await sha256(secret));
