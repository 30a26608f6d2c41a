import { Secret, TOTP } from "otpauth";

// Time-based codes (RFC 6238, with the parameters that every app supports) and recovery codes.

const PERIOD_SECONDS = 30;
const ISSUER = "Commonplace";
/** A code may be one step late or, if a clock is wrong, one step early (RFC 6238 section 5.2). */
const WINDOW = 1;

const totpFor = (secret: string, label?: string) =>
  new TOTP({
    issuer: ISSUER,
    ...(label && { label }),
    secret: Secret.fromBase32(secret),
    period: PERIOD_SECONDS,
  });

/** A new secret of 160 bits, in base32. */
export const newTotpSecret = (): string => new Secret({ size: 20 }).base32;

export const otpauthUrl = (secret: string, email: string): string => totpFor(secret, email).toString();

/** The time step of a six-digit code; undefined if it is not valid now. */
export function totpStep(secret: string, code: string, now: Date): number | undefined {
  const totp = totpFor(secret);
  const timestamp = now.getTime();
  const delta = totp.validate({ token: code, timestamp, window: WINDOW });
  return delta === null ? undefined : totp.counter({ timestamp }) + delta;
}

const RECOVERY_CODES = 10;

/** Ten codes of 80 bits, such as `K7QF-…`, each for one sign-in. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () => new Secret({ size: 10 }).base32.replace(/.{4}(?=.)/g, "$&-"));

export const normalizeCode = (code: string): string => code.replace(/[\s-]/g, "").toUpperCase();

export const isTotpCode = (plain: string): boolean => /^\d{6}$/.test(plain);
