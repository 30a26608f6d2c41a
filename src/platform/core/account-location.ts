import { globalAccountId, SHARD_PATTERN } from "../../contract/shard.ts";
import { AppError } from "./errors.ts";
import { createRecentMap } from "./recent-map.ts";

// A credential that names the former shard of a migrated account is redirected to the new one.

/** The shard of an account, and the account's number there. */
export type AccountLocation = { shard: number; owner: number };

const RETRY_SECONDS = "5";

/** The account is in another shard. If the request is not redirected, the client can repeat it. */
export class AccountMovedError extends AppError {
  readonly location: AccountLocation;

  constructor(to: AccountLocation) {
    super(503, "Your account has just been moved to another database: try again", {
      "Retry-After": RETRY_SECONDS,
    });
    this.location = to;
  }
}

const LOCATION = new RegExp(`^(${SHARD_PATTERN}) ([1-9]\\d*)$`);

export function parseMovedError(location: string): AccountMovedError {
  const [, home, owner] = LOCATION.exec(location) ?? [];
  return new AccountMovedError({ shard: Number(home), owner: Number(owner) });
}

const MAX_KNOWN = 10_000;

/** New locations of migrated accounts by their former one. Account numbers are never reused. */
const locations = createRecentMap<string, AccountLocation>(MAX_KNOWN);

export const rememberMigration = (from: AccountLocation, to: AccountLocation): void =>
  locations.set(globalAccountId(from), to);

/** The credential with the current location of its account, as far as this isolate knows. */
export function withCurrentLocation<Credential extends AccountLocation>(credential: Credential): Credential {
  const next = locations.get(globalAccountId(credential));
  return next ? withCurrentLocation({ ...credential, shard: next.shard, owner: next.owner }) : credential;
}
