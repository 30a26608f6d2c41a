// Receivers of messages, in the process of the test runner. Each path is one: it keeps what it is sent, and answers as it
// was told to.

export const RECEIVERS = "receivers.example.com";

/** What a receiver was sent. */
export type Received = { headers: Record<string, string>; body: string; bytes: number[] };

/** How a receiver answers: a status, or in a way that no good receiver does. */
export type Manner = number | "redirect" | "endless";

type Receiver = { manner: Manner; received: Received[] };

const receivers = new Map<string, Receiver>();

const receiverAt = (path: string): Receiver => {
  const receiver = receivers.get(path) ?? { manner: 200, received: [] };
  receivers.set(path, receiver);
  return receiver;
};

/** A body that nobody would wait for. */
const endless = () => {
  let left = 10_000;
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      if (--left === 0) return controller.close();
      controller.enqueue(new Uint8Array(64 * 1024));
      await new Promise((wake) => setTimeout(wake, 1));
    },
  });
};

const ODD: Record<Exclude<Manner, number>, () => Response> = {
  redirect: () =>
    new Response(null, { status: 307, headers: { Location: `https://${RECEIVERS}/elsewhere` } }),
  endless: () => new Response(endless()),
};

/** Answers a request to a receiver. PUT tells it how to answer from now on; GET answers what it was sent. */
export async function receive(request: Request): Promise<Response> {
  const receiver = receiverAt(new URL(request.url).pathname);
  if (request.method === "PUT") {
    receiver.manner = (await request.json()) as Manner;
    return new Response(null, { status: 204 });
  }
  if (request.method === "GET") return Response.json(receiver.received);
  const bytes = new Uint8Array(await request.arrayBuffer());
  const body = new TextDecoder().decode(bytes);
  receiver.received.push({ headers: Object.fromEntries(request.headers), body, bytes: [...bytes] });
  const { manner } = receiver;
  return typeof manner === "number" ? new Response(null, { status: manner }) : ODD[manner]();
}
