import { PincerError } from '../../core/errors.ts';
import type { ControlActions } from './control.ts';

/** Sessions of apps, where the app proxy runs. */
export interface AppSessionDesk {
  list(): readonly { readonly id: string; readonly app: string }[];
  /** Ends a session, and with it its bridge. False: there is none. */
  end(id: string): boolean;
}

export interface AppParts {
  /** Undefined: no app proxy runs here. */
  readonly appSessions?: AppSessionDesk | undefined;
}

export const appActions = ({ appSessions }: AppParts): ControlActions => ({
  'GET sessions'({ query }) {
    const app = query.get('app');
    const sessions = appSessions?.list().filter((session) => (app ?? session.app) === session.app);
    return { hasProxy: appSessions !== undefined, sessions: sessions ?? [] };
  },
  'DELETE sessions'({ query }) {
    if (appSessions === undefined)
      throw new PincerError('SESSION_UNKNOWN', 'The hub that runs has no app proxy, and so no sessions.', {
        hint: 'Stop it, and run `pincer up`.',
      });
    const id = query.get('id') ?? '';
    if (!appSessions.end(id))
      throw new PincerError('SESSION_UNKNOWN', `There is no session "${id}", or it has expired.`, {
        hint: '`pincer sessions` lists them with their ids.',
      });
  },
});
