/**
 * The definition of a command. Each file in `commands/` exports one `command`: its arguments, options, help texts and
 * the handler that runs it and prints the result. Arguments and options are written as in the help; the types of the
 * handler's parameters are derived from them.
 */
import { PincerError } from '../core/errors.ts';
import type { Context } from './context.ts';
import type { ExitCode } from './exit-codes.ts';

/** `<name>` is required, `[name]` optional, `[name...]` takes the rest. With choices, only those words are accepted. */
export type ArgumentDefinition =
  | string
  | readonly [term: string, help: string, choices?: readonly string[] | undefined];

/** The help text, or the help text with parsing rules. */
export type OptionDefinition =
  | string
  | {
      readonly help: string;
      /** The option may be given several times. */
      readonly many?: true;
      /** Throws a `ValueError` if the value is invalid. */
      readonly parse?: (text: string) => unknown;
      /** Another option of the same command, by its long name, that must not be given as well. */
      readonly conflicts?: string;
    };

export const helpTextOf = (definition: OptionDefinition): string =>
  typeof definition === 'string' ? definition : definition.help;

/** Keyed by flags: `--port <n>` takes a value, `--yes` does not, `--no-check` sets `check` to false. */
export type OptionDefinitions = Readonly<Record<string, OptionDefinition>>;

/** A kind of names that `pincer __complete` lists, files, folders, or fixed words. */
export type Completions = NameKind | 'files' | 'folders' | readonly string[];
export type NameKind = 'servers' | 'tools' | 'secrets' | 'tokens' | 'apps' | 'sessions';

/** A command line that the parser refuses. A command may replace the error by its own. */
export interface UsageProblem {
  readonly kind: 'unknown-option' | 'missing-value' | 'too-many-words';
  /** The invalid option or word. */
  readonly word: string;
}

export interface CommandDefinition {
  readonly description: string;
  /** Default: `[options]`. */
  readonly usage?: string | undefined;
  readonly arguments?: readonly ArgumentDefinition[] | undefined;
  readonly options?: OptionDefinitions | undefined;
  /** How a shell completes the first argument, if the argument's name does not tell. */
  readonly completes?: Completions | undefined;
  readonly commands?: Readonly<Record<string, SubcommandDefinition>> | undefined;
  readonly refuse?: ((problem: UsageProblem) => PincerError) | undefined;
  /** Absent if only its subcommands can be run. */
  readonly run?:
    | ((given: Given<readonly never[], never>, context: Context) => Promise<ExitCode> | ExitCode)
    | undefined;
}

export interface SubcommandDefinition extends CommandDefinition {
  readonly summary: string;
}

export interface Given<Words, Flags> {
  readonly words: Words;
  readonly flags: Flags;
  /** The words after `--`; undefined without `--`. */
  readonly foreign: readonly string[] | undefined;
  /** All commands, for `pincer completion`. */
  readonly table: readonly CommandGroup[];
}

/** A row of the command table: what `pincer --help` shows for a command. */
export interface CommandRow {
  readonly name: string;
  readonly alias?: string | undefined;
  /** Its usage without the options. */
  readonly args: string;
  readonly summary: string;
  /** Its stdout belongs to a protocol, so `--json` does not apply to it. */
  readonly isPipe?: true;
  readonly load: () => Promise<{ readonly command: CommandDefinition }>;
}

export interface CommandGroup {
  readonly title: string;
  readonly rows: readonly CommandRow[];
}

/** A command without options. */
type NoOptions = Readonly<Record<string, never>>;

type Typed<Definition, A extends readonly ArgumentDefinition[], O extends OptionDefinitions, P> = Omit<
  Definition,
  'arguments' | 'options' | 'run'
> & {
  readonly arguments?: A;
  readonly options?: O;
  run?(given: Given<WordsOf<A>, FlagsOf<O> & P>, context: Context): Promise<ExitCode> | ExitCode;
};

export const defineCommand = <
  const A extends readonly ArgumentDefinition[] = [],
  const O extends OptionDefinitions = NoOptions,
>(
  command: Typed<CommandDefinition, A, O, unknown>,
): CommandDefinition => command as CommandDefinition;

/** `inherited`: options of the parent command that the handler reads. All options of the parent are accepted here. */
export const defineSubcommand = <
  const A extends readonly ArgumentDefinition[] = [],
  const O extends OptionDefinitions = NoOptions,
  const Inherited extends OptionDefinitions = NoOptions,
>(
  command: Typed<SubcommandDefinition, A, O, FlagsOf<Inherited>>,
  _inherited?: Inherited,
): SubcommandDefinition => command as SubcommandDefinition;

type TermOf<A> = A extends readonly [infer Term, ...unknown[]] ? Term : A;
type WordOf<A> =
  TermOf<A> extends `${string}...${string}`
    ? readonly string[]
    : A extends readonly [infer Term, string, readonly (infer Choice)[]]
      ? Choice | Absent<Term>
      : string | Absent<TermOf<A>>;
type Absent<Term> = Term extends `[${string}` ? undefined : never;
type WordsOf<A extends readonly ArgumentDefinition[]> = { readonly [Index in keyof A]: WordOf<A[Index]> };

type Camel<Text extends string> = Text extends `${infer Head}-${infer Rest}`
  ? `${Head}${Capitalize<Camel<Rest>>}`
  : Text;
type KeyOf<Flags> = Flags extends `-${string}, --${infer Long}`
  ? KeyOf<`--${Long}`>
  : Flags extends `--no-${infer Name}`
    ? Camel<Name>
    : Flags extends `--${infer Name} <${string}`
      ? Camel<Name>
      : Flags extends `--${infer Name}`
        ? Camel<Name>
        : never;
type ValueOf<Flags, Option> = Option extends { readonly many: true }
  ? readonly string[] | undefined
  : Option extends { readonly parse: (text: string) => infer Value }
    ? Value | undefined
    : Flags extends `${string}<${string}`
      ? string | undefined
      : boolean;
type FlagsOf<O extends OptionDefinitions> = {
  readonly [Flags in keyof O as KeyOf<Flags>]: ValueOf<Flags, O[Flags]>;
};

/** Thrown for an invalid option value. The message says which values are valid. */
export class ValueError extends Error {}

export function parsePort(text: string): number {
  const port = Number(text);
  if (text.trim() !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new ValueError('A port is a number from 0 to 65535.');
}

/** The longest timeout that a setting accepts. */
const MAX_TIMEOUT_MS = 24 * 60 * 60_000;

export function parseTimeout(text: string): number {
  const timeoutMs = Number(text);
  if (Number.isSafeInteger(timeoutMs) && timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS) return timeoutMs;
  throw new PincerError('USAGE', `--timeout takes milliseconds, not "${text}".`, {
    hint: `A whole number from 1 to ${MAX_TIMEOUT_MS}, which is a day: --timeout 120000`,
  });
}
