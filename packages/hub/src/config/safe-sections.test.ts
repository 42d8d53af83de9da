import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkConfig } from './check.ts';
import { CAPABILITY_SWITCHES } from './device-schema.ts';
import { readProxySettings } from './proxy-settings.ts';

const check = (value: object): ReturnType<typeof checkConfig> => checkConfig(value, { env: {} });
const configOf = (value: object): ReturnType<typeof checkConfig>['config'] => check(value).config;
const HASH = 'ab'.repeat(32);

describe('an invalid section', () => {
  it('is switched off without affecting others', () => {
    const { config, issues } = check({
      servers: { a: { command: 'x' }, b: 5 },
      agent: { enabled: true, backend: 'gatway' },
      telemetry: { endpoint: 'http://example.com' },
      signIn: { clientMetadataUrl: '$NOT_SET' },
      limits: { maxCalls: 'many', maxQuestions: 5 },
      toolSurface: 'serch',
      debug: true,
      nothing: 1,
    });
    expect(config).toMatchObject({
      debug: true,
      toolSurface: 'full',
      limits: { maxQuestions: 5 },
      signIn: {},
    });
    expect(Object.keys(config.servers)).toEqual(['a']);
    expect(config.agent.enabled).toBe(false);
    expect(config.telemetry.endpoint).toBeUndefined();
    expect(issues.map(({ path }) => String(path[0])).toSorted()).toEqual([
      'agent',
      'limits',
      'nothing',
      'servers',
      'signIn',
      'telemetry',
      'toolSurface',
    ]);
  });

  it('has no servers if `servers` is not an object', () => {
    expect(configOf({ servers: [], debug: true })).toMatchObject({ servers: {}, debug: true });
  });

  it('keeps the agent if only the transcription is invalid', () => {
    const { agent } = configOf({
      agent: { enabled: true, transcription: { provider: 'deepgram', apiKey: '$NONE' } },
    });
    expect(agent).toMatchObject({ enabled: true });
    expect(agent.transcription).toBeUndefined();
  });

  it.each([
    [{ default: 'dney' }, 'ask'],
    [{ default: 5 }, 'ask'],
    [{ defualt: 'deny' }, 'ask'],
    [{ default: 'deny', x: 1 }, 'deny'],
    [{ default: 'allow', x: 1 }, 'ask'],
    ['deny', 'ask'],
    [{ notify: 'no' }, undefined],
  ])('policy %j: the default is %s', (policy, decision) => {
    expect(configOf({ policy }).policy.default).toBe(decision);
  });

  it.each(['polcy', 'Policy', 'policies'])('asks for every call if the policy is misspelt as %s', (name) => {
    expect(configOf({ [name]: { default: 'deny' } }).policy.default).toBe('ask');
  });

  it('does not open the proxy if its apps are invalid', () => {
    const wrong = { name: 'a b', tokenHash: 'cd'.repeat(32) };
    const { config, wrongProxy } = check({ proxy: { apps: [wrong] } });
    expect(config.proxy).toMatchObject({ enabled: true, apps: [] });
    expect(readProxySettings({ ...config.proxy, wrong: wrongProxy! }, {}).takesAnonymous).toBe(false);
    const good = { name: 'web', tokenHash: HASH };
    expect(configOf({ proxy: { apps: [wrong, good, { ...good, name: 'b' }] } }).proxy.apps).toMatchObject([
      good,
    ]);
  });

  it.each([{ apps: {} }, { port: 'x' }, { appToken: '$NOT_SET' }, { apToken: 't' }, { host: '' }, 'off'])(
    'switches the proxy off for %j',
    (proxy) => {
      expect(check({ proxy })).toMatchObject({ config: { proxy: { enabled: false } }, wrongProxy: 'all' });
    },
  );

  it('keeps all calls and records no arguments if the store settings are unclear', () => {
    expect(configOf({ store: { keepDays: '90d', arguments: 'redacted' } }).store).toMatchObject({
      keepDays: 3_650,
      arguments: 'redacted',
    });
    expect(configOf({ store: { argument: 'none' } }).store.arguments).toBe('none');
  });
});

describe('an invalid setting of this machine', () => {
  const NONE = Object.fromEntries(CAPABILITY_SWITCHES.map((name) => [name, false]));

  it.each<object | string>([{ enabled: 'no' }, { capabilites: { systemRun: false } }, 'off'])(
    'offers nothing for device %j',
    (device) => {
      expect(configOf({ device }).device).toMatchObject({
        enabled: true,
        mcpServer: false,
        nodeMode: false,
        capabilities: NONE,
        policy: { '*': 'deny' },
      });
    },
  );

  it('turns off an invalid switch', () => {
    const { capabilities } = configOf({
      device: { capabilities: { screen: 'yes', clipboard: true } },
    }).device;
    expect(capabilities).toMatchObject({ screen: false, clipboard: true, tts: true });
  });

  it('turns off all switches that are not explicitly true if a name is unknown', () => {
    const { capabilities } = configOf({ device: { capabilities: { systmRun: false, screen: true } } }).device;
    expect(capabilities).toEqual({ ...NONE, screen: true });
  });

  it('turns an invalid rule into a denial', () => {
    expect(
      configOf({ device: { policy: { 'system.run': 'aks', 'screen.snapshot': 'allow' } } }).device.policy,
    ).toEqual({ 'system.run': 'deny', 'screen.snapshot': 'allow' });
    expect(configOf({ device: { policy: 'deny' } }).device.policy).toEqual({ '*': 'deny' });
  });

  it.each([
    [{ nodeMode: true, gatewayFingerprint: 'x' }, { nodeMode: false }],
    [
      { nodeMode: true, publish: 'all' },
      { nodeMode: false, publish: [] },
    ],
    [{ mcpServer: 1 }, { mcpServer: false, capabilities: { system: true } }],
    [{ port: 'x' }, { mcpServer: true, capabilities: { system: true } }],
    [
      { capabilities: { location: true }, position: { latitude: 500 } },
      { capabilities: { location: false } },
    ],
    [{ browser: { args: 'x' } }, { capabilities: { canvas: false, tts: true } }],
  ])('device %j', (device, expected) => expect(configOf({ device }).device).toMatchObject(expected));
});

describe('any input', () => {
  it('results in a usable configuration', () => {
    const sections = [
      'servers',
      'device',
      'policy',
      'agent',
      'proxy',
      'toolSurface',
      'store',
      'telemetry',
      'limits',
    ];
    const keys = [
      'enabled',
      'apps',
      'default',
      'policy',
      'capabilities',
      'name',
      'port',
      'x',
      'keepDays',
      '__proto__',
    ];
    const any = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, true, false, 0, -1, 'x', '$NONE', '$secret:NONE', 'allow'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 4 }),
      ),
    })).value;
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...sections, 'y'), any, { maxKeys: 5 }), (value) => {
        expect(() => check(value)).not.toThrow();
      }),
    );
  });
});
