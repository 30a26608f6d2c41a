/** The service rejected the request. Status 0: the file itself cannot be read. */
export class RequestRejectedError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** No further requests are possible: the service is unreachable or rejects the credentials. */
export class ClientStoppedError extends Error {}

export type ApiRequest = {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  body?: unknown;
  /** Sent unchanged instead of a JSON body; the headers contain its type. */
  raw?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
};

export type ApiClient = {
  /** Sends a request for the account. Throws `RequestRejectedError` or `ClientStoppedError`. */
  send: <Body>(request: ApiRequest) => Promise<Body>;
};
