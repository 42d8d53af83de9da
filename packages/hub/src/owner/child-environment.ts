import { type Environment, wholeSearchPath } from '../lib/process.ts';
import { isForbiddenVariable } from '../core/forbidden-variables.ts';
import { inheritedValue, inheritedVariables, isWrittenByNpm } from '../core/inherited-variables.ts';

/**
 * Returns the environment of a child: a few variables that programs need, and those that its configuration declares. It
 * never holds variables that inject code into programs, and PATH never leads to the current folder.
 */
export function childEnvironment(
  declared: Readonly<Record<string, string>>,
  env: Environment,
  platform: NodeJS.Platform,
): Record<string, string> {
  const isWindows = platform === 'win32';
  const allowed = Object.entries(declared)
    .filter(([name]) => !isForbiddenVariable(name, platform))
    .map(
      ([name, value]) => [name, isPath(name, isWindows) ? wholeSearchPath(value, platform) : value] as const,
    );
  const isDeclared = (name: string, isAnyCase: boolean): boolean =>
    allowed.some(([other]) => other === name || (isAnyCase && other.toUpperCase() === name.toUpperCase()));
  const inherited = inheritedVariables(platform).flatMap(({ name, kind, isAnyCase }) => {
    const value = isWindows ? valueInAnyCase(env, name) : env[name];
    if (value === undefined || isDeclared(name, isAnyCase) || isWrittenByNpm(name, env, platform)) return [];
    const passed = inheritedValue(value, kind, platform);
    return passed === undefined ? [] : [[name, passed] as const];
  });
  return Object.fromEntries([...inherited, ...allowed]);
}

const isPath = (name: string, isWindows: boolean): boolean =>
  name === 'PATH' || (isWindows && name.toUpperCase() === 'PATH');

/** Windows writes `Path`, and a copy of its environment is case-sensitive. */
const valueInAnyCase = (env: Environment, wanted: string): string | undefined =>
  Object.entries(env).find(([name]) => name.toUpperCase() === wanted)?.[1];
