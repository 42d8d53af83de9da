/** `pincer node`: runs this machine as a node of an OpenClaw gateway; `pair` pairs it with one. */
import { defineCommand, defineSubcommand, ValueError } from '../command.ts';

export const command = defineCommand({
  usage: '[pair]',
  description:
    'Runs the hub as a node of an OpenClaw gateway until you press Ctrl+C, without the MCP endpoint of this machine at / and without the app proxy. Prints a line for each change of the connection.',
  commands: {
    pair: defineSubcommand({
      usage:
        '[--setup-code CODE | --url URL [--token-file FILE]] [--tls-fingerprint SHA256] [--wait SECONDS]',
      summary: 'pair this machine with a gateway',
      description:
        'Pairs this machine with an OpenClaw gateway as a node. Says what to approve on the gateway, waits for the approval, then lists the commands that the gateway allows, and for each blocked command the setting that allows it.',
      options: {
        '--setup-code <code>': 'the code that `openclaw qr --setup-code-only` prints on the gateway',
        '--url <url>':
          'URL of the gateway (wss://…); default: the gateway in the OpenClaw settings of this machine',
        '--token-file <file>': "file with the gateway's token, needed for the first connection",
        '--tls-fingerprint <sha256>': "fingerprint of the gateway's certificate, if no authority signed it",
        '--wait <seconds>': {
          help: 'how long to wait for approvals; default: no limit',
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
  throw new ValueError('Use a number of seconds above 0.');
}
