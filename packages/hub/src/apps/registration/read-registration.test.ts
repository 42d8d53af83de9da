import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { parseBytes, toByteText } from '../../core/wire/byte-text.ts';
import { PincerError } from '../../core/errors.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { readRegistration, readTools, toToolDefinition } from './read-registration.ts';
import type { RegistrationLimits } from './read-schema.ts';
import { parseToolDefinition } from '../../core/catalog/tool-definition.ts';

const SEED_BODY = {
  device_id: 'device-1',
  device_name: 'desktop',
  app_version: '1.0.0',
  chat_id: 'chat-1',
  tools: [
    {
      name: 'echo_text',
      path: '/tools/echo_text',
      description: 'Echo text.',
      input_schema: { type: 'object', properties: { text: { type: 'string' } } },
    },
  ],
};

/** Returns the message of the refusal. Fails if there is none. */
function refusal(body: unknown, limits: Partial<RegistrationLimits> = {}): string {
  try {
    readRegistration(body, { ...DEFAULT_LIMITS, ...limits });
  } catch (error) {
    if (!PincerError.is(error)) throw error;
    expect(error.code).toBe('ARGUMENT_INVALID');
    expect(error.hint).toBeTruthy();
    return error.message;
  }
  return 'accepted';
}
const tool = (more: object = {}): object => ({ name: 'a', ...more });
const withTool = (more: object): object => ({ tools: [tool(more)] });

describe('registration', () => {
  it('has the documented members', () => {
    verifies('003-sessions-tools');
    const read = readRegistration(toByteText(JSON.stringify(SEED_BODY)));
    expect(read).toEqual({
      deviceId: 'device-1',
      deviceName: 'desktop',
      appVersion: '1.0.0',
      chatId: 'chat-1',
      tools: [
        {
          name: 'echo_text',
          path: '/tools/echo_text',
          title: undefined,
          description: 'Echo text.',
          inputSchema: '{"type":"object","properties":{"text":{"type":"string"}}}',
          outputSchema: undefined,
          annotations: undefined,
        },
      ],
    });
    expect(readRegistration(SEED_BODY)).toEqual(read);
  });

  it('needs only its tools and their names', () => {
    expect(readRegistration({ tools: [] }).tools).toEqual([]);
    expect(readRegistration({ tools: [{ name: 'a' }] }).tools[0]?.inputSchema).toBe('{"type":"object"}');
    expect(refusal({})).toBe('tools: is missing.');
    expect(refusal({ tools: [{}] })).toBe('tools[0].name: is missing.');
  });

  it('may have null and unknown members', () => {
    const body = {
      device_id: null,
      tools: [{ name: 'a', path: null, title: null, input_schema: null, annotations: null, extra: [1] }],
      extra: {},
    };
    expect(readRegistration(body).tools).toEqual(readRegistration({ tools: [{ name: 'a' }] }).tools);
  });

  it('may have white space and any language', () => {
    const text = toByteText('\n{ "device_name" : "Büro 📱" ,\n "tools" : [ ] }\n');
    expect(readRegistration(text)).toMatchObject({ deviceName: 'Büro 📱', tools: [] });
  });

  it.each<[body: unknown, message: string]>([
    ['', 'body: is not JSON in UTF-8.'],
    ['{', 'body: is not JSON in UTF-8.'],
    ['{"tools":[]} x', 'body: is not JSON in UTF-8.'],
    ['{"device_id":"\u00ff","tools":[]}', 'body: is not JSON in UTF-8.'],
    ['{"device_id":"\u2014","tools":[]}', 'body: is not JSON in UTF-8.'],
    [undefined, 'body: must be a JSON object.'],
    [[], 'body: must be a JSON object.'],
    [7, 'body: must be a JSON object.'],
    [{ n: 1n }, 'body: cannot be written as JSON.'],
    ['{"tools":[],"tools":[]}', 'tools: occurs twice.'],
    ['{"tools":[{"name":"a","n\\u0061me":"b"}]}', 'tools[0].name: occurs twice.'],
    [{ device_id: 1, tools: [] }, 'device_id: must be a string.'],
    [{ device_name: {}, tools: [] }, 'device_name: must be a string.'],
    [{ app_version: 1.5, tools: [] }, 'app_version: must be a string.'],
    [{ chat_id: ['x'], tools: [] }, 'chat_id: must be a string.'],
    [{ tools: null }, 'tools: must be a JSON array.'],
    [{ tools: {} }, 'tools: must be a JSON array.'],
    [{ tools: [tool(), 'a'] }, 'tools[1]: must be a JSON object.'],
    [withTool({ name: null }), 'tools[0].name: must be a string.'],
    [withTool({ name: 5 }), 'tools[0].name: must be a string.'],
    [withTool({ path: 5 }), 'tools[0].path: must be a string.'],
    [withTool({ title: false }), 'tools[0].title: must be a string.'],
    [withTool({ description: [] }), 'tools[0].description: must be a string.'],
    [withTool({ annotations: [] }), 'tools[0].annotations: must be a JSON object.'],
    [
      withTool({ annotations: { readOnlyHint: 'yes' } }),
      'tools[0].annotations.readOnlyHint: must be true or false.',
    ],
    [withTool({ annotations: { title: 1 } }), 'tools[0].annotations.title: must be a string.'],
  ])('%# is refused with the place of the error', (body, message) => {
    expect(refusal(body)).toBe(message);
  });

  it('has a list of tools that can be read alone', () => {
    const tools = toByteText(JSON.stringify(SEED_BODY.tools));
    expect(readTools(tools)).toEqual(readRegistration(SEED_BODY).tools);
    expect(() => readTools('{}')).toThrow('tools: must be a JSON array.');
  });

  it('is refused for two tools of one name', () => {
    verifies('003-sessions-unique-names');
    const tools = ['a', 'b', 'a'].map((name) => ({ name }));
    expect(refusal({ tools })).toBe('tools[2].name: "a" is also the name of tools[0].');
    expect(refusal({ tools: [{ name: 'a' }, { name: 'A' }] })).toBe('accepted');
  });

  it.each(['a', 'echo_text', 'Echo-2', '__proto__', 'constructor', 'x'.repeat(64)])(
    'accepts the name %j',
    (name) =>
      expect(toToolDefinition(readRegistration({ tools: [{ name }] }).tools[0]!)).toContain(
        `"name":"${name}"`,
      ),
  );

  it.each(['', 'a b', 'screen.snapshot', 'größe', 'a/b', 'a\n', '\ud800', 'x'.repeat(65)])(
    'refuses the name %j',
    (name) =>
      expect(refusal({ tools: [{ name }] })).toMatch(
        /^tools\[0\]\.name: .*(is empty|is not a valid name)\.$/,
      ),
  );
});

describe('limits of a registration', () => {
  const text = (length: number): string => 'é'.repeat(length);
  it.each<[limit: keyof RegistrationLimits, body: (size: number) => unknown, message: string]>([
    ['maxToolsPerSession', (n) => ({ tools: names(n) }), 'tools: has more than 5 entries.'],
    ['maxLabelChars', (n) => ({ device_id: text(n), tools: [] }), 'device_id: has more than 5 characters.'],
    [
      'maxLabelChars',
      (n) => ({ device_name: text(n), tools: [] }),
      'device_name: has more than 5 characters.',
    ],
    [
      'maxLabelChars',
      (n) => ({ app_version: text(n), tools: [] }),
      'app_version: has more than 5 characters.',
    ],
    ['maxLabelChars', (n) => ({ chat_id: text(n), tools: [] }), 'chat_id: has more than 5 characters.'],
    ['maxLabelChars', (n) => withTool({ title: text(n) }), 'tools[0].title: has more than 5 characters.'],
    ['maxToolPathChars', (n) => withTool({ path: text(n) }), 'tools[0].path: has more than 5 characters.'],
    [
      'maxToolDescriptionChars',
      (n) => withTool({ description: text(n) }),
      'tools[0].description: has more than 5 characters.',
    ],
  ])('%s holds exactly (%#)', (limit, body, message) => {
    expect(refusal(body(4), { [limit]: 5 })).toBe('accepted');
    expect(refusal(body(5), { [limit]: 5 })).toBe('accepted');
    expect(refusal(body(6), { [limit]: 5 })).toBe(message);
  });

  it('maxRegistrationBytes counts the bytes of the body', () => {
    const body = toByteText('{"tools":[],"é":1}');
    expect(refusal(body, { maxRegistrationBytes: body.length })).toBe('accepted');
    expect(refusal(body, { maxRegistrationBytes: body.length - 1 })).toBe('body: has more than 18 bytes.');
  });

  it('refuse a body of too many or too deep values unread', () => {
    const deep = `{"tools":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`;
    expect(refusal(deep)).toBe('body: has too many values.');
  });

  const names = (count: number): object[] => Array.from({ length: count }, (_, at) => ({ name: `t${at}` }));
});

const definitionOf = (tool: string): string =>
  toToolDefinition(readRegistration(toByteText(`{"tools":[${tool}]}`)).tools[0]!);

describe('definition of a registered tool', () => {
  it('has the registered name and description, and the schema under its MCP name', () => {
    const raw = definitionOf(
      '{"name":"echo","path":"/x","description":"Ächo “it”.","input_schema":{"type":"object","properties":{}}}',
    );
    expect(parseBytes(raw)).toEqual({
      name: 'echo',
      description: 'Ächo “it”.',
      inputSchema: { type: 'object', properties: {} },
    });
  });

  it('has title, output schema and annotations if the app sent them', () => {
    const raw = definitionOf(
      '{"name":"a","title":"T","output_schema":{},"annotations":{"readOnlyHint":true,"idempotentHint":true,"x":1}}',
    );
    expect(raw).toBe(
      '{"name":"a","title":"T","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},' +
        '"annotations":{"readOnlyHint":true,"idempotentHint":true,"x":1}}',
    );
    expect(parseToolDefinition(raw, 'legacy')).toMatchObject({
      name: 'a',
      raw,
      readOnly: true,
      idempotent: true,
      wrapsOutput: false,
    });
  });

  it('keeps numbers that JavaScript would round', () => {
    const schema = '{"type":"object","properties":{"n":{"maximum":18446744073709551616}}}';
    expect(definitionOf(`{"name":"a","input_schema":${schema}}`)).toContain(`"inputSchema":${schema}`);
  });

  it('is one line of bytes', () => {
    const raw = definitionOf('{"name":"a","description":"📱\\n","input_schema":\n{\n"title":"\u2028"\n}}');
    expect(raw).not.toMatch(/[\n\r\u0100-\uffff]/);
  });
});
