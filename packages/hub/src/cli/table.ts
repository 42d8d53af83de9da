/**
 * All commands, in the order of the help. A row has what `pincer --help` shows, so that the help loads no command, and a
 * command loads no other one. To add a command, add its file in `commands/`, a row here, and its section in docs/cli.md.
 */
import type { CommandGroup, CommandRow } from './command.ts';

/** `term`: name, alias and arguments, as in `show|get [NAME]`. */
function row(term: string, summary: string, load: CommandRow['load']): CommandRow {
  const [, name = '', alias, args = ''] = /^([^ |]+)(?:\|(\S+))? ?(.*)$/.exec(term)!;
  return { name, alias, args, summary, load };
}

export const COMMANDS: readonly CommandGroup[] = [
  {
    title: 'Run:',
    rows: [
      row('up', 'run the hub', () => import('./commands/up.ts')),
      row('proxy', 'run the app proxy alone', () => import('./commands/proxy.ts')),
      { ...row('stdio', 'MCP on stdin and stdout', () => import('./commands/stdio.ts')), isPipe: true },
      row('node [pair]', 'run as a node of OpenClaw', () => import('./commands/node.ts')),
      {
        ...row(
          'proxy-stdio',
          "an app's tools on stdin and stdout",
          () => import('./commands/proxy-stdio.ts'),
        ),
        isPipe: true,
      },
      {
        ...row('mcp-server', 'an OpenClaw agent as an MCP server', () => import('./commands/mcp-server.ts')),
        isPipe: true,
      },
      row('service install|remove|status', 'keep the hub running', () => import('./commands/service.ts')),
    ],
  },
  {
    title: 'Servers:',
    rows: [
      row(
        'add NAME URL | NAME -- COMMAND …',
        'connect to a server, and keep it',
        () => import('./commands/add.ts'),
      ),
      row('list', 'servers and their state', () => import('./commands/list.ts')),
      row('show|get [NAME]', 'a server: settings, state, what it offers', () => import('./commands/show.ts')),
      row('status [NAME]', 'the hub, or one server in detail', () => import('./commands/status.ts')),
      row('probe [NAME]', 'connect, and ask what is offered', () => import('./commands/probe.ts')),
      row('tools [SERVER]', 'tools, and how to call them', () => import('./commands/tools.ts')),
      row('set NAME KEY VALUE', 'change settings of a server', () => import('./commands/set.ts')),
      row(
        'configure NAME',
        'go through the usual settings of a server',
        () => import('./commands/configure.ts'),
      ),
      row(
        'unset|remove NAME [KEY …]',
        'remove a server, or settings of one',
        () => import('./commands/unset.ts'),
      ),
      row('reload', 'take over a changed configuration', () => import('./commands/reload.ts')),
      row('import [CLIENT]', 'take over servers of other clients', () => import('./commands/import.ts')),
    ],
  },
  {
    title: 'Sign-in:',
    rows: [
      row('login NAME', 'sign in to a server', () => import('./commands/login.ts')),
      row('logout NAME', 'forget a sign-in', () => import('./commands/logout.ts')),
      row(
        'client-metadata [URL]',
        'who Pincer is, as a document to host',
        () => import('./commands/client-metadata.ts'),
      ),
    ],
  },
  {
    title: 'Use:',
    rows: [
      row('call SERVER.TOOL key=value …', 'call a tool', () => import('./commands/call.ts')),
      row(
        'approvals [show ID | allow ID … | deny ID …]',
        'calls that wait for you',
        () => import('./commands/approvals.ts'),
      ),
      row(
        'accept [SERVER[.TOOL]]',
        'tools that have changed, or are new',
        () => import('./commands/accept.ts'),
      ),
      row('device [on|off NAME...]', 'what this machine can do', () => import('./commands/device.ts')),
      row('sessions [end ID]', 'sessions of apps', () => import('./commands/sessions.ts')),
      row('logs', 'finished calls', () => import('./commands/logs.ts')),
    ],
  },
  {
    title: 'Access:',
    rows: [
      row('token add|list|revoke', 'tokens that may do less', () => import('./commands/token.ts')),
      row(
        'secret set|list|unset',
        'secrets that the configuration refers to',
        () => import('./commands/secret.ts'),
      ),
      row('connect [CLIENT]', 'tell another program of Pincer', () => import('./commands/connect.ts')),
    ],
  },
  {
    title: 'OpenClaw:',
    rows: [
      row('openclaw install|servers', 'Pincer inside of OpenClaw', () => import('./commands/openclaw.ts')),
    ],
  },
  {
    title: 'Help:',
    rows: [
      row('init', 'a short guided start', () => import('./commands/init.ts')),
      row('backup [FILE]', 'the state folder in one file', () => import('./commands/backup.ts')),
      row('restore FILE', 'the state folder as a backup has it', () => import('./commands/restore.ts')),
      row(
        'completion bash|zsh|fish|powershell',
        'completion for a shell',
        () => import('./commands/completion.ts'),
      ),
      row('doctor', 'what is wrong, and what to do', () => import('./commands/doctor.ts')),
      row('explain [CODE]', 'what an error code means', () => import('./commands/explain.ts')),
    ],
  },
];

export const findRow = (word: string): CommandRow | undefined =>
  COMMANDS.flatMap(({ rows }) => rows).find(({ name, alias }) => name === word || alias === word);
