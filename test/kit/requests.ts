import type { RouteConfig } from "@hono/zod-openapi";
import { type Belongings, type Document, type Memory, WORD } from "./belongings.ts";
import type { Client, Parts } from "./client.ts";
import { ask, type RpcAnswer } from "./mcp.ts";

// How people and assistants ask for something, and what that does to a model in memory.

export type Answer = {
  status: number;
  code: string | null;
  body: unknown;
  text: string;
  changeId: string | null;
};
type Headers = Record<string, string>;

/** How a request is sent, and what it leads to: `isKeyed` for one that takes a key. */
export type Request = {
  isKeyed: boolean;
  send: (headers: Headers) => Promise<Answer>;
  /** Changes the model; where the effect is left to be looked up, how many entries of the activity it may have. */
  effect: (model: Belongings, answer: Answer) => number | number[] | undefined;
};

export type Step = { action: string; pick: number; isKeyed: boolean };

export type Scene = { ada: Client; model: Belongings; pick: number; name: string; lastChange: string | null };

/** Builds the request of an action; undefined while there is nothing to do it to. */
export type Action = (scene: Scene) => Request | undefined;

export const pickOf = <Value>(all: Iterable<Value>, pick: number): Value | undefined => {
  const values = [...all];
  return values[pick % Math.max(1, values.length)];
};

export function through(
  scene: Scene,
  route: RouteConfig,
  parts: Parts,
  effect: Request["effect"] = () => undefined,
) {
  const send = async (headers: Headers): Promise<Answer> => {
    const answer = await scene.ada.call(route, { ...parts, headers: { ...parts.headers, ...headers } });
    const [code, changeId] = ["Error-Code", "Change-Id"].map((name) => answer.headers.get(name));
    return { ...answer, code: code ?? null, changeId: changeId ?? null };
  };
  const takesKey = JSON.stringify(Object.keys((route.request?.headers as { shape?: object })?.shape ?? {}));
  return { isKeyed: takesKey.includes("idempotency-key"), send, effect } satisfies Request;
}

/** An error of the protocol has no code, only words. */
function refusedAs(message: string): Omit<Answer, "text"> {
  const code = /^Internal/.test(message)
    ? "internal"
    : /unknown whether/.test(message)
      ? "outcome_unknown"
      : "unavailable";
  return { status: code === "internal" ? 500 : 503, code, body: undefined, changeId: null };
}

export function answerOf({ status, headers, result, error }: RpcAnswer): Answer {
  const [content] = (result?.content ?? []) as { text: string }[];
  if (error || !result)
    return { ...refusedAs(String(error?.message ?? status)), text: JSON.stringify(error) };
  const code = (result._meta as Headers | undefined)?.["commonplace/error-code"] ?? headers.get("Error-Code");
  const isPassing = code === "unavailable" || code === "outcome_unknown";
  return {
    ...{ status: !result.isError ? status : isPassing ? 503 : 400, code, changeId: null },
    ...{ text: content?.text ?? "", body: result.structuredContent },
  };
}

/** A call of a tool, as an assistant makes it. */
export function tool(
  { ada }: Scene,
  name: string,
  args: object,
  effect: Request["effect"] = () => undefined,
): Request {
  const send = async () => answerOf(await ask(ada, "tools/call", { name, arguments: args }));
  return { isKeyed: false, send, effect };
}

export const content = { format: "markdown", text: `Buy a ${WORD}` };
export const idIn = ({ body }: Answer) => String((body as { id: string | number }).id);
export const own = (model: Belongings, answer: Answer, document: Document) => {
  model.documents.set(idIn(answer), document);
  model.changes += 1;
  return undefined;
};

export const living = (all: Map<string, Document | Memory>) =>
  [...all].filter(([, { isTrashed }]) => !isTrashed).map(([id]) => id);
export const trashed = (all: Map<string, Document | Memory>) =>
  [...all].filter(([, { isTrashed }]) => isTrashed).map(([id]) => id);

type Which = (one: Document | Memory) => boolean;
export const isLiving: Which = ({ isTrashed }) => !isTrashed;
export const isTrashed: Which = (one) => one.isTrashed;
export const inStatus =
  (...statuses: string[]): Which =>
  (one) =>
    isLiving(one) && "status" in one && statuses.includes(one.status);

/** A request about a document or record; its change is made in the model. */
export function about<Of extends "documents" | "records">(
  [of, which]: [Of, Which],
  route: RouteConfig,
  parts: (scene: Scene) => Parts,
  change: (one: Document & Memory, scene: Scene) => unknown,
): Action {
  return (scene) => {
    const all = scene.model[of] as Map<string, Document | Memory>;
    const id = pickOf(
      [...all].filter(([, one]) => which(one)).map(([key]) => key),
      scene.pick,
    );
    if (id === undefined) return undefined;
    const params = { [of === "documents" ? "document_id" : "memory_id"]: id };
    return through(scene, route, { params, ...parts(scene) }, (model) => {
      change(model[of].get(id) as Document & Memory, scene);
      model.changes += 1;
      return undefined;
    });
  };
}

export const empty = () => ({ json: {} });
export const become = (fields: Partial<Document & Memory>) => (one: Document & Memory) =>
  Object.assign(one, fields);

export const read =
  (route: RouteConfig, parts: Parts = {}): Action =>
  (scene) =>
    through(scene, route, parts);

/** The effect is looked up afterwards: so many entries, or one of several numbers. */
export const entries = (count: (answer: Answer) => number | number[]) => (_: Belongings, answer: Answer) =>
  count(answer);

export const asked =
  (name: string, args: object = {}): Action =>
  (scene) =>
    tool(scene, name, args);

/** A tool that changes one document or record. */
export const onOne =
  (
    name: string,
    pickId: (scene: Scene) => string | undefined,
    args: (scene: Scene) => object = () => ({}),
  ): Action =>
  (scene) => {
    const id = pickId(scene);
    return id === undefined
      ? undefined
      : tool(
          scene,
          name,
          { id, ...args(scene) },
          entries(() => 1),
        );
  };

export const someLiving = (of: "documents" | "records") => (scene: Scene) =>
  pickOf(living(scene.model[of] as Map<string, Document>), scene.pick);
