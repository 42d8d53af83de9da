/** The steps of `pincer init`, in their order. Each asks before it changes anything. */
import { homedir } from 'node:os';
import { visible } from '../../core/visible.ts';
import { openVault } from '../../owner/vault.ts';
import type { Context } from '../context.ts';
import { gather } from '../import/gather.ts';
import { placeHere, ownPorts } from '../clients/here.ts';
import { planImport, type PlannedServer } from '../import/plan.ts';
import { remarksOf, shownLaunch } from '../import/remarks.ts';
import { surroundingsOf } from '../import/surroundings.ts';
import { writePlan } from '../import/write.ts';
import { columns } from '../render/columns.ts';
import { plural } from '../../lib/text.ts';
import { shortener } from '../render/text.ts';
import type { Style } from '../terminal/style.ts';
import { type Guide, numbered } from './guide.ts';
import { PincerError } from '../../core/errors.ts';
import { applyClient } from '../connect/apply.ts';
import { factsOf } from '../connect/facts.ts';
import { findClients } from '../connect/find.ts';
import { isDeviceOffered, type CapabilitySwitch } from '../../config/device-schema.ts';
import type { ConfigChange } from '../../config/edit.ts';
import { changeConfig } from '../settings/change-config.ts';
import { loadConfigHere } from '../settings/load-config-here.ts';
import { readOpenClawSettings } from '../../config/openclaw-file.ts';
import { browseGateways, findLocalGateway } from '../../openclaw/discovery.ts';
import { findGateway } from '../../openclaw/find.ts';
import type { PairOptions } from '../node/target.ts';

/** Returns the names of the added servers. */
export async function importStep(guide: Guide, context: Context, style: Style): Promise<readonly string[]> {
  const { home } = context;
  const vault = openVault(home, process.env);
  const plan = planImport(gather(placeHere()), surroundingsOf(context, process.env, vault));
  const { add, skipped, problems } = plan;
  for (const { error } of problems) guide.say(`${style.yellow('!')} ${visible(error.message)}\n`);
  if (add.length === 0) {
    guide.say('Found no servers in other programs to import.\n');
    return [];
  }
  guide.say(`${style.bold('Servers of other programs on this machine')}\n\n${renderServers(add, style)}\n`);
  const off = add.filter(({ config }) => config.enabled === false).length;
  if (off > 0)
    guide.say(
      `  ${style.yellow('!')} will be switched off. To switch it on later: pincer set NAME enabled true\n`,
    );
  if (skipped.length > 0) guide.say(`  ${skipped.length} left out. To see why: pincer import\n`);
  const chosen = (await guide.choose('Import them?', add.length)).map((index) => add[index]!);
  writePlan(chosen, home, vault);
  const secrets = new Set(chosen.flatMap(({ kept }) => kept.map(({ secret }) => secret))).size;
  if (chosen.length > 0)
    guide.say(
      `${plural(chosen.length, 'server')} added${secrets === 0 ? '' : `, ${plural(secrets, 'secret')} in the vault`}.\n`,
    );
  return chosen.map(({ name }) => name);
}

function renderServers(add: readonly PlannedServer[], style: Style): string {
  const table = columns(
    add.map((server, index) =>
      numbered(
        [
          style.bold(server.name),
          server.config.url === undefined ? 'stdio' : 'http',
          style.dim(server.origin.client.title),
          visible(shownLaunch(server)),
        ],
        index,
        server.config.enabled === false ? style.yellow('!') : ' ',
      ),
    ),
  );
  const options = { isWritten: false, shorten: shortener(homedir(), process.cwd()) };
  const lines = add.flatMap((server, index) => [
    table[index]!,
    ...remarksOf(server, options).map((remark) => `       ${visible(remark)}`),
  ]);
  return `${lines.join('\n')}\n`;
}

export interface ConnectedClient {
  readonly client: string;
  readonly title: string;
  readonly file: string;
}

/** Connects programs by stdio, which needs neither a running hub nor a token. */
export async function connectStep(guide: Guide, context: Context, style: Style): Promise<ConnectedClient[]> {
  const place = placeHere();
  const shorten = shortener(place.home, place.cwd);
  const self = { ports: ownPorts(context.home, process.env), entry: context.entry };
  const found = findClients(place, self).filter(({ isFound }) => isFound);
  const known = found.filter(({ entries }) => entries !== undefined && entries.length > 0);
  const open = found.filter(({ entries }) => entries?.length === 0);
  if (known.length > 0)
    guide.say(`Already connected: ${known.map(({ client }) => client.title).join(', ')}.\n`);
  if (open.length === 0) {
    if (known.length === 0)
      guide.say('Found no program that can use Pincer. To list supported programs: pincer connect\n');
    return [];
  }
  const rows = open.map(({ client, file }, index) =>
    numbered([style.bold(client.title), style.dim(visible(shorten(file)))], index),
  );
  guide.say(`${style.bold('Programs that can use Pincer')}\n\n${columns(rows).join('\n')}\n\n`);
  const chosen = (await guide.choose('Connect them?', open.length)).map((index) => open[index]!);
  return chosen.flatMap(({ client, file }) => {
    try {
      const { backup } = applyClient(client, factsOf(undefined, context, process.env), {
        mode: 'stdio',
        place,
      });
      const kept = backup === undefined ? '' : ` The previous file is saved as ${shorten(backup)}`;
      guide.say(`${style.green('●')} ${client.title} is connected.${kept}\n`);
      return [{ client: client.id, title: client.title, file }];
    } catch (error) {
      // A file that cannot be edited does not stop the others.
      const { message } = PincerError.from(error);
      guide.say(
        `${style.red('✗')} ${visible(message)}\n  To see what to add yourself: pincer connect ${client.id}\n`,
      );
      return [];
    }
  });
}

/** Capabilities that reveal private data. They are off by default. */
const PRIVATE: readonly (readonly [CapabilitySwitch, string])[] = [
  ['screen', 'screenshots and recordings of the screen'],
  ['camera', 'photos and videos from the camera'],
  ['location', 'the position of this machine'],
  ['clipboard', 'read and write the clipboard'],
];

/** Returns the capabilities that were switched on. */
export async function deviceStep(guide: Guide, context: Context, style: Style): Promise<CapabilitySwitch[]> {
  const settings = loadConfigHere(context.home).device;
  if (!isDeviceOffered(settings, process.env)) return [];
  const changes: ConfigChange[] = [];
  if (!settings.mcpServer && (await guide.agree('Offer the tools of this machine to MCP clients?')))
    changes.push({ path: ['device', 'mcpServer'], value: true });
  const off = PRIVATE.filter(([name]) => !settings.capabilities[name]);
  if (off.length > 0) guide.say(guide.isPerson ? listOf(off, style) : staysOff(off));
  const chosen = off.length === 0 ? [] : await guide.pick('Which ones to switch on?', off.length);
  const names = chosen.map((index) => off[index]![0]);
  changes.push(...names.map((name) => ({ path: ['device', 'capabilities', name], value: true })));
  if (changes.length > 0) await changeConfig(context, () => changes);
  if (names.length > 0) guide.say(`${style.green('●')} On: ${names.join(', ')}.\n`);
  return names;
}

type Private = (typeof PRIVATE)[number];

function listOf(off: readonly Private[], style: Style): string {
  const rows = off.map(([name, about], index) => numbered([style.bold(name), style.dim(about)], index));
  return `${style.bold('Private data of this machine that clients may use')} (all off by default)\n\n${columns(rows).join('\n')}\n\n`;
}

/** For `--yes`, which switches nothing on. */
function staysOff(off: readonly Private[]): string {
  const names = off.map(([name]) => name);
  return `Capabilities that reveal private data stay off: ${names.join(', ')}. To switch one on: pincer device on ${names[0]}\n`;
}

interface Offered {
  readonly name: string;
  /** Undefined: the gateway in OpenClaw's own configuration. */
  readonly url?: string | undefined;
  readonly shown: string;
}

const MAX_TRIES = 5;

/** How long to wait for the approval on the gateway before the next step. */
const WAIT_SECONDS = 120;

/** Returns whether pairing succeeded. */
export async function nodeStep(guide: Guide, context: Context, style: Style): Promise<boolean> {
  if (!guide.isPerson || !isDeviceOffered(loadConfigHere(context.home).device, process.env)) return false;
  const [own, announced] = await Promise.all([ownGateway(), browseGateways()]);
  const offered: Offered[] = [...own, ...announced.map(({ name, url }) => ({ name, url, shown: url }))];
  const rows = offered.map(({ name, shown }, index) =>
    numbered([style.bold(visible(name)), style.dim(visible(shown))], index),
  );
  guide.say(
    `${style.bold('OpenClaw gateway whose agents may use this machine')}\n\n${rows.length === 0 ? '  No gateway found on this network.' : columns(rows).join('\n')}\n\n`,
  );
  const options = await askWhich(guide, offered);
  if (options === undefined) return false;
  try {
    const { pairNode, reportPairing } = await import('../node/pair-node.ts');
    const asText = { ...context, json: false };
    reportPairing(await pairNode({ ...options, wait: WAIT_SECONDS }, asText), asText);
    return true;
  } catch (error) {
    const { message, hint: advice } = PincerError.from(error);
    guide.say(
      `${style.red('✗')} ${visible(message)}\n${advice === undefined ? '' : `  ${visible(advice)}\n`}`,
    );
    guide.say('  To try again: pincer node pair\n');
    return false;
  }
}

async function askWhich(guide: Guide, offered: readonly Offered[]): Promise<PairOptions | undefined> {
  const validAnswers = `${offered.length === 0 ? '' : 'a number, '}a setup code (openclaw qr), or a URL: wss://…`;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const answer = (await guide.ask(`Which one? [${validAnswers}; Enter for none] `)).trim();
    const options = optionsOf(answer, offered);
    if (options !== 'unclear') return options;
    guide.say(`That number is not in the list. Please enter ${validAnswers}.\n`);
  }
  return undefined;
}

/** Parses the answer. Returns undefined if the person chose none. */
export function optionsOf(
  answer: string,
  offered: readonly Pick<Offered, 'url'>[],
): PairOptions | 'unclear' | undefined {
  if (answer === '' || /^no?$/i.test(answer)) return undefined;
  if (/^\d{1,3}$/.test(answer)) {
    const chosen = offered[Number(answer) - 1];
    return chosen === undefined ? 'unclear' : { url: chosen.url };
  }
  // `readPairTarget` validates it, as on the command line.
  return /^(?:ws|http)s?:\/\//i.test(answer) ? { url: answer } : { setupCode: answer };
}

async function ownGateway(): Promise<Offered[]> {
  const { env } = process;
  const name = 'OpenClaw on this machine';
  const config = readOpenClawSettings(env);
  const found = config === undefined ? undefined : findGateway({ env, config });
  if (found !== undefined) return 'url' in found ? [{ name, shown: found.url }] : [];
  const url = await findLocalGateway(env);
  return url === undefined ? [] : [{ name, url, shown: url }];
}
