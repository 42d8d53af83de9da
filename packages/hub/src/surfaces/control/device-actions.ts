/** This machine, for whoever runs the hub. */
import type { ControlActions } from './control.ts';

export interface DeviceParts {
  /** Undefined: the hub that runs does not offer its machine. */
  readonly device?: (() => Promise<object>) | undefined;
  /** Connects to the gateway anew, where this machine is a node of one. */
  refreshNode?(): void;
}

export const deviceActions = ({ device, refreshNode }: DeviceParts): ControlActions => ({
  'GET device': async () => ({ isOffered: device !== undefined, ...(await device?.()) }),
  'POST device/node/refresh': () => refreshNode?.(),
});
