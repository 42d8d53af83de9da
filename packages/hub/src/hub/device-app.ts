/** What `app.*` says of Pincer: its gateway, its settings. */
import type { Config } from '../config/schema.ts';
import { PincerError } from '../core/errors.ts';
import { valueAt } from '../core/value-at.ts';
import type { AppParts } from '../sources/device/app/parts.ts';
import { CommandFailure } from '../sources/device/registry/failure.ts';
import type { OperatorLine } from './agent.ts';

/** How it stands between this machine and the gateway whose node it is. */
export interface NodeStanding {
  readonly isConnected: boolean;
  readonly isPaired: boolean;
  readonly isPending: boolean;
  /** Of OpenClaw there. */
  readonly version?: string | undefined;
}

export interface DeviceAppParts {
  /** To the gateway that Pincer asks for its agent; undefined: none is known. */
  line(): OperatorLine | undefined;
  config(): Config;
  node?(): NodeStanding | undefined;
  changeSetting?(path: readonly string[], value: boolean): Promise<void>;
}

export const appParts = ({ line, config, node, changeSetting }: DeviceAppParts): AppParts => ({
  gateway() {
    const found = line();
    const standing = node?.();
    if (found === undefined && standing === undefined) return undefined;
    return {
      state: () => ({
        connectionStatus: found?.isConnected || standing?.isConnected ? 'Connected' : 'Disconnected',
        nodeConnected: standing?.isConnected ?? false,
        nodePaired: standing?.isPaired ?? false,
        nodePendingApproval: standing?.isPending ?? false,
        gatewayVersion: found?.version ?? standing?.version,
      }),
      request: (method, params) => found?.request(method, params) ?? Promise.reject(onlyNode()),
    };
  },
  settings: {
    get: (key) => valueAt(config(), key.split('.')),
    async set(key, value) {
      if (changeSetting === undefined)
        throw new PincerError('CONFIG_UNREADABLE', 'This hub does not write its configuration.');
      await changeSetting(key.split('.'), value);
    },
  },
});

const onlyNode = (): CommandFailure =>
  new CommandFailure('The gateway does not tell a node this', {
    hint: 'This machine is a node of it, and an operator may ask more: set agent.gatewayUrl to it, too.',
    notExecuted: true,
  });
