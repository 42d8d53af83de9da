import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

/** Stores the events of all streams of a session, so that a client can resume a closed one. */
export function createEventStore(): EventStore {
  const events: { stream: string; message: JSONRPCMessage }[] = [];
  const streamOf = (id: string): string | undefined => events[Number(id)]?.stream;
  return {
    storeEvent: async (stream, message) => String(events.push({ stream, message }) - 1),
    getStreamIdForEventId: async (id) => streamOf(id),
    async replayEventsAfter(lastId, { send }) {
      const stream = streamOf(lastId);
      if (stream === undefined) throw new Error('no such event');
      for (let at = Number(lastId) + 1; at < events.length; at++) {
        const event = events[at]!;
        // The first event of a stream contains only its id.
        if (event.stream === stream && Object.keys(event.message).length > 0)
          await send(String(at), event.message);
      }
      return stream;
    },
  };
}
