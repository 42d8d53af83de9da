import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCliHome, type CliHome } from '../kit/cli.ts';
import { ENTRY } from '../kit/hub.ts';
import { eventually } from '../kit/processes.ts';
import { stdioServer } from '../kit/servers.ts';

let home: CliHome;
beforeAll(async () => {
  home = openCliHome();
  home.configure({ fx: stdioServer(), other: { url: 'http://127.0.0.1:9/mcp' } });
  home.start(['up', '--port', '0']);
  await eventually(() => home.hubPid() !== undefined);
  await home.run(['tools', 'fx']);
  for (const shell of ['bash', 'zsh', 'fish'])
    writeFileSync(join(home.path, `pincer.${shell}`), (await home.run(['completion', shell])).stdout);
  // As on a machine where Pincer is installed.
  writeFileSync(join(home.path, 'pincer'), `#!/bin/sh\nexec '${process.execPath}' '${ENTRY}' "$@"\n`, {
    mode: 0o755,
  });
});
afterAll(() => home[Symbol.asyncDispose]());

/** What the shell offers for the last of these words. */
type Complete = (...words: string[]) => string[];

function runIn(shell: string, args: string[]): string[] {
  const { stdout, stderr } = spawnSync(shell, args, {
    encoding: 'utf8',
    env: {
      ...process.env,
      HOME: home.path,
      PINCER_HOME: home.path,
      PATH: `${home.path}${delimiter}${process.env['PATH']}`,
    },
  });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((word) => word !== '');
}

const inBash: Complete = (...words) =>
  runIn('bash', [
    '-c',
    `source "$PINCER_HOME/pincer.bash"
    COMP_WORDS=(pincer "$@") COMP_CWORD=$# COMPREPLY=()
    _pincer
    printf '%s\\n' "\${COMPREPLY[@]}"`,
    'bash',
    ...words,
  ]);

/** zsh displays completions through these two functions; here they print them. */
const inZsh: Complete = (...words) =>
  runIn('zsh', [
    '-fc',
    `compdef() { : }
    _files() { : }
    _describe() { local -a all=("\${(@P)@[-1]}"); print -rl -- "\${(M)all[@]:#$words[CURRENT]*}" }
    compadd() { [[ $1 == -S ]] && shift 2; shift; print -rl -- "$@" }
    source "$PINCER_HOME/pincer.zsh"
    words=(pincer "$@") CURRENT=$(($# + 1))
    _pincer`,
    'zsh',
    ...words,
  ]).map((line) => line.replace(/:.*/, ''));

const inFish: Complete = (...words) =>
  runIn('fish', [
    '--no-config',
    '-c',
    `source $PINCER_HOME/pincer.fish; complete -C (string join ' ' -- pincer $argv)`,
    '--',
    ...words,
  ]).map((line) => line.replace(/\t.*/, ''));

describe.each([
  ['bash', inBash],
  ['zsh', inZsh],
  ['fish', inFish],
])('completion in a real %s', (_shell, complete) => {
  it.each<[string[], string[]]>([
    [['serv'], ['service']],
    [
      ['--json', 'service', ''],
      ['install', 'remove', 'status'],
    ],
    [['token', 'r'], ['revoke']],
    [
      ['connect', 'claude-'],
      ['claude-code', 'claude-desktop'],
    ],
    [['connect', 'cursor', '--sh'], ['--show-token']],
    [
      ['completion', ''],
      ['bash', 'fish', 'powershell', 'zsh'],
    ],
    [
      ['stdio', '--server', ''],
      ['fx', 'other'],
    ],
    [['show', 'f'], ['fx']],
    [['call', 'f'], ['fx.']],
    [['call', 'fx.ec'], ['fx.echo']],
    [['call', 'other.'], []],
    [['up', '--port', ''], []],
  ])('%j', (words, offered) => expect(complete(...words).toSorted()).toEqual(offered));

  it('knows every command of the help', async () => {
    const help = (await home.run(['--help'])).stdout;
    const commands = [...help.matchAll(/^ {2}([a-z-]+) .*$/gm)].map(([, name]) => name!);
    const offered = complete('');
    expect(offered.length).toBeGreaterThan(15);
    for (const name of offered) expect(commands).toContain(name);
  });
});

describe('__complete', () => {
  it('is not in the help, starts no hub, and prints nothing if it knows nothing', async () => {
    await using empty = openCliHome();
    for (const words of [
      ['servers', ''],
      ['tools', 'fx.'],
      ['tokens', ''],
      ['secrets', ''],
      ['nonsense', ''],
      [],
    ])
      expect(await empty.run(['__complete', ...words])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(empty.hubPid()).toBeUndefined();
    expect((await empty.run(['--help'])).stdout).not.toContain('__complete');
  });

  it('prints no name that a shell might execute', async () => {
    await using odd = openCliHome();
    odd.configure({ good: { command: 'x' }, '$(touch x)': { command: 'x' }, 'a b': { command: 'x' } });
    expect(await odd.run(['__complete', 'servers', ''])).toMatchObject({ code: 0, stdout: 'good\n' });
  });
});
