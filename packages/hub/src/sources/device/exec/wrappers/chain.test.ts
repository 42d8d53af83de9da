import { describe, expect, test } from 'vitest';
import { askedOf } from '../../../../../../../test/kit/asked.ts';

const chain = (...argv: string[]) => {
  const { links, isOpaque } = askedOf(argv).chain;
  return { programs: links.map(({ executable }) => executable.path.replace('/usr/bin/', '')), isOpaque };
};

describe('wrappers that are looked through', () => {
  test.each<[string[], string[]]>([
    [['ls', '-l'], ['ls']],
    [
      ['env', 'ls', '-l'],
      ['env', 'ls'],
    ],
    [
      ['env', '--', 'ls'],
      ['env', 'ls'],
    ],
    [
      ['nice', 'ls'],
      ['nice', 'ls'],
    ],
    [
      ['nice', '-n', '10', 'ls'],
      ['nice', 'ls'],
    ],
    [
      ['nice', '-10', 'ls'],
      ['nice', 'ls'],
    ],
    [
      ['nohup', 'ls', '-l'],
      ['nohup', 'ls'],
    ],
    [
      ['timeout', '5', 'ls'],
      ['timeout', 'ls'],
    ],
    [
      ['timeout', '-s', 'KILL', '-k', '1', '--foreground', '5s', 'ls'],
      ['timeout', 'ls'],
    ],
    [
      ['stdbuf', '-oL', '-e', '0', 'ls'],
      ['stdbuf', 'ls'],
    ],
    [
      ['ionice', '-c', '3', 'ls'],
      ['ionice', 'ls'],
    ],
    [
      ['time', '-p', 'ls'],
      ['time', 'ls'],
    ],
    [
      ['nice', 'env', 'timeout', '5', 'ls'],
      ['nice', 'env', 'timeout', 'ls'],
    ],
    [['find', '.', '-name', '*.ts'], ['find']],
    [['tar', 'xf', 'a.tar'], ['tar']],
    [['tar', '--extract', '--file=a.tar', 'IF'], ['tar']],
    [['git', 'status', '-uno', '--untracked-files'], ['git']],
    [['git', 'log', '--author', 'bash'], ['git']],
    [['git', 'clean', '-xn'], ['git']],
    [['gcc', '-O2', '-c', 'a.c', '-o', 'a.o'], ['gcc']],
    [['docker', 'ps', '-a'], ['docker']],
    [['install', '-m', '644', 'a', 'b'], ['install']],
    [['awk', '-f', 'prog.awk', 'file'], ['awk']],
    [['cat', 'file'], ['busybox']],
    [['python', 'run.py'], ['python3.11']],
  ])('%j starts %j', (argv, programs) => expect(chain(...argv)).toEqual({ programs, isOpaque: false }));
});

describe('what cannot be told from the command line', () => {
  test.each<string[][]>([
    [['env', '-S', 'ls -l']],
    [['env', '-Sls -l']],
    [['env', '--split-string=ls']],
    [['env', '-vS', 'ls']],
    [['env', 'A=b', 'ls']],
    // Without PATH it looks in other places.
    [['env', '-i', 'ls']],
    [['env', '-', 'ls']],
    [['env', '-u', 'PATH', 'ls']],
    [['env', '-uPATH', 'ls']],
    [['env', '--unset=PATH', 'ls']],
    [['env', '-C', '/tmp', 'ls']],
    [['env']],
    [['env', '-u']],
    [['env', 'nosuch']],
    [['nice', '--unknown', 'ls']],
    [['timeout', '5']],
    [['timeout', '5', 'sh', '-c', 'id']],
    [['nice', 'env', 'python', '-c', 'print()']],
    [['sudo', 'ls']],
    [['doas', 'ls']],
    [['setsid', 'ls']],
    [['xargs', 'ls']],
    [['watch', 'ls']],
    [['script', '-c', 'ls']],
    [['ssh', 'host', 'ls']],
    [['busybox', 'ls']],
    [['ash', '-c', 'ls']],
    [['find', '.', '-exec', 'rm', '{}', ';']],
    [['find', '.', '-execdir', 'rm', '{}', '+']],
    [['find', '.', '-ok', 'rm', '{}', ';']],
    [['find', '.', '-delete']],
    [['sh', '-c', 'ls']],
    [['bash', '-lc', 'ls']],
    [['bash', '-ec', 'ls']],
    [['bash', '-o', 'pipefail', '-c', 'ls']],
    [['bash', '--rcfile', 'x', '-ic', 'ls']],
    [['zsh', '-fc', 'ls']],
    [['sh', '-s']],
    [['bash', '-']],
    [['node', '-e', '1']],
    [['node', '--eval=1']],
    [['node', '-pe', '1']],
    [['node', '--print', '1']],
    [['node', '--import', 'data:text/javascript,1', 'x.js']],
    [['node', '--import=data:text/javascript,1', 'x.js']],
    [['python', '-c', 'print()']],
    [['python', '-Ic', 'print()']],
    [['python', '-']],
    [['perl', '-e', '1']],
    [['perl', '-lane', 'print']],
    [['perl', '-E', 'say']],
    [['ruby', '-e', '1']],
    [['php', '-r', '1;']],
    [['awk', 'BEGIN{system("id")}']],
    [['sed', '1e id', 'file']],
    [['sed', '-f', 'script', '-e', '1e id', 'file']],
    [['awk', 'BEGIN{system("id")}', '-f', 'x']],
    [['awk', '-f', 'x', '--source', 'BEGIN{system("id")}']],
    [['tar', '--checkpoint-action=exec=sh x', '-cf', 'a', 'b']],
    [['tar', '-I', 'sh', '-xf', 'a']],
    [['install', '-s', '--strip-program=./id', 'a', 'b']],
    [['gcc', '-wrapper', './id', 'a.c']],
    [['gcc', '@options', 'a.c']],
    [['cc', '-wrapper', './id', 'a.c']],
    [['x86_64-linux-gnu-gcc-12', '-wrapper', './id', 'a.c']],
    [['nm', '--plugin', './id.so', 'a']],
    [['msgfilter', '-i', 'a.po', './id']],
    [['openssl', 'req', '-engine', './id.so']],
    [['ssh-keygen', '-D', './id.so']],
    [['docker', 'run', '-v', '/:/all', 'alpine']],
    [['ip', 'netns', 'exec', 'a', 'id']],
    [['git', 'rebase', '-xid', 'HEAD~1']],
    [['git', 'rebase', '-fx', 'id', 'HEAD~1']],
    [['git', '-c', 'core.pager=id', 'log']],
    [['git', '-ccore.pager=id', 'log']],
    // A line break hides nothing, nor does a beginning of an option, nor a cluster of letters.
    [['git', 'ls-remote', '--upload-pack=id;\n', '.']],
    [['git', 'ls-remote', '--upload-pac=id;', '.']],
    [['git', 'clone', '-qu', 'id;', '.', 'b']],
    [['git', 'submodule', 'foreach', 'id']],
    [['git', 'bisect', 'run', 'id']],
    [['git', 'config', 'alias.st', '!id']],
    [['tar', '--checkpoint-action=exec=id\n', '-cf', 'a', 'b']],
    [['tar', '--checkpoint-act=exec=id', '-cf', 'a', 'b']],
    [['tar', '-xI', './id', '-f', 'a']],
    [['tar', 'xIf', './id', 'a']],
    [['sort', '--comp=./id', 'file']],
    [['split', '--filt=./id', 'file']],
    [['rsync', '-ave\n', 'sh -c id', 'a', 'b']],
    [['perl5.36-x86_64-linux-gnu', '-e', '1']],
    [['vim.basic', '-c', ':!id']],
    [['ssh-agent', './id']],
    [['rsync', '-e', 'sh -c id', 'a', 'b']],
    [['npx', '-c', 'id']],
    [['npx', 'cowsay']],
    [['npm', 'exec', 'x']],
    [['npm', '-c', 'id']],
    [['cmd.exe', '/c', 'dir']],
    [['cmd.exe', '/C', 'dir']],
    [['cmd.exe', 'dir']],
    [['powershell.exe', '-Command', 'Get-Date']],
    [['powershell.exe', '-c', 'Get-Date']],
    [['powershell.exe', '-com', 'Get-Date']],
    [['powershell.exe', '-Command:Get-Date']],
    [['powershell.exe', '-e', 'AAAA']],
    [['powershell.exe', '-en', 'AAAA']],
    [['powershell.exe', '-EncodedCommand', 'AAAA']],
    [['powershell.exe', '/ec', 'AAAA']],
    [['powershell.exe', '–EncodedCommand', 'AAAA']],
    [['powershell.exe', 'Get-Date']],
    [['powershell.exe', '-f', 'x.ps1', '-enc', 'AAAA']],
    [['pwsh', '-c', 'Get-Date']],
    [['/home/a/bin/innocent', 'A=b', 'sh', '-c', 'id']],
    // Nobody knows what it does, but there is a shell with code on its line.
    [['/home/a/bin/tool', '--fast', '/bin/bash', '-c', 'id']],
    [['/home/a/bin/tool', 'python3', '-c', 'print()']],
  ])('%j', (argv) => expect(chain(...argv).isOpaque).toBe(true));
});

test('what a wrapper is called does not matter, only what it is', () => {
  expect(chain('/home/a/bin/innocent', 'ls')).toEqual({ programs: ['env', 'ls'], isOpaque: false });
});

test('wrappers in wrappers are looked through only so far', () => {
  expect(chain(...Array.from({ length: 20 }, () => 'nice'), 'ls').isOpaque).toBe(true);
});

test.each([
  ['bash', true],
  ['python', true],
  ['node', true],
  ['vim.basic', true],
  ['cargo', true],
  ['ls', false],
  ['git', false],
])('%s runs code: %j', (name, expected) => {
  expect(askedOf([name, 'x']).chain.links[0]!.runsCode).toBe(expected);
});
