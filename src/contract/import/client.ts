/** The service rejected the request. Status 0: the file itself cannot be read. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** No further requests are possible: the service is unreachable or rejects the credentials. */
export class Stopped extends Error {}

export type Request = {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  body?: unknown;
  /** Sent unchanged instead of a JSON body; the headers contain its type. */
  raw?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
};

export type Client = {
  /** Sends a request for the account. Throws `Refused` or `Stopped`. */
  send: <Body>(request: Request) => Promise<Body>;
};
