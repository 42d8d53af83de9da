/** Pincer commands started in a stranger's folder run nothing from that folder. */
import { readdirSync, realpathSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCliHome, type CliHome } from '../kit/cli.ts';
import { openScene, PACKAGE, VERSION, type Facts, type Scene } from '../kit/hostile-folder.ts';
import { ENTRY, startHub } from '../kit/hub.ts';
import { eventually } from '../kit/processes.ts';
import { serverStatus } from '../kit/status.ts';
import { openStdio } from '../kit/stdio.ts';

let scene: Scene;
let repository: string;

/** Files that attack every server at once. */
const files = ({ mark }: Scene): Record<string, string> => ({
  'package.json': JSON.stringify({ name: 'stranger', version: '1.0.0', bin: { [PACKAGE]: 'x.js' } }),
  [`node_modules/${PACKAGE}/package.json`]: JSON.stringify({
    name: PACKAGE,
    version: VERSION,
    bin: { [PACKAGE]: 'x.js' },
  }),
  [`node_modules/${PACKAGE}/x.js`]: `#!/usr/bin/env node\n${mark('npx').js}`,
  [`node_modules/.bin/${PACKAGE}`]: mark('npx').sh,
  'node_modules/.bin/npx': mark('npx-shim').sh,
  npx: mark('npx-shim').sh,
  'argparse.py': mark('python').py,
  'approved_server.py': mark('python').py,
  'server.js': mark('script').js,
  'bin/server': mark('command').sh,
  'sub/server.js': mark('folder').js,
  userconfig: 'script-shell=./shell.sh\n',
  'shell.sh': mark('userconfig').sh,
  'preload.cjs': mark('preload').js,
  '.env':
    'NODE_OPTIONS=--require ./preload.cjs\nPATH=.\nPINCER_HOME=./evil\nnpm_config_script_shell=./shell.sh\n',
  '.npmrc': `registry=${scene.evil.url}\n`,
});

const servers = ({ python, modules }: Scene): Record<string, object> => ({
  npx: {
    command: 'npx',
    args: ['-y', `${PACKAGE}@${VERSION}`],
    env: { KEY: 'vault' },
    connectTimeoutMs: 60_000,
  },
  python: { command: python, args: ['-m', 'approved_server'], env: { PYTHONPATH: modules } },
  script: { command: 'node', args: ['./server.js'] },
  command: { command: './bin/server' },
  folder: { command: 'node', args: ['server.js'], cwd: 'sub' },
});

/** An environment as from a careless shell, or as npm leaves it when it starts Pincer in such a folder. */
const env = (): Record<string, string> => ({
  ...scene.env,
  PATH: `.:node_modules/.bin::${process.env['PATH']}`,
  NPM_CONFIG_USERCONFIG: 'userconfig',
  npm_execpath: '/usr/lib/node_modules/npm/bin/npm-cli.js',
  npm_config_registry: scene.evil.url,
  npm_config_script_shell: './shell.sh',
});

const MARKS = [
  'npx',
  'npx-shim',
  'python',
  'script',
  'command',
  'folder',
  'userconfig',
  'preload',
  'registry',
];
const expectNothingRan = (): void => expect(MARKS.filter((name) => scene.hasRun(name))).toEqual([]);

const factsOf = (text: string): Facts => JSON.parse(text) as Facts;
const folderOf = (pid: number): string => readlinkSync(`/proc/${pid}/cwd`);

beforeAll(async () => {
  scene = await openScene();
  repository = scene.folder('repository', files(scene));
});
afterAll(() => scene[Symbol.asyncDispose]());

describe('a hub in the background, started in a stranger’s folder', () => {
  let home: CliHome;
  beforeAll(() => {
    home = openCliHome();
    home.configure(servers(scene));
  });
  afterAll(() => home[Symbol.asyncDispose]());

  it('runs what was approved by npx, in an empty folder', async () => {
    const ran = await home.run(['call', 'npx.facts'], { cwd: repository, env: env() });
    expectNothingRan();
    const facts = factsOf(ran.stdout);
    expect(facts.env['KEY']).toBe('vault');
    expect(facts.cwd.startsWith(realpathSync(home.path))).toBe(true);
    expect(readdirSync(facts.cwd)).toEqual([]);
    expect(folderOf(home.hubPid()!)).toBe(join(realpathSync(home.path), 'run', 'cwd'));
  });

  it('runs what was approved by python -m', async () => {
    const ran = await home.run(['call', 'python.facts'], { cwd: repository, env: env() });
    expectNothingRan();
    expect(factsOf(ran.stdout).cwd.startsWith(realpathSync(home.path))).toBe(true);
  });

  it.each([
    ['script', 'a script'],
    ['command', 'a program'],
    ['folder', 'a folder'],
  ])('%s: does not run %s with a relative path from there', async (name) => {
    const ran = await home.run(['call', `${name}.facts`], { cwd: repository, env: env() });
    expect(ran.code).not.toBe(0);
    expectNothingRan();
  });

  it('explains what a relative path lacks', async () => {
    const ran = await home.run(['call', 'command.facts'], { cwd: repository, env: env() });
    expect(ran.stderr).toContain('"./bin/server" is a relative path, and no "cwd"');
    const doctor = await home.run(['doctor'], { cwd: repository, env: env() });
    expect(doctor.stdout).toContain('pincer set script cwd FOLDER');
  });
});

describe('other commands, in a stranger’s folder', () => {
  it('pincer stdio runs what was approved', async () => {
    await using home = openCliHome();
    home.configure(servers(scene));
    const program = { command: process.execPath, args: [ENTRY, 'stdio', '--server', 'python'] };
    await using client = openStdio({
      ...program,
      env: { ...env(), PINCER_HOME: home.path },
      cwd: repository,
    });
    await client.ask('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    expect(
      await client.ask('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"facts"}}'),
    ).toContain('cwd');
    expectNothingRan();
  });

  it.each([
    ['up --port 0', ['up', '--port', '0', '--proxy-port', '0']],
    ['up --until-eof', ['up', '--port', '0', '--until-eof']],
  ])('pincer %s leaves the folder', async (_, args) => {
    await using home = openCliHome();
    home.configure({ python: servers(scene)['python']! });
    home.start(args, { cwd: repository, env: env() });
    expect(await eventually(() => home.hubPid() !== undefined)).toBe(true);
    expect(folderOf(home.hubPid()!)).toBe(join(realpathSync(home.path), 'run', 'cwd'));
    const ran = await home.run(['call', 'python.facts'], { env: env() });
    expect(factsOf(ran.stdout).cwd.startsWith(realpathSync(home.path))).toBe(true);
    expectNothingRan();
  });

  it.each([
    ['npx', ['npx', '-y', `${PACKAGE}@${VERSION}`], 0],
    // No other module has this name, so the one in the folder would run.
    ['python', ['python3', '-m', 'approved_server'], 4],
  ])('pincer add of %s runs nothing from there that the person did not name', async (name, command, code) => {
    await using home = openCliHome();
    const added = ['add', name, '--timeout', '60000', '--', ...command];
    const ran = await home.run(added, { cwd: repository, env: env() });
    expectNothingRan();
    expect(ran.code).toBe(code);
    if (code === 0) return;
    expect(ran.stderr).toContain('"approved_server" in this folder is not used');
    expect(ran.stderr).toContain('--cwd .');
  });

  it('replaces a link in place of the empty folder', async () => {
    await using home = openCliHome();
    home.configure({ python: servers(scene)['python']! });
    await home.run(['list'], { cwd: repository });
    rmSync(join(home.path, 'run'), { recursive: true, force: true });
    scene.folder('run');
    symlinkSync(repository, join(scene.folder('run'), 'cwd'));
    symlinkSync(scene.folder('run'), join(home.path, 'run'));
    const ran = await home.run(['call', 'python.facts'], { cwd: repository, env: env() });
    expect(ran.stdout).toContain('cwd');
    expectNothingRan();
    expect(readdirSync(repository)).toContain('argparse.py');
  });
});

it('removes files that a server left in the empty folder before its next start', async () => {
  const leave = `const fs = require('node:fs');
    console.error('found ' + fs.readdirSync('.').length + ' files');
    fs.writeFileSync('.npmrc', 'script-shell=./x');`;
  await using hub = await startHub({
    servers: { careless: { command: process.execPath, args: ['-e', leave] } },
    ready: false,
  });
  const found = async (): Promise<string[]> =>
    (await serverStatus(hub, 'careless')).stderr.trim().split('\n');
  expect(await eventually(async () => (await found()).length > 1)).toBe(true);
  expect(new Set(await found())).toEqual(new Set(['found 0 files']));
  expect(hub.stderr()).toContain('left files in its temporary folder');
});
