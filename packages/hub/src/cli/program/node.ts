import { InvalidArgumentError, type Command } from 'commander';
import type { PairOptions } from '../node/target.ts';
import type { Registration } from './registration.ts';

export function addNodeCommands(program: Command, { context, end }: Registration): void {
  const node = program
    .command('node')
    .usage('[pair]')
    .summary('run as a node of OpenClaw')
    .description(
      'Runs the hub as a node of a gateway of OpenClaw, until Ctrl+C: without this machine at / and without the app proxy. Each change of its state is a line.',
    )
    .helpCommand(false)
    .action(async () => {
      const { node: run } = await import('../commands/up.ts');
      end(await run(context));
    });
  node
    .command('pair')
    .usage('[--setup-code CODE | --url URL [--token-file FILE]] [--tls-fingerprint SHA256] [--wait SECONDS]')
    .summary('pair this machine with a gateway')
    .description(
      'Makes this machine a node of a gateway: says what to approve there, waits for it, and then which commands the gateway allows and which setting those need that it blocks.',
    )
    .option('--setup-code <code>', 'what `openclaw qr --setup-code-only` prints on the gateway')
    .option('--url <url>', 'the gateway: wss://…; without it, the one that OpenClaw here is set to')
    .option('--token-file <file>', "a file with the gateway's token, for the first visit")
    .option('--tls-fingerprint <sha256>', "of the gateway's certificate, where no authority vouches for it")
    .option(
      '--wait <seconds>',
      'how long to wait for approvals; without it, until they are there',
      parseSeconds,
    )
    .action(async (options: PairOptions) => {
      const { nodePair } = await import('../commands/node-pair.ts');
      end(await nodePair(options, context));
    });
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() !== '' && Number.isFinite(seconds) && seconds > 0) return seconds;
  throw new InvalidArgumentError('Seconds are a number above 0.');
}
