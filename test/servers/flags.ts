import { parseArgs } from 'node:util';

export type Era = 'legacy' | 'modern';

export interface ServerFlags {
  /** `sse` is HTTP+SSE of 2024-11-05. */
  transport: 'stdio' | 'http' | 'sse';
  /** The supported protocol eras. */
  era: Era | 'dual';
  /** Names of the behaviours to offer; empty = all. */
  tools: string[];
  /** How many plain numbered tools (`tool_1` …) to add. */
  count: number;
  name: string;
  /** Adds `talk`: a tool, a prompt and resources that ask, log and report progress as scripted. */
  talk: boolean;
  /** Adds `job`: a tool that becomes a task. */
  tasks: boolean;
  /** Tools per page of tools/list; 0 = one page. */
  pageSize: number;
  /** How HTTP answers requests. */
  response: 'json' | 'sse';
  /** Whether legacy HTTP keeps sessions. */
  session: 'stateful' | 'stateless';
  /** Milliseconds before the server reads or listens. */
  startDelay: number;
  ignoreSigterm: boolean;
  ignoreStdinEnd: boolean;
  /** 0 = a free port. */
  port: number;
}

export function parseFlags(argv: string[]): ServerFlags {
  const { values } = parseArgs({
    args: argv,
    options: {
      transport: { type: 'string', default: 'stdio' },
      era: { type: 'string', default: 'legacy' },
      tools: { type: 'string', default: '' },
      count: { type: 'string', default: '0' },
      name: { type: 'string', default: 'fixture' },
      talk: { type: 'boolean', default: false },
      tasks: { type: 'boolean', default: false },
      'page-size': { type: 'string', default: '0' },
      response: { type: 'string', default: 'sse' },
      session: { type: 'string', default: 'stateful' },
      'start-delay': { type: 'string', default: '0' },
      'ignore-sigterm': { type: 'boolean', default: false },
      'ignore-stdin-end': { type: 'boolean', default: false },
      port: { type: 'string', default: '0' },
    },
  });
  return {
    transport: oneOf('transport', values.transport, ['stdio', 'http', 'sse']),
    era: oneOf('era', values.era, ['legacy', 'modern', 'dual']),
    tools: values.tools.split(',').filter((name) => name !== ''),
    count: Number(values.count),
    name: values.name,
    talk: values.talk,
    tasks: values.tasks,
    pageSize: Number(values['page-size']),
    response: oneOf('response', values.response, ['json', 'sse']),
    session: oneOf('session', values.session, ['stateful', 'stateless']),
    startDelay: Number(values['start-delay']),
    ignoreSigterm: values['ignore-sigterm'],
    ignoreStdinEnd: values['ignore-stdin-end'],
    port: Number(values.port),
  };
}

/** The command line of the given flags; others keep their defaults. */
export function toArgs(flags: Partial<ServerFlags>): string[] {
  return Object.entries(flags).flatMap(([key, value]) => {
    const flag = `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (typeof value === 'boolean') return value ? [flag] : [];
    return [flag, String(value)];
  });
}

function oneOf<T extends string>(flag: string, value: string, allowed: T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw new Error(`--${flag} is one of ${allowed.join(', ')}, not '${value}'`);
  return found;
}
