/** What there is to be found by its name: settings, sessions and nodes. */
export interface Hit {
  readonly title: string;
  readonly subtitle: string;
  readonly icon: string;
}

const MAX_HITS = 10;

/** In the order in which they are given. */
export function searched(all: readonly Hit[], query: string): Hit[] {
  const wanted = query.trim().toLowerCase();
  return all
    .filter(({ title, subtitle }) => `${title}\n${subtitle}`.toLowerCase().includes(wanted))
    .slice(0, MAX_HITS);
}
