import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HandClient } from '../../../../test/kit/hand-wire.ts';
import { createNotices, kindOfNotice } from './notices.ts';
import type { ListKind } from './catalog/offer.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const ALL: ReadonlySet<ListKind> = new Set<ListKind>(['tools', 'prompts', 'resources']);
const ANYBODY = { caller: { id: 'c', name: 'c', scopes: {} }, view: undefined };
const NOT_ASKED = (): never => expect.unreachable('whoever may see everything hears of everything');
const wait = (): void => void vi.advanceTimersByTime(20);

describe('a change', () => {
  it('is told to those who want to hear of it', () => {
    const notices = createNotices(NOT_ASKED);
    const [all, tools, none] = [new HandClient(), new HandClient(), new HandClient()];
    notices.add(all, ALL, ANYBODY);
    notices.add(tools, new Set(['tools'] as const), ANYBODY);
    notices.add(none, new Set(), ANYBODY);
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

  it('and others shortly after are told once', () => {
    const notices = createNotices(NOT_ASKED);
    const client = new HandClient();
    notices.add(client, ALL, ANYBODY);
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

  it('of nothing is no change', () => {
    const notices = createNotices(NOT_ASKED);
    notices.changed([]);
    notices.changed(new Set<ListKind>());
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is not told to those who have gone meanwhile', () => {
    const notices = createNotices(NOT_ASKED);
    const [gone, here] = [new HandClient(), new HandClient()];
    const leave = notices.add(gone, ALL, ANYBODY);
    notices.add(here, ALL, ANYBODY);
    notices.changed(['tools']);
    leave();
    leave();
    wait();
    expect([gone.notified.length, here.notified.length]).toEqual([0, 1]);
  });

  it('while it is told is told after that', () => {
    const notices = createNotices(NOT_ASKED);
    const client = new HandClient();
    client.notify = (method) => {
      client.notified.push(method);
      if (client.notified.length < 3) notices.changed(['tools']);
    };
    notices.add(client, ALL, ANYBODY);
    notices.changed(['tools']);
    vi.advanceTimersByTime(1_000);
    expect(client.notified).toHaveLength(3);
  });

  it('is told to a confined caller if it can see it', () => {
    const listed = { tools: ['a', '{}'], prompts: [], resources: [] };
    const notices = createNotices((hearer, kind) => {
      expect(hearer.view).toBe('s');
      return [...listed[kind]];
    });
    const client = new HandClient();
    notices.add(client, ALL, { caller: { id: 'c', name: 'c', scopes: { servers: ['s'] } }, view: 's' });
    const hear = (): string[] => {
      notices.changed(ALL);
      wait();
      return client.notified.splice(0);
    };
    expect(hear()).toEqual([]);
    listed.tools = ['a', '{"x":1}'];
    expect(hear()).toEqual(['notifications/tools/list_changed {}']);
    expect(hear()).toEqual([]);
    listed.tools = [];
    expect(hear()).toEqual(['notifications/tools/list_changed {}']);
  });

  it('may make a client leave while it is told', () => {
    const notices = createNotices(NOT_ASKED);
    const [first, second] = [new HandClient(), new HandClient()];
    let leaveSecond = (): void => undefined;
    first.notify = () => leaveSecond();
    notices.add(first, ALL, ANYBODY);
    leaveSecond = notices.add(second, ALL, ANYBODY);
    notices.changed(['tools', 'prompts']);
    wait();
    expect(second.notified).toEqual([]);
  });
});

describe('kindOfNotice', () => {
  it.each(['tools', 'prompts', 'resources'] as const)('knows %s', (kind) => {
    expect(kindOfNotice(`notifications/${kind}/list_changed`)).toBe(kind);
  });

  it.each(['notifications/roots/list_changed', 'notifications/resources/updated', 'tools', ''])(
    'knows %j for none',
    (method) => {
      expect(kindOfNotice(method)).toBeUndefined();
    },
  );
});
