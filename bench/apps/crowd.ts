/** All apps of the scale test, in several processes, so that the apps are not the bottleneck. */
import { type Child, startChild } from './child.ts';
import type { CrowdCommand, CrowdState } from './programs/crowd.ts';

const PROGRAM = new URL('programs/crowd.ts', import.meta.url);
const PROCESSES = 2;

export interface Crowd {
  join(to: { baseUrl: string; tokens: string[]; sessions: number; distinct: boolean }): Promise<CrowdState>;
  /** Call it before the hub is killed. Resolves when every bridge is open again. */
  comeBack(): Promise<CrowdState>;
  state(): Promise<CrowdState>;
  end(): Promise<void>;
}

export async function startCrowd(): Promise<Crowd> {
  const children = await Promise.all(
    Array.from({ length: PROCESSES }, () => startChild<CrowdCommand, CrowdState>(PROGRAM)),
  );
  const askAll = async (commandFor: (index: number) => CrowdCommand): Promise<CrowdState> =>
    together(
      await Promise.all(
        children.map((child: Child<CrowdCommand, CrowdState>, index) => child.ask(commandFor(index))),
      ),
    );
  return {
    join: ({ sessions, ...to }) =>
      askAll((index) => {
        const first = Math.floor((sessions * index) / PROCESSES);
        const count = Math.floor((sessions * (index + 1)) / PROCESSES) - first;
        return { kind: 'join', ...to, first, count };
      }),
    comeBack: () => askAll(() => ({ kind: 'return' })),
    state: () => askAll(() => ({ kind: 'state' })),
    async end() {
      await Promise.all(children.map((child) => child.end()));
    },
  };
}

function together(states: readonly CrowdState[]): CrowdState {
  const lost: Record<string, number> = {};
  for (const state of states)
    for (const [code, times] of Object.entries(state.lost)) lost[code] = (lost[code] ?? 0) + times;
  const sum = (pick: (state: CrowdState) => number): number =>
    states.reduce((total, state) => total + pick(state), 0);
  return {
    open: sum(({ open }) => open),
    pings: sum(({ pings }) => pings),
    lost,
    sessionIds: states.flatMap(({ sessionIds }) => sessionIds),
    allOpenAt: Math.max(...states.map(({ allOpenAt }) => allOpenAt)),
  };
}
