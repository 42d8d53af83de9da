import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startHandProxy, type HandProxy } from '../../../../test/kit/fake-proxy.ts';
import { createSession, TryAgain } from './session.ts';

let proxy: HandProxy;
beforeEach(async () => void (proxy = await startHandProxy()));
afterEach(async () => {
  vi.unstubAllGlobals();
  await proxy[Symbol.asyncDispose]();
});

const failureOf = (url: string): Promise<unknown> =>
  createSession({ url, token: '', requestMs: 10_000 }, { tools: [] }).catch((error: unknown) => error);

describe('temporary failure', () => {
  it('tells a page that its origin may be the reason', async () => {
    vi.stubGlobal('document', {});
    vi.stubGlobal('origin', 'https://notes.example');
    const failure = await failureOf('http://127.0.0.1:1');
    expect(failure).toBeInstanceOf(TryAgain);
    expect(failure).toMatchObject({
      message: expect.stringMatching(
        /^No hub answers at .* add https:\/\/notes\.example to proxy\.apps\[\]\.origins in its configuration\.$/,
      ) as string,
      cause: { code: 'HUB_UNREACHABLE', cause: expect.any(TypeError) as TypeError },
    });
  });

  it('has the message and the hint of the hub', async () => {
    const error = { code: 'RATE_LIMITED', message: 'Too many requests.', hint: 'Wait a second.' };
    proxy.answers.push({ status: 429, headers: { 'retry-after': '2' }, body: { error } });
    expect(await failureOf(proxy.url)).toMatchObject({
      message: 'Too many requests. Wait a second.',
      afterMs: 2_000,
    });
    proxy.answers.push({ status: 429, headers: { 'retry-after': '99999999999' } });
    expect(await failureOf(proxy.url)).toMatchObject({ afterMs: 60_000 });
    proxy.answers.push({ status: 500 });
    expect(await failureOf(proxy.url)).toMatchObject({
      message: `The hub at ${proxy.url} answers with status 500.`,
      afterMs: 0,
    });
  });
});
