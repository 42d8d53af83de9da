/** What a program would do that waits for a person: each part on a line of its own, and no part left out. */
import type { OpenApproval } from '../../core/approvals/approvals.ts';
import { DEVICE_SOURCE } from '../../core/caller.ts';
import { HIDDEN_OR_ALIKE } from '../../core/trust/hidden-characters.ts';
import { withoutDisguise } from '../../core/visible.ts';
import { readSubject } from '../../sources/device/exec/subject.ts';

/** A label of ours, and a text that somebody else may have chosen. */
export interface PlanLine {
  readonly label: string;
  readonly text: string;
}

/** Undefined: it is about something else, or has more in it than these lines would show. */
export function planLines({ server, tool, arguments: text }: OpenApproval): PlanLine[] | undefined {
  const plan = server === DEVICE_SOURCE && tool === 'system.run' ? subjectIn(text) : undefined;
  if (plan === undefined) return undefined;
  const { agent, argv, path, found, cwd, env, envHash, operands, ...others } = plan;
  return [
    { label: 'command', text: argv.map(unmistakable).join(' ') },
    { label: 'program', text: unmistakable(path) },
    ...(found === undefined ? [] : [{ label: 'found at', text: unmistakable(found) }]),
    { label: 'folder', text: unmistakable(cwd) },
    ...Object.entries(env).map(([name, value]) => ({
      label: 'sets',
      text: `${unmistakable(name)}=${value === '' ? '' : unmistakable(value)}`,
    })),
    ...operands.map((each) => ({
      label: 'file',
      text: `${unmistakable(each.path)}  ${'sha256' in each ? `sha256 ${unmistakable(each.sha256)}` : `stamp ${unmistakable(each.stamp)}`}`,
    })),
    ...(agent === undefined ? [] : [{ label: 'agent', text: unmistakable(agent) }]),
    { label: 'environment', text: unmistakable(envHash) },
    // What a plan may have one day and nobody has thought of here.
    ...Object.entries(others).map(([label, value]) => ({ label, text: spelledJson(value) })),
  ];
}

function subjectIn(text: string): ReturnType<typeof readSubject> {
  try {
    // A member that stands there twice is for a person to see as it came.
    return spelledJson(JSON.parse(text)) === text ? readSubject(text) : undefined;
  } catch {
    return undefined;
  }
}

/** As questions are written. */
const spelledJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(HIDDEN_OR_ALIKE, (char) =>
    Array.from(
      { length: char.length },
      (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );

/** What nobody reads otherwise than it is. An equals sign would make a variable of a program's name. */
const BARE = /^(?:-[\w@%+=:,./-]*|[\w@%+:,./-]+)$/;

/**
 * As a shell takes it: plain, in single quotes, or in `$'…'` where there is something that cannot be seen. In the latter
 * alone a backslash spells something.
 */
export function unmistakable(word: string): string {
  if (BARE.test(word)) return word;
  const isSeen = !word.includes('\n') && withoutDisguise(word) === word;
  if (isSeen) return `'${word.replaceAll("'", String.raw`'\''`)}'`;
  const spelled = word
    .replaceAll('\\', String.raw`\\`)
    .replaceAll("'", String.raw`\'`)
    .replaceAll('\n', String.raw`\n`);
  return `$'${withoutDisguise(spelled)}'`;
}
