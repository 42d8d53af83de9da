/** Servers of the plugin's configuration, as agents use them. */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { connectAsker } from '../clients/asker.ts';
import { EVERYTHING } from '../clients/everything.ts';
import { openHost } from '../kit/openclaw/host.ts';
import { offeredTools, whenOffered } from '../kit/openclaw/offered.ts';
import type { Operator } from '../kit/openclaw/operator.ts';
import { eventually } from '../kit/processes.ts';
import { verifies } from '../verifies.ts';

interface Listed {
  name: string;
  execution?: { taskSupport?: string };
}

const host = openHost(inject('openclaw'));
let operator: Operator;

beforeAll(async () => {
  operator = await host.operator();
});
afterAll(() => operator[Symbol.asyncDispose]());

// Each test has a conversation of its own.
describe.concurrent('tools of our servers', () => {
  test('the model is offered every tool of a server under its name, and calls one', async () => {
    verifies('004-6.4-tools', '004-11.1-like-native', '004-11.2-map-result');
    const said = 'call:everything__echo {"message":"through the plugin"}';
    const { text, calls } = await operator.turn('agent:main:tools', said);
    expect(text).toBe('RESULT(Echo: through the plugin)');
    expect(calls).toMatchObject([
      { name: 'everything__echo', isError: false, text: 'Echo: through the plugin' },
    ]);
    await using direct = await connectAsker(EVERYTHING);
    const { tools } = await direct.ask('tools/list');
    // OpenClaw's client leaves out tools that can only be run as a task.
    const usual = (tools as Listed[]).filter(({ execution }) => execution?.taskSupport !== 'required');
    const offered = (await host.asked(said))[0]?.tools.map(({ name }) => name);
    expect(offered).toEqual(expect.arrayContaining(usual.map(({ name }) => `everything__${name}`)));
  });

  test('keeps the images and the failure of a tool result', async () => {
    verifies('004-11.2-map-result');
    const image = await operator.turn('agent:main:tools-image', 'call:everything__get-tiny-image {}');
    expect(image.calls).toMatchObject([
      {
        isError: false,
        result: {
          content: [
            { type: 'text', text: expect.stringContaining('image') as string },
            { type: 'image', mimeType: 'image/png' },
            { type: 'text' },
          ],
        },
      },
    ]);
    const failed = await operator.turn('agent:main:tools-fail', 'call:growing__fail {"message":"no luck"}');
    expect(failed.calls).toMatchObject([{ isError: true, text: 'no luck' }]);
  });

  test('a tool that a server adds is there on the next turn, and one that it removes is not', async () => {
    verifies('004-3.1-dynamic-tools');
    const key = 'agent:main:growing';
    expect(await operator.chat(key, 'call:growing__add_tool {"name":"sprout"}')).toBe('RESULT(added sprout)');
    // OpenClaw hears of it some time after the answer, for all conversations at once.
    await whenOffered(host, operator, 'growing__sprout');
    const said = 'call:growing__sprout {}';
    expect(await operator.chat(key, said)).toBe('RESULT(sprout)');
    await operator.chat(key, 'call:growing__remove_tool {"name":"sprout"}');
    const isGone = async () => !(await offeredTools(host, operator)).includes('growing__sprout');
    expect(await eventually(isGone, 60_000)).toBe(true);
    const after = 'what is there now?';
    await operator.chat(key, after);
    const offered = (await host.asked(after))[0]?.tools.map(({ name }) => name);
    expect(offered).toContain('growing__echo');
    expect(offered).not.toContain('growing__sprout');
  });
});
