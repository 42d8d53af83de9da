import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../core/limits.ts';
import { dumpOf } from './dump.ts';
import { readJsonl } from '../a2ui-commands.ts';
import { applyMessages } from './surfaces.ts';

const SECRETS = ['hunter2', '4711-cover', 'row-secret', 'sk-0123456789abcdef', 'literal-cover', 'opensesame'];

it('a dump shows surfaces without what looks like a secret', () => {
  const field = (id: string, text: object): object => ({
    id,
    component: { TextField: { label: { literalString: 'PIN' }, text, textFieldType: 'obscured' } },
  });
  const messages = [
    {
      surfaceUpdate: {
        surfaceId: 's',
        components: [
          field('f1', { path: '/form/code' }),
          field('f2', { path: 'word' }),
          field('f3', { literalString: 'literal-cover' }),
          { id: 't', component: { Text: { text: { literalString: 'key sk-0123456789abcdef and more' } } } },
        ],
      },
    },
    {
      dataModelUpdate: {
        surfaceId: 's',
        contents: [
          {
            key: 'form',
            valueMap: [
              { key: 'code', valueString: '4711-cover' },
              { key: 'name', valueString: 'Ada' },
            ],
          },
          { key: 'rows', valueString: '[{"word":"row-secret","shown":1}]' },
          { key: 'password', valueString: 'hunter2' },
          { key: 'apiKey', valueMap: [{ key: 'value', valueString: 'opensesame' }] },
        ],
      },
    },
    { beginRendering: { surfaceId: 's', root: 't' } },
  ];
  const surfaces = applyMessages(
    new Map(),
    readJsonl(messages.map((each) => JSON.stringify(each)).join('\n'), DEFAULT_LIMITS),
    { sessionKey: 'k', limits: DEFAULT_LIMITS },
  );
  const dump = dumpOf(surfaces);
  expect(dump).toMatchObject({
    renderer: 'web',
    a2uiVersion: '0.8',
    surfaceCount: 1,
    surfaces: {
      s: {
        root: 't',
        componentCount: 4,
        components: { t: { type: 'Text', props: { text: { literalString: 'key [redacted] and more' } } } },
        dataModel: {
          form: { code: '[redacted]', name: 'Ada' },
          rows: [{ word: '[redacted]', shown: 1 }],
          password: '[redacted]',
          apiKey: { value: '[redacted]' },
        },
      },
    },
  });
  for (const secret of SECRETS) expect(JSON.stringify(dump)).not.toContain(secret);
});

it('a dump of nothing says that there is nothing', () => {
  expect(dumpOf(new Map())).toEqual({ renderer: 'none', a2uiVersion: '0.8', surfaceCount: 0, surfaces: {} });
});
