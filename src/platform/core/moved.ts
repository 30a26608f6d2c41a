import { accountName, HOME_PATTERN } from "../../contract/home.ts";
import { AppError } from "./errors.ts";
import { remembering } from "./recent.ts";

// A credential that names the former shard of a migrated account is redirected to the new one.

/** The shard of an account, and the account's number there. */
export type Place = { home: number; owner: number };

const RETRY_SECONDS = "5";

/** The account is in another shard. If the request is not redirected, the client can repeat it. */
export class Moved extends AppError {
  readonly to: Place;

  constructor(to: Place) {
    super(503, "Your account has just been moved to another database: try again", {
      "Retry-After": RETRY_SECONDS,
    });
    this.to = to;
  }
}

const LOCATION = new RegExp(`^(${HOME_PATTERN}) ([1-9]\\d*)$`);

export function movedTo(location: string): Moved {
  const [, home, owner] = LOCATION.exec(location) ?? [];
  return new Moved({ home: Number(home), owner: Number(owner) });
}

const MAX_KNOWN = 10_000;

/** New locations of migrated accounts by their former one. Account numbers are never reused. */
const locations = remembering<string, Place>(MAX_KNOWN);

export const rememberMove = (from: Place, to: Place): void => locations.set(accountName(from), to);

/** The credential with the current location of its account, as far as this isolate knows. */
export function followed<Credential extends Place>(credential: Credential): Credential {
  let current: Place = credential;
  for (let next = locations.get(accountName(current)); next; next = locations.get(accountName(current)))
    current = next;
  return current === credential ? credential : { ...credential, home: current.home, owner: current.owner };
}
