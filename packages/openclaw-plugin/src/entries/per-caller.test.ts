import type { HubClient } from 'pincer/client';
import { describe, expect, it } from 'vitest';
import type { ConnectionResolver } from '../host.ts';
import { entryFor } from './entry.ts';
import { credentialOfSender, registerPerCaller } from './per-caller.ts';

const HOME = '/home/ada/.openclaw/mcp';

const entry = (server: string, token?: string): object =>
  entryFor(
    { server, prefix: server, url: `http://127.0.0.1:8765/mcp/${server}`, requestTimeoutMs: 1, token },
    { home: HOME, made: 'nothing' },
  );

/** Answers with the name of the credential and a count. */
function handHub(): HubClient & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    hubFile: {
      pid: 1,
      processStart: crypto.randomUUID(),
      endpoints: { mcp: 'http://127.0.0.1:8765/mcp' },
    } as HubClient['hubFile'],
    async control(_action, { body } = {}) {
      const { name, servers } = body as { name: string; servers: string[] };
      const count = asked.push(`${name} ${servers.join()}`);
      await Promise.resolve();
      return JSON.stringify({ token: `${name}#${count}`, isNew: true });
    },
    postMcp: () => expect.unreachable(),
  };
}

function registered(hub: HubClient, servers: object): ConnectionResolver[] {
  const resolvers: ConnectionResolver[] = [];
  const api = {
    config: { mcp: { servers } },
    registerMcpServerConnectionResolver: (each: ConnectionResolver) => void resolvers.push(each),
  };
  registerPerCaller(api, async () => hub, HOME);
  return resolvers;
}

describe('server where each person signs in', () => {
  it('is marked in its entry', () => {
    const servers = { mail: entry('mail'), files: entry('files', 'token'), mine: { url: 'http://x/' } };
    expect(registered(handHub(), servers).map(({ serverName }) => serverName)).toEqual(['mail']);
  });

  it('gives each sender a separate credential, the same in all conversations', async () => {
    const hub = handHub();
    const servers = { letters: entry('mail') };
    const [first] = registered(hub, servers);
    const [again] = registered(hub, servers);
    const ann = { requesterSenderId: '1', messageChannel: 'telegram', agentAccountId: 'default' };
    const ben = { ...ann, requesterSenderId: '2' };
    const answers = await Promise.all([first!.resolve(ann), again!.resolve(ann), first!.resolve(ben)]);
    expect(answers).toEqual(
      ['openclaw:mail:telegram:1#1', 'openclaw:mail:telegram:1#1', 'openclaw:mail:telegram:2#2'].map(
        (token) => ({
          url: 'http://127.0.0.1:8765/mcp/mail',
          headers: { Authorization: `Bearer ${token}` },
        }),
      ),
    );
    expect(hub.asked).toEqual(['openclaw:mail:telegram:1 mail', 'openclaw:mail:telegram:2 mail']);
  });

  it('is asked again after the hub could not be asked', async () => {
    const hub = handHub();
    let isDown = true;
    const [resolver] = registered(
      {
        ...hub,
        control: (...args) => (isDown ? Promise.reject(new Error('gone')) : hub.control(...args)),
      },
      { mail: entry('mail') },
    );
    await expect(resolver!.resolve({ requesterSenderId: '1' })).rejects.toThrow('gone');
    isDown = false;
    expect(await resolver!.resolve({ requesterSenderId: '1' })).not.toBeNull();
  });
});

describe('credential of a sender', () => {
  it('distinguishes channels and their accounts', () => {
    const names = [
      { senderId: '1', channel: 'telegram' },
      { senderId: '1', channel: 'telegram', account: 'work' },
      { senderId: '1', channel: 'slack', account: 'default' },
      { senderId: 'work:1', channel: 'telegram' },
    ].map((sender) => credentialOfSender('mail', sender).name);
    expect(names).toEqual([
      'openclaw:mail:telegram:1',
      'openclaw:mail:telegram/work:1',
      'openclaw:mail:slack:1',
      'openclaw:mail:telegram:work:1',
    ]);
  });

  it('has a valid name for any length of the sender id', () => {
    const [a, b] = ['a', 'b'].map((end) =>
      credentialOfSender('x'.repeat(30), { senderId: 'y'.repeat(80) + end, channel: 'matrix' }),
    );
    expect(a!.name.length).toBeLessThanOrEqual(64);
    expect(a!.name).not.toBe(b!.name);
  });
});
