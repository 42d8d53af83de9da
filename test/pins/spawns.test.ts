/** A program inherits the folder of the process that starts it, which may be a stranger's: each start names one. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const CALL = /(?<!\.)\b(?:spawn|spawnSync|execFile|execFileSync|fork|exec|execSync)\(\s*[\w'/.]/g;

/** The command line of Pincer itself, on the terminal of a person who stands in that folder. */
const INHERITS = new Set(['packages/openclaw-plugin/src/cli/run-pincer.ts']);

const starts = globSync('packages/*/src/**/*.ts', { cwd: root })
  .filter((file) => !file.endsWith('.test.ts') && !INHERITS.has(file))
  .flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    if (!/import \{[^}]*\} from 'node:child_process'|getBuiltinModule\('node:child_process'\)/.test(text))
      return [];
    return [...text.matchAll(CALL)].map(({ index }) => ({ file, call: callAt(text, index) }));
  });

/** From the name to the bracket that closes its arguments. */
function callAt(text: string, from: number): string {
  let depth = 0;
  for (let at = text.indexOf('(', from); at < text.length; at++) {
    if (text[at] === '(') depth += 1;
    else if (text[at] === ')' && --depth === 0) return text.slice(from, at + 1);
  }
  return text.slice(from);
}

it('finds the places where programs are started', () => expect(starts.length).toBeGreaterThan(10));

it.each(starts)('$file names the folder of what it starts', ({ call }) => expect(call).toMatch(/\bcwd\b/));
