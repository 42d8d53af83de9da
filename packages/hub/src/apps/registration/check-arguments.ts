/** Checks the arguments of a call against the registered schema before they are sent to the app. */
import { visible } from '../../core/visible.ts';
import type { ValueIssue } from '../../core/schema/check-run.ts';
import { createValueCheck } from '../../core/schema/check-value.ts';
import { asSchema } from '../../core/schema/json-schema.ts';
import { parseBytes, type ByteText } from '../../core/wire/byte-text.ts';
import { isObject } from '../../core/wire/members.ts';
import { shown } from '../refusals.ts';
import type { AppTool } from '../directory/session-directory.ts';

/** Why arguments were not sent. */
export interface Fault {
  /** `filter.tags[0]`; empty for the arguments as a whole. */
  readonly path: string;
  /** A sentence that names the path and what was expected. */
  readonly message: string;
  readonly hint: string;
}

/** Further issues are only counted. */
const MAX_SHOWN = 4;
/** Limits a message, because a schema may list very many values. */
const MAX_MESSAGE_CHARS = 500;

/** The app may still refuse arguments that pass. The schema is parsed on first use. */
export function createArgumentCheck({
  name,
  inputSchema,
}: Pick<AppTool, 'name' | 'inputSchema'>): (args: ByteText) => Fault | undefined {
  let check: ReturnType<typeof createValueCheck> | undefined;
  return (args) => {
    const value = read(args);
    if (value === undefined) return fault(name, [{ path: '', message: 'must be a JSON object' }]);
    check ??= createValueCheck(asSchema(parseBytes(inputSchema)));
    const issues = check(value);
    return issues.length === 0 ? undefined : fault(name, issues);
  };
}

function read(args: ByteText): unknown {
  try {
    return isObject(args) ? parseBytes(args) : undefined;
  } catch {
    return undefined;
  }
}

function fault(tool: string, issues: readonly ValueIssue[]): Fault {
  const more = issues.length > MAX_SHOWN ? [`${issues.length - MAX_SHOWN} more errors`] : [];
  const sentences = [...issues.slice(0, MAX_SHOWN).map(describe), ...more].join('; ');
  const meant = issues.find((issue) => issue.meant !== undefined)?.meant;
  return {
    path: issues[0]!.path,
    message: `${sentences}.`,
    hint:
      meant === undefined
        ? `Nothing was sent to the app. See the input schema of ${tool}.`
        : `Nothing was sent to the app. Did you mean ${shown(meant)}?`,
  };
}

function describe({ path, message }: ValueIssue): string {
  const whole = path === '' ? `The value ${message}` : `Argument "${path}" ${message}`;
  return visible(whole.length <= MAX_MESSAGE_CHARS ? whole : `${whole.slice(0, MAX_MESSAGE_CHARS)}…`);
}
