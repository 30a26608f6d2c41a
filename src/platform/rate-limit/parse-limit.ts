export type AttemptLimit = { attempts: number; seconds: number };

/** Parses a setting of the form `attempts/seconds`. Throws for any other form: a typo must not disable a limit. */
export function parseLimit(name: string, setting: string | undefined): AttemptLimit {
  const [, attempts, seconds] = /^([1-9]\d{0,5})\/([1-9]\d{0,5})$/.exec(setting ?? "") ?? [];
  if (!attempts || !seconds) throw new Error(`${name} must look like 10/60 (attempts/seconds)`);
  return { attempts: Number(attempts), seconds: Number(seconds) };
}
