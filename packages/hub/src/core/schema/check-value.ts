/**
 * Checks values against a JSON Schema: 2020-12, and the differences of drafts 4 to 7. Treats `format` and `content…` as
 * annotations, and does not follow references out of the schema. A schema may be hostile, so a check has a budget of
 * steps. Everything it does not reach passes.
 */
import { isRecord } from '../../lib/record.ts';
import { plural } from '../../lib/text.ts';
import {
  alternatives,
  assertionsOf,
  createMatch,
  createTypeCheck,
  nameIssue,
  unknownMember,
} from './assertions.ts';
import { CheckRun, NO_ISSUES, Place, type Evaluated, type Issues, type ValueIssue } from './check-run.ts';
import { asSchema, localTarget, namesIn, objectParts, type Schema } from './json-schema.ts';

/** A group of related keywords. `evaluated` is present if a keyword depends on what the others have checked. */
type Rule = (place: Place, run: CheckRun, evaluated: Evaluated | undefined) => Issues;

type Part = SchemaNode | boolean;
type ToPart = (schema: unknown) => Part;

/** Depth limit for value and schema together. */
const MAX_DEPTH = 500;

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'] as const;

/** Compiles each part of the schema when a value first reaches it. The check can be reused. */
export function createValueCheck(root: Schema, maxSteps?: number): (value: unknown) => Issues {
  const nodes = new Map<Schema, SchemaNode>();
  /** Before 2019-09, keywords beside a `$ref` are ignored. */
  const isRefAlone = /\/draft-0[3-7]\//.test(String(root['$schema']));

  function partOf(schema: unknown): Part {
    if (!isRecord(schema)) return schema !== false;
    let node = nodes.get(schema);
    if (node === undefined) nodes.set(schema, (node = new SchemaNode(schema, rulesOf)));
    return node;
  }

  function rulesOf(schema: Schema): Rule[] {
    const references = REFERENCES.flatMap((keyword) => {
      const ref = schema[keyword];
      if (typeof ref !== 'string') return [];
      const target = localTarget(ref, root);
      return [target === undefined ? unresolved : referenceRule(partOf(target))];
    });
    if (isRefAlone && '$ref' in schema) return references;
    return [
      ...references,
      ...assertionsOf(schema),
      ...memberRules(schema, partOf),
      ...itemRules(schema, partOf),
      ...branchRules(schema, partOf),
      ...conditionRules(schema, partOf),
      ...unevaluatedRules(schema, partOf),
    ];
  }

  const whole = partOf(root);
  return (value) => check(whole, new Place(value), new CheckRun(maxSteps));
}

class SchemaNode {
  readonly typeIssue: (place: Place) => ValueIssue | undefined;
  /** OpenAPI's way to write `type: […, "null"]`. */
  readonly isNullable: boolean;
  readonly tracksEvaluated: boolean;
  readonly #schema: Schema;
  readonly #rulesOf: (schema: Schema) => Rule[];
  #rules: Rule[] | undefined;

  constructor(schema: Schema, rulesOf: (schema: Schema) => Rule[]) {
    this.typeIssue = createTypeCheck(schema);
    this.isNullable = schema['nullable'] === true;
    this.tracksEvaluated = 'unevaluatedProperties' in schema || 'unevaluatedItems' in schema;
    this.#schema = schema;
    this.#rulesOf = rulesOf;
  }

  get rules(): readonly Rule[] {
    return (this.#rules ??= this.#rulesOf(this.#schema));
  }
}

/** `evaluated` must be empty: it is for this part of the schema alone. */
// oxlint-disable-next-line max-params -- a part of the schema, a value, the state of the check, and what it also reports
function check(part: Part, place: Place, run: CheckRun, evaluated?: Evaluated): Issues {
  if (part === true) return NO_ISSUES;
  if (part === false) return [{ path: place.path, message: 'is not allowed' }];
  if (run.depth >= MAX_DEPTH) {
    run.cut();
    return NO_ISSUES;
  }
  if (!run.spend(1) || (place.value === null && part.isNullable)) return NO_ISSUES;
  const wrong = part.typeIssue(place);
  // A value of another type breaks most other rules too; one issue is enough.
  if (wrong !== undefined) return [wrong];
  const own = evaluated ?? (part.tracksEvaluated ? newEvaluated() : undefined);
  let issues: Issues = NO_ISSUES;
  run.depth++;
  for (const rule of part.rules) {
    const found = rule(place, run, own);
    if (found.length > 0) issues = issues.length === 0 ? found : join(issues, found, run);
  }
  run.depth--;
  return issues;
}

/** Removes duplicates: two references to one definition give the same issues, and doubling references would double them. */
function join(issues: Issues, more: Issues, run: CheckRun): Issues {
  return run.spend(issues.length + more.length) ? [...new Set([...issues, ...more])] : issues;
}

const newEvaluated = (): Evaluated => ({ names: new Set(), items: new Set(), upTo: 0 });

/** Checks another part of the schema at the same place. Its evaluated members count only if the value matches. */
// oxlint-disable-next-line max-params -- as `check`
function checkBeside(part: Part, place: Place, run: CheckRun, evaluated: Evaluated | undefined): Issues {
  if (evaluated === undefined) return check(part, place, run);
  const own = newEvaluated();
  const issues = check(part, place, run, own);
  if (issues.length === 0) merge(own, evaluated);
  return issues;
}

function merge(from: Evaluated, into: Evaluated): void {
  for (const name of from.names) into.names.add(name);
  for (const index of from.items) into.items.add(index);
  into.upTo = Math.max(into.upTo, from.upTo);
}

/** An anchor or another document. It is never fetched. */
const unresolved: Rule = (_, run) => {
  run.cut();
  return NO_ISSUES;
};

/** Without references, each part of a schema meets each place once. So results are cached here, and cycles end here. */
function referenceRule(target: Part): Rule {
  if (typeof target === 'boolean') return (place, run) => check(target, place, run);
  return (place, run, evaluated) => {
    const known = run.knownAt(place);
    let result = known.get(target);
    if (result === 'running') {
      run.cut();
      return NO_ISSUES;
    }
    if (result === undefined || (evaluated !== undefined && result.evaluated === undefined)) {
      known.set(target, 'running');
      const own = evaluated && newEvaluated();
      result = { issues: check(target, place, run, own), evaluated: own };
      known.set(target, result);
    }
    const { issues } = result;
    if (evaluated !== undefined && issues.length === 0) merge(result.evaluated!, evaluated);
    return issues;
  };
}

function memberRules(schema: Schema, partOf: ToPart): Rule[] {
  const { properties, required } = objectParts(schema);
  const own = new Map(Object.entries(properties).map(([key, part]) => [key, partOf(part)]));
  const patterns = Object.entries(asSchema(schema['patternProperties'])).map(([source, part]) => ({
    matches: createMatch(source),
    part: partOf(part),
  }));
  const others = 'additionalProperties' in schema ? partOf(schema['additionalProperties']) : undefined;
  const names = partOf(schema['propertyNames']);
  const elsewhere = patterns.length > 0 && own.size === 0 ? '' : alternatives([...own.keys()]);
  const rules: Rule[] = [];
  if (required.length > 0) rules.push(requiredRule(required, 'is missing'));
  if (own.size > 0 || patterns.length > 0 || others !== undefined)
    rules.push((place, run, evaluated) => {
      const { value } = place;
      if (!isRecord(value)) return NO_ISSUES;
      const issues: ValueIssue[] = [];
      const take = (part: Part, key: string): void => {
        if (part === true) return;
        for (const issue of check(part, place.at(key, value[key]), run)) issues.push(issue);
      };
      for (const key of Object.keys(value)) {
        if (!run.spend(0)) break;
        const property = own.get(key);
        let isKnown = property !== undefined;
        if (property !== undefined) take(property, key);
        for (const { matches, part } of patterns) {
          if (!run.spend(1) || !matches(key, run)) continue;
          isKnown = true;
          take(part, key);
        }
        if (!isKnown && others === false && run.spend(own.size + 1) && !run.isCut)
          issues.push(unknownMember(place.pathOf(key), key, own, elsewhere, run));
        else if (!isKnown && others !== undefined && others !== false) take(others, key);
        if (isKnown || others !== undefined) evaluated?.names.add(key);
      }
      return issues;
    });
  if (names !== true)
    rules.push((place, run) =>
      membersOf(place).flatMap((key) => nameIssue(check(names, new Place(key), run), place.pathOf(key))),
    );
  return rules;
}

const membersOf = ({ value }: Place): readonly string[] => (isRecord(value) ? Object.keys(value) : []);

const requiredRule =
  (names: readonly string[], message: string): Rule =>
  (place, run) => {
    const { value } = place;
    if (!isRecord(value) || !run.spend(names.length)) return NO_ISSUES;
    const missing = names.filter((key) => !Object.hasOwn(value, key));
    return missing.length === 0 ? NO_ISSUES : missing.map((key) => ({ path: place.pathOf(key), message }));
  };

function itemRules(schema: Schema, partOf: ToPart): Rule[] {
  const { items, prefixItems, contains } = schema;
  // Before 2020-12, `items` held the first items and `additionalItems` the others.
  const first = listOf(Array.isArray(items) ? items : prefixItems).map(partOf);
  const rest = Array.isArray(items) ? schema['additionalItems'] : items;
  const others = rest === undefined ? undefined : partOf(rest);
  const rules: Rule[] = [];
  if (first.length > 0 || others !== undefined)
    rules.push((place, run, evaluated) => {
      const { value } = place;
      if (!Array.isArray(value)) return NO_ISSUES;
      if (evaluated !== undefined)
        evaluated.upTo = Math.max(evaluated.upTo, others === undefined ? first.length : Infinity);
      const issues: ValueIssue[] = [];
      for (const [index, item] of value.entries()) {
        const part = first[index] ?? others;
        if (part === undefined || !run.spend(0)) break;
        for (const issue of check(part, place.at(index, item), run)) issues.push(issue);
      }
      return issues;
    });
  if (contains !== undefined) rules.push(containsRule(partOf(contains), schema));
  return rules;
}

function containsRule(part: Part, { minContains, maxContains }: Schema): Rule {
  const min = typeof minContains === 'number' ? minContains : 1;
  const max = typeof maxContains === 'number' ? maxContains : Infinity;
  return (place, run, evaluated) => {
    const { value } = place;
    if (!Array.isArray(value)) return NO_ISSUES;
    let count = 0;
    for (const [index, item] of value.entries()) {
      if (check(part, place.at(index, item), run).length > 0) continue;
      evaluated?.items.add(index);
      count++;
    }
    const complain = (bound: string): Issues => [{ path: place.path, message: `must contain ${bound}` }];
    if (count < min) return complain(`at least ${plural(min, 'matching item')}`);
    return count > max && !run.isCut ? complain(`at most ${plural(max, 'matching item')}`) : NO_ISSUES;
  };
}

function branchRules(schema: Schema, partOf: ToPart): Rule[] {
  const [allOf, anyOf, oneOf] = [schema['allOf'], schema['anyOf'], schema['oneOf']].map((list) =>
    listOf(list).map(partOf),
  ) as [Part[], Part[], Part[]];
  const rules = allOf.map(
    (part): Rule =>
      (place, run, evaluated) =>
        checkBeside(part, place, run, evaluated),
  );
  if (anyOf.length > 0) rules.push(choiceRule(anyOf, Infinity));
  if (oneOf.length > 0) rules.push(choiceRule(oneOf, 1));
  if ('not' in schema) rules.push(notRule(partOf(schema['not'])));
  return rules;
}

function choiceRule(parts: readonly Part[], most: number): Rule {
  return (place, run, evaluated) => {
    const failed: Issues[] = [];
    let count = 0;
    for (const part of parts) {
      const issues = checkBeside(part, place, run, evaluated);
      if (issues.length > 0) failed.push(issues);
      else if (++count > most) break;
      // All matching branches are evaluated, not only the first.
      else if (most === Infinity && evaluated === undefined) return NO_ISSUES;
    }
    const { path } = place;
    if (count > most && !run.isCut) return [{ path, message: 'matches more than one of the allowed forms' }];
    if (count > 0) return NO_ISSUES;
    const [only, another] = failed.filter((issues) => issues.some((issue) => issue.path !== path));
    // The only branch whose type matches is probably the intended one.
    if (only !== undefined && another === undefined) return only;
    return [{ path, message: 'matches none of the allowed forms' }];
  };
}

const notRule =
  (part: Part): Rule =>
  (place, run) =>
    check(part, place, run).length > 0 || run.isCut
      ? NO_ISSUES
      : [{ path: place.path, message: 'has a form that is not allowed' }];

function conditionRules(schema: Schema, partOf: ToPart): Rule[] {
  const rules: Rule[] = [];
  const needs: [name: string, what: unknown][] = [
    'dependentRequired',
    'dependentSchemas',
    'dependencies',
  ].flatMap((keyword) => Object.entries(asSchema(schema[keyword])));
  for (const [name, what] of needs) {
    const rule: Rule = Array.isArray(what)
      ? requiredRule(namesIn(what), `is missing: "${name}" needs it`)
      : besideRule(partOf(what));
    rules.push((place, run, evaluated) =>
      isRecord(place.value) && run.spend(1) && Object.hasOwn(place.value, name)
        ? rule(place, run, evaluated)
        : NO_ISSUES,
    );
  }
  if ('if' in schema) {
    const [condition, yes, no] = [schema['if'], schema['then'], schema['else']].map(partOf) as [
      Part,
      Part,
      Part,
    ];
    rules.push((place, run, evaluated) => {
      const isTrue = checkBeside(condition, place, run, evaluated).length === 0;
      // A condition that was not fully checked decides nothing.
      return run.isCut ? NO_ISSUES : checkBeside(isTrue ? yes : no, place, run, evaluated);
    });
  }
  return rules;
}

const besideRule =
  (part: Part): Rule =>
  (place, run, evaluated) =>
    checkBeside(part, place, run, evaluated);

function unevaluatedRules(schema: Schema, partOf: ToPart): Rule[] {
  const rules: Rule[] = [];
  if ('unevaluatedProperties' in schema) {
    const part = partOf(schema['unevaluatedProperties']);
    rules.push((place, run, evaluated) => {
      const rest = membersOf(place).filter((key) => !evaluated!.names.has(key));
      for (const key of rest) evaluated!.names.add(key);
      // Parts that were not reached may have evaluated them.
      if (run.isCut || !isRecord(place.value)) return NO_ISSUES;
      const { value } = place as { readonly value: Readonly<Record<string, unknown>> };
      return rest.flatMap((key) => check(part, place.at(key, value[key]), run));
    });
  }
  if ('unevaluatedItems' in schema) {
    const part = partOf(schema['unevaluatedItems']);
    rules.push((place, run, evaluated) => {
      const { value } = place;
      if (!Array.isArray(value) || run.isCut) return NO_ISSUES;
      const { upTo, items } = evaluated!;
      evaluated!.upTo = Infinity;
      return value.flatMap((item, index) =>
        index < upTo || items.has(index) ? [] : check(part, place.at(index, item), run),
      );
    });
  }
  return rules;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
