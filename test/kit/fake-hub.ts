/** A fake hub as the OpenClaw plugin sees it, with fixed answers. */
import { PincerError, type HubClient } from 'pincer/client';

/** Answers by action, or by action and query: `GET held?server=docs`. An error is thrown. */
export type Told = Record<string, unknown>;

export interface FakeHub extends HubClient {
  /** The requested changes, in order. */
  readonly changes: unknown[];
}

export function toldHub(answers: Told): FakeHub {
  const changes: unknown[] = [];
  return {
    changes,
    hubFile: {} as HubClient['hubFile'],
    async control(action, { query = {}, body } = {}) {
      if (!action.startsWith('GET')) changes.push([action, body]);
      const search = new URLSearchParams(query).toString();
      const key = [`${action}?${search}`, action].find((each) => Object.hasOwn(answers, each));
      if (key === undefined) throw new PincerError('USAGE', `Unexpected action: ${action}.`);
      const answer = answers[key];
      if (answer instanceof Error) throw answer;
      return JSON.stringify(answer ?? null);
    },
    postMcp: () => Promise.reject(new Error('This fake hub has no tools.')),
  };
}

export const toldServer = (name: string, more: object = {}): object => ({
  name,
  state: 'ready',
  transport: 'http',
  target: `https://mcp.${name}.com/mcp`,
  tools: 2,
  auth: { kind: 'none' },
  ...more,
});

export const toldServers = (...servers: object[]): Told => ({
  'GET status': { servers, held: [], approvals: 0 },
  'GET clashes': [],
});
