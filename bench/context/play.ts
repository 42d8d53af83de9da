/** Plays a task against a real hub, as a model would that makes no mistakes, and counts what is said. */
import type { Conversation, Turn } from './cost.ts';
import type { Hub, ListedTool } from './hub.ts';
import type { Call, Step, Task } from './tasks.ts';
import type { Tokenizer } from './tokenizer.ts';

/**
 * `careful` reads the whole definition of each tool before it calls it the first time. `clumsy` does so too, and its
 * first search of each task is in vain.
 */
export type Way = 'full' | 'search' | 'careful' | 'clumsy';

/** What a message costs besides its text. */
const MESSAGE_TOKENS = 4;
/** What a model says in the end. */
const LAST_WORDS_TOKENS = 60;

/** The tools as a client gives them to a model: no output schema, no annotations. */
export const modelView = (tools: readonly ListedTool[]): string =>
  JSON.stringify(
    tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema })),
  );

export interface Stage {
  readonly hub: Hub;
  readonly way: Way;
  readonly toolTokens: number;
  readonly tokenizer: Tokenizer;
}

export async function play(task: Task, stage: Stage): Promise<Conversation> {
  const { hub, tokenizer } = stage;
  const { says, steps } = task;
  const turns: Turn[] = [];
  let heard = tokenizer.count(says) + MESSAGE_TOKENS;
  for (const call of callsFor(task, stage.way)) {
    const said = tokenizer.count(JSON.stringify({ name: call.tool, input: call.args })) + MESSAGE_TOKENS;
    turns.push({ heard, said });
    const answer = await hub.call(call.tool, call.args);
    if (call.tool === 'find_tools') expectFound(answer, steps, call);
    heard = tokenizer.count(answer) + MESSAGE_TOKENS;
  }
  turns.push({ heard, said: LAST_WORDS_TOKENS });
  return { toolTokens: stage.toolTokens, turns };
}

const search = (query: string): Call => ({ tool: 'find_tools', args: { query } });

function callsFor({ says, steps }: Task, way: Way): Call[] {
  const known = new Set<string>();
  const inVain = way === 'clumsy' ? [search(says)] : [];
  const calls = steps.flatMap((step): Call[] => {
    if ('find' in step) return way === 'full' ? [] : [search(step.find)];
    if (way === 'full') return [step];
    const call = { tool: 'call_tool', args: { name: step.tool, arguments: step.args } };
    const isNew = way !== 'search' && !known.has(step.tool);
    known.add(step.tool);
    return isNew ? [{ tool: 'describe_tool', args: { name: step.tool } }, call] : [call];
  });
  return [...inVain, ...calls];
}

/** A script that calls what its search has not found would cheat. */
function expectFound(answer: string, steps: readonly Step[], { args }: Call): void {
  const { query } = args as { query: string };
  const from = steps.findIndex((step) => 'find' in step && step.find === query) + 1;
  if (from === 0) return;
  const next = steps.findIndex((step, index) => index >= from && 'find' in step);
  for (const step of steps.slice(from, next === -1 ? undefined : next))
    if (!('find' in step) && !answer.includes(`${step.tool}(`))
      throw new Error(`"${query}" does not find ${step.tool}:\n${answer}`);
}
