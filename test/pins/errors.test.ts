import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitCodeOf } from '../../packages/hub/src/cli/exit-codes.ts';
import { ERROR_CODES, type ErrorCode } from '../../packages/hub/src/core/errors.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/errors.md'), 'utf8');
/** Headings of the second level that look like a code, each with the text below it. */
const sections = [...page.matchAll(/^## ([A-Z][A-Z_]*)\n([^]*?)(?=^## |$(?![^]))/gm)].map(
  ([, code = '', text = '']) => [code, text.trim()] as const,
);
const codes = Object.keys(ERROR_CODES);

describe('docs/errors.md', () => {
  it('has a heading for each code, and none for anything else', () => {
    expect(sections.map(([code]) => code)).toEqual(codes.toSorted());
    expect(new Set(sections.map(([code]) => code)).size).toBe(codes.length);
  });

  it('says of each what it means, when it happens and what to do', () => {
    for (const [code, text] of sections) {
      expect(text, code).toMatch(/\*\*When\.\*\* \S/);
      expect(text, code).toMatch(/\*\*What to do\.\*\* \S/);
      expect(text.split('\n').filter((line) => line !== '').length, code).toBeGreaterThanOrEqual(2);
    }
  });

  it('begins each with the words of the source', () => {
    for (const [code, text] of sections)
      expect(text.replaceAll(/\s+/g, ' '), code).toContain(ERROR_CODES[code as ErrorCode]);
  });
});

describe('exit codes', () => {
  it('are named for each code as the command line gives them', () => {
    for (const [code, text] of sections)
      expect(/\bExit code (\d+)\./.exec(text)?.[1], code).toBe(String(exitCodeOf(code as ErrorCode)));
  });
});

describe('ERROR_CODES', () => {
  it('are these, in this order: scripts rely on them', () => {
    expect(codes).toEqual([
      'APPROVAL_DENIED',
      'APPROVAL_PENDING',
      'APPROVAL_TOO_LONG',
      'ARGUMENT_INVALID',
      'BRIDGE_LOST',
      'BRIDGE_NOT_CONNECTED',
      'CALL_CANCELLED',
      'CALL_TIMEOUT',
      'CAPABILITY_MISSING',
      'CONFIG_INVALID',
      'CONFIG_UNREADABLE',
      'HUB_RUNNING',
      'HUB_UNREACHABLE',
      'INTERNAL',
      'OPENCLAW_UNUSABLE',
      'POLICY_DENIED',
      'PORT_BUSY',
      'PROMPT_UNKNOWN',
      'RATE_LIMITED',
      'RESOURCE_UNKNOWN',
      'SCOPE_NEEDED',
      'SECRET_UNKNOWN',
      'SERVER_BUSY',
      'SERVER_DISABLED',
      'SERVER_EXISTS',
      'SERVER_GONE',
      'SERVER_PROTOCOL',
      'SERVER_UNKNOWN',
      'SERVER_UNREACHABLE',
      'SESSION_UNKNOWN',
      'SIGN_IN_FAILED',
      'SIGN_IN_NEEDED',
      'STATE_INVALID',
      'STORE_DAMAGED',
      'STORE_UNWRITABLE',
      'TASK_UNKNOWN',
      'TOKEN_INVALID',
      'TOKEN_UNREADABLE',
      'TOOL_ERROR',
      'TOOL_UNKNOWN',
      'TOOL_WITHDRAWN',
      'USAGE',
      'VAULT_UNREADABLE',
    ]);
    expect(codes).toHaveLength(43);
  });
});
