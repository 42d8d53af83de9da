/** How one server is, with everything that helps to find out why. */
import { visible, visibleBlock } from '../../core/visible.ts';
import type { ServerReport } from '../../client/status.ts';
import type { Style } from '../terminal/style.ts';
import { authFact } from './auth-text.ts';
import { renderFacts } from './facts.ts';
import { plural } from './plural.ts';
import { renderError } from './server-list.ts';
import { stateWord } from '../../client/state-word.ts';
import { stateSymbol } from './state-symbol.ts';
import { renderSpan, renderTime } from './time.ts';

export interface StatusOptions {
  readonly style: Style;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly held: number;
  /** All that is kept of stderr, and not its last lines alone. */
  readonly allOfStderr: boolean;
}

const LAST_LINES = 10;

export function renderServerStatus(server: ServerReport, options: StatusOptions): string {
  const { style, now } = options;
  const word = stateWord(server.state, server.transport, server.pid);
  const title = `${stateSymbol(server.state, style)} ${style.bold(server.name)}  ${word}${sinceText(server, now)}`;
  const facts = renderFacts(
    [
      ['transport', server.transport],
      [server.transport === 'stdio' ? 'command' : 'url', visible(server.target)],
      ['sign-in', shownAuth(server, now)],
      ['era', server.era],
      ['session', server.session && `${visible(server.session)}…`],
      [
        'last heard',
        server.lastHeardAt === undefined ? undefined : `${renderSpan(now - server.lastHeardAt)} ago`,
      ],
      ['tools', toolsText(server, now)],
      ['held', heldText(server, options.held)],
      ['under way', server.inFlight === undefined ? undefined : plural(server.inFlight, 'call')],
      ['repeated', server.repeated ? plural(server.repeated, 'call') : undefined],
      ['configured in', server.origin ?? 'config.json'],
    ],
    style,
  );
  return `${[title, ...renderError(server, style), '', ...facts, ...stderrLines(server, options)].join('\n')}\n`;
}

const shownAuth = ({ auth }: ServerReport, now: number): string | undefined => {
  const text = authFact(auth, now);
  return text === undefined ? undefined : visible(text);
};

/** ` for 3 min; tried 4 times, again in 12 s`. */
function sinceText({ since, attempts = 0, nextTryAt }: ServerReport, now: number): string {
  const age = since === undefined ? '' : ` for ${renderSpan(now - since)}`;
  const tries = attempts > 1 ? `tried ${attempts} times` : '';
  const next = nextTryAt === undefined ? '' : `tried again in ${renderSpan(Math.max(0, nextTryAt - now))}`;
  const plan = tries !== '' && next !== '' ? `${tries}, ${next.replace('tried ', '')}` : tries + next;
  return plan === '' ? age : `${age}; ${plan}`;
}

function toolsText({ tools, state, isStale, lastDiscoveryAt }: ServerReport, now: number): string {
  if (tools === 0 && state !== 'ready') return 'not asked yet';
  const asked =
    lastDiscoveryAt === undefined
      ? ''
      : `, asked ${renderSpan(now - lastDiscoveryAt)} ago (${renderTime(lastDiscoveryAt, now)})`;
  return isStale === true ? `${tools}, as it was last heard${asked}` : `${tools}${asked}`;
}

const heldText = ({ name }: ServerReport, held: number): string | undefined =>
  held === 0 ? undefined : `${plural(held, 'tool')} until you accept: pincer accept ${name}`;

function stderrLines({ name, stderr = '' }: ServerReport, { style, allOfStderr }: StatusOptions): string[] {
  const lines = visibleBlock(stderr).trimEnd().split('\n');
  if (lines.join('') === '') return [];
  const shown = allOfStderr ? lines : lines.slice(-LAST_LINES);
  const left = lines.length - shown.length;
  const more = left === 0 ? '' : ` (${plural(left, 'line')} more: pincer status ${name} --stderr)`;
  return ['', `  ${style.dim(`What it wrote to stderr${more}:`)}`, ...shown.map((line) => `    ${line}`)];
}
