import { expect, test } from 'vitest';
import { asker, linesOf } from '../../../../../test/kit/ask-manage.ts';
import { toldHub, toldServer, toldServers, type Told } from '../../../../../test/kit/fake-hub.ts';
import { credentialOfSender } from '../../entries/per-caller.ts';
import { verifies } from '../../../../../test/verifies.ts';

const probed = {
  name: 'github',
  isKnown: true,
  tools: ['search'],
  prompts: [],
  resources: [],
  templates: [],
  ms: 3,
};

test('returns a sign-in link, or why none is needed', async () => {
  verifies('004-8.1-auth', '004-9.3-headless-code');
  const hub = toldHub({
    ...toldServers(
      toldServer('github', { auth: { kind: 'oauth', needsSignIn: true } }),
      toldServer('tavily', { auth: { kind: 'api-key' } }),
      toldServer('docs'),
      toldServer('files', { transport: 'stdio' }),
    ),
    'POST sign-in': { link: 'https://auth.example/authorize?state=a_b', state: 's' },
    'POST sign-in/code': {},
    'POST probe': probed,
  });
  const ask = asker(hub);
  expect((await ask('auth github')).split('\n').at(-1)).toBe('https://auth.example/authorize?state=a%5Fb');
  expect(linesOf(await ask('auth tavily'))[0]).toBe('tavily uses an API key instead of a sign-in.');
  expect(linesOf(await ask('auth docs'))[0]).toContain('needs no sign-in');
  expect(linesOf(await ask('auth files'))[0]).toContain('a program on this machine');
  expect(linesOf(await ask('auth github --code "4/0A x"'))).toEqual([
    'You are signed in to github: OAuth (sign-in needed).',
    'github: 1 tool',
  ]);
  expect(hub.changes).toEqual([
    ['POST sign-in', { server: 'github', openBrowser: false }],
    ['POST sign-in/code', { server: 'github', code: '4/0A x' }],
    ['POST probe', { name: 'github' }],
  ]);
});

test('refuses a link that is not a web page', async () => {
  const hub = toldHub({
    ...toldServers(toldServer('github', { auth: { kind: 'oauth' } })),
    'POST sign-in': { link: 'javascript:alert(1)' },
  });
  expect(linesOf(await asker(hub)('auth github'))[0]).toContain('is not safe to open');
});

test('shows a device code with its link, or the result if there is no link', async () => {
  const answers: Told = {
    ...toldServers(toldServer('github', { auth: { kind: 'oauth' } })),
    'POST sign-in': { link: 'https://auth.example/device', userCode: 'WDJB-MJHT', state: 's' },
    'POST sign-in/wait': { isUnderWay: false },
    'POST probe': probed,
  };
  const hub = toldHub(answers);
  expect(linesOf(await asker(hub)('auth github'))).toEqual([
    'Open the link below, and enter this code: WDJB-MJHT',
  ]);
  answers['POST sign-in'] = { state: 's' };
  expect(linesOf(await asker(hub)('auth github'))[0]).toBe('You are signed in to github: OAuth.');
});

test('signs in the sender if each person signs in', async () => {
  const hub = toldHub({
    ...toldServers(toldServer('github', { auth: { kind: 'oauth', isPerCaller: true } })),
    'POST sign-in': { link: 'https://auth.example/authorize', state: 's' },
  });
  const sender = { senderId: '1001', channel: 'telegram' };
  await asker(hub)('auth github', { sender });
  const caller = credentialOfSender('github', sender).name;
  expect(hub.changes).toEqual([['POST sign-in', { server: 'github', caller, openBrowser: false }]]);
  expect(await asker(hub)('auth github')).toContain('this channel does not tell who you are');
});
