/** A node in its own folder, for gateways that a test plays. */
import { expect } from 'vitest';
import type { DeviceIdentity } from '../../../packages/hub/src/core/ports.ts';
import { clock } from '../../../packages/hub/src/lib/time.ts';
import { openIdentity } from '../../../packages/hub/src/owner/device-identity.ts';
import { openGatewayNode } from '../../../packages/hub/src/device/node/node.ts';
import type { GatewayNode, GatewayNodeParts } from '../../../packages/hub/src/device/node/parts.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { eventText, responseText, welcomeText } from './gateway-texts.ts';
import { openHandGateway, type HandGateway, type HandRequest } from './fake-gateway.ts';

export interface NodeBench extends AsyncDisposable {
  readonly identity: DeviceIdentity;
  /** The node that was connected last. */
  readonly node: GatewayNode;
  connect(gateway: Pick<HandGateway, 'url'>, more?: Partial<GatewayNodeParts>): GatewayNode;
  becomes(state: string): Promise<void>;
  /** `node.invoke.request` for this node. */
  order(id: string, more?: object): string;
}

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** The node has the command `a.echo` and the parts in `usual`. */
export function openNodeBench(usual: Partial<GatewayNodeParts> = {}): NodeBench {
  const folder = temporaryFolder('gateway-node');
  const identity = openIdentity(folder.path);
  let node: GatewayNode | undefined;
  return {
    identity,
    get node() {
      return node!;
    },
    connect({ url }, more = {}) {
      node = openGatewayNode({
        identity,
        find: () => ({ url, credential: { token: 'shared' }, how: 'a test' }),
        commands: () => ({ caps: ['a'], commands: ['a.echo'] }),
        invoke: async ({ paramsJSON }) => ({ ok: true, payloadJSON: paramsJSON }),
        publishes: () => false,
        tools: () => [],
        log: SILENT,
        clock,
        limits: { maxNodeCalls: 8 },
        ...usual,
        ...more,
      });
      return node;
    },
    becomes: (state) => expect.poll(() => node?.state().is).toBe(state),
    order: (id, more = {}) =>
      eventText('node.invoke.request', {
        id,
        nodeId: identity.id,
        command: 'a.echo',
        paramsJSON: '{}',
        ...more,
      }),
    async [Symbol.asyncDispose]() {
      await node?.close();
      folder[Symbol.dispose]();
    },
  };
}

/** A gateway that accepts everything that is published. */
export const openOpenGateway = (
  welcome = (id: string): readonly string[] => [welcomeText(id)],
): Promise<HandGateway> => openHandGateway(welcome, takeAll);

export const takeAll = ({ id, params }: HandRequest): readonly string[] => [responseText(id, params)];

/** The parameters of all requests of one method. */
export const sentTo = ({ requests }: HandGateway, method: string): object[] =>
  requests.filter((request) => request.method === method).map(({ params }) => params);
