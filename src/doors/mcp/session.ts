import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { McpAgent } from "agents/mcp";
import { SERVER_INFO, SERVER_OPTIONS } from "./server-info.ts";

/** After this long without a request a session is erased; its client has to initialize a new one. */
const IDLE_MS = 86_400_000;
/** The last use is stored at most this often, to save writes. */
const NOTED_EVERY_MS = 3_600_000;
/** How long an answer is kept for a client that lost its connection. */
const RETENTION_MS = 300_000;
/** How long a client that asks for an answer waits until there is one. Then it asks again, and its token is checked. */
const WAIT_MS = 5_000;
/** A value in the storage of an object has at most 2 MB. */
const MAX_KEPT_BYTES = 1_900_000;

const LAST_USED = "last_used";
const ANSWERS = "answer:";
const DIGITS = 14;

const keyOf = (streamId: string, at: number) => `${ANSWERS}${String(at).padStart(DIGITS, "0")}:${streamId}`;
const keptAt = (key: string) => Number(key.slice(ANSWERS.length, ANSWERS.length + DIGITS));

type Stored = Parameters<McpAgent["setInitializeRequest"]>[0];
export type Initialize = Stored & { params?: { clientInfo?: { name?: unknown; title?: unknown } } };

/**
 * The initialize request and recent answers of a session up to 2025-11-25. No user: every request brings its caller. Calls
 * are answered before they get here (serve-session.ts), because the library writes eight rows for each. For the same
 * reason it must not run its own start, which calling an `async` method would begin: those that are called are not `async`.
 */
export class McpSession extends McpAgent {
  readonly server = new Server(SERVER_INFO, SERVER_OPTIONS);
  private readonly waiting = new Map<string, (answer: string) => void>();

  override init(): Promise<void> {
    return Promise.resolve();
  }

  /** A session needs none of the library's tables, and each of their rows is billed. */
  protected override _ensureSchema(): void {}

  /** Nobody asks a session by HTTP: the library would begin with its own start, and fail without its tables. */
  override fetch(): Promise<Response> {
    return Promise.resolve(new Response(null, { status: 404 }));
  }

  private get storage() {
    return this.ctx.storage;
  }

  /** Two rows, and the alarm. */
  begin(request: Initialize): Promise<unknown> {
    this.storage.kv.put(LAST_USED, Date.now());
    return Promise.all([this.setInitializeRequest(request), this.storage.setAlarm(Date.now() + IDLE_MS)]);
  }

  /** What the session began with; undefined for one that was never initialized, or was erased. */
  open(): Promise<Initialize | undefined> {
    return this.getInitializeRequest().then((began) => {
      if (began) this.noteUse();
      return began;
    });
  }

  /** Keeps an answer for minutes, which is one row; false if the session has ended. */
  keep(streamId: string, answer: string): Promise<boolean> {
    return this.open().then((began) => {
      if (!began) return false;
      this.waiting.get(streamId)?.(answer);
      const isShort = answer.length * 3 <= MAX_KEPT_BYTES || new Blob([answer]).size <= MAX_KEPT_BYTES;
      return isShort ? this.store(streamId, answer) : true;
    });
  }

  /** A kept answer, or one that arrives soon; undefined if there is none. */
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
    const kept = [...this.storage.kv.list({ prefix: ANSWERS })].map(([key]) => key);
    const old = kept.filter((key) => keptAt(key) <= now - RETENTION_MS);
    for (const key of old) this.storage.kv.delete(key);
    const next = kept.find((key) => !old.includes(key));
    await this.storage.setAlarm(next ? keptAt(next) + RETENTION_MS : idleSince + IDLE_MS);
  }

  private store(streamId: string, answer: string): Promise<boolean> {
    const now = Date.now();
    this.storage.kv.put(keyOf(streamId, now), answer);
    return this.storage.getAlarm().then(async (alarm) => {
      if (alarm === null || alarm > now + RETENTION_MS) await this.storage.setAlarm(now + RETENTION_MS);
      return true;
    });
  }

  private noteUse(): void {
    const noted = this.storage.kv.get<number>(LAST_USED) ?? 0;
    if (Date.now() - noted > NOTED_EVERY_MS) this.storage.kv.put(LAST_USED, Date.now());
  }
}
