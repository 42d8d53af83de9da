/** One operation of a client at a server that talks: what it does, and what is to come of it. */

export interface Plan {
  /** Name of the server. */
  server: string;
  way: 'tool' | 'prompt' | 'resource';
  /** Steps of a script: test/servers/script.ts. */
  script: readonly string[];
  /** Whether progress is asked for. */
  hasToken: boolean;
  /** Of a modern client: whether this request says that it can be asked. */
  isAble: boolean;
  /** Of a modern client: whether this request asks for log messages. */
  hearsLogs: boolean;
  /** How long the client thinks about a question. */
  thinkMs: number;
  /** A legacy client answers questions with an error. */
  refuses: boolean;
  /** Others try to answer in its place. */
  isForged: boolean;
  /** How long after its start it is cancelled. */
  cancelMs: number | undefined;
}

/** A plain one, but for what is said otherwise. */
export const planOf = (script: string, more: Partial<Plan> = {}): Plan => ({
  server: 'one',
  way: 'tool',
  script: script.split(','),
  hasToken: false,
  isAble: true,
  hearsLogs: false,
  thinkMs: 0,
  refuses: false,
  isForged: false,
  cancelMs: undefined,
  ...more,
});

const QUESTION = /^(?:sample|elicit|roots)(?:\+(?:sample|elicit|roots))*\^?$/;

/** How many questions a script waits for. */
export const questionsIn = ({ script }: Plan): number =>
  script.reduce((sum, step) => sum + (QUESTION.test(step) ? step.split('+').length : 0), 0);

/** How many it has that nothing waits for. */
export const lateQuestionsIn = ({ script }: Plan): number =>
  script.filter((step) => step.startsWith('lateroots')).length;

/** Numbers of its progress notifications. */
export const progressIn = ({ script, hasToken }: Plan): number[] =>
  script.flatMap((step, at) => (hasToken && step === 'progress' ? [at + 1] : []));

/** How many log messages it has: those of these levels that come on the way of the call, and all. */
export const logsIn = ({ script }: Plan, levels: readonly string[]): { own: number; all: number } => ({
  own: script.filter((step) => levels.includes(step === 'log' ? 'warning' : step)).length,
  all: script.filter((step) => /^(?:late)?(?:log|debug)\d*\^?$/.test(step)).length,
});

/** Everything that it makes a server say comes before the answer, on the way that belongs to the call. */
export const isOrderly = ({ script }: Plan): boolean =>
  !script.some((step) => step.startsWith('late') || step.endsWith('^'));
