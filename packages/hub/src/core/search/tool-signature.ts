/** A tool on one line, so that it can be called without its whole definition. */
import { asSchema } from '../schema/json-schema.ts';
import { parameterTexts, type Parameter, type TypeLimits } from '../schema/type-text.ts';
import { visible } from '../visible.ts';

/** A longer one leaves out what need not be given, and ends with `…`. */
const MAX_CHARS = 400;
const LIMITS: TypeLimits = { maxParameters: 24, maxInnerParts: 8, maxTypes: 100 };

/** `name(a: string, b?: number)`; `inputSchema` is the parsed one. */
export function toolSignature(name: string, inputSchema: unknown): string {
  const parameters = parameterTexts(asSchema(inputSchema), LIMITS);
  const whole = write(name, parameters, '');
  if (whole.length <= MAX_CHARS) return whole;
  const needed = parameters.filter(({ isRequired }) => isRequired);
  const short = write(name, needed, needed.at(-1)?.text === '…' ? '' : '…');
  return short.length <= MAX_CHARS ? short : `${short.slice(0, MAX_CHARS - 2)}…)`;
}

const write = (name: string, parameters: readonly Parameter[], more: string): string =>
  visible(
    `${name}(${[...parameters.map(({ text }) => text), more].filter((text) => text !== '').join(', ')})`,
  );
