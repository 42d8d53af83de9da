/** Messages as a good client sends them, in both eras. */
import { ENVELOPE, LEGACY } from '../kit/messages.ts';
import type { Era } from '../servers/flags.ts';
import type { Random } from './random.ts';

export interface Member {
  key: string;
  /** JSON text, or members of an object. */
  value: string | Member[];
}

export interface ValidMessage {
  era: Era;
  method: string;
  /** The tool that is called, when one is. */
  tool: string | undefined;
  /** Undefined: a notification. */
  id: string | undefined;
  members: Member[];
}

/** What answers at once and does nothing; none of them ends or blocks its server. */
const TOOLS: [name: string, args: (random: Random) => string][] = [
  ['echo', (random) => `{"message":${JSON.stringify(`hello ${random.int(1e9)} é🦀`)}}`],
  ['add', (random) => `{"a":${random.int(100)},"b":1.5}`],
  ['raw', () => '{"n":99999999999999999999}'],
  ['meta', () => '{}'],
  ['big_number', () => '{}'],
  ['fail', () => '{"message":"no"}'],
  ['rpc_error', () => '{"code":-32077,"message":"no"}'],
  ['sink', (random) => `{"data":"${'x'.repeat(random.int(5_000))}"}`],
  ['garbage', () => '{}'],
  ['whoami', () => '{}'],
  ['nowhere', () => '{}'],
];

export const FUZZ_TOOLS = TOOLS.map(([name]) => name).filter((name) => name !== 'nowhere');

export function validMessage(random: Random, id: string, prefixes: readonly string[]): ValidMessage {
  const era: Era = random.oneIn(2) ? 'modern' : 'legacy';
  const kind = random.int(20);
  if (kind === 0) return build({ era: 'legacy', method: 'initialize', id, members: initialize() });
  if (kind === 1) return build({ era: 'legacy', method: 'ping', id, members: [] });
  if (kind === 2) return build({ era, method: 'tools/list', id, members: [] });
  if (kind === 3) return build({ era: 'modern', method: 'server/discover', id, members: [] });
  if (kind === 4) return notification(random);
  const [name, args] = random.pick(TOOLS);
  const tool = random.pick(prefixes) + name;
  const members = [
    { key: 'name', value: JSON.stringify(tool) },
    { key: 'arguments', value: args(random) },
  ];
  return { ...build({ era, method: 'tools/call', id, members }), tool };
}

const initialize = (): Member[] => [
  { key: 'protocolVersion', value: `"${LEGACY}"` },
  { key: 'capabilities', value: '{}' },
  { key: 'clientInfo', value: '{"name":"fuzz","version":"1"}' },
];

function notification(random: Random): ValidMessage {
  const method = random.pick([
    'notifications/initialized',
    'notifications/cancelled',
    'notifications/unknown',
  ]);
  const members = [
    { key: 'requestId', value: '"nobody"' },
    { key: 'reason', value: '"Ċ{ĢjsonrpcĢ:1}Ċ"' },
  ];
  return build({ era: 'legacy', method, id: undefined, members });
}

interface Parts {
  era: Era;
  method: string;
  id: string | undefined;
  members: Member[];
}

function build({ era, method, id, members }: Parts): ValidMessage {
  const params = era === 'modern' ? [...members, { key: '_meta', value: `{${ENVELOPE}}` }] : members;
  return {
    era,
    method,
    tool: undefined,
    id,
    members: [
      { key: 'jsonrpc', value: '"2.0"' },
      ...(id === undefined ? [] : [{ key: 'id', value: id }]),
      { key: 'method', value: JSON.stringify(method) },
      { key: 'params', value: params },
    ],
  };
}

export const writeMembers = (members: readonly Member[]): string =>
  `{${members.map(({ key, value }) => `"${key}":${typeof value === 'string' ? value : writeMembers(value)}`).join(',')}}`;
