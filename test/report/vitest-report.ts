/** What is read of vitest's JSON report. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

export interface Failure {
  file: string;
  /** Undefined: the file failed as a whole, in a hook or while it was loaded. */
  test: string | undefined;
  /** The first line of it. */
  reason: string;
}

export interface Counts {
  passed: number;
  failed: number;
  failures: Failure[];
  files: { file: string; seconds: number }[];
}

export interface Outcome extends Counts {
  name: string;
  seconds: number;
  hasPassed: boolean;
}

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  testResults: {
    name: string;
    startTime: number;
    endTime: number;
    message: string;
    status: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] | null }[];
  }[];
}

/** A missing report counts as one failure: the run broke down. */
export function readReport(path: string, root: string): Counts {
  try {
    const read = JSON.parse(readFileSync(path, 'utf8')) as Report;
    const files = read.testResults.map(({ name, startTime, endTime }) => ({
      file: relative(root, name),
      seconds: (endTime - startTime) / 1_000,
    }));
    const failures = failuresIn(read, root);
    return { passed: read.numPassedTests, failed: read.numFailedTests, failures, files };
  } catch {
    return { passed: 0, failed: 1, failures: [], files: [] };
  }
}

function failuresIn({ testResults }: Report, root: string): Failure[] {
  return testResults.flatMap(({ name, message, status, assertionResults }): Failure[] => {
    const file = relative(root, name);
    const tests = assertionResults
      .filter((test) => test.status === 'failed')
      .map(({ fullName, failureMessages }) => ({
        file,
        test: fullName,
        reason: firstLine(failureMessages?.[0]),
      }));
    return status === 'failed' && tests.length === 0
      ? [{ file, test: undefined, reason: firstLine(message) }]
      : tests;
  });
}

const firstLine = (text = ''): string => text.split('\n', 1)[0]?.slice(0, 300) ?? '';
