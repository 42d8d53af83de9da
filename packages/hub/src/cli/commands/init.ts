/** `pincer init`: a short guided start. Each step can be skipped, and nothing is written before it was agreed to. */
import { PincerError } from '../../core/errors.ts';
import { visible } from '../../core/visible.ts';
import { configPath } from '../../owner/state-folder.ts';
import { outlineConfig } from '../servers/outline.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { connectStep, type ConnectedClient, deviceStep, nodeStep, importStep } from '../init/steps.ts';
import { openGuide, yesGuide, type Guide } from '../init/guide.ts';
import { print, printJson } from '../terminal/output.ts';
import { isSomebodyThere, nobodyThere } from '../terminal/person.ts';
import { styleFor, type Style } from '../terminal/style.ts';
import { serviceFacts, isInstalled } from '../service/files.ts';
import { managerFor } from '../service/manager.ts';
import { installService } from './service.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  usage: '[--yes]',
  description:
    'Imports servers of other programs, connects those programs, asks what of this machine clients may see, pairs it with a gateway of OpenClaw, offers the service. Asks before each step.',
  options: {
    '--yes':
      'do not ask: import and connect all that is found; nothing of this machine is switched on, no gateway, no service',
  },
  run: ({ flags: { yes } }, context) => init(yes, context),
});

async function init(isYes: boolean, context: Context): Promise<ExitCode> {
  const { json } = context;
  if (!isYes && (json || !isSomebodyThere()))
    throw nobodyThere('Say --yes where a script decides: it imports and connects all that it finds.');
  const style = styleFor(process.stderr);
  using guide = isYes ? yesGuide(json) : openGuide();
  guide.say(
    `${style.bold('Pincer')} brings your MCP servers together. Nothing is changed before you agree.\n\n`,
  );
  const imported = await importStep(guide, context, style);
  guide.say('\n');
  const connected = await connectStep(guide, context, style);
  guide.say('\n');
  if (imported.length > 0 && connected.length > 0)
    guide.say(
      'Programs keep their own entries of these servers: remove those there, or each tool is there twice.\n\n',
    );
  const device = await deviceStep(guide, context, style);
  if (device.length > 0 || !guide.isPerson) guide.say('\n');
  if (await nodeStep(guide, context, style)) guide.say('\n');
  const service = isYes ? false : await serviceStep(guide, context, style);
  if (json) printJson({ ok: true, imported, connected, device, service });
  else print(lastWords(context, connected));
  return EXIT.ok;
}

async function serviceStep(guide: Guide, context: Context, style: Style): Promise<boolean> {
  const manager = managerFor(process.platform, serviceFacts(context, process.env));
  if (isInstalled(manager.files)) return true;
  guide.say(
    'Clients that start a program need no more: a hub starts with them. A service is there for those that use a URL.\n',
  );
  if (!(await guide.agree(`Keep the hub running, by ${manager.title}?`))) return false;
  try {
    await installService(false, { ...context, json: false });
    return true;
  } catch (error) {
    const { message, hint } = PincerError.from(error);
    guide.say(`${style.red('✗')} ${visible(message)}\n${hint === undefined ? '' : `  ${visible(hint)}\n`}`);
    return false;
  }
}

/** The one line to try now. */
function lastWords({ home }: Context, [client]: readonly ConnectedClient[]): string {
  const servers = outlineConfig(configPath(home)).filter(({ enabled }) => enabled);
  const line =
    servers.length > 0
      ? 'pincer tools'
      : 'pincer add everything -- npx -y @modelcontextprotocol/server-everything';
  const then = client === undefined ? '' : `Then start ${client.title} anew, and it has them too.\n`;
  return `Try it:\n  ${line}\n${servers.length > 0 ? then : ''}`;
}
