import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { McpAgent } from "agents/mcp";
import { unpackJson } from "../../platform/core/bytes.ts";
import { CALLER_HEADER, type ClientCtx, clientName, ctxOf, readCaller } from "./caller.ts";
import { lastingEvents, RETENTION_SECONDS } from "./events.ts";
import { BEGIN_HEADER } from "./one-request.ts";
import { answer, type Method } from "./register.ts";
import { SERVER_INFO, SERVER_OPTIONS } from "./server-info.ts";

/** After this long without a request a session is erased; its client has to initialize a new one. */
const IDLE_SECONDS = 86_400;
/** The last use is stored at most this often, to save writes. */
const NOTED_EVERY_MS = 3_600_000;
const LAST_USED = "last_used";

const SCHEMAS = {
  "tools/list": ListToolsRequestSchema,
  "tools/call": CallToolRequestSchema,
  "resources/list": ListResourcesRequestSchema,
  "resources/templates/list": ListResourceTemplatesRequestSchema,
  "resources/read": ReadResourceRequestSchema,
  "prompts/list": ListPromptsRequestSchema,
  "prompts/get": GetPromptRequestSchema,
} satisfies Record<Method, unknown>;

const schemas = new Map<unknown, (typeof SCHEMAS)[Method]>(Object.entries(SCHEMAS));

/** Whether a message is a request that reaches `answer`, rather than a protocol error. */
export const isAnswered = (message: { method?: unknown; id?: unknown }): boolean =>
  message.id !== undefined && (schemas.get(message.method)?.safeParse(message).success ?? false);

type Extra = { requestInfo?: { headers: Record<string, string | string[] | undefined> } };

/** The initialize request and recent events of a session up to 2025-11-25. No user: every request brings its caller. */
export class McpSession extends McpAgent {
  /** The library stores and compares the name of the class, which is another one in a minified bundle. */
  static override readonly name = "McpSession";

  server = new Server(SERVER_INFO, SERVER_OPTIONS);

  override async init(): Promise<void> {
    for (const [method, schema] of Object.entries(SCHEMAS)) {
      this.server.setRequestHandler(
        schema as typeof ListToolsRequestSchema,
        async (request, extra) =>
          (await answer(method as Method, request.params, this.ctxOfRequest(extra as Extra))) as never,
      );
    }
    await this.schedule(IDLE_SECONDS, "eraseWhenIdle", undefined, { idempotent: true });
  }

  /** Takes a message, after what one-request.ts sends with it. Answers 404 if the session was never initialized. */
  override async fetch(request: Request): Promise<Response> {
    const begin = request.headers.get(BEGIN_HEADER);
    if (begin) {
      await this.setInitializeRequest(unpackJson(begin) as Parameters<McpAgent["setInitializeRequest"]>[0]);
    } else if (!(await this.getInitializeRequest())) {
      await this.eraseUnused();
      return new Response(null, { status: 404 });
    }
    return super.fetch(request);
  }

  /** Erases what merely starting the object has written. An ended session is erased by its alarm. */
  private async eraseUnused(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.deleteAll();
  }

  private readonly events = lastingEvents(this.ctx.storage, Date.now, () =>
    this.schedule(RETENTION_SECONDS, "forgetEvents", undefined, { idempotent: true }),
  );

  protected override getEventStore() {
    return this.events.store;
  }

  async forgetEvents(): Promise<void> {
    if (await this.events.forget()) await this.schedule(RETENTION_SECONDS, "forgetEvents");
  }

  private ctxOfRequest({ requestInfo }: Extra): ClientCtx {
    const caller = readCaller(String(requestInfo?.headers[CALLER_HEADER]));
    const own = this.server.getClientVersion();
    const client_name = caller.client_name ?? clientName(own?.title ?? own?.name);
    return ctxOf(this.env, { ...caller, client_name });
  }

  override async onConnect(...[connection, context]: Parameters<McpAgent["onConnect"]>): Promise<void> {
    const now = Date.now();
    const noted = this.ctx.storage.kv.get<number>(LAST_USED) ?? 0;
    if (now - noted > NOTED_EVERY_MS) this.ctx.storage.kv.put(LAST_USED, now);
    await super.onConnect(connection, context);
  }

  async eraseWhenIdle(): Promise<void> {
    const idleFor = Date.now() - (this.ctx.storage.kv.get<number>(LAST_USED) ?? 0);
    if (idleFor >= IDLE_SECONDS * 1000) await this.destroy();
    else await this.schedule(IDLE_SECONDS, "eraseWhenIdle", undefined, { idempotent: false });
  }
}
