/** Routes about this machine, its node, and the sessions of apps. */
import { PincerError } from '../core/errors.ts';
import { bindRoutes } from './bind-routes.ts';
import type { AppSessionReport, DeviceReport } from './contract/machine.ts';

export interface DeviceParts {
  /** Undefined if this hub never offers its machine. */
  readonly device?: DescribedDevice | undefined;
  /** Reconnects to the gateway, if this machine is a node of one. */
  refreshNode?(): void;
}

export interface DescribedDevice {
  readonly isOffered: boolean;
  describe(): Promise<Omit<DeviceReport, 'isOffered'>>;
}

export const deviceActions = ({ device, refreshNode }: DeviceParts) =>
  bindRoutes({
    'GET device': async () =>
      device?.isOffered === true
        ? { isOffered: true, ...(await device.describe()) }
        : { isOffered: false, isOfferedWhenPaired: device !== undefined },
    'POST device/node/refresh': () => refreshNode?.(),
  });

interface AppSessions {
  list(): Promise<readonly AppSessionReport[]>;
  /** Ends a session and its bridge. Returns false if there is none. */
  end(id: string): Promise<boolean>;
}

export interface AppParts {
  /** Undefined without an app proxy. */
  readonly appSessions?: AppSessions | undefined;
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
        throw new PincerError(
          'SESSION_UNKNOWN',
          'The running hub has no app proxy, so there are no sessions.',
          {
            hint: 'Stop it, then start it with: pincer up',
          },
        );
      if (!(await appSessions.end(id)))
        throw new PincerError('SESSION_UNKNOWN', `There is no session "${id}", or it has expired.`, {
          hint: 'List them with their ids: pincer sessions',
        });
    },
  });
