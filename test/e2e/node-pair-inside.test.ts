/** `pincer node pair` while a program such as OpenClaw runs the hub of the state folder. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openCliHome, type CliHome, type Ran } from '../kit/cli.ts';
import { freePort } from '../kit/free-port.ts';
import { welcomeText } from '../kit/openclaw/gateway-texts.ts';
import { openHandGateway } from '../kit/openclaw/fake-gateway.ts';
import { openOpenGateway } from '../kit/openclaw/node.ts';
import { eventually } from '../kit/processes.ts';
import { stdioServer } from '../kit/servers.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { verifies } from '../verifies.ts';

const CONFIG = `{
  // A configuration written by hand.
  servers: { fx: ${JSON.stringify(stdioServer({ tools: ['echo'] }))} },
  device: { name: 'kept' },
}
`;

interface Inside extends AsyncDisposable {
  cli: CliHome;
  configFile: string;
  pair(url: string, ...more: string[]): Promise<Ran>;
  /** The files of the state folder that pairing may write. */
  files(): string[];
}

const elsewhere = temporaryFolder('node-pair');
afterAll(() => elsewhere[Symbol.dispose]());

const ENV = { PINCER_DEVICE: 'on', HOME: elsewhere.path };

/** Without the databases and their copies, which the hub writes beside them. */
const filesIn = (home: string): string[] => readdirSync(home).filter((name) => /^config\.|-key-/.test(name));

/** A hub that ends with the program that started it. */
async function openInside(config: string | undefined = CONFIG): Promise<Inside> {
  const cli = openCliHome();
  const configFile = join(cli.path, 'config.json');
  if (config !== undefined) writeFileSync(configFile, config, { mode: 0o600 });
  cli.start(['up', '--port', '0', '--until-eof'], { env: ENV });
  expect(await eventually(() => cli.hubPid() !== undefined)).toBe(true);
  return {
    cli,
    configFile,
    pair: (url, ...more) => cli.run(['node', 'pair', '--url', url, '--wait', '30', ...more], { env: ENV }),
    files: () => filesIn(cli.path),
    [Symbol.asyncDispose]: () => cli[Symbol.asyncDispose](),
  };
}

it.concurrent('offers this machine only after pairing', async () => {
  verifies('000-history-gateway-kept');
  await using gateway = await openOpenGateway((id) => [welcomeText(id)]);
  await using inside = await openInside();
  const { cli, configFile, pair } = inside;
  expect((await cli.run(['call', 'device.system.which', 'bins:=["sh"]'])).code).not.toBe(0);
  const pid = cli.hubPid();
  const { code, stdout, stderr } = await pair(gateway.url);
  expect([code, stdout], stderr).toEqual([0, expect.stringContaining('✓ system.which  allowed')]);
  expect(cli.hubPid()).toBe(pid);
  expect((await cli.run(['call', 'device.system.which', 'bins:=["sh"]'])).code).toBe(0);
  expect(readFileSync(configFile, 'utf8')).toContain('nodeMode');
  expect(readFileSync(configFile, 'utf8')).toContain(gateway.url);
  // Not offered any more after node mode is turned off.
  await cli.run(['device', 'off', 'nodeMode']);
  expect((await cli.run(['call', 'device.system.which', 'bins:=["sh"]'])).code).not.toBe(0);
});

it.concurrent.each([
  ['refuses the token', 'AUTH_TOKEN_MISMATCH', /refused the token/],
  ['does not know the signature', 'DEVICE_AUTH_SIGNATURE_INVALID', /signature/],
])('changes nothing when the gateway %s', async (_title, detail, said) => {
  verifies('000-history-gateway-kept');
  const error = { code: 'INVALID_REQUEST', message: 'refused', details: { code: detail } };
  const refuse = (id: string): string[] => [JSON.stringify({ type: 'res', id, ok: false, error })];
  await using gateway = await openHandGateway(refuse);
  await using inside = await openInside();
  const before = inside.files();
  const { code, stderr } = await inside.pair(gateway.url);
  expect(stderr).toMatch(said);
  expect(code).toBe(4);
  expect(readFileSync(inside.configFile, 'utf8')).toBe(CONFIG);
  expect(inside.files()).toEqual(before);
  expect((await inside.cli.run(['call', 'device.system.which', 'bins:=["sh"]'])).code).not.toBe(0);
});

it.concurrent('changes nothing without a gateway, or without a configuration file', async () => {
  await using inside = await openInside();
  await using bare = openCliHome();
  const url = `ws://127.0.0.1:${await freePort()}`;
  for (const { run, path } of [inside.cli, bare]) {
    const before = filesIn(path);
    const { code, stderr } = await run(['node', 'pair', '--url', url], { env: ENV });
    expect([code, stderr]).toEqual([4, expect.stringContaining('No gateway of OpenClaw answers')]);
    expect(filesIn(path)).toEqual(before);
  }
  expect(readFileSync(inside.configFile, 'utf8')).toBe(CONFIG);
  expect(readdirSync(bare.path)).toEqual([]);
});

it.concurrent('changes nothing if this machine must not be offered', async () => {
  await using gateway = await openOpenGateway((id) => [welcomeText(id)]);
  const config = '{ device: { enabled: false } }';
  await using inside = await openInside(config);
  const { code, stderr } = await inside.pair(gateway.url);
  expect([code, stderr]).toEqual([1, expect.stringContaining('device.enabled is false')]);
  expect(readFileSync(inside.configFile, 'utf8')).toBe(config);
  expect(gateway.requests).toEqual([]);
});
