/** `pincer up`: the hub, until it is stopped. */
import { readDotEnv } from '../../config/proxy-settings.ts';
import { defineCommand, parsePort } from '../command.ts';
import { note } from '../terminal/output.ts';

export const command = defineCommand({
  usage: '[--port N] [--proxy-port N] [--background | --until-eof]',
  description: 'Runs the hub, until Ctrl+C. Its log goes to stderr.',
  options: {
    '--port <n>': { help: 'port to listen on; 0 takes a free one', parse: parsePort },
    '--proxy-port <n>': { help: 'port of the app proxy; 0 takes a free one', parse: parsePort },
    '--background': 'say nothing, take a free port, end when nobody uses it',
    '--until-eof': {
      help: 'end when standard input ends: for a program that runs a hub',
      conflicts: '--background',
    },
  },
  async run({ flags: { port, proxyPort, background, untilEof } }, context) {
    // A hub that a command or a program runs for itself offers no proxy.
    const proxy = background || untilEof ? undefined : { port: proxyPort };
    if (proxy !== undefined) noteUnreadFile();
    // The hub is most of Pincer: the help and the completions do not load it.
    const { runHub } = await import('../hub/run-hub.ts');
    return runHub({ port, background, untilEof, proxy, device: untilEof ? 'when-paired' : true }, context);
  },
});

/** A hub has all of the person's keys, so it ignores the `.env` of the folder that it is started in. */
function noteUnreadFile(): void {
  try {
    const { file, values } = readDotEnv(process.cwd());
    const names = Object.keys(values).join(', ');
    if (names !== '')
      note(
        `${file} sets ${names}: \`pincer up\` does not read it. Put them into the environment, or run \`pincer proxy\` there.\n`,
      );
  } catch {
    // The folder is gone, or the file cannot be read.
  }
}
