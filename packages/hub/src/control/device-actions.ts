/** This machine, for whoever runs the hub. */
import { bindRoutes } from './bind-routes.ts';
import type { DeviceReport } from './contract/machine.ts';

export interface DeviceParts {
  /** Undefined: this hub never offers its machine. */
  readonly device?: DescribedDevice | undefined;
  /** Connects to the gateway anew, where this machine is a node of one. */
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
