/** Requests to the exec policy about commands on a machine in memory. */
import { findExecutable } from '../../packages/hub/src/device/exec/machine.ts';
import { whyOnlyOnce } from '../../packages/hub/src/device/exec/only-once.ts';
import type { Asked } from '../../packages/hub/src/device/exec/allowlist.ts';
import { decide, type Verdict } from '../../packages/hub/src/device/exec/decide.ts';
import { type PolicyFile, parsePolicy } from '../../packages/hub/src/device/exec/policy-file.ts';
import { chainOf } from '../../packages/hub/src/device/exec/chain.ts';
import { memoryMachine, type MemoryFile } from './memory-machine.ts';

const PROGRAMS =
  `ls git env nice nohup timeout stdbuf setsid sudo doas xargs find sh bash dash zsh busybox node python3.11
  perl ruby awk sed tar npx npm watch script ssh echo rm curl cmd.exe powershell.exe pwsh make ionice time rsync php
  true sort split ssh-agent vim.basic perl5.36-x86_64-linux-gnu gcc cc x86_64-linux-gnu-gcc-12 nm install msgfilter openssl
  ssh-keygen docker ip cargo dpkg-architecture chromium google-chrome-stable msedge brave c89 ld.bfd apt-mark gpg
  gpg-connect-agent gpg-agent diff3 sdiff pgbench svn hg gh kubectl fdfind yt-dlp mpv mutt soffice runcon uclampset debconf
  systemd-socket-activate luit xfce4-terminal ctest autoreconf autom4te m4 file-rename`.split(/\s+/);

const files = new Map<string, MemoryFile>([
  ...PROGRAMS.map((name) => [`/usr/bin/${name}`, { content: name, executable: true }] as const),
  ['/usr/bin/python', { content: '', link: 'python3.11' }],
  ['/usr/bin/cat', { content: '', link: 'busybox' }],
  ['/usr/bin/ash', { content: '', link: 'busybox' }],
  ['/home/a/bin/innocent', { content: '', link: '/usr/bin/env' }],
  ['/home/a/bin/delete', { content: '', link: '/usr/bin/rm' }],
  ['/home/a/bin/tool', { content: '#!/bin/sh', executable: true }],
  ['/home/a/srv/file', { content: '' }],
]);

const machine = memoryMachine(files);
const CWD = '/home/a/work';

export function askedOf(argv: readonly string[], setsVariables = false): Asked {
  const find = (word: string) => findExecutable(word, CWD, machine);
  const executable = find(argv[0] ?? '');
  if (executable === undefined) throw new Error(`no such program: ${argv[0]}`);
  const chain = chainOf(argv, executable, find);
  return {
    chain,
    cwd: CWD,
    filesHash: undefined,
    setsVariables,
    home: '/home/a',
    platform: 'linux',
    onlyOnce: whyOnlyOnce(chain, () => undefined)?.reason,
    namesState: false,
  };
}

export function policyOf(value: object): PolicyFile {
  const parsed = parsePolicy({ version: 1, ...value });
  if (!('file' in parsed)) throw new Error('not a policy');
  return parsed.file;
}

export const verdictOn = (
  file: PolicyFile,
  argv: readonly string[],
  { agent = 'main', setsVariables = false } = {},
): Verdict =>
  decide({ kind: 'approvals', file, hash: '', exists: true }, agent, askedOf(argv, setsVariables));

/** Whether the policy allows the command with this allowlist and without asking a person. */
export const isAllowedBy = (entries: readonly object[], argv: readonly string[]): boolean =>
  verdictOn(policyOf({ defaults: { ask: 'off' }, agents: { main: { allowlist: entries } } }), argv)
    .decision === 'allow';
