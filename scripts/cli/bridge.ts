import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import type { BrowserSignIn } from "./sign-in.ts";

// Forwards MCP from standard input and output to an address, unchanged: both generations of the protocol, notifications
// and cancellation.

type Id = string | number;
type Message = {
  jsonrpc: "2.0";
  id?: Id;
  method?: string;
  params?: { requestId?: Id; _meta?: Record<string, unknown> };
  result?: { protocolVersion?: string };
};

/** How the bridge authenticates: with an API key, or by a sign-in in the browser. */
export type BridgeAuth = { key: string } | { signIn: BrowserSignIn };

/** How long to wait for the last answers after the client has closed the stream. */
const LAST_ANSWERS_MS = 2000;
const POLL_MS = 20;

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";

const write = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`);

/** The answer to a line that is no message, whose id is unknown (JSON-RPC 2.0, section 5). */
const writeError = (code: number, message: string) =>
  write({ jsonrpc: "2.0", id: null, error: { code, message } });

const isMessage = (value: unknown): value is Message => typeof value === "object" && value !== null;

const isModern = ({ params }: Message) => params?._meta?.[VERSION_KEY] !== undefined;

/** The JSON-RPC error for a rejected request, or for one without an answer. */
function jsonRpcError(problem: unknown): { code: number; message: string } {
  const { message, data } = problem as Error & { data?: { text?: string | null } };
  try {
    const { error, detail } = JSON.parse(data?.text ?? "") as {
      error?: { code: number; message: string };
      detail?: string;
    };
    if (error) return error;
    if (detail) return { code: -32000, message: detail };
  } catch {
    // The body is not from the service.
  }
  const cause = (problem as Error).cause;
  return { code: -32000, message: cause instanceof Error ? `${message}: ${cause.message}` : message };
}

const httpStatus = (problem: unknown) => (problem as { data?: { status?: number } }).data?.status;

export class Bridge {
  readonly #transport: StreamableHTTPClientTransport;
  readonly #access: BridgeAuth;
  /** Requests of the newer generation, which are cancelled by closing their connection. */
  readonly #abortable = new Map<Id, AbortController>();
  #initialize: Message | undefined;
  #signingIn: Promise<void> | undefined;
  readonly #unanswered = new Set<Id>();
  /** Resolves when the next message may be sent. */
  #previous: Promise<unknown> = Promise.resolve();
  /** The id of our own request that restarts the session. Its answer is not for the client. */
  #restartId: Id | undefined;
  #onRestarted: (() => void) | undefined;
  #restarting: Promise<void> | undefined;

  constructor(url: string, access: BridgeAuth) {
    this.#access = access;
    const options =
      "key" in access
        ? { requestInit: { headers: { Authorization: `Bearer ${access.key}` } } }
        : { authProvider: access.signIn.provider };
    this.#transport = new StreamableHTTPClientTransport(new URL(url), options);
    this.#transport.onmessage = (message) => this.#receive(message as Message);
  }

  #receive(message: Message): void {
    const version = message.result?.protocolVersion;
    if (message.id !== undefined && message.id === this.#initialize?.id && version)
      this.#transport.setProtocolVersion(version);
    if (message.id !== undefined) this.#forget(message.id);
    if (message.id !== undefined && message.id === this.#restartId) this.#onRestarted?.();
    else write(message);
  }

  #forget(id: Id): void {
    this.#abortable.delete(id);
    this.#unanswered.delete(id);
  }

  #signIn(): Promise<void> {
    const { signIn } = this.#access as { signIn: BrowserSignIn };
    this.#signingIn ??= signIn
      .waitForRedirect()
      .then((given) => this.#transport.finishAuth(given))
      .finally(() => {
        this.#signingIn = undefined;
      });
    return this.#signingIn;
  }

  /** Restarts a session that the service no longer knows, once for all requests that were sent in it. */
  #restartSession(initialize: Message, session: string | undefined): Promise<void> {
    if (this.#transport.sessionId === session)
      this.#restarting ??= this.#initializeAgain(initialize).finally(() => {
        this.#restarting = undefined;
      });
    return this.#restarting ?? Promise.resolve();
  }

  async #initializeAgain(initialize: Message): Promise<void> {
    const answered = new Promise<void>((done) => {
      this.#onRestarted = done;
    });
    this.#restartId = initialize.id;
    await this.#transport.send(initialize as never);
    await answered;
    this.#restartId = undefined;
    await this.#transport.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  }

  /** Recovers from a problem, so that the message can be sent again. Throws the problem if it cannot. */
  async #recover(problem: unknown, message: Message, session: string | undefined): Promise<void> {
    const isForgotten = httpStatus(problem) === 404 && message !== this.#initialize;
    if (problem instanceof UnauthorizedError && "signIn" in this.#access) return this.#signIn();
    if (isForgotten && this.#initialize) return this.#restartSession(this.#initialize, session);
    throw problem;
  }

  async #send(message: Message): Promise<void> {
    const controller = new AbortController();
    if (message.id !== undefined && isModern(message)) this.#abortable.set(message.id, controller);
    const session = this.#transport.sessionId;
    const send = () => this.#transport.send(message as never, { requestSignal: controller.signal });
    try {
      await send().catch((problem: unknown) => {
        if (controller.signal.aborted) throw problem;
        return this.#recover(problem, message, session).then(send);
      });
    } catch (problem) {
      if (!controller.signal.aborted) throw problem;
    }
  }

  #deliver(message: Message): Promise<void> {
    return this.#send(message).catch((problem: unknown) => {
      if (message.id === undefined) return console.error((problem as Error).message);
      this.#forget(message.id);
      write({ jsonrpc: "2.0", id: message.id, error: jsonRpcError(problem) });
    });
  }

  /** Forwards a message of the client. Requests run concurrently; notifications keep their order. */
  async forward(message: Message): Promise<void> {
    const { id, method, params } = message;
    const cancelled = method === "notifications/cancelled" ? params?.requestId : undefined;
    const controller = cancelled === undefined ? undefined : this.#abortable.get(cancelled);
    if (cancelled !== undefined) this.#forget(cancelled);
    if (controller) return controller.abort();
    if (id !== undefined && method !== undefined) this.#unanswered.add(id);
    if (method === "initialize") this.#initialize = message;
    const sent = this.#previous.then(() => this.#deliver(message));
    if (id === undefined || method === "initialize") this.#previous = sent;
    return sent;
  }

  #forwardLine(line: string): void {
    try {
      for (const message of [JSON.parse(line)].flat()) {
        if (isMessage(message)) void this.forward(message);
        else writeError(-32600, "Invalid Request");
      }
    } catch {
      writeError(-32700, "Parse error");
    }
  }

  /** Forwards messages, one per line, until the client closes the stream. Then writes the last answers and ends the session. */
  async run(input: NodeJS.ReadableStream): Promise<void> {
    await this.#transport.start();
    for await (const line of createInterface({ input })) {
      if (line.trim() !== "") this.#forwardLine(line);
    }
    const end = Date.now() + LAST_ANSWERS_MS;
    while (this.#unanswered.size > 0 && Date.now() < end) await sleep(POLL_MS);
    for (const controller of this.#abortable.values()) controller.abort();
    await this.#transport.terminateSession().catch(() => undefined);
    await this.#transport.close();
  }
}
