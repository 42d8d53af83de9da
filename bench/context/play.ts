/** Plays a task against a real hub like a model that makes no mistakes, and counts the tokens. */
import type { Conversation, Turn } from './cost.ts';
import type { Hub, ListedTool } from './hub.ts';
import type { Call, Step, Task } from './tasks.ts';
import type { Tokenizer } from './tokenizer.ts';

/**
 * `careful` reads the whole definition of each tool before its first call. `clumsy` does so too, and makes one useless
 * search at the beginning of each task.
 */
export type Way = 'full' | 'search' | 'careful' | 'clumsy';

/** Overhead of a message besides its text. */
const MESSAGE_TOKENS = 4;
/** Length of the model's final answer. */
const FINAL_ANSWER_TOKENS = 60;

/** The tools as a client passes them to a model: no output schema, no annotations. */
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
  const { prompt, steps } = task;
  const turns: Turn[] = [];
  let heard = tokenizer.count(prompt) + MESSAGE_TOKENS;
  for (const call of callsFor(task, stage.way)) {
    const said = tokenizer.count(JSON.stringify({ name: call.tool, input: call.args })) + MESSAGE_TOKENS;
    turns.push({ heard, said });
    const answer = await hub.call(call.tool, call.args);
    if (call.tool === 'find_tools') expectFound(answer, steps, call);
    heard = tokenizer.count(answer) + MESSAGE_TOKENS;
  }
  turns.push({ heard, said: FINAL_ANSWER_TOKENS });
  return { toolTokens: stage.toolTokens, turns };
}

const search = (query: string): Call => ({ tool: 'find_tools', args: { query } });

function callsFor({ prompt, steps }: Task, way: Way): Call[] {
  const known = new Set<string>();
  const useless = way === 'clumsy' ? [search(prompt)] : [];
  const calls = steps.flatMap((step): Call[] => {
    if ('find' in step) return way === 'full' ? [] : [search(step.find)];
    if (way === 'full') return [step];
    const call = { tool: 'call_tool', args: { name: step.tool, arguments: step.args } };
    const isNew = way !== 'search' && !known.has(step.tool);
    known.add(step.tool);
    return isNew ? [{ tool: 'describe_tool', args: { name: step.tool } }, call] : [call];
  });
  return [...useless, ...calls];
}

/** Fails if the script would call a tool that its search did not find. */
function expectFound(answer: string, steps: readonly Step[], { args }: Call): void {
  const { query } = args as { query: string };
  const from = steps.findIndex((step) => 'find' in step && step.find === query) + 1;
  if (from === 0) return;
  const next = steps.findIndex((step, index) => index >= from && 'find' in step);
  for (const step of steps.slice(from, next === -1 ? undefined : next))
    if (!('find' in step) && !answer.includes(`${step.tool}(`))
      throw new Error(`"${query}" does not find ${step.tool}:\n${answer}`);
}
