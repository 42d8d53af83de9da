import type { ReloadReport } from '../../control/contract/servers.ts';
import { visible } from '../../core/visible.ts';
import { plural } from './plural.ts';

/** `docs changed, files added, 2 servers unchanged.` */
export function renderReload({ added, removed, changed, unchanged, failed = [] }: ReloadReport): string {
  const parts = [
    ...added.map((name) => `${name} added`),
    ...changed.map((name) => `${name} changed`),
    ...removed.map((name) => `${name} removed`),
    ...failed.map((name) => `${visible(name)} cannot be used`),
  ];
  const rest = `${plural(unchanged.length, 'server')} unchanged`;
  if (parts.length === 0) return `nothing has changed, ${rest}.\n`;
  return `${parts.join(', ')}, ${rest}.\n`;
}

/** Empty where everything has taken effect. */
export const renderRestart = ({ needsRestart }: ReloadReport): string =>
  needsRestart.length === 0 ? '' : `Takes effect when the hub starts again: ${needsRestart.join(', ')}.\n`;
