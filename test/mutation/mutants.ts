/** Small faults that can be put into a source file, one at a time. */
import { parseAst } from 'rolldown/parseAst';

export interface Mutant {
  kind: string;
  start: number;
  end: number;
  replacement: string;
}

interface Node {
  type: string;
  start: number;
  end: number;
  [member: string]: unknown;
}

const SWAPPED_OPERATOR: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
};

const SWAPPED_CALL: Readonly<Record<string, string>> = {
  notExecuted: 'outcomeUnknown',
  outcomeUnknown: 'notExecuted',
};

/** A dropped log line or listener changes no behaviour that a test could see. */
const WITHOUT_EFFECT = /^(?:log|this\.#log|console)\b|\.(?:unref|setMaxListeners)\(\)$/;

/** Type annotations parse as nodes, too; nothing in them runs. */
const isType = (type: string): boolean => type.startsWith('TS') && !type.startsWith('TSNonNull');

export function findMutants(source: string): Mutant[] {
  const found: Mutant[] = [];
  const text = ({ start, end }: Node): string => source.slice(start, end);
  const add = (kind: string, node: Node, replacement: string): void => {
    found.push({ kind, start: node.start, end: node.end, replacement });
  };

  function visit(node: Node): void {
    if (isType(node.type) && node.type !== 'TSAsExpression' && node.type !== 'TSSatisfiesExpression') return;
    if (node.type === 'ImportDeclaration') return;
    mutate(node);
    for (const [member, value] of Object.entries(node)) {
      if (member === 'typeAnnotation' || member === 'typeArguments' || member === 'returnType') continue;
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child);
    }
  }

  function mutate(node: Node): void {
    if (node.type === 'IfStatement') {
      const test = node['test'] as Node;
      add('negated condition', test, `!(${text(test)})`);
    } else if (node.type === 'BinaryExpression' || node.type === 'LogicalExpression') {
      const operator = SWAPPED_OPERATOR[node['operator'] as string];
      if (operator !== undefined)
        add(
          `${node['operator'] as string} to ${operator}`,
          node,
          `(${text(node['left'] as Node)} ${operator} ${text(node['right'] as Node)})`,
        );
    } else if (node.type === 'ExpressionStatement') {
      const expression = node['expression'] as Node;
      if (expression.type === 'CallExpression' && !WITHOUT_EFFECT.test(text(expression)))
        add('dropped call', node, ';');
    } else if (node.type === 'CallExpression') {
      const callee = node['callee'] as Node;
      const other = SWAPPED_CALL[text(callee)];
      if (other !== undefined) add('wrong outcome', callee, other);
    } else if (node.type === 'Literal') mutateLiteral(node);
  }

  function mutateLiteral(node: Node): void {
    const { value } = node;
    if (typeof value === 'boolean') add('flipped boolean', node, String(!value));
    // One more in a thousand is a timeout or a buffer of the same size.
    else if (typeof value === 'number' && value < 1_000 && /^\d[\d_]*$/.test(text(node)))
      add('off by one', node, String(value + 1));
  }

  visit(parseAst(source, { lang: 'ts' }) as unknown as Node);
  return found;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

export const applyMutant = (source: string, { start, end, replacement }: Mutant): string =>
  source.slice(0, start) + replacement + source.slice(end);
