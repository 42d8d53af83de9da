import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openCallbackListener, type CallbackListener } from './callback-listener.ts';
import { verifies } from '../../../../../../test/verifies.ts';

const open: CallbackListener[] = [];
afterEach(() => open.splice(0).forEach((listener) => listener.close()));

async function listen(port = 0): Promise<{ listener: CallbackListener; answers: string[] }> {
  const answers: string[] = [];
  const listener = await openCallbackListener(port, {
    isOwn: (params) => params.get('state') === 'ours',
    onAnswer: async (params) => {
      answers.push(String(params));
      return { title: 'Done', text: `It was <b>${params.get('code')}</b>` };
    },
  });
  open.push(listener);
  return { listener, answers };
}

interface Got {
  readonly status: number;
  readonly text: string;
  readonly headers: NodeJS.Dict<string | string[]>;
}

const get = (port: number, path: string, options: { method?: string; host?: string } = {}): Promise<Got> =>
  new Promise((resolve, reject) => {
    const { method = 'GET', host = `127.0.0.1:${port}` } = options;
    request({ host: '127.0.0.1', port, path, method, headers: { host }, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
      );
    })
      .on('error', reject)
      .end();
  });

const isOpen = (port: number, host = '127.0.0.1'): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, host, () => resolve(true) === undefined && socket.destroy());
    socket.on('error', () => resolve(false));
  });

describe('the callback listener', () => {
  it('takes one answer, shows a page without scripts, and closes', async () => {
    verifies('004-9.3-server-closed', '004-9.3-callback');
    const { listener, answers } = await listen();
    const { status, text, headers } = await get(listener.port, '/callback?code=%3Cscript%3E&state=ours');
    expect(status).toBe(200);
    expect(text).toContain('It was &lt;b&gt;&lt;script&gt;&lt;/b&gt;');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    expect(answers).toEqual(['code=%3Cscript%3E&state=ours']);
    expect(await isOpen(listener.port)).toBe(false);
  });

  it('keeps waiting after unrelated requests', async () => {
    const { listener, answers } = await listen();
    const statuses = [
      await get(listener.port, '/callback?code=a&state=forged'),
      await get(listener.port, '/callback'),
      await get(listener.port, '/'),
      await get(listener.port, '/callback/../x?state=ours'),
      await get(listener.port, '/callback?code=a&state=ours', { method: 'POST' }),
      await get(listener.port, '/callback?code=a&state=ours', { method: 'HEAD' }),
      await get(listener.port, '/callback?code=a&state=ours', { host: 'evil.example.com' }),
      await get(listener.port, '/callback?code=a&state=ours', { host: `evil.example.com:${listener.port}` }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([400, 400, 404, 404, 405, 405, 403, 403]);
    expect(answers).toEqual([]);
    await get(listener.port, '/callback?code=a&state=ours', { host: `localhost:${listener.port}` });
    expect(answers).toHaveLength(1);
  });

  it('takes no second answer while it handles the first', async () => {
    const started = Promise.withResolvers<void>();
    const finished = Promise.withResolvers<void>();
    const answers: string[] = [];
    const listener = await openCallbackListener(0, {
      isOwn: () => true,
      async onAnswer(params) {
        answers.push(String(params));
        started.resolve();
        await finished.promise;
        return { title: 'Done', text: '' };
      },
    });
    open.push(listener);
    const first = get(listener.port, '/callback?code=a');
    await started.promise;
    expect((await get(listener.port, '/callback?code=b')).status).toBe(400);
    finished.resolve();
    expect((await first).status).toBe(200);
    expect(answers).toEqual(['code=a']);
  });

  it('listens on 127.0.0.1 only', async () => {
    verifies('004-14-callback-bind');
    const { listener } = await listen();
    expect(await isOpen(listener.port, '127.0.0.2')).toBe(false);
    expect(await isOpen(listener.port, '::1')).toBe(false);
  });

  it('names a port that is in use', async () => {
    const { listener } = await listen();
    await expect(listen(listener.port)).rejects.toMatchObject({ code: 'PORT_BUSY' });
  });
});
