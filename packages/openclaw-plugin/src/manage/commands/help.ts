import { usageLine } from '../input.ts';
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
          'For everything else use a terminal: openclaw pincer --help',
        ],
      }),
  };
  return help;
};

/** A subcommand of OpenClaw's own `/mcp`, which this `/mcp` replaces. */
const moved = (name: string, instead: readonly string[]): Subcommand => ({
  name,
  usage: '',
  summary: '',
  flags: {},
  least: 0,
  most: Number.POSITIVE_INFINITY,
  changes: never,
  run: () => Promise.resolve({ lines: instead }),
});

const LOOK = ['To see all servers: /mcp servers. To see one: /mcp status <name>'];
const OWN = "OpenClaw's own mcp.servers";

export const MOVED: readonly Subcommand[] = [
  moved('show', [...LOOK, `${OWN}: openclaw mcp show`]),
  moved('get', [...LOOK, `${OWN}: openclaw mcp show <name>`]),
  moved('set', [
    'To add a server: /mcp connect <url>',
    'To change its settings, at a terminal: openclaw pincer set <name> <setting> <value>',
    `${OWN}: openclaw mcp set`,
  ]),
  moved('unset', [
    'To end a connection: /mcp disconnect <name>',
    'To remove a server from the configuration, at a terminal: openclaw pincer unset <name>',
    `${OWN}: openclaw mcp unset`,
  ]),
];
