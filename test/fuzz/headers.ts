/** Header lines of a POST: mostly as they should be, sometimes not. */
import { modernHeaders } from '../kit/messages.ts';
import type { FuzzMessage } from './message.ts';
import type { Random } from './random.ts';

export interface HeaderFacts {
  host: string;
  token: string;
  session: string;
}

const VALUES = [
  '',
  'x',
  '2026-07-28',
  '2025-11-25',
  '1999-01-01',
  'tools/call',
  'é',
  '=?base64?!?=',
  '=?base64?eA==?=',
];
const NAMES = [
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
  'accept',
  'content-type',
  'x-any',
];

export function headerLines(random: Random, message: FuzzMessage, facts: HeaderFacts): string[] {
  const headers: Record<string, string> = {
    host: facts.host,
    authorization: `Bearer ${facts.token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const { origin, isValid } = message;
  if (origin.era === 'modern') Object.assign(headers, modernHeaders(origin.method, origin.tool));
  else if (random.oneIn(3)) headers['mcp-session-id'] = facts.session;
  if (!isValid && random.oneIn(4)) damage(random, headers);
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

function damage(random: Random, headers: Record<string, string>): void {
  const names = Object.keys(headers);
  switch (random.int(10)) {
    case 0:
      headers['authorization'] = random.pick(['', 'Bearer', 'Bearer x', 'Basic eA==']);
      break;
    case 1:
      headers['host'] = random.pick(['evil.example', '', 'localhost', '[::1]']);
      break;
    case 2:
      headers[random.pick(['origin', 'sec-fetch-site'])] = random.pick(['null', 'none', 'cross-site']);
      break;
    case 3:
    case 4:
      delete headers[random.pick(names)];
      break;
    case 5:
      headers[random.pick(NAMES)] = random
        .bytes(random.int(40))
        .toString('latin1')
        .replaceAll(/[\0\r\n]/g, '');
      break;
    default:
      headers[random.pick(NAMES)] = random.pick(VALUES);
  }
}
