import { RESERVED_NAMES } from '../../config/reserved-names.ts';
import { isPrefix, MAX_PREFIX } from '../../core/catalog/tool-name.ts';

/** A name that a server may have, as near to the wanted one as can be, and not taken. */
export function validName(wanted: string, isTaken: (name: string) => boolean): string {
  const cleaned = wanted
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036F]/g, '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replaceAll(/_{2,}/g, '_')
    .replaceAll(/^[^A-Za-z0-9]+|[_-]+$/g, '');
  const base = cleaned === '' ? 'server' : RESERVED_NAMES.has(cleaned) ? `${cleaned}-server` : cleaned;
  for (let count = 1; ; count++) {
    const suffix = count === 1 ? '' : `-${count}`;
    const name = base.slice(0, MAX_PREFIX - suffix.length).replace(/[_-]+$/, '') + suffix;
    if (isPrefix(name) && !isTaken(name)) return name;
  }
}
