/** Which of those that can speak does it. */
import type { Engine } from './engine.ts';

export interface Choice {
  /** Undefined: none can. */
  readonly engine: Engine | undefined;
  /** What was asked for, or else is configured, or else is used anyway. */
  readonly requested: string | undefined;
  readonly fellBack: boolean;
}

interface Wish {
  /** Of this call: nothing takes its place. */
  readonly provider?: string | undefined;
  /** Of the person at this machine: another one may take its place. */
  readonly configured?: string | undefined;
  /** Whether an engine could do it at all. */
  can(engine: Engine): boolean;
}

export function chooseEngine(engines: readonly Engine[], { provider, configured, can }: Wish): Choice {
  const usable = engines.filter((engine) => engine.readiness === 'ready' && can(engine));
  const named = (name: string): Engine | undefined => usable.find((engine) => engine.provider === name);
  if (provider !== undefined) return { engine: named(provider), requested: provider, fellBack: false };
  const [first] = usable;
  const preferred = configured === undefined ? undefined : named(configured);
  const engine = preferred ?? first;
  return {
    engine,
    requested: configured ?? engine?.provider,
    fellBack: configured !== undefined && engine !== undefined && preferred === undefined,
  };
}
