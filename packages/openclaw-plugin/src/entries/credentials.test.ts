import type { HubClient } from 'pincer/client';
import { expect, it } from 'vitest';
import { sharedCredentials, type Credentials } from './credentials.ts';

/** A hub that keeps its tokens across a restart. Tests control the time of each action. */
class HandHub implements HubClient {
  readonly hubFile: HubClient['hubFile'];
  readonly tokens: Map<string, { token: string; scopes: object }>;
  slow: Promise<unknown> = Promise.resolve();

  constructor(tokens: HandHub['tokens'] = new Map(), port = 8765) {
    this.tokens = tokens;
    const endpoints = { mcp: `http://127.0.0.1:${port}/mcp`, control: '', health: '' };
    const processStart = crypto.randomUUID();
    this.hubFile = { pid: 1, startedAt: '', processStart, version: '0', mode: 'foreground', endpoints };
  }

  async control(action: string, { query, body }: Parameters<HubClient['control']>[1] = {}): Promise<string> {
    if (action === 'GET tokens')
      return JSON.stringify([...this.tokens].map(([name, { scopes }]) => ({ name, scopes })));
    if (action === 'DELETE tokens') {
      await this.slow;
      this.tokens.delete(query!['name']!);
      return 'null';
    }
    const { name, token, ...scopes } = body as { name: string; token?: string };
    const held = this.tokens.get(name)?.token;
    const next = token !== undefined && token === held ? token : crypto.randomUUID();
    this.tokens.set(name, { token: next, scopes });
    return JSON.stringify({ token: next });
  }

  postMcp = (): never => expect.unreachable();
}

const FILES = { name: 'openclaw:files', server: 'files' };
const ANN = { name: 'openclaw:files:telegram:1', server: 'files' };

const open = (): Credentials => sharedCredentials(crypto.randomUUID());

it('stays the same for a sender across a restart of the hub', async () => {
  const [credentials, hub] = [open(), new HandHub()];
  const token = await credentials.tokenFor(hub, ANN);
  expect(await credentials.tokenFor(new HandHub(hub.tokens), ANN)).toBe(token);
});

it('changes if the hub has moved, because another process may have received it', async () => {
  const [credentials, hub] = [open(), new HandHub()];
  const token = await credentials.tokenFor(hub, ANN);
  expect(await credentials.tokenFor(new HandHub(hub.tokens, 8799), ANN)).not.toBe(token);
});

it('is valid if it is requested while it is being revoked', async () => {
  const [credentials, hub] = [open(), new HandHub()];
  await credentials.tokenFor(hub, FILES);
  const revoked = Promise.withResolvers<void>();
  hub.slow = revoked.promise;
  const swept = credentials.sweep(hub, () => false);
  await new Promise(setImmediate);
  const again = credentials.tokenFor(hub, FILES);
  await new Promise(setImmediate);
  revoked.resolve();
  await swept;
  expect(hub.tokens.get(FILES.name)?.token).toBe(await again);
});

it('is swept if unneeded, unlike those of senders and of persons', async () => {
  const [credentials, hub] = [open(), new HandHub()];
  await Promise.all([FILES, ANN].map((each) => credentials.tokenFor(hub, each)));
  hub.tokens.set('openclaw:laptop', { token: 't', scopes: {} });
  await credentials.sweep(hub, () => false);
  expect([...hub.tokens.keys()]).toEqual([ANN.name, 'openclaw:laptop']);
});
