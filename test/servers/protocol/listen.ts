import { callKey, type Connection, type Decision } from '../connection.ts';
import type { Inbound } from '../inbound.ts';
import { isObject } from '../json.ts';
import { notificationMessage } from '../outbound.ts';
import type { FixtureState } from '../state.ts';

/** subscriptions/listen: a stream that announces changed tools until the client ends it. */
export function listen(state: FixtureState, inbound: Inbound, connection: Connection): Decision {
  const asked = inbound.params['notifications'];
  const wanted = isObject(asked) && asked['toolsListChanged'] === true;
  const _meta = { 'io.modelcontextprotocol/subscriptionId': inbound.id };
  const notifications = wanted ? { toolsListChanged: true } : {};
  return {
    kind: 'start',
    stream: true,
    run(channel) {
      const { signal } = state.calls.open(callKey(connection, inbound.rawId), inbound.id);
      channel.send(notificationMessage('notifications/subscriptions/acknowledged', { _meta, notifications }));
      if (wanted) {
        state.subscribers.set(signal, (method) => channel.send(notificationMessage(method, { _meta })));
      }
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          state.subscribers.delete(signal);
          resolve(undefined);
        });
      });
    },
  };
}
