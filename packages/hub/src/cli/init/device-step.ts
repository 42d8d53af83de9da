/** The third step of `pincer init`: what of this machine clients may use that sees or hears the person. */
import { isDeviceOffered, type CapabilitySwitch } from '../../config/device-schema.ts';
import type { ConfigChange } from '../../config/edit.ts';
import type { Context } from '../context.ts';
import { columns } from '../render/columns.ts';
import { changeConfig } from '../settings/change-config.ts';
import { loadConfigHere } from '../settings/load-config-here.ts';
import type { Style } from '../terminal/style.ts';
import type { Guide } from './guide.ts';
import { numbered } from './numbered.ts';

const PRIVATE: readonly (readonly [CapabilitySwitch, string])[] = [
  ['screen', 'pictures and recordings of the screen'],
  ['camera', 'pictures and clips of the camera'],
  ['location', 'where this machine is'],
  ['clipboard', 'what is on the clipboard, and to put something there'],
];

/** Gives back what was switched on. */
export async function deviceStep(guide: Guide, context: Context, style: Style): Promise<CapabilitySwitch[]> {
  const settings = loadConfigHere(context.home).device;
  if (!isDeviceOffered(settings, process.env)) return [];
  const changes: ConfigChange[] = [];
  if (!settings.mcpServer && (await guide.agree('Serve what this machine can do to clients, over MCP?')))
    changes.push({ path: ['device', 'mcpServer'], value: true });
  const off = PRIVATE.filter(([name]) => !settings.capabilities[name]);
  if (off.length > 0) guide.say(guide.isPerson ? listOf(off, style) : staysOff(off));
  const chosen = off.length === 0 ? [] : await guide.pick('Which to switch on?', off.length);
  const names = chosen.map((index) => off[index]![0]);
  changes.push(...names.map((name) => ({ path: ['device', 'capabilities', name], value: true })));
  if (changes.length > 0) await changeConfig(context, () => changes);
  if (names.length > 0) guide.say(`${style.green('●')} On: ${names.join(', ')}.\n`);
  return names;
}

type Private = (typeof PRIVATE)[number];

function listOf(off: readonly Private[], style: Style): string {
  const rows = off.map(([name, about], index) => numbered([style.bold(name), style.dim(about)], index));
  return `${style.bold('What clients may see of this machine')} (all off until you say so)\n\n${columns(rows).join('\n')}\n\n`;
}

/** For `--yes`, where nobody can be asked. */
function staysOff(off: readonly Private[]): string {
  const names = off.map(([name]) => name);
  return `What clients could see of this machine stays off: ${names.join(', ')}. Switch one on: pincer device on ${names[0]}\n`;
}
