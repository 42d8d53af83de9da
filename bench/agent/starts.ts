/** Measures from the start of `pincer mcp-server` to its answer to `initialize`, beside a Node that does nothing else. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { INITIALIZE } from '../../test/kit/messages.ts';
import { agentProgram } from '../../test/kit/agent-server.ts';
import { temporaryFolder } from '../process/folders.ts';
import { cleanEnv, forget, refuseWhenEnding, remember } from '../process/running.ts';

export interface StartRound {
  mcpServerMs: number;
  bareNodeMs: number;
}

/** An unused port, so that OpenClaw's start is not included. */
const NOWHERE = 'ws://127.0.0.1:9';
const BARE = ['-e', `process.stdin.once('data', () => process.stdout.write('{}\\n'))`];

export async function measureStarts(count: number): Promise<StartRound[]> {
  const folder = temporaryFolder('starts');
  const { args, env } = agentProgram(folder, NOWHERE);
  const rounds: StartRound[] = [];
  // The first round fills the cache of compiled code, as on any machine where it ran before.
  for (let round = 0; round <= count; round += 1) {
    const mcpServerMs = await firstAnswer(args, cleanEnv(folder, env));
    const bareNodeMs = await firstAnswer(BARE, cleanEnv(folder));
    if (round > 0) rounds.push({ mcpServerMs, bareNodeMs });
  }
  return rounds;
}

async function firstAnswer(args: readonly string[], env: Record<string, string>): Promise<number> {
  refuseWhenEnding();
  const begun = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'], env });
  remember(child.pid);
  const exited = once(child, 'exit');
  child.stdin.write(`${INITIALIZE}\n`);
  await once(child.stdout, 'data');
  const taken = performance.now() - begun;
  child.stdin.end();
  await exited;
  forget(child.pid);
  return taken;
}
