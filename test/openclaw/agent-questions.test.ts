/** What an agent asks its user in the middle of an order, asked of whoever has given the order. */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { parseConfig } from '../../packages/hub/src/config/load.ts';
import { readAbilities, STRANGER } from '../../packages/hub/src/core/client.ts';
import { DEFAULT_LIMITS } from '../../packages/hub/src/core/limits.ts';
import type { Outcome } from '../../packages/hub/src/core/outcome.ts';
import type { Era } from '../../packages/hub/src/core/protocol.ts';
import type { Exchange, Question } from '../../packages/hub/src/core/request.ts';
import { jsonBytes, parseBytes } from '../../packages/hub/src/core/wire/byte-text.ts';
import { readMembers } from '../../packages/hub/src/core/wire/members.ts';
import { openIdentity } from '../../packages/hub/src/owner/device-identity.ts';
import { createGatewayBackend } from '../../packages/hub/src/agent/gateway/backend.ts';
import { findGateway } from '../../packages/hub/src/openclaw/find.ts';
import { createGateways } from '../../packages/hub/src/agent/gateway/gateway.ts';
import { NO_ANSWER } from '../../packages/hub/src/agent/gateway/questions.ts';
import { createAgentSource, type AgentSource } from '../../packages/hub/src/agent/source.ts';
import { openHost } from '../kit/openclaw/host.ts';
import type { Operator } from '../kit/openclaw/operator.ts';
import { eventually } from '../kit/processes.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const host = openHost(inject('openclaw'));
const home = temporaryFolder('agent-questions');
let source: AgentSource;
let operator: Operator;

beforeAll(async () => {
  const parts = {
    find: () => findGateway({ env: {}, config: host.profile.readConfig() }),
    identity: () => openIdentity(home.path),
  };
  const { agent } = parseConfig({ agent: {} }, {});
  source = createAgentSource({
    backend: createGatewayBackend({
      gateways: createGateways(parts),
      limits: DEFAULT_LIMITS,
      transcriber: () => undefined,
    }),
    limits: DEFAULT_LIMITS,
    clock: { now: () => Date.now(), elapsed: () => performance.now() },
    settings: () => agent,
  });
  operator = await host.operator();
});
afterAll(async () => {
  await source.stop();
  await operator[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

/** The client of an order: what it was asked, and what it says to that. */
interface Person extends Pick<Exchange, 'ask'> {
  readonly forms: { message: string; requestedSchema: { properties: object } }[];
  readonly withdrawn: string[];
}

/** Without an answer: thinks about it for ever. */
function person(answer?: object): Person {
  const forms: Person['forms'] = [];
  const withdrawn: string[] = [];
  return {
    forms,
    withdrawn,
    ask(question: Question) {
      forms.push(parseBytes(question.params) as Person['forms'][number]);
      if (answer !== undefined) question.answer({ result: jsonBytes(answer) });
      return { withdraw: (reason) => void withdrawn.push(reason) };
    },
  };
}

const filledIn = (content: object): object => ({ action: 'accept', content });

interface Way {
  readonly era?: Era;
  readonly capabilities?: object;
}

/** What the model makes of a call of a tool: `RESULT(…)`. */
async function order(
  tool: string,
  input: object,
  whom: Person,
  { era = 'legacy', capabilities = { elicitation: {} } }: Way = {},
): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  source.request(
    {
      method: 'tools/call',
      name: 'order_openclaw',
      params: readMembers(
        jsonBytes({
          name: 'order_openclaw',
          arguments: { message: `call:${tool} ${JSON.stringify(input)}` },
        }),
      ),
      meta: [],
      era,
      // Whoever may be asked, need not be one whose word counts for an approval.
      caller: { id: 'somebody', name: 'somebody', scopes: {} },
      client: { ...STRANGER, abilities: readAbilities(JSON.stringify(capabilities)) },
    },
    { notify: () => undefined, ask: whom.ask, settle: resolve },
  );
  const outcome = await promise;
  return 'result' in outcome ? textIn(outcome.result) : JSON.stringify(outcome);
}

const textIn = (result: string): string =>
  (parseBytes(result) as { content: { text: string }[] }).content.map(({ text }) => text).join('|');

const TARGET = {
  id: 'target',
  header: 'Deploy',
  question: 'Where to deploy?',
  options: [{ label: 'Staging (Recommended)', description: 'Nobody sees it.' }, { label: 'Production' }],
};
const PARTS = {
  id: 'parts',
  header: 'Parts',
  question: 'Which parts?',
  options: [{ label: 'API' }, { label: 'Web' }, { label: 'Docs' }],
  multiSelect: true,
};

describe('a question of the agent', () => {
  test.each<[Era, object]>([
    ['modern', { target: 'Production', parts: ['API', 'Docs'], 'parts-other': 'the logo' }],
    ['legacy', { target: 'Production', 'parts-1': true, 'parts-3': true, 'parts-other': 'the logo' }],
  ])('is a form of the %s era, and what is filled in reaches it', async (era, content) => {
    const whom = person(filledIn(content));
    const said = await order('ask_user', { questions: [TARGET, PARTS] }, whom, { era });
    expect(said).toContain('RESULT(Deploy: Production\nParts: API, Docs, the logo\n');
    expect(whom.forms).toHaveLength(1);
    expect(whom.forms[0]?.message).toContain('\nAgent: main\nDeploy: Where to deploy?\nParts: Which parts?');
    expect(Object.keys(whom.forms[0]?.requestedSchema.properties ?? {})).toEqual(
      expect.arrayContaining(Object.keys(content)),
    );
  });

  test('is skipped when it is declined, and the agent goes on', async () => {
    const whom = person({ action: 'decline' });
    expect(await order('ask_user', { questions: [TARGET] }, whom)).toContain('proceed with best judgment');
    expect(whom.forms).toHaveLength(1);
  });

  test('that somebody else has answered is no longer asked', async () => {
    const whom = person();
    const question = `${crypto.randomUUID()}?`;
    const said = order('ask_user', { questions: [{ ...TARGET, question }] }, whom);
    expect(await eventually(() => whom.forms.length === 1, 60_000)).toBe(true);
    const { questions } = (await operator.rpc('question.list')) as unknown as {
      questions: { id: string; questions: { question: string }[] }[];
    };
    const { id } = questions.find(({ questions: [first] }) => first?.question === question)!;
    await operator.rpc('question.resolve', { id, answers: { answers: { target: ['Elsewhere'] } } });
    expect(await said).toContain('RESULT(Deploy: Elsewhere\n');
    expect(whom.withdrawn).toHaveLength(1);
  });
});

// OpenClaw would wait for a quarter of an hour.
describe('nobody is waited for', () => {
  test('whose client shows no questions: the agent is told to ask in its answer', async () => {
    const whom = person(filledIn({ target: 'Production' }));
    expect(await order('ask_user', { questions: [TARGET] }, whom, { capabilities: {} })).toContain(
      `RESULT(Deploy: ${NO_ANSWER}\n`,
    );
    expect(whom.forms).toEqual([]);
  });

  test('who puts the question away', async () => {
    expect(await order('ask_user', { questions: [TARGET] }, person({ action: 'cancel' }))).toContain(
      `RESULT(Deploy: ${NO_ANSWER}\n`,
    );
  });

  test('to type a secret into a form', async () => {
    const whom = person(filledIn({ secret_value: 'hunter2' }));
    const input = { action: 'request', name: 'AGENT_QUESTIONS_KEY', reason: 'to pay' };
    expect(await order('secrets', input, whom)).toContain('The credential request was cancelled');
    expect(whom.forms).toEqual([]);
  });
});
