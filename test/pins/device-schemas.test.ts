/** What is published of each command: a caller who keeps to it is understood at the first try. */
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { allCapabilities } from '../../packages/hub/src/device/capabilities.ts';
import { toolOf } from '../../packages/hub/src/device/registry/tool.ts';

type Schema = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

/** JSON Schema 2020-12, as the SDK has it. It throws for a schema that is none, and for keywords that are not in it. */
const { Ajv2020 } = createRequire(import.meta.resolve('@modelcontextprotocol/sdk/client'))(
  'ajv/dist/2020.js',
) as {
  Ajv2020: new (options: object) => { compile(schema: object): Check; errorsText(): string };
};
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });

const commands = new Map(
  allCapabilities().flatMap((capability) =>
    [...capability.commands].map(
      ([name, command]) => [name, { command, tool: toolOf({ name, capability, command }) }] as const,
    ),
  ),
);
const names = [...commands.keys()];
const inputOf = (name: string): Schema => commands.get(name)!.tool.inputSchema;
const argumentOf = (name: string, argument: string): Schema =>
  (inputOf(name)['properties'] as Record<string, Schema>)[argument]!;

describe.each(names)('%s', (name) => {
  const { command, tool } = commands.get(name)!;

  it('has schemas of JSON Schema 2020-12, for objects, without a choice at the top', () => {
    for (const schema of [tool.inputSchema, tool.outputSchema]) {
      expect(() => ajv.compile(schema)).not.toThrow();
      expect(schema['type']).toBe('object');
    }
    // Claude and OpenAI turn such a tool away.
    for (const keyword of ['anyOf', 'oneOf', 'allOf', 'enum', 'not'])
      expect(tool.inputSchema).not.toHaveProperty([keyword]);
  });

  it('takes its own example, and publishes it', () => {
    const { example } = command;
    expect(ajv.compile(tool.inputSchema)(example ?? {})).toBe(true);
    expect(tool._meta?.['pincer/example']).toEqual(example);
  });

  it('takes the defaults that it publishes, and says what each argument is', () => {
    for (const [argument, schema] of Object.entries(
      tool.inputSchema['properties'] as Record<string, Schema>,
    )) {
      expect(schema['description'], argument).toMatch(/\S/);
      const { default: fallback } = schema;
      if (fallback !== undefined) expect(ajv.compile(schema)(fallback), argument).toBe(true);
      expect([schema['minimum'], schema['maximum']], argument).not.toContain(Number.MAX_SAFE_INTEGER);
      expect([schema['minimum'], schema['maximum']], argument).not.toContain(Number.MIN_SAFE_INTEGER);
    }
  });
});

it('what cannot be left out is required', () => {
  const required = names.flatMap((name) => {
    const { required: own } = inputOf(name);
    return own === undefined ? [] : [[name, own]];
  });
  expect(Object.fromEntries(required)).toEqual({
    'system.run': ['command'],
    'system.run.prepare': ['command'],
    'system.which': ['bins'],
    'system.execApprovals.set': ['file'],
    'canvas.navigate': ['url'],
    'tts.speak': ['text'],
    'clipboard.write': ['text'],
    'app.navigate': ['page'],
    'app.settings.get': ['name'],
    'app.settings.set': ['name', 'value'],
    'app.search': ['query'],
  });
});

it.each([
  ['system.execApprovals.set', 'baseHash'],
  ['canvas.eval', 'script'],
  ['canvas.a2ui.push', 'jsonl'],
])('%s says of %s that it is required, and forbids no other name of it', (name, argument) => {
  expect(argumentOf(name, argument)['description']).toContain('Required');
});

it.each<[string, string, Schema]>([
  ['screen.snapshot', 'format', { enum: ['png', 'jpeg', 'jpg'], default: 'png' }],
  ['screen.snapshot', 'maxWidth', { type: 'integer', minimum: 16, maximum: 7680, default: 1920 }],
  ['screen.snapshot', 'quality', { minimum: 1, maximum: 100, default: 80 }],
  ['screen.snapshot', 'screenIndex', { minimum: 0, maximum: 32 }],
  ['screen.snapshot', 'monitor', { minimum: 0, maximum: 32 }],
  ['screen.record', 'durationMs', { minimum: 100, maximum: 300_000, default: 10_000 }],
  ['screen.record', 'fps', { type: 'number', minimum: 1, maximum: 60, default: 10 }],
  ['screen.record', 'includeAudio', { type: 'boolean', default: false }],
  ['screen.record', 'format', { enum: ['mp4'], default: 'mp4' }],
  ['canvas.present', 'width', { minimum: 100, maximum: 7680, default: 800 }],
  ['canvas.present', 'height', { minimum: 100, maximum: 7680, default: 600 }],
  ['canvas.present', 'x', { minimum: -16_384, maximum: 16_384, default: -1 }],
  ['canvas.present', 'title', { default: 'Canvas' }],
  ['canvas.present', 'alwaysOnTop', { default: false }],
  ['canvas.snapshot', 'format', { enum: ['png', 'jpeg', 'jpg'], default: 'png' }],
  ['canvas.snapshot', 'maxWidth', { minimum: 32, maximum: 7680, default: 1200 }],
  ['canvas.snapshot', 'quality', { maximum: 100, default: 80 }],
  ['camera.snap', 'facing', { enum: ['front', 'back'] }],
  ['camera.snap', 'format', { enum: ['jpeg', 'jpg', 'png'], default: 'jpeg' }],
  ['camera.snap', 'maxWidth', { minimum: 16, maximum: 4096, default: 1280 }],
  ['camera.snap', 'quality', { maximum: 100, default: 80 }],
  ['camera.snap', 'delayMs', { minimum: 0, maximum: 10_000 }],
  ['camera.clip', 'durationMs', { minimum: 100, maximum: 60_000, default: 3000 }],
  ['camera.clip', 'includeAudio', { default: true }],
  ['location.get', 'accuracy', { enum: ['default', 'high', 'precise'], default: 'default' }],
  ['location.get', 'desiredAccuracy', { enum: ['coarse', 'balanced', 'precise'] }],
  ['location.get', 'maxAge', { minimum: 0 }],
  ['location.get', 'locationTimeout', { minimum: 1000, maximum: 60_000 }],
  ['system.notify', 'sound', { default: true }],
  ['system.notify', 'priority', { enum: ['passive', 'active', 'timeSensitive'], default: 'active' }],
  ['system.run', 'timeoutMs', { minimum: 1, maximum: 600_000 }],
  ['tts.speak', 'text', { minLength: 1, maxLength: 5000 }],
  ['tts.speak', 'interrupt', { default: false }],
  ['tts.speak', 'output', { enum: ['play', 'return'], default: 'play' }],
  [
    'device.status',
    'sections',
    { items: { type: 'string', enum: ['os', 'cpu', 'memory', 'disk', 'battery'] } },
  ],
])('%s has %s as it is documented', (name, argument, documented) => {
  expect(argumentOf(name, argument)).toMatchObject(documented);
});

it.each([
  ['screen.snapshot', 'screenIndex', 'monitor'],
  ['location.get', 'maxAge', 'maxAgeMs'],
  ['location.get', 'desiredAccuracy', 'accuracy'],
  ['system.run', 'timeoutMs', 'timeout'],
])('%s has no default of %s: whoever fills it in would overrule %s', (name, argument) => {
  expect(argumentOf(name, argument)).not.toHaveProperty('default');
});

it.each<[string, Schema, Schema]>([
  [
    'screen.snapshot',
    { maxWidth: 1e6, quality: 'good', format: 7 },
    { maxWidth: 7680, quality: 80, format: 'png' },
  ],
  ['system.which', { bins: [' git ', 7, ''] }, { bins: ['git'] }],
  ['system.which', {}, {}],
  ['system.run', {}, {}],
  ['location.get', { accuracy: 'sharp' }, { accuracy: 'sharp' }],
])('%s is held to none of it: %j', (name, given, taken) => {
  expect(commands.get(name)!.command.input.parse(given)).toMatchObject(taken);
});
