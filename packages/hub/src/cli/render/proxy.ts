/** The app proxy in a line. */
import type { ProxyReport } from '../../client/app-report.ts';
import type { Style } from '../terminal/style.ts';
import { plural } from './plural.ts';

/** `http://127.0.0.1:8000, 1 of 2 apps connected, 3 sessions` */
export function proxyText({ address, apps, sessions }: ProxyReport): string {
  if (apps.length === 0) return `${address}, no apps yet`;
  const connected = apps.filter(({ bridges }) => bridges > 0).length;
  return `${address}, ${connected} of ${plural(apps.length, 'app')} connected, ${plural(sessions, 'session')}`;
}

/** What anybody can do who has no token; undefined: nothing. */
export function openText({ open }: ProxyReport, style: Style): string | undefined {
  if (open.length === 0) return undefined;
  const may = open.map((side) => (side === 'apps' ? 'register' : 'call')).join(' and ');
  return style.yellow(`any program here can ${may} tools: pincer doctor`);
}
