/**
 * All commands, in the order of the help. A row contains all that `pincer --help` shows, so the help loads no command,
 * and no command loads another. To add a command, add its file in `commands/`, a row here, and a section in docs/cli.md.
 */
import type { CommandGroup, CommandRow } from './command.ts';

/** `term`: name, alias and arguments, such as `show|get [NAME]`. */
function row(term: string, summary: string, load: CommandRow['load']): CommandRow {
  const [, name = '', alias, args = ''] = /^([^ |]+)(?:\|(\S+))? ?(.*)$/.exec(term)!;
  return { name, alias, args, summary, load };
}

export const COMMANDS: readonly CommandGroup[] = [
  {
    title: 'Run:',
    rows: [
      row('up', 'run the hub', () => import('./commands/up.ts')),
      row('proxy', 'run only the app proxy', () => import('./commands/proxy.ts')),
      {
        ...row('stdio', 'serve all tools as MCP on stdin and stdout', () => import('./commands/stdio.ts')),
        isPipe: true,
      },
      row('node [pair]', 'run this machine as a node of OpenClaw', () => import('./commands/node.ts')),
      {
        ...row(
          'proxy-stdio',
          "serve an app's tools as MCP on stdin and stdout",
          () => import('./commands/proxy-stdio.ts'),
        ),
        isPipe: true,
      },
      {
        ...row(
          'mcp-server',
          'serve an OpenClaw agent as an MCP server',
          () => import('./commands/mcp-server.ts'),
        ),
        isPipe: true,
      },
      row('service install|remove|status', 'run the hub as a service', () => import('./commands/service.ts')),
    ],
  },
  {
    title: 'Servers:',
    rows: [
      row(
        'add NAME URL | NAME -- COMMAND …',
        'add a server and connect to it',
        () => import('./commands/add.ts'),
      ),
      row('list', 'list servers and their state', () => import('./commands/list.ts')),
      row(
        'show|get [NAME]',
        'show settings, state and offer of a server',
        () => import('./commands/show.ts'),
      ),
      row('status [NAME]', 'show the state of the hub or a server', () => import('./commands/status.ts')),
      row('probe [NAME]', 'connect to servers and refresh their tools', () => import('./commands/probe.ts')),
      row('tools [SERVER]', 'list tools and how to call them', () => import('./commands/tools.ts')),
      row('set NAME KEY VALUE', 'change settings of a server', () => import('./commands/set.ts')),
      row(
        'configure NAME',
        'change the usual settings step by step',
        () => import('./commands/configure.ts'),
      ),
      row(
        'unset|remove NAME [KEY …]',
        'remove a server or some of its settings',
        () => import('./commands/unset.ts'),
      ),
      row('reload', 'apply the edited configuration', () => import('./commands/reload.ts')),
      row('import [CLIENT]', 'copy the servers of other clients', () => import('./commands/import.ts')),
    ],
  },
  {
    title: 'Sign-in:',
    rows: [
      row('login NAME', 'sign in to a server', () => import('./commands/login.ts')),
      row('logout NAME', 'sign out of a server', () => import('./commands/logout.ts')),
      row(
        'client-metadata [URL]',
        'print the OAuth client metadata to host',
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
        'allow or deny calls that wait for you',
        () => import('./commands/approvals.ts'),
      ),
      row('accept [SERVER[.TOOL]]', 'accept new or changed tools', () => import('./commands/accept.ts')),
      row(
        'device [on|off NAME...]',
        'show or switch what this machine offers',
        () => import('./commands/device.ts'),
      ),
      row('sessions [end ID]', 'list or end sessions of apps', () => import('./commands/sessions.ts')),
      row('logs', 'show finished calls', () => import('./commands/logs.ts')),
    ],
  },
  {
    title: 'Access:',
    rows: [
      row('token add|list|revoke', 'manage tokens with fewer rights', () => import('./commands/token.ts')),
      row(
        'secret set|list|unset',
        'manage secrets of the configuration',
        () => import('./commands/secret.ts'),
      ),
      row('connect [CLIENT]', 'connect another program to Pincer', () => import('./commands/connect.ts')),
    ],
  },
  {
    title: 'OpenClaw:',
    rows: [
      row('openclaw install|servers', 'install Pincer in OpenClaw', () => import('./commands/openclaw.ts')),
    ],
  },
  {
    title: 'Help:',
    rows: [
      row('init', 'guided setup; start here', () => import('./commands/init.ts')),
      row('backup [FILE]', 'save the state folder in one file', () => import('./commands/backup.ts')),
      row('restore FILE', 'restore the state folder from a backup', () => import('./commands/restore.ts')),
      row(
        'completion bash|zsh|fish|powershell',
        'print shell completions',
        () => import('./commands/completion.ts'),
      ),
      row('doctor', 'find problems and how to fix them', () => import('./commands/doctor.ts')),
      row('explain [CODE]', 'explain an error code', () => import('./commands/explain.ts')),
    ],
  },
];

export const findRow = (word: string): CommandRow | undefined =>
  COMMANDS.flatMap(({ rows }) => rows).find(({ name, alias }) => name === word || alias === word);
