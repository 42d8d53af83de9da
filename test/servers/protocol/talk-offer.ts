/** What a talking server offers besides tools. */
import type { Decision } from '../connection.ts';
import type { Era } from '../flags.ts';
import type { JsonObject } from '../json.ts';
import { resultMessage } from '../outbound.ts';
import { runScript } from '../script.ts';
import type { FixtureState } from '../state.ts';
import { stringArg, type Tool } from '../tool.ts';
import { start, type Call } from './call-tool.ts';

const CACHE_HINTS = { ttlMs: 0, cacheScope: 'private' };

export const capabilitiesOf = ({ flags }: FixtureState, era: Era): JsonObject => ({
  tools: { listChanged: true },
  ...(flags.talk && { prompts: {}, resources: {}, logging: {} }),
  ...(flags.tasks && TASKS[era]),
});

const TASKS = {
  legacy: { tasks: { cancel: {}, requests: { tools: { call: {} } } } },
  modern: { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};

const PROMPTS = [
  {
    name: 'talk',
    arguments: [
      { name: 'marker', required: true },
      { name: 'script', required: true },
    ],
  },
];

/** Returns undefined if the request is not about prompts or resources. */
export function serveTalk(call: Call): Decision | undefined {
  const { state, caller, inbound } = call;
  const answer = (result: JsonObject): Decision => ({
    kind: 'answer',
    status: 200,
    message: resultMessage(
      inbound.rawId,
      call.write({ ...result, ...(caller.era === 'modern' && CACHE_HINTS) }),
    ),
  });
  switch (inbound.method) {
    case 'prompts/list':
      return answer({ prompts: PROMPTS });
    case 'prompts/get':
      return start(call, PROMPT);
    case 'resources/list':
      return answer({ resources: [] });
    case 'resources/templates/list':
      return answer({
        resourceTemplates: [{ name: 'talk', uriTemplate: `talk-${state.flags.name}://{marker}/{script}` }],
      });
    case 'resources/read':
      return start(call, resourceAt(stringArg(inbound.params, 'uri'), caller.era === 'modern'));
    default:
      return undefined;
  }
}

const PROMPT: Tool = {
  definition: { name: 'prompt' },
  handle: (context) =>
    runScript(context, {
      marker: stringArg(context.args, 'marker'),
      script: stringArg(context.args, 'script'),
      finish: (text) => ({ messages: [{ role: 'user', content: { type: 'text', text } }] }),
    }),
};

function resourceAt(uri: string, isModern: boolean): Tool {
  const [marker = '', script = ''] = uri
    .slice(uri.indexOf('://') + 3)
    .split('/')
    .map(decodeURIComponent);
  return {
    definition: { name: 'resource' },
    handle: (context) =>
      runScript(context, {
        marker,
        script,
        finish: (text) => ({ contents: [{ uri, text }], ...(isModern && CACHE_HINTS) }),
      }),
  };
}
