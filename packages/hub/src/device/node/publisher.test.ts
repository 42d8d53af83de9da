import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { responseText, welcomeText } from '../../../../../test/kit/openclaw/gateway-texts.ts';
import { openHandGateway, type HandRequest } from '../../../../../test/kit/openclaw/fake-gateway.ts';
import {
  openNodeBench,
  openOpenGateway,
  sentTo,
  type NodeBench,
} from '../../../../../test/kit/openclaw/node.ts';
import type { PublishedTool } from './parts.ts';

const TOOL: PublishedTool = {
  server: 'far',
  tool: 'echo',
  name: 'far__echo',
  description: 'Says it again.',
  parameters: { type: 'object' },
};

let bench: NodeBench;
let tools: readonly PublishedTool[];

beforeEach(() => {
  tools = [TOOL];
  bench = openNodeBench({ publishes: () => true, tools: () => tools });
});
afterEach(() => bench[Symbol.asyncDispose]());

describe('tools of other sources', () => {
  it('are published again when they change', async () => {
    await using hand = await openOpenGateway();
    bench.connect(hand);
    await bench.becomes('connected');
    tools = [TOOL, { ...TOOL, tool: 'two', name: 'far__two' }];
    bench.node.reconsider();
    await expect
      .poll(() => sentTo(hand, 'node.pluginTools.update').at(-1))
      .toMatchObject({ tools: [{ name: 'far__echo' }, { name: 'far__two' }] });
    expect(sentTo(hand, 'connect')).toHaveLength(1);
  });

  it('are published with the command that calls them, and replace the probes', async () => {
    await using hand = await openOpenGateway();
    bench.connect(hand);
    await bench.becomes('connected');
    expect(sentTo(hand, 'connect')[0]).toMatchObject({
      caps: ['a', 'mcp'],
      commands: ['a.echo', 'mcp.tools.call.v1'],
    });
    expect(sentTo(hand, 'node.pluginTools.update').at(-1)).toEqual({
      tools: [
        {
          pluginId: 'node-mcp',
          name: 'far__echo',
          description: 'Says it again.',
          parameters: { type: 'object' },
          command: 'mcp.tools.call.v1',
          mcp: { server: 'far', tool: 'echo' },
        },
      ],
    });
  });

  it('are published after one failure to list them', async () => {
    let tries = 0;
    await using hand = await openOpenGateway();
    bench.connect(hand, {
      publishes: () => true,
      tools() {
        if (tries++ === 0) throw new Error('no list');
        return [TOOL];
      },
    });
    await bench.becomes('backoff');
    await bench.becomes('connected');
    expect(sentTo(hand, 'node.pluginTools.update').at(-1)).toMatchObject({ tools: [{ name: 'far__echo' }] });
  });

  it('are published in the end even if the gateway reorders requests', async () => {
    let kept: unknown;
    let late: HandRequest | undefined;
    const take = ({ id, params }: HandRequest): string => {
      kept = params;
      return responseText(id, params);
    };
    await using hand = await openHandGateway(
      (id) => [welcomeText(id)],
      (request) => {
        if (late === undefined) {
          late = request;
          return [];
        }
        const isSecond = sentTo(hand, 'node.pluginTools.update').length === 2;
        return isSecond ? [take(request), take(late)] : [take(request)];
      },
    );
    bench.connect(hand);
    await bench.becomes('connected');
    expect(bench.node.state().commands?.usable).toContain('a.echo');
    expect(kept).toMatchObject({ tools: [{ name: 'far__echo' }] });
  });
});
