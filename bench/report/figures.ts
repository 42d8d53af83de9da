/** All figures that are shown and compared: how to read one from a summary, how to write it, and which direction is better. */
import { LEVELS } from '../measure/http-round.ts';
import type { HttpSummary, LevelSummary } from './medians.ts';

export interface Figure {
  label: string;
  better: 'higher' | 'lower';
  valueIn(summary: HttpSummary): number;
  write(value: number): string;
}

const MEGABYTE = 1024 * 1024;
const whole = (value: number): string => value.toFixed(0);
const milliseconds = (value: number): string => value.toFixed(value < 10 ? 2 : 1);
const megabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(0);

type LevelFigure = Omit<Figure, 'valueIn'> & { valueIn(level: LevelSummary): number };

const LEVEL_FIGURES: readonly LevelFigure[] = [
  { label: 'calls/s', better: 'higher', valueIn: (level) => level.callsPerSecond, write: whole },
  { label: 'p50 ms', better: 'lower', valueIn: (level) => level.p50Ms, write: milliseconds },
  { label: 'p99 ms', better: 'lower', valueIn: (level) => level.p99Ms, write: milliseconds },
  { label: 'CPU µs/call', better: 'lower', valueIn: (level) => level.cpuMicrosPerCall, write: whole },
  {
    label: 'tree CPU µs/call',
    better: 'lower',
    valueIn: (level) => level.treeCpuMicrosPerCall,
    write: whole,
  },
  { label: 'RSS loaded MB', better: 'lower', valueIn: (level) => level.rssPeakBytes, write: megabytes },
];

function figuresAt(inFlight: number): Figure[] {
  return LEVEL_FIGURES.map((figure) => ({
    ...figure,
    valueIn(summary) {
      const level = summary.levels.find((candidate) => candidate.inFlight === inFlight);
      return level === undefined ? Number.NaN : figure.valueIn(level);
    },
  }));
}

const START_FIGURES: readonly Figure[] = [
  { label: 'start → first answer ms', better: 'lower', valueIn: ({ startMs }) => startMs, write: whole },
  { label: 'RSS idle MB', better: 'lower', valueIn: ({ rssIdleBytes }) => rssIdleBytes, write: megabytes },
];

export interface FigureGroup {
  title: string;
  figures: readonly Figure[];
}

export const FIGURE_GROUPS: readonly FigureGroup[] = [
  { title: 'start and idle', figures: START_FIGURES },
  ...LEVELS.map((inFlight) => ({ title: `${inFlight} in flight`, figures: figuresAt(inFlight) })),
];
