import { accountName, HOME_PATTERN } from "../../contract/home.ts";
import { AppError } from "./errors.ts";
import { remembering } from "./recent.ts";

// A credential that names the previous home of a moved account is led on to the new one.

export type Place = { home: number; owner: number };

const RETRY_SECONDS = "5";

/** The account is in another home. Where nobody leads the request on, it can be repeated. */
export class Moved extends AppError {
  readonly to: Place;

  constructor(to: Place) {
    super(503, "Your account has just been moved to another database: try again", {
      "Retry-After": RETRY_SECONDS,
    });
    this.to = to;
  }
}

const PLACE = new RegExp(`^(${HOME_PATTERN}) ([1-9]\\d*)$`);

export function movedTo(place: string): Moved {
  const [, home, owner] = PLACE.exec(place) ?? [];
  return new Moved({ home: Number(home), owner: Number(owner) });
}

const MAX_KNOWN = 10_000;

/** What this isolate knows of accounts that were moved: where they went from a place. Numbers are never used again. */
const known = remembering<string, Place>(MAX_KNOWN);

export const rememberMove = (from: Place, to: Place): void => known.set(accountName(from), to);

export function followed<Credential extends Place>(credential: Credential): Credential {
  let at: Place = credential;
  for (let next = known.get(accountName(at)); next; next = known.get(accountName(at))) at = next;
  return at === credential ? credential : { ...credential, home: at.home, owner: at.owner };
}
