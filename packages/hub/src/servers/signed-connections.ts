/** Connections that somebody has opened for themselves: they end with the sign-in that they were opened with. */
import type { Connection } from './connection/connection.ts';
import { signInOver } from './http/not-signed.ts';
import type { ServerTokens } from './oauth/grants/server-tokens.ts';

type Opened = Pick<Connection, 'retire' | 'isOpen'>;

export interface SignedConnections {
  add(connection: Opened, tokens: ServerTokens | undefined): void;
  drop(connection: Opened): void;
  /** Records have changed. What is under way may still end. */
  recheck(): void;
}

export function createSignedConnections(server: string): SignedConnections {
  const opened = new Map<Opened, { readonly tokens: ServerTokens; readonly signInId: string }>();
  return {
    add(connection, tokens) {
      const signInId = tokens?.grant?.signInId;
      if (tokens?.isPerCaller === true && signInId !== undefined && connection.isOpen)
        opened.set(connection, { tokens, signInId });
    },
    drop: (connection) => void opened.delete(connection),
    recheck() {
      for (const [connection, { tokens, signInId }] of opened)
        tokens.look().then(
          (grant) => {
            if (grant?.signInId !== signInId || grant.refused !== undefined)
              connection.retire(signInOver(server));
          },
          // What cannot be read now ends nothing: requests say why they cannot be signed.
          () => undefined,
        );
    },
  };
}
