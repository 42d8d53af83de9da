import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HandClient } from '../../../../test/kit/fake-wire.ts';
import { createNotices, kindOfNotice } from './notices.ts';
import type { ListKind } from './catalog/offer.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const ALL: ReadonlySet<ListKind> = new Set<ListKind>(['tools', 'prompts', 'resources']);
const UNRESTRICTED = { caller: { id: 'c', name: 'c', scopes: {} }, view: undefined };
const NOT_ASKED = (): never => expect.unreachable('an unrestricted caller needs no comparison');
const wait = (): void => void vi.advanceTimersByTime(20);

describe('a change notice', () => {
  it('notifies the clients that listen to the kind', () => {
    const notices = createNotices(NOT_ASKED);
    const [all, tools, none] = [new HandClient(), new HandClient(), new HandClient()];
    notices.add(all, ALL, UNRESTRICTED);
    notices.add(tools, new Set(['tools'] as const), UNRESTRICTED);
    notices.add(none, new Set(), UNRESTRICTED);
    notices.changed(['prompts']);
    notices.changed(['tools']);
    wait();
    expect(all.notified).toEqual([
      'notifications/prompts/list_changed {}',
      'notifications/tools/list_changed {}',
    ]);
    expect(tools.notified).toEqual(['notifications/tools/list_changed {}']);
    expect(none.notified).toEqual([]);
  });

  it('sends one notification for several changes in a row', () => {
    const notices = createNotices(NOT_ASKED);
    const client = new HandClient();
    notices.add(client, ALL, UNRESTRICTED);
    for (let count = 0; count < 10; count++) {
      notices.changed(['tools']);
      vi.advanceTimersByTime(1);
    }
    wait();
    expect(client.notified).toHaveLength(1);
    notices.changed(['tools']);
    wait();
    expect(client.notified).toHaveLength(2);
  });

  it('sends nothing for an empty set of kinds', () => {
    const notices = createNotices(NOT_ASKED);
    notices.changed([]);
    notices.changed(new Set<ListKind>());
    expect(vi.getTimerCount()).toBe(0);
  });

  it('skips clients that left meanwhile', () => {
    const notices = createNotices(NOT_ASKED);
    const [gone, here] = [new HandClient(), new HandClient()];
    const leave = notices.add(gone, ALL, UNRESTRICTED);
    notices.add(here, ALL, UNRESTRICTED);
    notices.changed(['tools']);
    leave();
    leave();
    wait();
    expect([gone.notified.length, here.notified.length]).toEqual([0, 1]);
  });

  it('sends a change made during a notification afterwards', () => {
    const notices = createNotices(NOT_ASKED);
    const client = new HandClient();
    client.notify = (method) => {
      client.notified.push(method);
      if (client.notified.length < 3) notices.changed(['tools']);
    };
    notices.add(client, ALL, UNRESTRICTED);
    notices.changed(['tools']);
    vi.advanceTimersByTime(1_000);
    expect(client.notified).toHaveLength(3);
  });

  it('notifies a restricted caller only of changes it can see', () => {
    const listed = { tools: ['a', '{}'], prompts: [], resources: [] };
    const notices = createNotices((reader, kind) => {
      expect(reader.view).toBe('s');
      return [...listed[kind]];
    });
    const client = new HandClient();
    notices.add(client, ALL, { caller: { id: 'c', name: 'c', scopes: { servers: ['s'] } }, view: 's' });
    const notified = (): string[] => {
      notices.changed(ALL);
      wait();
      return client.notified.splice(0);
    };
    expect(notified()).toEqual([]);
    listed.tools = ['a', '{"x":1}'];
    expect(notified()).toEqual(['notifications/tools/list_changed {}']);
    expect(notified()).toEqual([]);
    listed.tools = [];
    expect(notified()).toEqual(['notifications/tools/list_changed {}']);
  });

  it('a client may leave while another one is notified', () => {
    const notices = createNotices(NOT_ASKED);
    const [first, second] = [new HandClient(), new HandClient()];
    let leaveSecond = (): void => undefined;
    first.notify = () => leaveSecond();
    notices.add(first, ALL, UNRESTRICTED);
    leaveSecond = notices.add(second, ALL, UNRESTRICTED);
    notices.changed(['tools', 'prompts']);
    wait();
    expect(second.notified).toEqual([]);
  });
});

describe('kindOfNotice', () => {
  it.each(['tools', 'prompts', 'resources'] as const)('reads %s', (kind) => {
    expect(kindOfNotice(`notifications/${kind}/list_changed`)).toBe(kind);
  });

  it.each(['notifications/roots/list_changed', 'notifications/resources/updated', 'tools', ''])(
    'returns undefined for %j',
    (method) => {
      expect(kindOfNotice(method)).toBeUndefined();
    },
  );
});
