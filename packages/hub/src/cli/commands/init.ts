/** `pincer init`: guided setup. Each step can be skipped, and nothing is written before the person agrees. */
import { PincerError } from '../../core/errors.ts';
import { visible } from '../../core/visible.ts';
import { configPath } from '../../owner/state-folder.ts';
import { outlineConfig } from '../servers/outline.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { connectStep, type ConnectedClient, deviceStep, nodeStep, importStep } from '../init/steps.ts';
import { openGuide, yesGuide, type Guide } from '../init/guide.ts';
import { print, printJson } from '../terminal/output.ts';
import { isInteractive, notInteractive } from '../terminal/person.ts';
import { styleFor, type Style } from '../terminal/style.ts';
import { serviceFacts, isInstalled } from '../service/files.ts';
import { managerFor } from '../service/manager.ts';
import { installService } from './service.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  usage: '[--yes]',
  description:
    'Guides you through the setup: imports servers from other programs, connects those programs to Pincer, asks which capabilities of this machine clients may use, pairs with an OpenClaw gateway, and installs the service. Asks before each step.',
  options: {
    '--yes':
      'do not ask: import and connect everything that is found; switch on no capability, pair with no gateway, install no service',
  },
  run: ({ flags: { yes } }, context) => init(yes, context),
});

async function init(isYes: boolean, context: Context): Promise<ExitCode> {
  const { json } = context;
  if (!isYes && (json || !isInteractive()))
    throw notInteractive('To import and connect everything that is found without asking: pincer init --yes');
  const style = styleFor(process.stderr);
  using guide = isYes ? yesGuide(json) : openGuide();
  guide.say(
    `${style.bold('Pincer')} brings all your MCP servers together. Nothing is changed before you agree.\n\n`,
  );
  const imported = await importStep(guide, context, style);
  guide.say('\n');
  const connected = await connectStep(guide, context, style);
  guide.say('\n');
  if (imported.length > 0 && connected.length > 0)
    guide.say(
      'These programs still have their own entries for the imported servers. Remove them there, or each tool appears twice.\n\n',
    );
  const device = await deviceStep(guide, context, style);
  if (device.length > 0 || !guide.isPerson) guide.say('\n');
  if (await nodeStep(guide, context, style)) guide.say('\n');
  const service = isYes ? false : await serviceStep(guide, context, style);
  if (json) printJson({ ok: true, imported, connected, device, service });
  else print(nextStep(context, connected));
  return EXIT.ok;
}

async function serviceStep(guide: Guide, context: Context, style: Style): Promise<boolean> {
  const manager = managerFor(process.platform, serviceFacts(context, process.env));
  if (isInstalled(manager.files)) return true;
  guide.say(
    'Clients that start a program need no service: the hub starts with them. Clients that use a URL need a running hub.\n',
  );
  if (!(await guide.agree(`Install the hub as a service (${manager.title})?`))) return false;
  try {
    await installService(false, { ...context, json: false });
    return true;
  } catch (error) {
    const { message, hint } = PincerError.from(error);
    guide.say(`${style.red('✗')} ${visible(message)}\n${hint === undefined ? '' : `  ${visible(hint)}\n`}`);
    return false;
  }
}

/** The command to try next. */
function nextStep({ home }: Context, [client]: readonly ConnectedClient[]): string {
  const servers = outlineConfig(configPath(home)).filter(({ enabled }) => enabled);
  const line =
    servers.length > 0
      ? 'pincer tools'
      : 'pincer add everything -- npx -y @modelcontextprotocol/server-everything';
  const then = client === undefined ? '' : `Then restart ${client.title} to use them there, too.\n`;
  return `Try it:\n  ${line}\n${servers.length > 0 ? then : ''}`;
}
