/** Memory use of `pincer mcp-server`, on a gateway without an agent. */
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../packages/hub/src/core/limits.ts';
import { openAgentServer, type AgentServer } from '../kit/agent-server.ts';
import { callText, parseAnswer, request, textOf } from '../kit/messages.ts';
import {
  openOrderGateway,
  REAL_POLICY,
  sayDone,
  type Arrived,
  type Tell,
} from '../kit/openclaw/order-gateway.ts';
import { verifies } from '../verifies.ts';

const MIB = 1024 * 1024;
const MB = 1_000_000;
const TOOL = 'order_openclaw';

const media = (begin: string, bytes: number, filler = 0): string => {
  const content = Buffer.alloc(bytes, filler);
  content.write(begin, 'latin1');
  return content.toString('base64');
};
const png = (filler: number): string => media('\x89PNG\r\n\x1a\n', DEFAULT_LIMITS.maxMediaBytes, filler);

const imageCall = (data: string, id = '1'): string =>
  callText(TOOL, { id, args: `{"message":"look","images":[{"data":"${data}","mimeType":"image/png"}]}` });

const order = (message: string, id: string): string =>
  callText(TOOL, { id, args: `{"message":"${message}"}` });

async function expectWell(server: AgentServer): Promise<void> {
  const answer = parseAnswer(await server.ask(order('still there?', '"well"')));
  expect(textOf(answer)).toBe('done');
}

describe('images of 15 MB', () => {
  it('arrive byte for byte, and the fifth keeps no more memory than the first', async () => {
    verifies('001-limit-stdio-message', '001-image-max-15mb');
    await using gateway = await openOrderGateway();
    await using server = await openAgentServer(gateway.url);
    const inUse: number[] = [];
    const resident: number[] = [];
    for (let cycle = 1; cycle <= 6; cycle++) {
      const data = png(cycle);
      const arriving = gateway.next();
      const answer = parseAnswer(await server.ask(imageCall(data, String(cycle))));
      expect(textOf(answer)).toBe('done');
      const { attachments } = await arriving;
      expect(attachments.map(({ content }) => content === data)).toEqual([true]);
      const memory = await server.memory();
      inUse.push(inUseOf(memory));
      resident.push(memory.rss);
    }
    expect(inUse[4]! / inUse[0]!).toBeLessThan(1.1);
    // From the second image on, the system's allocator keeps one buffer of that size for the next. It frees it at its
    // own time.
    expect(Math.min(...resident.slice(3)) / resident[1]!).toBeLessThan(1.1);
  });

  it('and files of that size fit the limits of the real gateway', async () => {
    await using gateway = await openOrderGateway({ policy: REAL_POLICY });
    await using server = await openAgentServer(gateway.url);
    const data = media('%PDF-1.7', DEFAULT_LIMITS.maxMediaBytes);
    const arriving = gateway.next();
    const args = `{"message":"read","files":[{"data":"${data}","mimeType":"application/pdf"}]}`;
    expect(textOf(parseAnswer(await server.ask(callText(TOOL, { args }))))).toBe('done');
    expect((await arriving).attachments.map(({ content }) => content === data)).toEqual([true]);
  });

  it('ten at once are served as far as memory allows; the others are told to retry', async () => {
    const all = Promise.withResolvers<void>();
    const work = async (arrived: Arrived, tell: Tell): Promise<void> => {
      await all.promise;
      await sayDone(arrived, tell);
    };
    await using gateway = await openOrderGateway({ work });
    await using server = await openAgentServer(gateway.url);
    const fits = Math.floor(DEFAULT_LIMITS.maxMediaBytesAtOnce / DEFAULT_LIMITS.maxMediaBytes);
    const data = png(1);
    const arrived = Array.from({ length: fits }, () => gateway.next());
    const answers = Array.from({ length: 10 }, (_, index) => server.ask(imageCall(data, String(index))));
    const refused = await Promise.all(answers.slice(fits));
    for (const line of refused) {
      const { result } = parseAnswer(line);
      expect(result).toMatchObject({ isError: true });
      expect(JSON.stringify(result)).toContain('Send it again');
    }
    await Promise.all(arrived);
    all.resolve();
    for (const line of await Promise.all(answers.slice(0, fits)))
      expect(textOf(parseAnswer(line))).toBe('done');
    expect(server.peakBytes()).toBeLessThan(5 * DEFAULT_LIMITS.maxMediaBytesAtOnce);
    await expectWell(server);
  });
});

describe('a line of 1 GB', () => {
  it('is refused without being buffered, and the next line is read', async () => {
    await using gateway = await openOrderGateway();
    await using server = await openAgentServer(gateway.url);
    const piece = Buffer.alloc(MIB, 'x');
    const [head] = order('@', '"long"').split('@');
    await server.written(Buffer.from(head!));
    for (let count = 0; count < 1024; count++) await server.written(piece);
    await server.written(Buffer.from('"}}}\n'));
    const refusal = parseAnswer(await server.take());
    expect(refusal).toMatchObject({ id: null, error: { code: -32600 } });
    expect(refusal.error?.message).toContain(`longer than ${DEFAULT_LIMITS.maxMessageBytes} bytes`);
    expect(server.peakBytes()).toBeLessThan(DEFAULT_LIMITS.maxMessageBytes + 64 * MB);
    expect(parseAnswer(await server.ask(request('ping', '{}', '2'))).result).toEqual({});
    await expectWell(server);
  });
});

describe('an agent that reports 50,000 steps', () => {
  it('needs as much memory as one that reports few, even if the client does not read', async () => {
    const STEPS = 50_000;
    const work = async (arrived: Arrived, tell: Tell): Promise<void> => {
      if (arrived.message === 'long')
        for (let seq = 1; seq <= STEPS; seq++) {
          const text = `step ${seq} ${'.'.repeat(1_000)}`;
          await tell('chat', {
            ...ofRun(arrived, seq),
            state: 'delta',
            deltaText: text,
            replace: true,
            message: { role: 'assistant', content: [{ type: 'text', text }] },
          });
        }
      await sayDone(arrived, tell);
    };
    await using gateway = await openOrderGateway({ work });
    await using server = await openAgentServer(gateway.url);
    await expectWell(server);
    const before = await server.memory();
    const peakBefore = server.peakBytes();
    server.pause();
    const answer = server.ask(callText(TOOL, { args: '{"message":"long"}', meta: '"progressToken":"p"' }));
    await gateway.next();
    await gateway.idle();
    const after = await server.memory();
    // The reports add up to fifty megabytes.
    expect(inUseOf(after) - inUseOf(before)).toBeLessThan(8 * MB);
    expect(server.peakBytes() - peakBefore).toBeLessThan(64 * MB);
    server.resume();
    expect(textOf(parseAnswer(await answer))).toContain('done');
    const progress = server.untaken.filter((line) => line.includes('notifications/progress'));
    expect(progress.length).toBeGreaterThan(0);
    expect(progress.length).toBeLessThan(STEPS / 100);
  });
});

const inUseOf = ({ heapUsed, external }: NodeJS.MemoryUsage): number => heapUsed + external;

const ofRun = ({ runId }: Arrived, seq: number): object => ({
  runId,
  sessionKey: 'agent:main:stand-in',
  seq,
});
