import { behaviours } from './behaviours/all.ts';
import { talk } from './behaviours/talk.ts';
import { CallTable } from './calls.ts';
import type { ServerFlags } from './flags.ts';
import { job, type Job } from './protocol/tasks.ts';
import { QuestionTable } from './questions.ts';
import { define, text, type Tool } from './tool.ts';

/** The state of one server process, shared by all its connections. */
export interface FixtureState {
  flags: ServerFlags;
  serverInfo: { name: string; version: string };
  tools: Map<string, Tool>;
  calls: CallTable;
  questions: QuestionTable;
  /** Tasks by id. */
  jobs: Map<string, Job>;
  /** Listeners for changes, by connection or subscription. */
  subscribers: Map<object, (method: string) => void>;
  toolsChanged(): void;
}

export function createState(flags: ServerFlags): FixtureState {
  const unknown = flags.tools.find((name) => !behaviours.some((tool) => tool.definition.name === name));
  if (unknown !== undefined) throw new Error(`--tools: unknown tool '${unknown}'`);
  const chosen = behaviours.filter(
    (tool) => flags.tools.length === 0 || flags.tools.includes(tool.definition.name),
  );
  const numbered = Array.from({ length: flags.count }, (_, index) => numberedTool(`tool_${index + 1}`));
  const subscribers: FixtureState['subscribers'] = new Map();
  return {
    flags,
    serverInfo: { name: flags.name, version: '1.0.0' },
    tools: new Map(
      [...chosen, ...numbered, ...(flags.talk ? [talk] : []), ...(flags.tasks ? [job] : [])].map((tool) => [
        tool.definition.name,
        tool,
      ]),
    ),
    calls: new CallTable(),
    questions: new QuestionTable(),
    jobs: new Map(),
    subscribers,
    toolsChanged() {
      for (const tell of subscribers.values()) tell('notifications/tools/list_changed');
    },
  };
}

function numberedTool(name: string): Tool {
  return { definition: define(name, `Plain tool ${name}.`, { value: 'string?' }), handle: () => text(name) };
}
