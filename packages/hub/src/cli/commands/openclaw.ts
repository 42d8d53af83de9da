/** `pincer openclaw`: installs the plugin into OpenClaw, and prints the servers as OpenClaw's own entries. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PincerError } from '../../core/errors.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { packPlugin } from '../openclaw/pack-plugin.ts';
import { findOpenClaw, lastLine, type OpenClaw, type OpenClawOptions } from '../openclaw/run-openclaw.ts';
import { note, print, printJson } from '../terminal/output.ts';

import { defineCommand, defineSubcommand } from '../command.ts';
import { asOpenClawEntry, LeftOutError } from '../openclaw/entries.ts';
import { readOverview } from '../servers/overview.ts';
import { openVault } from '../../owner/vault.ts';

export const command = defineCommand({
  usage: 'install|servers',
  description:
    "Installs Pincer in OpenClaw as the plugin mcp-client, or prints your servers as OpenClaw's own entries.",
  commands: {
    install: defineSubcommand({
      usage: '[--yes] [--profile NAME] [--openclaw PATH]',
      summary: 'install the plugin into OpenClaw',
      description:
        'Packs the plugin together with this version of Pincer and installs it into OpenClaw, whether or not the gateway is running. Needs no package registry. Replaces an earlier installation and keeps its settings.',
      options: {
        '--yes': "accept the plugin's permissions; without it OpenClaw asks",
        '--profile <name>': 'the OpenClaw profile to install into',
        '--openclaw <file>': 'the OpenClaw program or its openclaw.mjs; default: openclaw in PATH',
      },
      run: ({ flags }, context) => installPlugin(flags, context),
    }),
    servers: defineSubcommand({
      usage: '[--with-secrets]',
      summary: "print your servers as OpenClaw's own entries",
      description:
        "Prints your servers as entries for mcp.servers in OpenClaw's configuration. Writes nothing; to write them, run `openclaw pincer eject --restore-servers`. Servers that use a secret from the vault are left out.",
      options: { '--with-secrets': 'include those servers, with their secrets in clear text' },
      run: ({ flags: { withSecrets } }, context) => printServers(withSecrets, context),
    }),
  },
});

interface InstallOptions extends OpenClawOptions {
  /** Accepts the plugin's permissions, which OpenClaw otherwise asks about. */
  readonly yes: boolean;
}

const PERMISSIONS =
  'the tool mcp_manage, the skill mcp, the commands pincer and mcp-server, entries in mcp.servers';

async function installPlugin(
  { yes, ...options }: InstallOptions,
  { entry, json }: Context,
): Promise<ExitCode> {
  const isAsked = !yes;
  if (isAsked && (json || !process.stdin.isTTY || !process.stdout.isTTY))
    throw new PincerError(
      'USAGE',
      'OpenClaw asks whether the plugin may be installed, but there is no terminal to answer on.',
      {
        hint: `To accept without being asked: pincer openclaw install --yes. The plugin adds ${PERMISSIONS}.`,
      },
    );
  const say = (step: string): void => (json ? undefined : note(`${step}\n`));
  const openclaw = await findOpenClaw(options);
  say(`OpenClaw ${openclaw.version}: ${openclaw.shown}`);
  const folder = mkdtempSync(join(tmpdir(), 'pincer-openclaw-'));
  try {
    const plugin = await packPlugin(dirname(dirname(realpathSync(entry))), folder);
    say(`Packed the plugin ${plugin.version} together with Pincer.`);
    say(`Installing it: ${openclaw.shown} plugins install`);
    const accepted = isAsked ? [] : ['--accept-capabilities'];
    await must(openclaw, ['plugins', 'install', plugin.file, '--force', ...accepted], isAsked);
    const wasOff = await isSwitchedOff(openclaw);
    if (wasOff) {
      say('The plugin was disabled; enabling it.');
      await must(openclaw, ['plugins', 'enable', 'mcp-client', ...accepted], isAsked);
    }
    if (json)
      printJson({
        ok: true,
        openclaw: { command: openclaw.shown, version: openclaw.version },
        plugin: { id: 'mcp-client', version: plugin.version },
        enabled: true,
        wasOff,
      });
    else print(`The plugin ${plugin.version} is installed.\n${nextSteps(openclaw)}`);
    return EXIT.ok;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** OpenClaw keeps the plugin disabled if it was disabled or uninstalled before. */
async function isSwitchedOff(openclaw: OpenClaw): Promise<boolean> {
  const { stdout } = await openclaw.run(['config', 'get', 'plugins.entries.mcp-client.enabled']);
  return lastLine(stdout).trim() === 'false';
}

async function must(openclaw: OpenClaw, args: readonly string[], isTerminal: boolean): Promise<void> {
  const { code, stdout, stderr } = await openclaw.run(args, { isTerminal });
  if (code === 0) return;
  const why = `${stderr}\n${stdout}`.trim().split('\n').slice(-6).join('\n');
  throw new PincerError(
    'OPENCLAW_UNUSABLE',
    `${openclaw.shown} ${args.slice(0, 2).join(' ')} ended with ${code}${why === '' ? '.' : `:\n${why}`}`,
    { hint: `Run \`${openclaw.shown} doctor\`, then \`pincer openclaw install\` again.` },
  );
}

const nextSteps = ({
  shown,
}: OpenClaw): string => `Tell the agents which servers there are: ${shown} pincer setup
Add a server: ${shown} pincer add NAME -- COMMAND ARGUMENTS, or /mcp connect URL in a chat
Remove everything again: ${shown} pincer eject
`;

interface Remark {
  readonly name: string;
  readonly text: string;
}

async function printServers(withSecrets: boolean, context: Context): Promise<ExitCode> {
  const { outline, status } = await readOverview(context);
  const secret = withSecrets ? (name: string) => openVault(context.home, process.env).get(name) : undefined;
  const servers: Record<string, object> = {};
  const leftOut: Remark[] = [];
  const notes: Remark[] = [];
  const clear: Remark[] = [];
  for (const { name, raw } of outline)
    try {
      const signsIn = status?.servers.find((each) => each.name === name)?.auth?.kind === 'oauth';
      const made = asOpenClawEntry(name, raw, { secret, signsIn });
      if (made.key in servers) throw new LeftOutError(`another server already has the name ${made.key}.`);
      servers[made.key] = made.entry;
      notes.push(...made.notes.map((text) => ({ name, text })));
      clear.push(...made.clear.map((text) => ({ name, text })));
    } catch (error) {
      if (!(error instanceof LeftOutError)) throw PincerError.from(error);
      leftOut.push({ name, text: error.message });
    }
  if (context.json) printJson({ ok: true, servers, leftOut, notes, clear });
  else {
    print(`${JSON.stringify({ mcp: { servers } }, undefined, 2)}\n`);
    for (const { name, text } of leftOut) note(`${name} is left out: ${text}\n`);
    for (const { name, text } of clear) note(`${name}: ${text} is in clear text here.\n`);
    for (const { name, text } of notes) note(`${name}: ${text}\n`);
  }
  return EXIT.ok;
}
