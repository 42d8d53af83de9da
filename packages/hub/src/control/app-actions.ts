import { PincerError } from '../core/errors.ts';
import { bindRoutes } from './bind-routes.ts';
import type { AppSessionReport } from './contract/machine.ts';

/** Sessions of apps, where the app proxy runs. */
export interface AppSessionDesk {
  list(): Promise<readonly AppSessionReport[]>;
  /** Ends a session, and with it its bridge. False: there is none. */
  end(id: string): Promise<boolean>;
}

export interface AppParts {
  /** Undefined: no app proxy runs here. */
  readonly appSessions?: AppSessionDesk | undefined;
}

export const appActions = ({ appSessions }: AppParts) =>
  bindRoutes({
    async 'GET sessions'({ query: { app } }) {
      const sessions = (await appSessions?.list()) ?? [];
      return {
        hasProxy: appSessions !== undefined,
        sessions: sessions.filter((session) => (app ?? session.app) === session.app),
      };
    },
    async 'DELETE sessions'({ query: { id } }) {
      if (appSessions === undefined)
        throw new PincerError('SESSION_UNKNOWN', 'The hub that runs has no app proxy, and so no sessions.', {
          hint: 'Stop it, and run `pincer up`.',
        });
      if (!(await appSessions.end(id)))
        throw new PincerError('SESSION_UNKNOWN', `There is no session "${id}", or it has expired.`, {
          hint: '`pincer sessions` lists them with their ids.',
        });
    },
  });
