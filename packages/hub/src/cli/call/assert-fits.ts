/** Refuses arguments that the tool would not take, before anything is sent. */
import { PincerError } from '../../core/errors.ts';
import { closest } from '../../core/closest.ts';
import { asSchema, objectParts } from '../../core/schema/json-schema.ts';
import { checkValue, type ValueIssue } from '../../core/schema/check-value.ts';

/** More than so many are one misunderstanding. */
const MAX_SHOWN = 8;

/** `argumentsText` is JSON. */
export function assertFits(argumentsText: string, inputSchema: unknown, target: string): void {
  const root = asSchema(inputSchema);
  const issues = checkValue(JSON.parse(argumentsText), root, root);
  if (issues.length === 0) return;
  const lines = issues.slice(0, MAX_SHOWN).map(describe);
  const more = issues.length > MAX_SHOWN ? [`and ${issues.length - MAX_SHOWN} more`] : [];
  const text =
    lines.length === 1 ? `${lines[0]}.` : [`${target} would not take this:`, ...lines, ...more].join('\n  ');
  const meant = issues.find((issue) => issue.meant !== undefined);
  const server = target.slice(0, target.indexOf('.'));
  throw new PincerError('ARGUMENT_INVALID', text, {
    hint:
      meant === undefined
        ? `Nothing was sent. \`pincer tools ${server}\` shows what each tool takes; --no-check sends it anyway.`
        : `Did you mean ${meant.meant}?`,
    data: { outcome: 'not_executed' },
  });
}

/** Names that the tool would take and does not know, where they are close to one that it does: one line each. */
export function slipsIn(argumentsText: string, inputSchema: unknown, target: string): string[] {
  const known = Object.keys(objectParts(asSchema(inputSchema)).properties);
  return Object.keys(JSON.parse(argumentsText) as object)
    .filter((key) => !known.includes(key))
    .flatMap((key) => {
      const near = closest(key, known);
      return near === undefined ? [] : [`${target} does not know "${key}". Did you mean ${near}?`];
    });
}

const describe = ({ path, message }: ValueIssue): string =>
  path === '' ? `What is given ${message}` : `Argument "${path}" ${message}`;
