/** `exec-approvals.json` for those who look at it and those who change it. */
import { randomUUID } from 'node:crypto';
import type { ExecPlan } from '../plan/exec-plan.ts';
import { boundFiles, boundOperands } from './bound-files.ts';
import { exactArgumentsIn } from './arg-pattern.ts';
import { approvalsPath, loadPolicy, type ExecPolicy } from './load-policy.ts';
import type { AllowlistEntry, PolicyFile } from './policy-file.ts';
import { sha256Hex } from '../sha256.ts';
import { ownSettings } from './effective.ts';
import { PincerError } from '../../../core/errors.ts';

export interface Snapshot {
  readonly path: string;
  readonly exists: boolean;
  readonly hash: string;
  readonly file: PolicyFile;
}

export type AllowedPlan = Pick<ExecPlan, 'argv' | 'cwd' | 'path' | 'operands'>;

export interface ApprovalsStore {
  policy(): ExecPolicy;
  /** As it is, secrets included; undefined: there is nothing that could be shown or changed. */
  snapshot(): Snapshot | undefined;
  write(file: PolicyFile): Snapshot;
  /** From now on this command runs without a question: exactly these words, in this folder, by this program. */
  allowAlways(plan: AllowedPlan, commandText: string, agent: string): void;
}

export interface StoreParts {
  /** The state folder. */
  readonly home: string;
  /** Replaces a file as a whole, for its owner's eyes only. */
  readonly writeFile: (path: string, text: string) => void;
  now(): number;
}

export function openApprovals({ home, writeFile, now }: StoreParts): ApprovalsStore {
  const path = approvalsPath(home);

  function snapshot(): Snapshot | undefined {
    const policy = loadPolicy(home);
    return policy.kind === 'approvals'
      ? { path, exists: policy.exists, hash: policy.hash, file: policy.file }
      : undefined;
  }

  function write(file: PolicyFile): Snapshot {
    const text = `${JSON.stringify(file, undefined, 2)}\n`;
    writeFile(path, text);
    return { path, exists: true, hash: sha256Hex(text), file };
  }

  return {
    policy: () => loadPolicy(home),
    snapshot,
    write,
    allowAlways(plan, commandText, agent) {
      const { argv, cwd, path: executable } = plan;
      if (/[*?]/.test(executable))
        throw new PincerError(
          'ARGUMENT_INVALID',
          'A program with * or ? in its path cannot be allowed for good.',
          {
            hint: 'An entry would be for others, too. `pincer approvals allow ID` lets it run once.',
          },
        );
      const current = snapshot();
      if (current === undefined)
        throw new PincerError('ARGUMENT_INVALID', 'The exec policy that is in force cannot be added to.', {
          hint: 'exec-approvals.json cannot be read, or exec-policy.json is there instead: correct the one, or move the other away. `pincer approvals allow ID` lets it run once.',
        });
      const { file } = current;
      const own = ownSettings(file, agent);
      const argPattern = exactArgumentsIn(argv, cwd);
      const { allowlist = [] } = own;
      const filesHash = boundFiles(plan);
      const isSame = (entry: AllowlistEntry): boolean =>
        entry.pattern === executable && entry.argPattern === argPattern;
      if (allowlist.some((entry) => isSame(entry) && entry.filesHash === filesHash)) return;
      const entry = {
        id: randomUUID(),
        pattern: executable,
        argPattern,
        ...(filesHash !== undefined && { filesHash }),
        source: 'allow-always',
        commandText,
        argv: [...argv],
        cwd,
        files: [...boundOperands(plan)],
        lastUsedAt: now(),
        lastResolvedPath: executable,
      };
      // One for the same command with other files is suspended for good: this one takes its place.
      const others = allowlist.filter((each) => !isSame(each) || each.source !== entry.source);
      write({ ...file, agents: { ...file.agents, [agent]: { ...own, allowlist: [...others, entry] } } });
    },
  };
}
