/** Requests to every listener that can run a tool: only the owner's requests run. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GateCase } from '../kit/device/gate/case.ts';
import { CONTROLS } from '../kit/device/gate/controls.ts';
import { ENDPOINTS, openEndpoints, type EndpointName, type Endpoints } from '../kit/device/gate/endpoints.ts';
import { FORMS } from '../kit/device/gate/forms.ts';
import { FRAMING } from '../kit/device/gate/framing.ts';
import { HOSTS } from '../kit/device/gate/hosts.ts';
import { PAGES } from '../kit/device/gate/pages.ts';
import { converse, provoke } from '../kit/device/gate/send.ts';
import { verifies } from '../verifies.ts';
import { TOKENS } from '../kit/device/gate/tokens.ts';

const CASES = [...HOSTS, ...PAGES, ...TOKENS, ...FORMS, ...FRAMING];

let endpoints: Endpoints;
beforeAll(async () => {
  endpoints = await openEndpoints();
});
afterAll(() => endpoints?.[Symbol.asyncDispose]());

/** A file name for a case. */
const markOf = (name: string): string => name.replaceAll(/[^A-Za-z0-9]+/g, '-');

async function check(name: EndpointName, { name: label, status, text, isHalf }: GateCase): Promise<void> {
  const endpoint = endpoints.get(name);
  const mark = markOf(label);
  const { statuses, received } = await provoke(
    endpoint.origin,
    text(endpoint, endpoint.call(mark)),
    isHalf === true,
  );
  expect(status).toContain(statuses[0] ?? 0);
  expect(received).not.toMatch(/^access-control-/im);
  expect(received).not.toContain(endpoint.token);
  // A refusal without the token has no body.
  for (const [, body] of received.matchAll(/^HTTP\/1\.1 401[\s\S]*?\r\n\r\n([\s\S]*?)(?=HTTP\/1\.1|$)/gm))
    expect(body).toBe('');
  expect(endpoint.marks()).not.toContain(mark);
}

describe.each(ENDPOINTS)('%s', (name) => {
  const fits = ({ isOwnOrigin }: GateCase): boolean => isOwnOrigin !== true || !name.startsWith('/mcp');

  it.each(CASES.filter(fits).map((one) => [one.name, one] as const))('%s', (_label, one) => {
    verifies(
      '000-security-origin',
      '000-security-host',
      '000-security-content-type',
      '000-security-no-cors',
      '000-security-local-token',
      '000-auth-missing-401',
      '000-auth-wrong-401',
    );
    return check(name, one);
  });

  it.each(Object.entries(CONTROLS))('runs %s', async (label, text) => {
    const endpoint = endpoints.get(name);
    const mark = markOf(label);
    const sent = text(endpoint, endpoint.call(mark));
    const requests = sent.split(' HTTP/1.1\r\n').length - 1;
    const responses = await converse(endpoint.origin, sent, requests);
    expect(responses.at(-1)?.status).toBe(200);
    expect(endpoint.marks().filter((found) => found === mark)).toEqual([mark]);
  });

  it('has run only the controls, each once', () => {
    expect(endpoints.get(name).marks().toSorted()).toEqual(Object.keys(CONTROLS).map(markOf).toSorted());
  });
});

it('has at least sixty cases, each with a unique name', () => {
  expect(CASES.length).toBeGreaterThanOrEqual(60);
  expect(new Set(CASES.map(({ name }) => markOf(name))).size).toBe(CASES.length);
});
