/** The fourth step of `pincer init`: a gateway of OpenClaw whose agents may use this machine. */
import { isDeviceOffered } from '../../config/device-schema.ts';
import { readOpenClawSettings } from '../../config/openclaw-file.ts';
import { PincerError } from '../../core/errors.ts';
import { visible } from '../../core/visible.ts';
import { browseGateways, findLocalGateway } from '../../openclaw/discovery.ts';
import { findGateway } from '../../openclaw/find.ts';
import type { Context } from '../context.ts';
import { columns } from '../render/columns.ts';
import type { PairOptions } from '../node/target.ts';
import { loadConfigHere } from '../settings/load-config-here.ts';
import type { Style } from '../terminal/style.ts';
import type { Guide } from './guide.ts';
import { numbered } from './numbered.ts';

interface Offered {
  readonly name: string;
  /** Undefined: the one that OpenClaw's own configuration leads to. */
  readonly url?: string | undefined;
  readonly shown: string;
}

const MAX_TRIES = 5;

/** How long somebody may take to approve it before the guide goes on. */
const WAIT_SECONDS = 120;

/** Gives back whether it was paired. */
export async function nodeStep(guide: Guide, context: Context, style: Style): Promise<boolean> {
  if (!guide.isPerson || !isDeviceOffered(loadConfigHere(context.home).device, process.env)) return false;
  const [own, announced] = await Promise.all([ownGateway(), browseGateways()]);
  const offered: Offered[] = [...own, ...announced.map(({ name, url }) => ({ name, url, shown: url }))];
  const rows = offered.map(({ name, shown }, index) =>
    numbered([style.bold(visible(name)), style.dim(visible(shown))], index),
  );
  guide.say(
    `${style.bold('A gateway of OpenClaw whose agents may use this machine')}\n\n${rows.length === 0 ? '  None says in this network that it is there.' : columns(rows).join('\n')}\n\n`,
  );
  const options = await askWhich(guide, offered);
  if (options === undefined) return false;
  try {
    const { pairNode, reportPairing } = await import('../node/pair-node.ts');
    const told = { ...context, json: false };
    reportPairing(await pairNode({ ...options, wait: WAIT_SECONDS }, told), told);
    return true;
  } catch (error) {
    const { message, hint: advice } = PincerError.from(error);
    guide.say(
      `${style.red('✗')} ${visible(message)}\n${advice === undefined ? '' : `  ${visible(advice)}\n`}`,
    );
    guide.say('  pincer node pair tries it again.\n');
    return false;
  }
}

async function askWhich(guide: Guide, offered: readonly Offered[]): Promise<PairOptions | undefined> {
  const taken = `${offered.length === 0 ? '' : 'a number, '}a setup code (openclaw qr), or an address: wss://…`;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const answer = (await guide.ask(`Which? [${taken}; Enter for none] `)).trim();
    const options = optionsOf(answer, offered);
    if (options !== 'unclear') return options;
    guide.say(`That is no number of this list. Say ${taken}.\n`);
  }
  return undefined;
}

/** What somebody typed; undefined: nothing. */
export function optionsOf(
  answer: string,
  offered: readonly Pick<Offered, 'url'>[],
): PairOptions | 'unclear' | undefined {
  if (answer === '' || /^no?$/i.test(answer)) return undefined;
  if (/^\d{1,3}$/.test(answer)) {
    const chosen = offered[Number(answer) - 1];
    return chosen === undefined ? 'unclear' : { url: chosen.url };
  }
  // Whether it may be used is checked as for the command line, by `readPairTarget`.
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
