export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** No more requests can be made: the service is unreachable, or refuses the credentials. */
export class Stopped extends Error {}

export type Request = {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  body?: unknown;
  /** Sent as it is, in place of a body in JSON; its type is among the headers. */
  raw?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
};

export type Client = {
  /** Sends a request for the account. Throws `Refused` or `Stopped`. */
  send: <Body>(request: Request) => Promise<Body>;
};
