/** `pincer node`: this machine as a node of an OpenClaw gateway, and pairing with one. */
import { defineCommand, defineSubcommand, ValueError } from '../command.ts';

export const command = defineCommand({
  usage: '[pair]',
  description:
    'Runs the hub as a node of a gateway of OpenClaw, until Ctrl+C: without this machine at / and without the app proxy. Each change of its state is a line.',
  commands: {
    pair: defineSubcommand({
      usage:
        '[--setup-code CODE | --url URL [--token-file FILE]] [--tls-fingerprint SHA256] [--wait SECONDS]',
      summary: 'pair this machine with a gateway',
      description:
        'Makes this machine a node of a gateway: says what to approve there, waits for it, and then which commands the gateway allows and which setting those need that it blocks.',
      options: {
        '--setup-code <code>': 'what `openclaw qr --setup-code-only` prints on the gateway',
        '--url <url>': 'the gateway: wss://…; without it, the one that OpenClaw here is set to',
        '--token-file <file>': "a file with the gateway's token, for the first visit",
        '--tls-fingerprint <sha256>': "of the gateway's certificate, where no authority vouches for it",
        '--wait <seconds>': {
          help: 'how long to wait for approvals; without it, until they are there',
          parse: parseSeconds,
        },
      },
      async run({ flags }, context) {
        const { pairNode, reportPairing } = await import('../node/pair-node.ts');
        return reportPairing(await pairNode(flags, context), context);
      },
    }),
  },
  async run(_given, context) {
    const { runHub } = await import('../hub/run-hub.ts');
    return runHub({ device: true, node: true }, context);
  },
});

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() !== '' && Number.isFinite(seconds) && seconds > 0) return seconds;
  throw new ValueError('Seconds are a number above 0.');
}
