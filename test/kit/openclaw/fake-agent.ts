/** A gateway whose agent does what a test sets. It serves orders of `pincer mcp-server` without OpenClaw. */
import { writeFileSync } from 'node:fs';
import { mcpServerProgram } from '../mcp-server.ts';
import { callText, INITIALIZE, INITIALIZED, parseAnswer, type Answer } from '../messages.ts';
import { openStdio, type Program, type StdioClient } from '../stdio.ts';
import { eventText, responseText, welcomeText } from './gateway-texts.ts';
import { openHandGateway, type HandGateway, type HandRequest } from './fake-gateway.ts';

/** An order as the gateway receives it. */
export interface Sent {
  readonly message: string;
  readonly sessionKey: string;
  readonly idempotencyKey: string;
  readonly attachments?: readonly { readonly [K in 'type' | 'mimeType' | 'fileName' | 'content']: string }[];
}

/** Events of the run, without the run's id. */
export type Work = (order: Sent) => readonly [event: 'agent' | 'chat', payload: object][];

export interface FakeAgent extends HandGateway {
  readonly orders: readonly Sent[];
  /** The runs that were told to stop. */
  readonly stopped: readonly string[];
}

/** The end of a run, with the text of its last message. */
export const final = (text: string): ReturnType<Work>[number] => [
  'chat',
  { state: 'final', message: { role: 'assistant', content: [{ type: 'text', text }] } },
];

/** A whole message of the agent. */
export const says = (text: string, place = 0): ReturnType<Work>[number] => [
  'agent',
  { stream: 'assistant', data: { text, delta: text, itemId: `message:${place}` } },
];

/** `others` answers all requests that are not orders; `policy` holds the gateway's limits. */
export async function openFakeAgent(
  work: Work = ({ message }) => [final(`echo: ${message}`)],
  others: (request: HandRequest) => object = () => ({}),
  policy: object = {},
): Promise<FakeAgent> {
  const gateway = await openHandGateway(
    (id) => [welcomeText(id, policy)],
    (request) => {
      if (request.method !== 'chat.send') return [responseText(request.id, others(request))];
      const sent = request.params as Sent;
      const runId = sent.idempotencyKey;
      const events = work(sent).map(([event, payload], index) =>
        eventText(event, { runId, sessionKey: 'agent:main:k', seq: index + 1, ...payload }),
      );
      return [responseText(request.id, { runId, status: 'started' }), ...events];
    },
  );
  const of = (method: string): object[] =>
    gateway.requests.flatMap((request) => (request.method === method ? request.params : []));
  return {
    ...gateway,
    get orders() {
      return of('chat.send') as Sent[];
    },
    get stopped() {
      return of('chat.abort').map((params) => (params as { runId: string }).runId);
    },
  };
}

export interface ServerSettings {
  readonly home: string;
  readonly args?: readonly string[];
  /** Merged over `agent.gatewayUrl`. */
  readonly config?: object;
}

/** `pincer mcp-server`, which sends its orders to this gateway. */
export function orderingProgram({ url }: Pick<HandGateway, 'url'>, settings: ServerSettings): Program {
  const { home, args = [], config = {} } = settings;
  writeFileSync(`${home}/config.json`, JSON.stringify({ agent: { gatewayUrl: url }, ...config }), {
    mode: 0o600,
  });
  return mcpServerProgram({ HOME: home, PINCER_HOME: home, OPENCLAW_GATEWAY_TOKEN: 'by hand' }, args);
}

/** Returns after the server has answered `initialize`. */
export async function openOrdering(
  gateway: Pick<HandGateway, 'url'>,
  settings: ServerSettings,
): Promise<StdioClient> {
  const client = openStdio(orderingProgram(gateway, settings));
  await client.ask(INITIALIZE);
  client.send(INITIALIZED);
  return client;
}

export const orderText = (args: object, id = '"order"'): string =>
  callText('order_openclaw', { id, args: JSON.stringify(args) });

export const askOrder = async (client: StdioClient, args: object, id?: string): Promise<Answer> =>
  parseAnswer(await client.ask(orderText(args, id)));
