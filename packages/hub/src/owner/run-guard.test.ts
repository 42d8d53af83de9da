import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { processStart } from './process-identity.ts';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

async function until(condition: () => boolean): Promise<void> {
  for (let left = 500; !condition(); left -= 1) {
    if (left === 0) throw new Error('the condition never came true');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A process that runs programs under a guard. `script` can call `run(line)`; the programs' output is collected. */
async function hub(script: string, lines: number) {
  const code = `
    import { createRunGuard } from ${JSON.stringify(here('./run-guard.ts'))};
    import { createPrograms } from ${JSON.stringify(here('./run-program.ts'))};
    import { describeGroup } from ${JSON.stringify(here('./end-processes.ts'))};
    const journal = { started: describeGroup, ended() {}, close() {} };
    const programs = createPrograms(journal, createRunGuard(0));
    const run = (line) => programs.run({
      command: '/bin/sh', args: ['-c', line], env: { PATH: process.env.PATH }, signal: new AbortController().signal,
      timeoutMs: 60000, maxBytes: 1000, whenFull: 'drop', onStdout: (chunk) => process.stdout.write(chunk),
    });
    ${script}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ids = (): number[] => output.split('\n').slice(0, -1).map(Number);
  await until(() => ids().length === lines);
  onTestFinished(() => {
    for (const pid of ids()) if (processStart(pid) !== undefined) process.kill(pid, 'SIGKILL');
  });
  return { child, ids };
}

describe.runIf(process.platform === 'linux')('a hub that is killed', () => {
  test('ends its programs, including stubborn ones and those that left the group', async () => {
    const stubborn = `trap "" TERM; sleep 61 & echo $!; setsid sh -c "echo \\$\\$; sleep 61" & echo $$; wait`;
    const { child, ids } = await hub(`run(${JSON.stringify(stubborn)}); run('echo $$; sleep 61');`, 4);
    expect(ids().every((pid) => processStart(pid) !== undefined)).toBe(true);
    child.kill('SIGKILL');
    await until(() => ids().every((pid) => processStart(pid) === undefined));
  });

  test('spares a descendant of an ended program, because ids are reused', async () => {
    const { child, ids } = await hub(
      `run('setsid sleep 61 >/dev/null & sleep 0.2; echo $!').then(() => run('echo $$; sleep 61'));`,
      2,
    );
    child.kill('SIGKILL');
    const [left, ran] = ids();
    await until(() => processStart(ran!) === undefined);
    expect(processStart(left!)).toBeDefined();
  });

  test('the guard does not keep the hub from exiting', async () => {
    const { child } = await hub(`await run('echo $$');`, 1);
    const [code] = (child.exitCode === null ? await once(child, 'exit') : [child.exitCode]) as [number];
    expect(code).toBe(0);
  });
});
