import { usageLine } from '../input/read-arguments.ts';
import { never, type Subcommand } from '../subcommand.ts';

const WIDTH = 40;

export const createHelp = (others: readonly Subcommand[]): Subcommand => {
  const help: Subcommand = {
    name: 'help',
    usage: '',
    summary: 'this list',
    flags: {},
    least: 0,
    most: 1,
    changes: never,
    run: () =>
      Promise.resolve({
        lines: [
          'MCP servers, by Pincer',
          ...[...others, help].map((each) => `  ${usageLine(each).padEnd(WIDTH)}  ${each.summary}`),
          'Everything else at a terminal: openclaw pincer --help',
        ],
      }),
  };
  return help;
};
