/** Long calls of one conversation share a connection: one that fails leaves the others alone. */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { patchConfig, whenApplied } from '../kit/openclaw/applied.ts';
import { openHost } from '../kit/openclaw/host.ts';
import type { Operator } from '../kit/openclaw/operator.ts';
import { ownHub } from '../kit/openclaw/own-hub.ts';
import { whenListed } from '../kit/openclaw/plugin.ts';
import { stdioServer } from '../kit/servers.ts';

const host = openHost(inject('openclaw'));
const { profile } = host;
const hub = ownHub(profile);

const TIMEOUT_MS = 2_000;
/** OpenClaw's client gives up about four seconds after the failure; the other calls go on for longer. */
const STEPS = 8;

let operator: Operator;

beforeAll(async () => {
  operator = await host.operator();
  const long = stdioServer({ talk: true }, { requestTimeoutMs: TIMEOUT_MS });
  writeFileSync(hub.configFile, JSON.stringify({ servers: { long } }), { mode: 0o600 });
  await whenListed(profile, ['long']);
  await whenApplied(host);
  // As `openclaw mcp configure long --parallel` writes it.
  await patchConfig(host, { mcp: { servers: { long: { supportsParallelToolCalls: true } } } });
});

afterAll(async () => {
  writeFileSync(hub.configFile, '{}');
  await whenListed(profile, ['long'], false);
  await whenApplied(host);
  await operator[Symbol.asyncDispose]();
});

/** A message to the log makes a stream of the answer, which the client can come back to. */
const callOf = (marker: string, script: string): string =>
  `call:long__talk ${JSON.stringify({ marker, script: `log,${script}` })}`;

const SURVIVORS = Array.from({ length: 8 }, (_, number) => `survivor-${number}`);
const goingOn = Array.from({ length: STEPS }, () => 'wait1000,progress').join(',');

test.concurrent.each([
  // No progress, so the hub gives up.
  ['that times out', 'wait60000', 'did not answer within 2000 ms', 'CALL_TIMEOUT'],
  // There is no such step: the server answers with a JSON-RPC error.
  ['to which its server answers with an error', 'wait1000,fail', 'no step of a script: fail', undefined],
])('a call %s ends alone beside eight others', async (_title, script, said, code) => {
  const marker = `failing-${code ?? 'error'}`;
  const message = [callOf(marker, script), ...SURVIVORS.map((each) => callOf(each, goingOn))].join(' ');
  const { calls } = await operator.turn(`agent:main:long-${marker}`, `at once: ${message}`);
  const markerOf = ({ args }: (typeof calls)[number]): string => (args as { marker: string }).marker;
  const failed = calls.filter(({ isError }) => isError);
  expect(failed.map((call) => [markerOf(call), call.text])).toEqual([
    [marker, expect.stringContaining(said)],
  ]);
  if (code !== undefined) expect(failed[0]?.text).toContain('/mcp status long');
  const ended = calls.filter(({ isError }) => !isError);
  expect(ended.map(markerOf).toSorted()).toEqual(SURVIVORS);
  expect(host.gateway().log()).not.toContain('server "long" closed');
});
