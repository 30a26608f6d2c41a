import { base64url } from "jose";
import { sha256 } from "./bytes.ts";

const BYTES = 32;

/** A new random secret of 256 bits, which is shown only once. */
export const newSecret = () => base64url.encode(crypto.getRandomValues(new Uint8Array(BYTES)));

export const newSecretForShard = (home: number): string => `${home}.${newSecret()}`;

/** The stored form of a secret. 256 random bits need neither a salt nor a slow hash. */
export const hashSecret = async (secret: string): Promise<string> => base64url.encode(await sha256(secret));
