import type { Connection, Decision } from '../connection.ts';
import { readInbound } from '../inbound.ts';
import { answerIn } from '../protocol/answer.ts';
import { createPipeEra } from '../protocol/era.ts';
import type { FixtureState } from '../state.ts';
import { createLineReader } from './lines.ts';

/** A server that ignores the end of stdin still exits after this time. */
const LIFETIME_MS = 600_000;

/** One message per line on stdin and stdout. */
export function serveStdio(state: FixtureState): void {
  const { ignoreStdinEnd } = state.flags;
  const eraOf = createPipeEra(state.flags.era);
  const connection: Connection = { key: 'stdio', push: write };

  const onLine = (line: string): void => {
    const inbound = readInbound(line);
    if ('error' in inbound) return write(inbound.error);
    void perform(answerIn(eraOf(inbound), state, inbound, connection));
  };
  const onEnd = () => {
    if (!ignoreStdinEnd) process.exit(0);
  };
  if (ignoreStdinEnd) setTimeout(() => process.exit(0), LIFETIME_MS);
  process.stdin.on('data', createLineReader(onLine));
  process.stdin.on('end', onEnd);
  process.stdout.on('error', onEnd);
}

async function perform(decision: Decision): Promise<void> {
  if (decision.kind === 'answer') write(decision.message);
  if (decision.kind !== 'start') return;
  const message = await decision.run({ send: write });
  if (message !== undefined) write(message);
}

function write(message: string): void {
  process.stdout.write(`${message}\n`);
}
