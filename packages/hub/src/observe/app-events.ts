import type { CallFacts } from '../core/ports.ts';
import { numbers, type Family } from './family.ts';

/** How often apps registered, came and went. Not by app: whoever may register without a token could make up any number. */
export interface AppEvents {
  count(event: Pick<CallFacts, 'method' | 'outcome'>): void;
  family(): Family;
}

export function createAppEvents(): AppEvents {
  const counts = new Map<string, { event: string; outcome: string; value: number }>();
  return {
    count({ method, outcome }) {
      const key = `${method} ${outcome}`;
      const counted = counts.get(key);
      if (counted === undefined) counts.set(key, { event: method, outcome, value: 1 });
      else counted.value += 1;
    },
    family: () =>
      numbers(
        'pincer_app_events_total',
        'What apps did: registered, came and went with their bridges.',
        [...counts.values()].map(({ event, outcome, value }) => ({ labels: { event, outcome }, value })),
      ),
  };
}
