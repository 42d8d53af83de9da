/** Whatever comes to a listener that can run a tool: nothing runs but what the owner asks for. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GateCase } from '../kit/device/gate/case.ts';
import { CONTROLS } from '../kit/device/gate/controls.ts';
import { DOORS, openDoors, type DoorName, type Doors } from '../kit/device/gate/doors.ts';
import { FORMS } from '../kit/device/gate/forms.ts';
import { FRAMING } from '../kit/device/gate/framing.ts';
import { HOSTS } from '../kit/device/gate/hosts.ts';
import { PAGES } from '../kit/device/gate/pages.ts';
import { converse, provoke } from '../kit/device/gate/send.ts';
import { verifies } from '../verifies.ts';
import { TOKENS } from '../kit/device/gate/tokens.ts';

const CASES = [...HOSTS, ...PAGES, ...TOKENS, ...FORMS, ...FRAMING];

let doors: Doors;
beforeAll(async () => {
  doors = await openDoors();
});
afterAll(() => doors?.[Symbol.asyncDispose]());

/** A name of a file for what a case is called. */
const markOf = (name: string): string => name.replaceAll(/[^A-Za-z0-9]+/g, '-');

async function check(name: DoorName, { name: label, status, text, isHalf }: GateCase): Promise<void> {
  const door = doors.door(name);
  const mark = markOf(label);
  const { statuses, received } = await provoke(door.origin, text(door, door.call(mark)), isHalf === true);
  expect(status).toContain(statuses[0] ?? 0);
  expect(received).not.toMatch(/^access-control-/im);
  expect(received).not.toContain(door.token);
  // Who has no token learns nothing.
  for (const [, body] of received.matchAll(/^HTTP\/1\.1 401[\s\S]*?\r\n\r\n([\s\S]*?)(?=HTTP\/1\.1|$)/gm))
    expect(body).toBe('');
  expect(door.marks()).not.toContain(mark);
}

describe.each(DOORS)('%s', (name) => {
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
    const door = doors.door(name);
    const mark = markOf(label);
    const sent = text(door, door.call(mark));
    const requests = sent.split(' HTTP/1.1\r\n').length - 1;
    const responses = await converse(door.origin, sent, requests);
    expect(responses.at(-1)?.status).toBe(200);
    expect(door.marks().filter((found) => found === mark)).toEqual([mark]);
  });

  it('has run the controls, each once, and nothing else', () => {
    expect(doors.door(name).marks().toSorted()).toEqual(Object.keys(CONTROLS).map(markOf).toSorted());
  });
});

it('there are at least sixty cases, each with a name of its own', () => {
  expect(CASES.length).toBeGreaterThanOrEqual(60);
  expect(new Set(CASES.map(({ name }) => markOf(name))).size).toBe(CASES.length);
});
