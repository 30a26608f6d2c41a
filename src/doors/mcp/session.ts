import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { McpAgent } from "agents/mcp";
import { SERVER_INFO, SERVER_OPTIONS } from "./server-info.ts";

/** After this long without a request a session is erased; its client has to initialize a new one. */
const IDLE_MS = 86_400_000;
/** The last use is stored at most this often, to save writes. */
const USE_INTERVAL_MS = 3_600_000;
/** How long an answer is kept for a client that lost its connection. */
const RETENTION_MS = 300_000;
/** How long a request waits for an answer that is not there yet. Then the client asks again, and its token is checked. */
const WAIT_MS = 5_000;
/** Values in the storage of an object have at most 2 MB. */
const MAX_KEPT_BYTES = 1_900_000;

const LAST_USED = "last_used";
const ANSWERS = "answer:";
const DIGITS = 14;

const answerKey = (streamId: string, at: number) =>
  `${ANSWERS}${String(at).padStart(DIGITS, "0")}:${streamId}`;
const timeInKey = (key: string) => Number(key.slice(ANSWERS.length, ANSWERS.length + DIGITS));

type Stored = Parameters<McpAgent["setInitializeRequest"]>[0];
export type InitializeRequest = Stored & { params?: { clientInfo?: { name?: unknown; title?: unknown } } };

/**
 * The initialize request and recent answers of a session up to 2025-11-25. It stores no user: every request has its caller.
 * Calls are answered in serve-session.ts, because the library would write eight rows for each. For the same reason, the
 * library's own start must not run. Calling an `async` method would trigger it, so the methods called are not `async`.
 */
export class McpSession extends McpAgent {
  readonly server = new Server(SERVER_INFO, SERVER_OPTIONS);
  private readonly waiting = new Map<string, (answer: string) => void>();

  override init(): Promise<void> {
    return Promise.resolve();
  }

  /** A session does not need the library's tables, whose rows are billed. */
  protected override _ensureSchema(): void {}

  /** Sessions are not called by HTTP. The library would run its own start, and fail without its tables. */
  override fetch(): Promise<Response> {
    return Promise.resolve(new Response(null, { status: 404 }));
  }

  private get storage() {
    return this.ctx.storage;
  }

  /** Writes two rows and the alarm. */
  begin(request: InitializeRequest): Promise<unknown> {
    this.storage.kv.put(LAST_USED, Date.now());
    return Promise.all([this.setInitializeRequest(request), this.storage.setAlarm(Date.now() + IDLE_MS)]);
  }

  /** The initialize request; undefined for a session that was never initialized or has been erased. */
  open(): Promise<InitializeRequest | undefined> {
    return this.getInitializeRequest().then((request) => {
      if (request) this.recordUse();
      return request;
    });
  }

  /** Stores an answer for minutes, in one row. False if the session has ended. */
  keep(streamId: string, answer: string): Promise<boolean> {
    return this.open().then((request) => {
      if (!request) return false;
      this.waiting.get(streamId)?.(answer);
      const isShort = answer.length * 3 <= MAX_KEPT_BYTES || new Blob([answer]).size <= MAX_KEPT_BYTES;
      return isShort ? this.store(streamId, answer) : true;
    });
  }

  /** A stored answer, or one that arrives within seconds; undefined if there is none. */
  resume(streamId: string): Promise<string | undefined> {
    for (const [key, answer] of this.storage.kv.list<string>({ prefix: ANSWERS }))
      if (key.endsWith(streamId)) return Promise.resolve(answer);
    return new Promise((done) => {
      const end = (answer?: string) => {
        this.waiting.delete(streamId);
        clearTimeout(timer);
        done(answer);
      };
      const timer = setTimeout(end, WAIT_MS);
      this.waiting.set(streamId, end);
    });
  }

  end(): Promise<unknown> {
    return Promise.all([this.storage.deleteAlarm(), this.storage.deleteAll()]);
  }

  override async alarm(): Promise<void> {
    const now = Date.now();
    const idleSince = this.storage.kv.get<number>(LAST_USED) ?? 0;
    if (now - idleSince >= IDLE_MS) return void (await this.end());
    const keys = [...this.storage.kv.list({ prefix: ANSWERS })].map(([key]) => key);
    const expired = keys.filter((key) => timeInKey(key) <= now - RETENTION_MS);
    for (const key of expired) this.storage.kv.delete(key);
    const next = keys.find((key) => !expired.includes(key));
    await this.storage.setAlarm(next ? timeInKey(next) + RETENTION_MS : idleSince + IDLE_MS);
  }

  private store(streamId: string, answer: string): Promise<boolean> {
    const now = Date.now();
    this.storage.kv.put(answerKey(streamId, now), answer);
    return this.storage.getAlarm().then(async (alarm) => {
      if (alarm === null || alarm > now + RETENTION_MS) await this.storage.setAlarm(now + RETENTION_MS);
      return true;
    });
  }

  private recordUse(): void {
    const lastUsed = this.storage.kv.get<number>(LAST_USED) ?? 0;
    if (Date.now() - lastUsed > USE_INTERVAL_MS) this.storage.kv.put(LAST_USED, Date.now());
  }
}
