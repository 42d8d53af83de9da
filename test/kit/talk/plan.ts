/** One operation of a client at a talking server: what it does, and what to expect. */

export interface Plan {
  /** Name of the server. */
  server: string;
  way: 'tool' | 'prompt' | 'resource';
  /** Steps of a script: test/servers/script.ts. */
  script: readonly string[];
  /** Whether progress is asked for. */
  hasToken: boolean;
  /** For a modern client: whether this request declares that it accepts questions. */
  isAble: boolean;
  /** For a modern client: whether this request asks for log messages. */
  hearsLogs: boolean;
  /** How long the client takes to answer a question. */
  thinkMs: number;
  /** A legacy client answers questions with an error. */
  refuses: boolean;
  /** Others try to answer in its place. */
  isForged: boolean;
  /** The time from start to cancellation. */
  cancelMs: number | undefined;
}

/** A plan with defaults. */
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

/** How many questions a script asks without waiting. */
export const lateQuestionsIn = ({ script }: Plan): number =>
  script.filter((step) => step.startsWith('lateroots')).length;

/** Numbers of its progress notifications. */
export const progressIn = ({ script, hasToken }: Plan): number[] =>
  script.flatMap((step, at) => (hasToken && step === 'progress' ? [at + 1] : []));

/** The number of log messages: `own` counts those of these levels on the call's own stream, `all` counts all. */
export const logsIn = ({ script }: Plan, levels: readonly string[]): { own: number; all: number } => ({
  own: script.filter((step) => levels.includes(step === 'log' ? 'warning' : step)).length,
  all: script.filter((step) => /^(?:late)?(?:log|debug)\d*\^?$/.test(step)).length,
});

/** Whether the server sends everything before the answer and on the call's own stream. */
export const isOrderly = ({ script }: Plan): boolean =>
  !script.some((step) => step.startsWith('late') || step.endsWith('^'));
