/**
 * Every requirement of the five founding documents of Pincer, called seeds, is one row here: 000 local device MCP
 * mode, 001 mcp-server user page, 002 mcp-server design, 003 app proxy, 004 remote MCP servers. A test names the rows
 * that it proves with `verifies`, and a row names the files of these tests; requirements.test.ts compares both.
 */
import { seed000 } from './requirements/seed-000.ts';
import { seed001 } from './requirements/seed-001.ts';
import { seed002 } from './requirements/seed-002.ts';
import { seed003 } from './requirements/seed-003.ts';
import { seed004 } from './requirements/seed-004.ts';

/** The parts of Pincer that are still to be built. */
export type Planned =
  | 'companion page'
  | 'gateway pages'
  | 'extensions and sign-in'
  | 'command line'
  | 'robustness'
  | 'several instances';

export interface Requirement {
  /** Seed, section and subject in kebab case; never changed, since tests name it. */
  readonly id: string;
  readonly seed: '000' | '001' | '002' | '003' | '004';
  /** Number or heading in the seed; `History` is the change log at the beginning of seed 000. */
  readonly section: string;
  /** What can be observed, in one sentence; Pincer's behaviour where it differs from the seed. */
  readonly says: string;
  /** Why Pincer differs from the seed on purpose. */
  readonly differs?: string;
  /** The part of Pincer that will fulfil it; set exactly where `tests` is 'not yet'. */
  readonly planned?: Planned;
  /** Files, relative to the repository, whose tests prove it. */
  readonly tests: 'not yet' | readonly string[];
}

const rows = [...seed000, ...seed001, ...seed002, ...seed003, ...seed004] as const;

export type RequirementId = (typeof rows)[number]['id'];

export const requirements: readonly Requirement[] = rows;
