/** The document that a run writes. */
import type { CliResult } from '../cli/rounds.ts';
import type { HttpRound } from '../measure/http-round.ts';
import type { HttpCase, Subject } from '../subjects/subject.ts';
import type { HttpSummary } from './medians.ts';

export interface MachineFacts {
  node: string;
  platform: string;
  cpu: string;
  cpus: number;
  memoryGB: number;
  loadAverageBefore: number[];
  loadAverageAfter: number[];
}

interface SubjectFacts {
  name: string;
  kind: Subject['kind'];
  version: string;
  cannot: Partial<Record<HttpCase, string>>;
}

export interface BenchResult {
  date: string;
  commit: string;
  uncommittedChanges: boolean;
  options: { rounds: number; seconds: number; warmUpSeconds: number };
  machine: MachineFacts;
  floorSha256: string;
  upstream: { stdio: string; http: string };
  loadGenerator: string;
  subjects: SubjectFacts[];
  summary: HttpSummary[];
  rounds: HttpRound[];
  cli: CliResult[];
}
