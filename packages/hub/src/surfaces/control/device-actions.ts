/** This machine, for whoever runs the hub. */
import type { ControlActions } from './control.ts';

export interface DeviceParts {
  /** Undefined: the hub that runs does not offer its machine. */
  readonly device?: (() => Promise<object>) | undefined;
}

export const deviceActions = ({ device }: DeviceParts): ControlActions => ({
  'GET device': async () => ({ isOffered: device !== undefined, ...(await device?.()) }),
});
