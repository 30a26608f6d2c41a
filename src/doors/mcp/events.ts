import type { EventStore } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { DurableObjectEventStore } from "agents/mcp";

// Keeps events for a client that lost its connection: the library drops a stream after its last one, even unread.

export const RETENTION_SECONDS = 300;
const STREAMS = "streams";
const DIGITS = 16;

type Stream = [id: string, began: number];

/** The first event of a stream. Its id lets a client ask for everything after it. */
export const firstEvent = (streamId: string): string => `id: ${streamId}:${"0".repeat(DIGITS)}\ndata: \n\n`;

type Lasting = {
  store: EventStore;
  forget: () => Promise<boolean>;
};

/** Keeps a stream's events for minutes; `remind` is called when there are some to erase after RETENTION_SECONDS. */
export function lastingEvents(
  storage: DurableObjectStorage,
  now: () => number,
  remind: () => Promise<unknown>,
): Lasting {
  const events = new DurableObjectEventStore(storage);
  const known = () => storage.kv.get<Stream[]>(STREAMS) ?? [];
  const forget = async () => {
    const oldest = now() - RETENTION_SECONDS * 1000;
    const streams = known();
    const kept = streams.filter(([, began]) => began > oldest);
    storage.kv.put(STREAMS, kept);
    for (const [id] of streams.filter((stream) => !kept.includes(stream))) await events.clearStream(id);
    return kept.length > 0;
  };
  const begin = async (streamId: string) => {
    const streams = known();
    if (streams.some(([id]) => id === streamId)) return;
    storage.kv.put(STREAMS, [...streams, [streamId, now()]]);
    if (streams.length === 0) await remind();
  };
  return {
    store: {
      storeEvent: async (streamId, message) => {
        await begin(streamId);
        return events.storeEvent(streamId, message);
      },
      getStreamIdForEventId: (eventId) => events.getStreamIdForEventId(eventId),
      replayEventsAfter: (lastEventId, sender) => events.replayEventsAfter(lastEventId, sender),
    },
    forget,
  };
}
