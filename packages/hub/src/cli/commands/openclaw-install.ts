/** `pincer openclaw install`: the plugin into the OpenClaw of this person, from what is here and from no registry. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PincerError } from '../../core/errors.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { packPlugin } from '../openclaw/pack-plugin.ts';
import { findOpenClaw, lastLine, type OpenClaw, type OpenClawOptions } from '../openclaw/run-openclaw.ts';
import { note, print, printJson } from '../terminal/output.ts';

export interface InstallOptions extends OpenClawOptions {
  /** Accepts what the plugin may do, which OpenClaw asks about otherwise. */
  readonly yes?: boolean | undefined;
}

const MAY_DO =
  'the tool mcp_manage, the skill mcp, the commands pincer and mcp-server, entries in mcp.servers';

export async function openclawInstall(
  { yes, ...options }: InstallOptions,
  { entry, json }: Context,
): Promise<ExitCode> {
  const isAsked = yes !== true;
  if (isAsked && (json || !process.stdin.isTTY || !process.stdout.isTTY))
    throw new PincerError(
      'USAGE',
      'OpenClaw asks whether the plugin may be installed, and there is no terminal.',
      {
        hint: `Accept it with --yes. What it may do: ${MAY_DO}.`,
      },
    );
  const say = (step: string): void => (json ? undefined : note(`${step}\n`));
  const openclaw = await findOpenClaw(options);
  say(`OpenClaw ${openclaw.version}: ${openclaw.shown}`);
  const folder = mkdtempSync(join(tmpdir(), 'pincer-openclaw-'));
  try {
    const plugin = await packPlugin(dirname(dirname(realpathSync(entry))), folder);
    say(`Packed the plugin ${plugin.version}, with Pincer in it.`);
    say(`Installing it: ${openclaw.shown} plugins install`);
    const accepted = isAsked ? [] : ['--accept-capabilities'];
    await must(openclaw, ['plugins', 'install', plugin.file, '--force', ...accepted], isAsked);
    const wasOff = await isSwitchedOff(openclaw);
    if (wasOff) {
      say('It was switched off; switching it on.');
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

/** OpenClaw keeps it off where it was off before, or was uninstalled. */
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
}: OpenClaw): string => `Let agents know which servers there are: ${shown} pincer setup
Add a server: ${shown} pincer add NAME -- COMMAND ARGUMENTS, or /mcp connect URL in a chat
Take it all out again: ${shown} pincer eject
`;
