import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import type { SignIn } from "./sign-in.ts";

// MCP on standard input and output, passed on to an address as it is: both generations, notifications, cancellation.

type Id = string | number;
type Message = {
  jsonrpc: "2.0";
  id?: Id;
  method?: string;
  params?: { requestId?: Id; _meta?: Record<string, unknown> };
  result?: { protocolVersion?: string };
};

/** What opens the address: a key, or a person in a browser. */
export type Access = { key: string } | { signIn: SignIn };

/** How long answers are waited for once a client has closed the stream, and how often we look. */
const LAST_ANSWERS_MS = 2000;
const LOOK_MS = 20;

const VERSION = "io.modelcontextprotocol/protocolVersion";

const write = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`);

const isModern = ({ params }: Message) => params?._meta?.[VERSION] !== undefined;

/** What the service said of a request that it refused, or why nothing answered. */
function wordsOf(problem: unknown): { code: number; message: string } {
  const { message, data } = problem as Error & { data?: { text?: string | null } };
  try {
    const { error, detail } = JSON.parse(data?.text ?? "") as {
      error?: { code: number; message: string };
      detail?: string;
    };
    if (error) return error;
    if (detail) return { code: -32000, message: detail };
  } catch {
    // Not an answer of the service.
  }
  const cause = (problem as Error).cause;
  return { code: -32000, message: cause instanceof Error ? `${message}: ${cause.message}` : message };
}

const statusOf = (problem: unknown) => (problem as { data?: { status?: number } }).data?.status;

export class Bridge {
  readonly #transport: StreamableHTTPClientTransport;
  readonly #access: Access;
  /** Requests of the newer generation, which end when the connection that waits for them does. */
  readonly #waiting = new Map<Id, AbortController>();
  #initialize: Message | undefined;
  #signingIn: Promise<void> | undefined;
  /** Requests that have no answer yet. */
  readonly #unanswered = new Set<Id>();
  /** What has to have arrived before the next message. */
  #before: Promise<unknown> = Promise.resolve();
  /** Whose answer is not for the client: a session that we have begun again. */
  #ownId: Id | undefined;
  #begun: (() => void) | undefined;

  constructor(url: string, access: Access) {
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
    if (message.id !== undefined) this.#ended(message.id);
    if (message.id !== undefined && message.id === this.#ownId) this.#begun?.();
    else write(message);
  }

  #ended(id: Id): void {
    this.#waiting.delete(id);
    this.#unanswered.delete(id);
  }

  /** Signs in once, however many requests wait for it. */
  #signIn(): Promise<void> {
    const { signIn } = this.#access as { signIn: SignIn };
    this.#signingIn ??= signIn
      .answer()
      .then((given) => this.#transport.finishAuth(given))
      .finally(() => {
        this.#signingIn = undefined;
      });
    return this.#signingIn;
  }

  /** Begins the session again that the service has forgotten. */
  async #beginAgain(initialize: Message): Promise<void> {
    const answered = new Promise<void>((done) => {
      this.#begun = done;
    });
    this.#ownId = initialize.id;
    await this.#transport.send(initialize as never);
    await answered;
    this.#ownId = undefined;
    await this.#transport.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  }

  /** Mends what stands in the way of a message, so that it can be sent again. Throws what cannot be mended. */
  async #mend(problem: unknown, message: Message): Promise<void> {
    const isForgotten = statusOf(problem) === 404 && message !== this.#initialize;
    if (problem instanceof UnauthorizedError && "signIn" in this.#access) return this.#signIn();
    if (isForgotten && this.#initialize) return this.#beginAgain(this.#initialize);
    throw problem;
  }

  async #send(message: Message): Promise<void> {
    const controller = new AbortController();
    if (message.id !== undefined && isModern(message)) this.#waiting.set(message.id, controller);
    const send = () => this.#transport.send(message as never, { requestSignal: controller.signal });
    try {
      await send().catch((problem: unknown) => {
        if (controller.signal.aborted) throw problem;
        return this.#mend(problem, message).then(send);
      });
    } catch (problem) {
      if (!controller.signal.aborted) throw problem;
    }
  }

  #deliver(message: Message): Promise<void> {
    return this.#send(message).catch((problem: unknown) => {
      if (message.id === undefined) return console.error((problem as Error).message);
      this.#ended(message.id);
      write({ jsonrpc: "2.0", id: message.id, error: wordsOf(problem) });
    });
  }

  /** Passes a message of the client on. Requests run side by side; notifications keep their place. */
  async take(message: Message): Promise<void> {
    const { id, method, params } = message;
    const cancelled = method === "notifications/cancelled" ? params?.requestId : undefined;
    const waiting = cancelled === undefined ? undefined : this.#waiting.get(cancelled);
    if (cancelled !== undefined) this.#ended(cancelled);
    if (waiting) return waiting.abort();
    if (id !== undefined && method !== undefined) this.#unanswered.add(id);
    if (method === "initialize") this.#initialize = message;
    const sent = this.#before.then(() => this.#deliver(message));
    if (id === undefined || method === "initialize") this.#before = sent;
    return sent;
  }

  /** Reads messages, one a line, until the client closes the stream; then gives the last answers and ends the session. */
  async run(input: NodeJS.ReadableStream): Promise<void> {
    await this.#transport.start();
    for await (const line of createInterface({ input })) {
      if (line.trim() === "") continue;
      try {
        const messages = [JSON.parse(line)].flat() as Message[];
        for (const message of messages) void this.take(message);
      } catch {
        write({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } });
      }
    }
    const end = Date.now() + LAST_ANSWERS_MS;
    while (this.#unanswered.size > 0 && Date.now() < end) await sleep(LOOK_MS);
    for (const controller of this.#waiting.values()) controller.abort();
    await this.#transport.terminateSession().catch(() => undefined);
    await this.#transport.close();
  }
}
