/** Sends orders to OpenClaw's agent through MCP, and reads what its model received. */
import { join } from 'node:path';
import type { CallToolResult, Client, Progress } from '@modelcontextprotocol/client';
import { eventually } from '../processes.ts';
import type { HostAddress } from './host.ts';
import { type ModelRequest, askedOf, releaseModel } from './model.ts';
import { type Profile, TOKEN } from './profile.ts';

export interface OrderOptions {
  sessionKey?: string;
  images?: OrderMedia[];
  files?: OrderMedia[];
  signal?: AbortSignal;
  onProgress?(progress: Progress): void;
}

export interface OrderMedia {
  /** Base64. */
  data: string;
  mimeType: string;
  filename?: string;
}

/** A client that can send orders. */
export interface Orderer {
  order(message: string, options?: OrderOptions): Promise<CallToolResult>;
  /** Returns the text of an answer that is exactly one text. */
  ask(message: string, sessionKey?: string): Promise<string>;
}

/** Timeout for a hang. */
const ORDER_MS = 280_000;
const HELD_MS = 120_000;

export function ordererOf(client: Client): Orderer {
  const order: Orderer['order'] = (message, { signal, onProgress, ...more } = {}) =>
    client.callTool(
      { name: 'order_openclaw', arguments: { message, ...more } },
      { timeout: ORDER_MS, ...(signal && { signal }), ...(onProgress && { onprogress: onProgress }) },
    );
  return {
    order,
    async ask(message, sessionKey) {
      const result = await order(message, sessionKey === undefined ? {} : { sessionKey });
      const [only, ...others] = result.content;
      if (result.isError === true || only?.type !== 'text' || others.length > 0)
        throw new Error(`not one text: ${JSON.stringify(result)}`);
      return only.text;
    },
  };
}

/** The text of an error result; throws on any other result. */
export function errorIn({ isError, content }: CallToolResult): string {
  const [only, ...others] = content;
  if (isError !== true || only?.type !== 'text' || others.length > 0)
    throw new Error(`not an error: ${JSON.stringify({ isError, content })}`);
  return only.text;
}

/** The environment of the profile's owner. OpenClaw is found by the home folder alone. */
export const ownerEnv = ({ env }: Profile): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('OPENCLAW_')));

/** A gateway known only by its address and token, without an OpenClaw installation. */
export function gatewayOnly(profile: Profile): { config: object; env: Record<string, string> } {
  const nowhere = join(profile.folder, 'nowhere');
  return {
    config: { agent: { gatewayUrl: `ws://127.0.0.1:${profile.port}` } },
    env: { ...ownerEnv(profile), HOME: nowhere, OPENCLAW_GATEWAY_TOKEN: TOKEN },
  };
}

/** A view of a host's model for tests. */
export interface ModelWatch {
  /** Requests whose last user message contains the text. */
  asked(about: string): Promise<ModelRequest[]>;
  /** The person's messages in the last such request, without OpenClaw's additions. */
  userMessages(about: string): Promise<string[]>;
  /** Waits until the model pauses at `hold:<name>`. */
  whenHeld(name: string): Promise<void>;
  release(name: string): Promise<void>;
  /** Waits until the client has closed the request about this text. */
  whenCut(about: string): Promise<void>;
}

export function watchModel({ modelUrl }: HostAddress): ModelWatch {
  const asked = (about: string): Promise<ModelRequest[]> => askedOf(modelUrl, about);
  async function until(what: string, about: string, holds: (last: ModelRequest) => boolean): Promise<void> {
    const isSo = async (): Promise<boolean> => (await asked(about)).slice(-1).some(holds);
    if (!(await eventually(isSo, HELD_MS, 50))) throw new Error(`The model was not ${what}: ${about}`);
  }
  return {
    asked,
    async userMessages(about) {
      const [last] = (await asked(about)).slice(-1);
      return (last?.conversation ?? []).flatMap(({ role, text }) =>
        role === 'user' && !text.startsWith('<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>') ? bare(text) : [],
      );
    },
    whenHeld: (name) => until('asked', `hold:${name}`, () => true),
    release: (name) => releaseModel(modelUrl, name),
    whenCut: (about) => until('cut off', about, ({ wasCut }) => wasCut),
  };
}

const ENVELOPE = /^\[\w{3} \d{4}-\d\d-\d\d \d\d:\d\d \w+\] ([\s\S]*?)(?:\n\nRuntime: agent=[^\n]*)?$/;

const bare = (text: string): string => ENVELOPE.exec(text)?.[1] ?? text;
