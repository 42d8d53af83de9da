import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, test, vi } from 'vitest';
import { temporaryFolder } from '../../../../test/kit/temporary-folder.ts';
import type { CliCommand, CliContext, CliDescriptor, HostApi } from '../host.ts';
import { registerCommands, wordsAfter } from './register.ts';

/** A plugin folder with a fake Pincer that records its arguments. */
function installIn(folder: string): string {
  const pincer = join(folder, 'node_modules/pincer');
  mkdirSync(join(pincer, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{}');
  writeFileSync(join(pincer, 'package.json'), '{ "name": "pincer", "type": "module" }');
  const argumentsFile = join(folder, 'arguments.json');
  writeFileSync(
    join(pincer, 'bin/pincer.js'),
    `import { writeFileSync } from 'node:fs';
    const words = process.argv.slice(2);
    writeFileSync(${JSON.stringify(argumentsFile)}, JSON.stringify([process.env.OPENCLAW_STATE_DIR, ...words]));`,
  );
  return argumentsFile;
}

/** A fake host that runs a typed command. */
function hostFor(rootDir: string) {
  const actions = new Map<string, () => Promise<void>>();
  let descriptors: readonly CliDescriptor[] = [];
  const program = {
    command(name: string) {
      const command: CliCommand = {
        command: () => command,
        description: () => command,
        allowUnknownOption: () => command,
        allowExcessArguments: () => command,
        helpOption: () => command,
        action(run) {
          actions.set(name, async () => run());
          return command;
        },
      };
      return command;
    },
  } as CliCommand;
  const api = {
    rootDir,
    runtime: { config: {}, state: { resolveStateDir: () => '/state' } },
    registerCli(register: (context: CliContext) => void, options: { descriptors: CliDescriptor[] }) {
      ({ descriptors } = options);
      register({ program });
    },
  } as unknown as HostApi;
  registerCommands(api, async () => []);
  return {
    descriptors,
    async type(...words: string[]): Promise<void> {
      vi.spyOn(process, 'argv', 'get').mockReturnValue(['node', 'openclaw', ...words]);
      await actions.get(words[0]!)!();
    },
  };
}

const exitCode = process.exitCode;
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = exitCode;
});

test('passes the words after `openclaw pincer` to Pincer, with the folder of this OpenClaw', async () => {
  using folder = temporaryFolder('register');
  const argumentsFile = installIn(folder.path);
  await hostFor(folder.path).type('pincer', 'call', 'files.read', '--', '--json');
  expect(process.exitCode).toBe(0);
  expect(JSON.parse(readFileSync(argumentsFile, 'utf8'))).toEqual([
    '/state',
    'call',
    'files.read',
    '--',
    '--json',
  ]);
});

test('passes `openclaw mcp-server` to Pincer', async () => {
  using folder = temporaryFolder('register');
  const argumentsFile = installIn(folder.path);
  await hostFor(folder.path).type('mcp-server', '-v');
  expect(JSON.parse(readFileSync(argumentsFile, 'utf8'))).toEqual(['/state', 'mcp-server', '-v']);
});

test("keeps OpenClaw's own output off stdout", () => {
  using folder = temporaryFolder('register');
  const { descriptors } = hostFor(folder.path);
  expect(descriptors.map(({ name }) => name)).toEqual(['pincer', 'mcp-server']);
  for (const { machineOutput } of descriptors)
    expect(machineOutput?.({ argv: [], stdoutIsTTY: true })).toBe(true);
});

const after = (...words: string[]): readonly string[] =>
  wordsAfter('pincer', ['node', 'openclaw.mjs', ...words]);

describe('wordsAfter', () => {
  it('returns all words after the command unchanged', () => {
    expect(after('pincer')).toEqual([]);
    expect(after('pincer', 'list', '--json')).toEqual(['list', '--json']);
    expect(after('pincer', 'add', 'files', '--', 'node', 'server.mjs', '--profile', 'x')).toEqual([
      'add',
      'files',
      '--',
      'node',
      'server.mjs',
      '--profile',
      'x',
    ]);
    expect(after('pincer', 'show', 'pincer')).toEqual(['show', 'pincer']);
  });

  it("skips OpenClaw's own options before the command", () => {
    expect(after('--no-color', '--profile', 'pincer', 'pincer', '--help')).toEqual(['--help']);
    expect(after('--profile=pincer', 'pincer', '-h')).toEqual(['-h']);
  });

  it('returns nothing if the command is missing', () => {
    expect(after('mcp', 'list')).toEqual([]);
  });
});
