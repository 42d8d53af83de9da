/** `pincer up`: runs the hub until it is stopped. */
import { readDotEnv } from '../../config/proxy-settings.ts';
import { defineCommand, parsePort } from '../command.ts';
import { note } from '../terminal/output.ts';

export const command = defineCommand({
  usage: '[--port N] [--proxy-port N] [--background | --until-eof]',
  description: 'Runs the hub until you press Ctrl+C. Logs go to stderr.',
  options: {
    '--port <n>': { help: 'port to listen on; 0 picks a free one', parse: parsePort },
    '--proxy-port <n>': { help: 'port of the app proxy; 0 picks a free one', parse: parsePort },
    '--background': 'print nothing, listen on a free port, and end when no client uses it',
    '--until-eof': {
      help: 'end when stdin ends; for programs that start a hub',
      conflicts: '--background',
    },
  },
  async run({ flags: { port, proxyPort, background, untilEof } }, context) {
    // A hub that a command or a program starts for itself has no app proxy.
    const proxy = background || untilEof ? undefined : { port: proxyPort };
    if (proxy !== undefined) noteUnreadFile();
    // Loaded on demand: the hub is most of Pincer, and help and completions do not need it.
    const { runHub } = await import('../hub/run-hub.ts');
    return runHub({ port, background, untilEof, proxy, device: untilEof ? 'when-paired' : true }, context);
  },
});

/** A hub has access to all secrets, so it ignores the `.env` file of the current folder. */
function noteUnreadFile(): void {
  try {
    const { file, values } = readDotEnv(process.cwd());
    const names = Object.keys(values).join(', ');
    if (names !== '')
      note(
        `\`pincer up\` ignores ${file}, which sets ${names}. Set them in the environment, or run \`pincer proxy\` in that folder.\n`,
      );
  } catch {
    // The folder was deleted, or the file cannot be read.
  }
}
