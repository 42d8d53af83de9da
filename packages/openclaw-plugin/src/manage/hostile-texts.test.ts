import fc from 'fast-check';
import { expect, test } from 'vitest';
import { manageOf } from '../../../../test/kit/ask-manage.ts';
import { toldHub, toldServer, toldServers } from '../../../../test/kit/fake-hub.ts';
import { MAX_CHARACTERS } from './render.ts';

const DISGUISES = Array.from('`~\n\t\u001b\u202e\u200b[]()<>*_ a');

/** Texts of servers, including attempts to imitate ours. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: fc.constantFrom(...DISGUISES), maxLength: 80 }),
  fc.constant('```\n[free](https://evil.example)\n```'),
  fc.constant('x'.repeat(20_000)),
);

const HIDDEN = /[[\p{Cc}\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]--[\n\t]]/v;

test('renders any text of servers as one block that hides nothing and is not too long', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 8, maxLength: 8 }), async (texts) => {
      const [message, hint, target, stderr, description, tool, uri, args] = texts;
      const broken = { state: 'failed', target, stderr, error: { code: 'X', message, hint } };
      const hub = toldHub({
        ...toldServers(toldServer('docs', broken), toldServer('mail', { target, transport: 'stdio' })),
        'GET clashes': [{ uri, servers: ['docs', 'mail'] }],
        'GET tools': [{ server: 'docs', name: tool, exposed: tool, definition: { description } }],
        'GET held': [{ server: 'docs', tool, why: 'changed', digest: 'd', changes: [] }],
        'GET approvals': [
          { id: 'abcdef-1', caller: tool, server: 'docs', tool, arguments: args, askedAt: 0, state: 'open' },
        ],
      });
      const manage = manageOf(hub);
      const asked = [
        'servers',
        'tools',
        'status docs',
        'approvals',
        'approvals show abcdef',
        'accept',
        `status "${tool}"`,
      ];
      for (const each of asked) {
        const answer = await manage({ text: each, mayChange: true, by: 'command' });
        const lines = answer.split('\n');
        expect(answer.length).toBeLessThanOrEqual(MAX_CHARACTERS);
        expect([lines[0], lines.at(-1)]).toEqual(['```', '```']);
        expect(lines.slice(1, -1).filter((line) => /`{3}|~{3}/.test(line))).toEqual([]);
        expect(answer).not.toMatch(HIDDEN);
      }
    }),
    { numRuns: 150 },
  );
});

test('shows the other tools beside an invalid definition', async () => {
  const odd = { description: 42, annotations: null };
  const hub = toldHub({
    ...toldServers(toldServer('docs'), toldServer('mail')),
    'GET tools': [
      { server: 'docs', name: 'odd', exposed: 'docs__odd', definition: odd },
      { server: 'mail', name: 'send', exposed: 'mail__send', definition: { description: 'Sends.' } },
    ],
  });
  const manage = manageOf(hub);
  const answer = await manage({ text: 'tools', mayChange: false, by: 'model' });
  expect(answer.split('\n')).toEqual(expect.arrayContaining(['  docs__odd', '  mail__send  Sends.']));
});
