/** Describes the app proxy in one line. */
import type { ProxyReport } from '../../control/contract/status.ts';
import { visible } from '../../core/visible.ts';
import type { Style } from '../terminal/style.ts';
import { plural } from '../../lib/text.ts';

/** `http://127.0.0.1:8000, 1 of 2 apps connected, 3 sessions` */
export function proxyText({ address, apps, sessions }: ProxyReport): string {
  if (apps.length === 0) return `${address}, no apps yet`;
  const connected = apps.filter(({ bridges }) => bridges > 0).length;
  return `${address}, ${connected} of ${plural(apps.length, 'app')} connected, ${plural(sessions, 'session')}`;
}

interface OpenTextOptions {
  readonly style: Style;
  /** The command by which the person runs this program. */
  readonly program?: string;
}

/** Says what any program can do without a token. Returns undefined if that is nothing. */
export function openText(
  { open }: Pick<ProxyReport, 'open'>,
  { style, program = 'pincer' }: OpenTextOptions,
): string | undefined {
  if (open.length === 0) return undefined;
  const may = open.map((side) => (side === 'apps' ? 'register' : 'call')).join(' and ');
  return style.yellow(`no token is needed to ${may} tools: ${program} doctor`);
}

/** `OPENCLAW_PROXY_APP_TOKEN from /srv/app/.env`; undefined if the file sets nothing. */
export const dotEnvText = ({ dotEnv }: ProxyReport): string | undefined =>
  dotEnv && `${dotEnv.sets.join(', ')} from ${visible(dotEnv.file)}`;
