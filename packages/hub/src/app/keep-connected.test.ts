import { expect, it } from 'vitest';
import { afterEnd, type AfterEnd, type EndedBridge } from './keep-connected.ts';

const FRESH: EndedBridge = { isNew: true, isRecalled: false, wasOpen: false };
const FRESH_AND_OPEN: EndedBridge = { ...FRESH, wasOpen: true };
const USED: EndedBridge = { isNew: false, isRecalled: false, wasOpen: true };
const RECALLED: EndedBridge = { isNew: false, isRecalled: true, wasOpen: false };
const RECALLED_AND_OPEN: EndedBridge = { ...RECALLED, wasOpen: true };

const CASES: readonly EndedBridge[] = [FRESH, FRESH_AND_OPEN, USED, RECALLED, RECALLED_AND_OPEN];

it.each<[code: number, next: readonly AfterEnd[]]>([
  [4401, ['refused', 'refused', 'refused', 'renew', 'refused']],
  [4404, ['renew-later', 'renew-later', 'renew', 'renew', 'renew']],
  [4409, ['replaced', 'replaced', 'replaced', 'replaced', 'replaced']],
  ...[1000, 1001, 1006, 1009, 1011, 1012, 4408, 4413, 4500].map((code): [number, AfterEnd[]] => [
    code,
    CASES.map(() => 'retry'),
  ]),
])(
  'after %i, for sessions that are new, new and opened, used, recalled, recalled and opened: %j',
  (code, next) => expect(CASES.map((ended) => afterEnd(code, ended))).toEqual(next),
);
